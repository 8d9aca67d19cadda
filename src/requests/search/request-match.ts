import type { EntityManager } from 'typeorm';
import type { FilterGroup } from '../../platform/filters/grammar.js';
import { SqlParameters } from '../../platform/filters/sql-parameters.js';
import { wordsRequiredBy } from './phrase-prefilter.js';
import { filterConditions, parseLogQuery, requestConditions, type RequestLogQuery } from './request-conditions.js';
import { entriesThatMayHave, prepareTextConditions, type TextConditions } from './text-conditions.js';
import type { WantedWord } from './text-query.js';

/** The logs that a query matches. The conditions share their values. */
export interface RequestMatch {
  workspaceId: number;
  /** Over `request_logs`, without an alias. */
  condition: string;
  /** Whether the condition asks for more than the workspace. */
  isFiltered: boolean;
  /** Whether the index of words takes part, in either way. */
  usesWords: boolean;
  /** Whether conditions on texts or phrases make the database read messages. */
  readsMessages: boolean;
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
  const required = groups.flatMap(wordsRequiredBy);
  const usesWords = text !== null || required.length > 0;
  const readsMessages = required.length > 0 || (text !== null && text.phrases.length > 0);
  return { workspaceId, condition, isFiltered, usesWords, readsMessages, words: null, values: parameters.values };
}

/** The same for reading in the order of time, which the index of words has as well. */
export async function matchRequestsInTime(
  db: EntityManager,
  workspaceId: number,
  query: RequestLogQuery,
): Promise<RequestMatch> {
  const { groups, text } = parseLogQuery(query);
  const required = groups.flatMap(wordsRequiredBy);
  if (text === null && required.length > 0) return matchRequired(db, workspaceId, { groups, required });
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
  const words = { index, ...rest };
  const readsMessages = words.check !== null || required.length > 0;
  return { workspaceId, condition, isFiltered, words, usesWords: true, readsMessages, values: parameters.values };
}

/** Conditions on texts, all of which the logs must fulfil: those that have the words are looked at from one end. */
async function matchRequired(
  db: EntityManager,
  workspaceId: number,
  { groups, required }: { groups: FilterGroup[]; required: WantedWord[] },
): Promise<RequestMatch> {
  const parameters = new SqlParameters();
  const conditions = await filterConditions(db, workspaceId, { groups, parameters, prefilter: false });
  const words = entriesThatMayHave(workspaceId, required, parameters);
  const condition = conditions.join(' AND ');
  const reads = { usesWords: true, readsMessages: true };
  return { workspaceId, condition, isFiltered: true, words, ...reads, values: parameters.values };
}
