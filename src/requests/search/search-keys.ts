import type { RowSource } from '../../platform/database/bounded-total.js';
import type { CursorValue } from '../../platform/http/cursor.js';
import type { RequestMatch } from './request-match.js';
import { besideEachOther, entryCondition, type WordMatch } from './text-conditions.js';
import { mayHaveRuns } from './word-runs.js';

/** A stretch of the logs that match, in their order. */
export interface Walk {
  /** The column the logs are ordered by, and what the value of a cursor is compared as. */
  column: string;
  type: string;
  direction: 'asc' | 'desc';
  /** Logs with a value in the column, those without, or all where there is always one. */
  part: 'all' | 'present' | 'missing';
  /** The sort values of the log before the first one. */
  after: CursorValue[] | null;
  offset: number;
  limit: number;
}

/** Gives the placeholder of a value. */
type Add = (value: unknown) => string;

/**
 * SQL that gives `id` and the sort `value` of the logs of a walk, in its order.
 *
 * `collected` finds all matches by their index before it sorts them. By itself the planner would often walk the order
 * and test log by log: it takes conditions for independent of each other, so that it expects to meet matches soon even
 * where conditions exclude each other, and it does not know what reading the words of a log costs.
 */
export function keysOf(match: RequestMatch, walk: Walk, { add, collected }: { add: Add; collected: boolean }): string {
  const { offset, limit } = walk;
  if (!match.words) {
    const logs = `request_logs WHERE ${[match.condition, ...bounds(walk, LOG, add)].join(' AND ')}`;
    const from = collected ? `(SELECT id, ${walk.column} FROM ${logs} OFFSET 0) AS matches` : logs;
    return `SELECT id, ${walk.column} AS value FROM ${from}
      ORDER BY ${sortOf(walk, LOG)} LIMIT ${add(limit)} OFFSET ${add(offset)}`;
  }
  const entries = collected
    ? collectedEntries(match, match.words, { walk, add })
    : walkedEntries(match, match.words, { walk, add });
  return `SELECT id, value FROM (${union([entries, ...othersIn(match, match.words, { walk, add })])}) AS found
    ORDER BY value ${walk.direction}, id ${walk.direction} LIMIT ${add(limit)} OFFSET ${add(offset)}`;
}

interface EntryOptions {
  walk: Walk;
  add: Add;
}

/**
 * The same of logs that are found by the index of words alone, whose entries say all that matters, and with each how many
 * match: collecting all of them costs no more where there are few.
 */
export function countedKeysOf(match: RequestMatch, words: WordMatch, { walk, add }: EntryOptions): string {
  const entries = `SELECT s.log_id AS id, s.request_start_time AS value FROM ${entriesOf(match)} AND ${words.index}`;
  return `SELECT id, value, count(*) OVER () AS matches FROM (${union([entries, ...othersIn(match, words, { walk, add })])}) AS found
    ORDER BY value ${walk.direction}, id ${walk.direction} LIMIT ${add(walk.limit)} OFFSET ${add(walk.offset)}`;
}

/** Entries in the order of time, each tested for the words. Good where many have them. */
function walkedEntries(match: RequestMatch, words: WordMatch, options: EntryOptions): string {
  if (words.runs.length > 0) return walkedRuns(match, words, options);
  const { walk, add } = options;
  const conditions = [words.index, ...fitsOf(match, words, 's.log_id'), ...bounds(walk, ENTRY, add)];
  return `SELECT s.log_id AS id, s.request_start_time AS value FROM ${entriesOf(match)} AND ${conditions.join(' AND ')}
    ORDER BY ${sortOf(walk, ENTRY)} LIMIT ${add(walk.limit + walk.offset)}`;
}

/** Runs are tested ten times as fast as words, so only of the entries that seem to have the runs the words are looked at. */
function walkedRuns(match: RequestMatch, words: WordMatch, { walk, add }: EntryOptions): string {
  const ws = Math.trunc(match.workspaceId);
  const hasWords = `(SELECT ${words.index} FROM request_log_search s WHERE s.workspace_id = ${ws} AND s.log_id = r.log_id)`;
  const tests = [mayHaveRuns('r', words.runs), hasWords, ...fitsOf(match, words, 'r.log_id')];
  // IS TRUE keeps their order.
  const conditions = [`(${tests.join(' AND ')}) IS TRUE`, ...bounds(walk, RUNS, add)];
  return `SELECT r.log_id AS id, r.request_start_time AS value FROM request_log_word_runs r
    WHERE r.workspace_id = ${ws} AND ${conditions.join(' AND ')}
    ORDER BY ${sortOf(walk, RUNS)} LIMIT ${add(walk.limit + walk.offset)}`;
}

/** All entries with the words, sorted; the rest is looked at one by one until there are enough. */
function collectedEntries(match: RequestMatch, words: WordMatch, { walk, add }: EntryOptions): string {
  const conditions = [words.index, ...bounds(walk, ENTRY, add)];
  const fits = [...besideEachOther(match.workspaceId, words.runs, 'entry.id'), ...fitsOf(match, words, 'entry.id')];
  // IS TRUE keeps their order.
  return `SELECT entry.id, entry.value
    FROM (SELECT s.log_id AS id, s.request_start_time AS value FROM ${entriesOf(match)} AND ${conditions.join(' AND ')}
           ORDER BY ${sortOf(walk, ENTRY)} OFFSET 0) AS entry
    ${fits.length > 0 ? `WHERE (${fits.join(' AND ')}) IS TRUE` : ''}
    ORDER BY entry.value ${walk.direction}, entry.id ${walk.direction} LIMIT ${add(walk.limit + walk.offset)}`;
}

/** Counting logs whose messages have to be read is given up soon. */
const READING_MS = 20;

/** All logs that match, to be counted. */
export function rowsOf(match: RequestMatch): RowSource {
  const { condition, words } = match;
  const values = [...match.values];
  const patienceMs = match.readsMessages ? READING_MS : undefined;
  if (!words) return { from: `request_logs WHERE ${condition}`, values, patienceMs };
  const others = othersOf(words, (value) => `$${values.push(value)}`);
  const indexed = [entryCondition(match.workspaceId, words), ...fitsOf(match, words, 's.log_id')].join(' AND ');
  const rows = [
    `SELECT s.log_id FROM ${entriesOf(match)} AND ${indexed}`,
    ...others.map((other) => `SELECT id FROM request_logs WHERE ${condition} AND ${other}`),
  ];
  return { from: `(${union(rows)}) AS found`, values, indexed: true, patienceMs };
}

function entriesOf({ workspaceId }: RequestMatch): string {
  return `request_log_search s WHERE s.workspace_id = ${Math.trunc(workspaceId)}`;
}

/** What else must hold for the log of an entry. */
function fitsOf({ workspaceId, condition, isFiltered }: RequestMatch, { check }: WordMatch, id: string): string[] {
  const conditions = [...(isFiltered ? [condition] : []), ...(check ? [check] : [])];
  if (conditions.length === 0) return [];
  const log = [`workspace_id = ${Math.trunc(workspaceId)}`, `id = ${id}`, ...conditions].join(' AND ');
  return [`EXISTS (SELECT FROM request_logs WHERE ${log})`];
}

/** The logs of a walk that the index cannot tell of. */
function othersIn({ condition }: RequestMatch, words: WordMatch, { walk, add }: EntryOptions): string[] {
  return othersOf(words, add).map(
    (other) => `SELECT id, request_start_time FROM request_logs
      WHERE ${[condition, other, ...bounds(walk, LOG, add)].join(' AND ')}`,
  );
}

/** Their conditions. */
function othersOf({ others, unindexed }: WordMatch, add: Add): string[] {
  const conditions = others.length > 0 ? [`id = ANY(${add(others)}::bigint[])`] : [];
  return unindexed ? [...conditions, unindexed] : conditions;
}

/** A log that the index tells of only in part may be found twice. */
function union(selects: string[]): string {
  return selects.length === 1 ? selects[0]! : selects.map((select) => `(${select})`).join(' UNION ');
}

interface Names {
  id: string;
  /** The prefix of other columns. */
  prefix: string;
}

const LOG: Names = { id: 'id', prefix: '' };
const ENTRY: Names = { id: 's.log_id', prefix: 's.' };
const RUNS: Names = { id: 'r.log_id', prefix: 'r.' };

/** What is sorted by is never null in an entry, and logs without a value are sorted by their id alone. */
function sortOf({ column, part, direction }: Walk, { id, prefix }: Names): string {
  return `${part === 'missing' ? '' : `${prefix}${column} ${direction}, `}${id} ${direction}`;
}

function bounds({ column, type, part, direction, after }: Walk, { id, prefix }: Names, add: Add): string[] {
  const has = part === 'all' ? [] : [`${prefix}${column} IS ${part === 'present' ? 'NOT NULL' : 'NULL'}`];
  if (!after) return has;
  const comparison = direction === 'asc' ? '>' : '<';
  const last = `${add(after[1])}::bigint`;
  if (part === 'missing') return [...has, `${id} ${comparison} ${last}`];
  return [...has, `(${prefix}${column}, ${id}) ${comparison} (${add(after[0])}::${type}, ${last})`];
}
