import type { EntityManager } from 'typeorm';
import { SqlParameters } from '../../platform/filters/sql-parameters.js';
import { filterConditions, parseLogQuery, type RequestLogQuery } from './request-conditions.js';
import { readIdsAmong } from './search-page.queries.js';
import { checkTexts } from './text-check.js';

/**
 * The logs, among a few, that match a query. Reads the logs themselves, not the index. Throws FilterSyntaxError (422)
 * and FilterSemanticsError (400).
 */
export async function findMatchesAmong(
  db: EntityManager,
  workspaceId: number,
  query: RequestLogQuery,
  ids: readonly string[],
): Promise<string[]> {
  if (ids.length === 0) return [];
  const { groups, text } = parseLogQuery(query);
  const parameters = new SqlParameters();
  const conditions = await filterConditions(db, workspaceId, groups, parameters);
  const found = await readIdsAmong(db, { condition: conditions.join(' AND '), values: parameters.values }, ids);
  return text === null ? found : checkTexts(db, workspaceId, { ids: found, query: text });
}
