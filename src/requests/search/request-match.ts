import type { EntityManager } from 'typeorm';
import { SqlParameters } from '../../platform/filters/sql-parameters.js';
import {
  filterConditions,
  type RequestLogQuery,
  type UnderstoodQuery,
  understandLogQuery,
  wholeCondition,
} from './request-conditions.js';
import { entriesThatMayHave, prepareTextConditions, type WordMatch } from './text-conditions.js';
import type { TextQuery } from './text-query.js';

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

/** Everything as a condition over `request_logs`. Throws FilterSyntaxError (422) and FilterSemanticsError (400). */
export async function matchRequests(
  db: EntityManager,
  workspaceId: number,
  query: RequestLogQuery,
): Promise<RequestMatch> {
  return matchWhole(db, workspaceId, await understandLogQuery(db, workspaceId, query));
}

/** The same for reading in the order of time, which the index of words has as well. */
export async function matchRequestsInTime(
  db: EntityManager,
  workspaceId: number,
  query: RequestLogQuery,
): Promise<RequestMatch> {
  const understood = await understandLogQuery(db, workspaceId, query);
  const { text, required } = understood;
  if (text === null && required.words.length > 0) return matchRequired(db, workspaceId, understood);
  return (
    (text && (await matchText(db, workspaceId, { ...understood, text }))) ?? matchWhole(db, workspaceId, understood)
  );
}

async function matchWhole(
  db: EntityManager,
  workspaceId: number,
  { groups, text, required }: UnderstoodQuery,
): Promise<RequestMatch> {
  const parameters = new SqlParameters();
  const condition = await wholeCondition(db, workspaceId, { groups, text, required, parameters });
  const isFiltered = groups.length > 0 || text !== null;
  const readsTexts = required.words.length > 0;
  const usesWords = text !== null || readsTexts;
  const readsMessages = readsTexts || (text !== null && text.phrases.length > 0);
  return { workspaceId, condition, isFiltered, usesWords, readsMessages, words: null, values: parameters.values };
}

/** Null when the text has no words: then there is nothing to look up. */
async function matchText(
  db: EntityManager,
  workspaceId: number,
  { groups, text, required }: UnderstoodQuery & { text: TextQuery },
): Promise<RequestMatch | null> {
  if (text.words.length === 0) return null;
  let parameters = new SqlParameters();
  let conditions = await filterConditions(db, workspaceId, { groups, required, parameters });
  const isFiltered = conditions.length > 1;
  if (!isFiltered) {
    // The index names the workspace itself, and a value that no condition uses would have no type.
    parameters = new SqlParameters();
    conditions = [`workspace_id = ${Math.trunc(workspaceId)}`];
  }
  const { index, ...rest } = await prepareTextConditions(db, workspaceId, { query: text, parameters });
  if (index === null) return null;
  const condition = conditions.join(' AND ');
  const words = { index, ...rest };
  const readsMessages = words.check !== null || required.words.length > 0;
  return { workspaceId, condition, isFiltered, words, usesWords: true, readsMessages, values: parameters.values };
}

/** Conditions on texts, all of which the logs must fulfil: those that have the words are looked at from one end. */
async function matchRequired(
  db: EntityManager,
  workspaceId: number,
  { groups, required }: UnderstoodQuery,
): Promise<RequestMatch> {
  const parameters = new SqlParameters();
  const conditions = await filterConditions(db, workspaceId, { groups, required: null, parameters });
  const words = entriesThatMayHave(workspaceId, required, parameters);
  const condition = conditions.join(' AND ');
  const reads = { usesWords: true, readsMessages: true };
  return { workspaceId, condition, isFiltered: true, words, ...reads, values: parameters.values };
}
