import type { EntityManager } from 'typeorm';
import type { SqlParameters } from '../../platform/filters/sql-parameters.js';
import { SEARCHED_TEXT } from '../request-text.js';
import type { RequiredWords } from './required-words.js';
import { beginningsOf, type TextQuery, toTsquery, type WantedPhrase, type WantedWord } from './text-query.js';
import { findQueued } from './unindexed.queries.js';
import { mayHaveRuns, type WordRun } from './word-runs.js';
import { incompleteLexeme, isLoneWord, startsWithHangul } from './words.js';

/**
 * How the logs are found that a text query matches. A log matches when it is among `others`, or when `index` holds for
 * its row of `request_log_search` and `check`, if there is one, for the log itself, or when `unindexed` holds for it.
 */
export interface TextConditions {
  /**
   * Over `request_log_search AS s` of the workspace: the words of the query, and that what the index says still counts.
   * Null when the query has no words that could be looked up, so that `check` has to be asked of every log.
   */
  index: string | null;
  /** Of words that must stand beside each other in the log, see `WordRuns`: these tell of most logs that they do not. */
  runs: readonly WordRun[];
  /** Over `request_logs`, without an alias: the phrases of the query. It reads the messages of the log. */
  check: string | null;
  /** Ids of logs that match and wait for the index; they have been checked. */
  others: string[];
  /**
   * Over `request_logs`, without an alias: logs whose index entry does not count, for they have more words than it can
   * hold or a long queue before them, and which match. Null when there are none, which is almost always.
   */
  unindexed: string | null;
}

/** Over `request_log_search AS s` of a workspace: everything that is known of an entry. */
export function entryCondition(workspaceId: number, { index, runs }: Pick<WordMatch, 'index' | 'runs'>): string {
  return [index, ...besideEachOther(workspaceId, runs, 's.log_id')].join(' AND ');
}

/** Of an entry by the id of its log, whether it may have the runs; nothing when there are none. */
export function besideEachOther(workspaceId: number, runs: readonly WordRun[], id: string): string[] {
  if (runs.length === 0) return [];
  return [
    `(SELECT ${mayHaveRuns('r', runs)} FROM request_log_word_runs r
       WHERE r.workspace_id = ${Math.trunc(workspaceId)} AND r.log_id = ${id})`,
  ];
}

/** Free text that can be looked up in the index of words. */
export type WordMatch = TextConditions & { index: string };

/** Looks at the queue of the workspace and gives the conditions for everything else; their values go into `parameters`. */
export async function prepareTextConditions(
  db: EntityManager,
  workspaceId: number,
  { query, parameters }: { query: TextQuery; parameters: SqlParameters },
): Promise<TextConditions> {
  const { words, runs } = query;
  const check = phraseCheck(query, parameters);
  // The index knows nothing of symbols, and every log is looked at then, queued or not.
  if (words.length === 0) return { index: null, runs, check, others: [], unindexed: null };
  const queued = await findQueued(db, workspaceId, query);
  const hasIncomplete = await anyIncomplete(db, workspaceId, 'request_log_search');
  const index = [indexedWords(words, workspaceId, parameters), ...trustedEntries(queued, workspaceId, parameters)];
  const doubtful = doubtfulLogs(workspaceId, { below: queued.below, hasIncomplete, parameters });
  const fulfilled = doubtful && [doubtful, wordCheck(words, parameters), ...(check ? [check] : [])];
  return {
    index: index.join(' AND '),
    runs,
    check,
    others: queued.matching,
    unindexed: fulfilled && `(${fulfilled.join(' AND ')})`,
  };
}

/** The condition over `request_logs`, without an alias, that all of it amounts to. */
export function wholeTextCondition(
  workspaceId: number,
  { index, runs, check, others, unindexed }: TextConditions,
  parameters: SqlParameters,
): string {
  // Without words the index says nothing, and every log is read.
  if (index === null) return check ?? 'TRUE';
  const ws = Math.trunc(workspaceId);
  const found = `SELECT s.log_id FROM request_log_search s WHERE s.workspace_id = ${ws} AND ${entryCondition(ws, { index, runs })}`;
  const checked = check
    ? `SELECT id FROM request_logs WHERE workspace_id = ${ws} AND id IN (${found}) AND ${check}`
    : found;
  const sources = [checked];
  if (others.length > 0) sources.push(`SELECT unnest(${parameters.add(others)}::bigint[])`);
  if (unindexed) sources.push(`SELECT id FROM request_logs WHERE workspace_id = ${ws} AND ${unindexed}`);
  return `id IN (${sources.join(' UNION ALL ')})`;
}

/**
 * The condition over `request_logs`, without an alias, that a log may have all the words: it holds for every log that
 * has them and for few others. It reads no messages.
 */
export function mayHaveWords(workspaceId: number, required: RequiredWords, parameters: SqlParameters): string {
  const found = `SELECT s.log_id FROM request_log_search s WHERE s.workspace_id = ${Math.trunc(workspaceId)}`;
  const index = allOrIncomplete(workspaceId, required, parameters);
  const has = entryCondition(workspaceId, { index, runs: required.runs });
  return `id IN (${found} AND ${has} UNION ALL ${unknownLogs(workspaceId, required, parameters)})`;
}

/** The same as conditions by way of the index: its entries that may have all the words, and the logs that wait for it. */
export function entriesThatMayHave(workspaceId: number, required: RequiredWords, parameters: SqlParameters): WordMatch {
  const unknown = unknownLogs(workspaceId, required, parameters);
  return {
    index: `${allOrIncomplete(workspaceId, required, parameters)} AND s.log_id NOT IN (${unknown})`,
    runs: required.runs,
    check: null,
    others: [],
    unindexed: `id IN (${unknown})`,
  };
}

/** Over `s`. */
function allOrIncomplete(workspaceId: number, { words }: RequiredWords, parameters: SqlParameters): string {
  const tsquery = parameters.add(`(${toTsquery(workspaceId, words)}) | '${incompleteLexeme(workspaceId)}'`);
  return `s.words @@ ${tsquery}::tsquery`;
}

/** The logs of which the index does not tell whether they have the words. */
function unknownLogs(workspaceId: number, { waiting }: RequiredWords, parameters: SqlParameters): string {
  const queue = `SELECT q.log_id FROM request_log_search_queue q WHERE q.workspace_id = ${Math.trunc(workspaceId)}`;
  return waiting.length > 0 ? `${queue} UNION SELECT unnest(${parameters.add(waiting)}::bigint[])` : queue;
}

/** Beginnings of one or two letters stand for too many entries to look them up when there is something better. */
const SHORT = 2;

function indexedWords(words: WantedWord[], workspaceId: number, parameters: SqlParameters): string {
  const selective = words.filter(({ word, prefix }) => !prefix || word.length > SHORT);
  const all = `s.words @@ ${parameters.add(toTsquery(workspaceId, words))}::tsquery`;
  if (selective.length === 0 || selective.length === words.length) return all;
  // IS TRUE keeps the second condition out of the index scan.
  return `s.words @@ ${parameters.add(toTsquery(workspaceId, selective))}::tsquery AND (${all}) IS TRUE`;
}

/** Over `s`: leaves out what was looked at already, or will be. */
function trustedEntries(
  { checked, below }: { checked: string[]; below: string | null },
  ws: number,
  parameters: SqlParameters,
): string[] {
  const conditions = [];
  if (checked.length > 0) conditions.push(`s.log_id <> ALL(${parameters.add(checked)}::bigint[])`);
  if (below !== null) conditions.push(`s.log_id NOT IN (${queuedBelow(below, ws, parameters)})`);
  return conditions;
}

/** Over `request_logs`: the logs whose index entry does not tell everything. */
function doubtfulLogs(
  ws: number,
  { below, hasIncomplete, parameters }: { below: string | null; hasIncomplete: boolean; parameters: SqlParameters },
): string | null {
  const sources = [];
  if (below !== null) sources.push(queuedBelow(below, ws, parameters));
  if (hasIncomplete) {
    const lexeme = parameters.add(`'${incompleteLexeme(ws)}'`);
    sources.push(
      `SELECT s.log_id FROM request_log_search s WHERE s.workspace_id = ${ws} AND s.words @@ ${lexeme}::tsquery`,
    );
  }
  return sources.length > 0 ? `id IN (${sources.join(' UNION ALL ')})` : null;
}

function queuedBelow(below: string, ws: number, parameters: SqlParameters): string {
  const end = parameters.add(below);
  return `SELECT q.log_id FROM request_log_search_queue q WHERE q.workspace_id = ${ws} AND q.log_id < ${end}::bigint`;
}

/** Whether a workspace has something with more words than its entry in an index of words can hold. */
export async function anyIncomplete(
  db: EntityManager,
  workspaceId: number,
  index: 'request_log_search' | 'trace_search',
): Promise<boolean> {
  // Materialized, so that it is planned for all such entries: for the first one of some thousands that the planner
  // expects it would read the whole table, and there is almost never any.
  const [row] = await db.query<{ found: boolean }[]>(
    `WITH incomplete AS MATERIALIZED (SELECT FROM ${index} WHERE workspace_id = $1 AND words @@ $2::tsquery)
     SELECT EXISTS (SELECT FROM incomplete) AS found`,
    [workspaceId, `'${incompleteLexeme(workspaceId)}'`],
  );
  return row!.found;
}

function phraseCheck({ phrases }: TextQuery, parameters: SqlParameters): string | null {
  if (phrases.length === 0) return null;
  const stand = phrases.map((phrase) => phraseStandsIn('searched.text', phrase, parameters));
  // The barrier: to put a text together takes longer than to look for something in it.
  return `(SELECT ${stand.join(' AND ')} FROM (SELECT ${SEARCHED_TEXT} AS text OFFSET 0) AS searched)`;
}

/** What may stand before a word, see `endsInWord`: the database knows no scripts, so those of `LONE` are ranges. */
const BEFORE_WORD = String.raw`(^|[^[:alnum:]_]|[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff])`;

/** SQL that holds when a phrase stands in a text without apostrophes. */
export function phraseStandsIn(text: string, phrase: WantedPhrase, parameters: SqlParameters): string {
  const pattern = parameters.add(`%${phrase.text.replace(/[\\%_]/g, '\\$&')}%`);
  const contains = `${text} ILIKE ${pattern}::text`;
  if (!phrase.startsWord) return `(${contains})`;
  const literal = phrase.text.replace(/[^\p{L}\p{N}\p{M}\s_]/gu, '\\$&');
  return `(${contains} AND lower(${text}) ~ ${parameters.add(BEFORE_WORD + literal)}::text)`;
}

const ENDS_IN_WORD = /[\p{L}\p{Nd}_]$/u;

/** The words as regular expressions of the database, where letters, digits and "_" mean themselves. */
function wordCheck(words: WantedWord[], parameters: SqlParameters): string {
  const patterns = words.map((wanted) => {
    const { word, prefix } = wanted;
    if (isLoneWord(word)) return word;
    const start = startsWithHangul(word) ? '' : '\\m';
    return `${start}(${beginningsOf(wanted).join('|')})${!prefix && ENDS_IN_WORD.test(word) ? '\\M' : ''}`;
  });
  return `(${SEARCHED_TEXT} ~* ALL (${parameters.add(patterns)}::text[]))`;
}
