import type { EntityManager } from 'typeorm';
import { SqlParameters } from '../../platform/filters/sql-parameters.js';
import { filterConditions, parseLogQuery, requestConditions, type RequestLogQuery } from './request-conditions.js';
import { prepareTextConditions, type TextConditions } from './text-conditions.js';

/** The logs that a query matches. The conditions share their values. */
export interface RequestMatch {
  workspaceId: number;
  /** Over `request_logs`, without an alias. */
  condition: string;
  /** Whether the condition asks for more than the workspace. */
  isFiltered: boolean;
  /** What must hold besides, by way of the index of words; null when `condition` says everything. */
  words: WordMatch | null;
  values: readonly unknown[];
}

/** Free text that can be looked up in the index of words. */
export type WordMatch = TextConditions & { index: string };

/** Everything as a condition over `request_logs`. Throws FilterSyntaxError (422) and FilterSemanticsError (400). */
export async function matchRequests(
  db: EntityManager,
  workspaceId: number,
  query: RequestLogQuery,
): Promise<RequestMatch> {
  const { groups, text } = parseLogQuery(query);
  const parameters = new SqlParameters();
  const condition = await requestConditions(db, workspaceId, query, parameters);
  const isFiltered = groups.length > 0 || text !== null;
  return { workspaceId, condition, isFiltered, words: null, values: parameters.values };
}

/** The same for reading in the order of time, which the index of words has as well. */
export async function matchRequestsInTime(
  db: EntityManager,
  workspaceId: number,
  query: RequestLogQuery,
): Promise<RequestMatch> {
  const { groups, text } = parseLogQuery(query);
  // Without words there is nothing to look up.
  if (!text || text.words.length === 0) return matchRequests(db, workspaceId, query);
  let parameters = new SqlParameters();
  let conditions = await filterConditions(db, workspaceId, { groups, parameters });
  const isFiltered = conditions.length > 1;
  if (!isFiltered) {
    // The index names the workspace itself, and a value that no condition uses would have no type.
    parameters = new SqlParameters();
    conditions = [`workspace_id = ${Math.trunc(workspaceId)}`];
  }
  const { index, ...rest } = await prepareTextConditions(db, workspaceId, { query: text, parameters });
  if (index === null) return matchRequests(db, workspaceId, query);
  const condition = conditions.join(' AND ');
  return { workspaceId, condition, isFiltered, words: { index, ...rest }, values: parameters.values };
}
