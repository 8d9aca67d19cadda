import type { EntityManager } from 'typeorm';
import { SqlParameters } from '../../platform/filters/sql-parameters.js';
import { conditionOf, readTraceQuery, type TraceQuery, understandTraceQuery } from './trace-conditions.js';
import { readIdsAmong } from './trace-page.queries.js';

/**
 * The traces, among a few, that match a query. Only their search rows are checked, not the index. Throws
 * FilterSyntaxError (422) and FilterSemanticsError (400).
 */
export async function findTracesAmong(
  db: EntityManager,
  workspaceId: number,
  query: TraceQuery,
  ids: readonly string[],
): Promise<string[]> {
  if (ids.length === 0) return [];
  const understood = await understandTraceQuery(db, workspaceId, readTraceQuery(query));
  const parameters = new SqlParameters();
  const condition = conditionOf(understood, { group: true, words: 'all', phrases: true }, parameters);
  return readIdsAmong(db, { condition, values: parameters.values }, ids);
}
