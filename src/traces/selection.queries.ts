import type { EntityManager } from 'typeorm';
import { SqlParameters } from '../platform/filters/sql-parameters.js';
import type { TraceQuery } from './search/trace-conditions.js';
import { traceConditions } from './search/trace-matches.js';

/** Which traces. */
export interface TraceSelectionQuery extends TraceQuery {
  /** Exactly these, in this order; everything but `limit` is then ignored. */
  ids?: string[] | null;
  limit: number;
}

/** Traces that somebody selects. */
export const TraceSelection = {
  /** Their ids, newest first unless they are given. Unknown ids are left out. Throws what the filter grammar throws. */
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
