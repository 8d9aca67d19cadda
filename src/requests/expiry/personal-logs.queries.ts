import type { DataSource, EntityManager } from 'typeorm';
import type { Sought } from '../../platform/database/erase-rows.js';
import { addUpHoursOf, countSums } from '../../rollups/index.js';
import { metadataFacet } from '../shared/facets.js';
import { REQUEST_HOURS } from '../histogram/request-hours.js';

/** A pair of metadata that identifies a person. */
export interface Pair {
  key: string;
  value: string;
}

export interface PersonalLog {
  id: string;
  traceId: string | null;
  spanId: string | null;
  createdAt: Date;
}

const FIELDS = 'id::text, trace_id AS "traceId", span_id AS "spanId", created_at AS "createdAt"';

/** The logs about a person, and the data derived from them. */
export const PersonalLogs = {
  /** Logs with the pair in their metadata. */
  ofPerson(db: EntityManager, workspaceId: number, { key, value }: Pair): Promise<PersonalLog[]> {
    return db.query<PersonalLog[]>(
      `SELECT ${FIELDS} FROM request_logs WHERE workspace_id = $1 AND facets @> ARRAY[$2]`,
      [workspaceId, metadataFacet(workspaceId, key, value)],
    );
  },

  /** Logs of the calls in traces, and logs that clients have named by id. */
  ofTraces(
    db: EntityManager,
    workspaceId: number,
    { traceIds, logIds }: Pick<Sought, 'traceIds' | 'logIds'>,
  ): Promise<PersonalLog[]> {
    return db.query<PersonalLog[]>(
      `SELECT ${FIELDS} FROM request_logs WHERE workspace_id = $1 AND trace_id = ANY($2::text[])
       UNION SELECT ${FIELDS} FROM request_logs WHERE workspace_id = $1 AND id = ANY($3::bigint[])`,
      [workspaceId, traceIds, logIds],
    );
  },

  /** Logs of calls that computed the cells of rows, found by their metadata. */
  ofRows(
    db: EntityManager,
    workspaceId: number,
    { sheetId, rows }: { sheetId: string; rows: number[] },
  ): Promise<PersonalLog[]> {
    return db.query<PersonalLog[]>(
      `SELECT ${FIELDS} FROM request_logs WHERE workspace_id = $1 AND facets @> ARRAY[$2] AND metadata->>'row_index' = ANY($3::text[])`,
      [workspaceId, metadataFacet(workspaceId, 'sheet_id', sheetId), rows.map(String)],
    );
  },

  /** Numbers of these logs and of their scores. */
  async count(db: EntityManager, workspaceId: number, logIds: string[]): Promise<{ logs: number; scores: number }> {
    const [counted] = await db.query<{ logs: number; scores: number }[]>(
      `SELECT (SELECT count(*)::int FROM request_logs WHERE workspace_id = $1 AND id = ANY($2::bigint[])) AS logs,
              (SELECT count(*)::int FROM request_scores WHERE workspace_id = $1 AND log_id = ANY($2::bigint[])) AS scores`,
      [workspaceId, logIds],
    );
    return counted!;
  },

  /** Number of these logs that wait to be added to the index or removed from it. */
  async countWaiting(db: EntityManager, workspaceId: number, logIds: readonly string[]): Promise<number> {
    const [row] = await db.query<{ count: number }[]>(
      'SELECT count(*)::int AS count FROM request_log_search_queue WHERE workspace_id = $1 AND log_id = ANY($2::bigint[])',
      [workspaceId, logIds],
    );
    return row!.count;
  },

  /** Recomputes the hours in which logs were deleted. Returns the number of remaining sums about the person. */
  async renewHours(db: DataSource, workspaceId: number, { key, value }: Pair): Promise<number> {
    await addUpHoursOf(db, REQUEST_HOURS, workspaceId);
    return countSums(db.manager, REQUEST_HOURS, { workspaceId, facets: [metadataFacet(workspaceId, key, value)] });
  },
};
