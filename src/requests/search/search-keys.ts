import type { RowSource } from '../../platform/database/bounded-total.js';
import type { CursorValue } from '../../platform/http/cursor.js';
import type { RequestMatch, WordMatch } from './request-match.js';
import { besideEachOther, entryCondition } from './text-conditions.js';

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
  const others = othersOf(match.words, add).map(
    (other) => `SELECT id, request_start_time FROM request_logs
      WHERE ${[match.condition, other, ...bounds(walk, LOG, add)].join(' AND ')}`,
  );
  return `SELECT id, value FROM (${union([entries, ...others])}) AS found
    ORDER BY value ${walk.direction}, id ${walk.direction} LIMIT ${add(limit)} OFFSET ${add(offset)}`;
}

interface EntryOptions {
  walk: Walk;
  add: Add;
}

/** Entries in the order of time, each tested for the words. Good where many have them. */
function walkedEntries(match: RequestMatch, words: WordMatch, { walk, add }: EntryOptions): string {
  const conditions = [testOf(words), ...fitsOf(match, words, 's.log_id'), ...bounds(walk, ENTRY, add)];
  return `SELECT s.log_id AS id, s.request_start_time AS value FROM ${entriesOf(match)} AND ${conditions.join(' AND ')}
    ORDER BY ${sortOf(walk, ENTRY)} LIMIT ${add(walk.limit + walk.offset)}`;
}

/** IS TRUE keeps the order: pairs are read sooner than words. It also keeps the index of words from taking part. */
function testOf({ index, pairs }: WordMatch): string {
  return pairs.length > 0 ? `(${[...besideEachOther('s', pairs), index].join(' AND ')}) IS TRUE` : index;
}

/** All entries with the words, sorted; what lies out of line is looked at one by one until there are enough. */
function collectedEntries(match: RequestMatch, words: WordMatch, { walk, add }: EntryOptions): string {
  const conditions = [words.index, ...bounds(walk, ENTRY, add)];
  const columns = `s.log_id AS id, s.request_start_time AS value${words.pairs.length > 0 ? ', s.word_pairs' : ''}`;
  const fits = [...besideEachOther('entry', words.pairs), ...fitsOf(match, words, 'entry.id')];
  return `SELECT entry.id, entry.value
    FROM (SELECT ${columns} FROM ${entriesOf(match)} AND ${conditions.join(' AND ')}
           ORDER BY ${sortOf(walk, ENTRY)} OFFSET 0) AS entry
    ${fits.length > 0 ? `WHERE ${fits.join(' AND ')}` : ''}
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
  const indexed = [entryCondition(words), ...fitsOf(match, words, 's.log_id')].join(' AND ');
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

/** Conditions of the logs that the index cannot tell of. */
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
