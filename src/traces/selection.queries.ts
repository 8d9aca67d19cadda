import type { EntityManager } from 'typeorm';
import { SqlParameters } from '../platform/filters/sql-parameters.js';
import type { TraceQuery } from './search/trace-conditions.js';
import { traceConditions } from './search/trace-matches.js';

/** Filters or ids of the traces. */
export interface TraceSelectionQuery extends TraceQuery {
  /** Exactly these traces, in this order; all other members but `limit` are then ignored. */
  ids?: string[] | null;
  limit: number;
}

/** Selection of traces by a caller. */
export const TraceSelection = {
  /**
   * Ids of the selected traces, newest first unless ids are given. Unknown ids are left out. Throws the errors of the
   * filter grammar.
   */
  async readIds(tx: EntityManager, workspaceId: number, selection: TraceSelectionQuery): Promise<string[]> {
    const { ids, limit, ...query } = selection;
    if (ids) return selectKnown(tx, workspaceId, ids.slice(0, limit));
    const parameters = new SqlParameters();
    const condition = await traceConditions(tx, workspaceId, query, parameters);
    const rows = await tx.query<{ id: string }[]>(
      `SELECT t.trace_id AS id FROM traces t
        WHERE ${condition} AND t.span_count > 0
        ORDER BY t.start_ns DESC NULLS LAST, t.trace_id LIMIT ${parameters.add(limit)}`,
      parameters.values,
    );
    return rows.map(({ id }) => id);
  },
};

async function selectKnown(tx: EntityManager, workspaceId: number, ids: string[]): Promise<string[]> {
  const rows = await tx.query<{ id: string }[]>(
    `SELECT trace_id AS id FROM traces
      WHERE workspace_id = $1 AND trace_id = ANY($2::text[]) AND span_count > 0`,
    [workspaceId, ids],
  );
  const known = new Set(rows.map(({ id }) => id));
  return [...new Set(ids)].filter((id) => known.has(id));
}
