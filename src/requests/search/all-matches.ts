import type { EntityManager } from 'typeorm';
import type { SqlParameters } from '../../platform/filters/sql-parameters.js';
import { openLogs } from './log-matches.js';
import { textsRequiredBy } from './text-filters.js';
import { filterConditions, parseLogQuery, type RequestLogQuery, understandLogQuery } from './request-conditions.js';

/**
 * The SQL condition over `request_logs` (without an alias) for a query, including the workspace. Its values go into
 * `parameters`. Use it to read everything that matches (analytics, exports): a query with words finds the logs first,
 * and the condition names their ids. Throws FilterSyntaxError (422) and FilterSemanticsError (400).
 */
export async function requestConditions(
  db: EntityManager,
  workspaceId: number,
  query: RequestLogQuery,
  parameters: SqlParameters,
): Promise<string> {
  const parsed = parseLogQuery(query);
  if (parsed.text === null && parsed.groups.flatMap(textsRequiredBy).length === 0) {
    return (await filterConditions(db, workspaceId, parsed.groups, parameters)).join(' AND ');
  }
  const understood = await understandLogQuery(db, workspaceId, { parsed, which: 'all' });
  const ids = await (await openLogs(db, workspaceId, understood)).ids();
  return `workspace_id = ${parameters.add(workspaceId)} AND id = ANY(${parameters.add(ids)}::bigint[])`;
}
