import type { EntityManager } from 'typeorm';
import type { SqlParameters } from '../../platform/filters/sql-parameters.js';
import { LogMatches } from './log-matches.js';
import { filterConditions, type RequestLogQuery, understandLogQuery } from './request-conditions.js';

/**
 * The SQL condition over `request_logs` (without an alias) that selects what a query matches, the workspace included.
 * Its values go into `parameters`. It is for reading everything that matches (analytics, exports): where words are asked for, the
 * logs are found first, and it names their ids. Throws FilterSyntaxError (422) and FilterSemanticsError (400).
 */
export async function requestConditions(
  db: EntityManager,
  workspaceId: number,
  query: RequestLogQuery,
  parameters: SqlParameters,
): Promise<string> {
  const understood = await understandLogQuery(db, workspaceId, { query, which: 'all' });
  const { groups, text, questions } = understood;
  if (text === null && !questions.some(({ words }) => words)) {
    return (await filterConditions(db, workspaceId, groups, parameters)).join(' AND ');
  }
  const ids = await (await LogMatches.open(db, workspaceId, understood)).ids();
  return `workspace_id = ${parameters.add(workspaceId)} AND id = ANY(${parameters.add(ids)}::bigint[])`;
}
