import type { EntityManager } from 'typeorm';
import { countRows } from '../../platform/database/bounded-total.js';
import { isoTimestamp } from '../../platform/database/iso-timestamp.js';
import { expectedRows, nodesOf, planOf } from '../../platform/database/query-plan.js';
import { withinMoment, withSettings } from '../../platform/database/within-time.js';
import type { CursorShape, CursorValue } from '../../platform/http/cursor.js';
import type { RequestStatus } from '../llm-call.js';
import type { RequestSort } from '../selection.queries.js';
import type { RequestMatch } from './request-match.js';
import { countedKeysOf, keysOf, type Walk } from './search-keys.js';
import type { WordMatch } from './text-conditions.js';

export interface RequestOrder {
  by: RequestSort;
  order: 'asc' | 'desc';
}

/** Where a page begins: after so many logs, or after the log with these sort values. */
export interface PageStart {
  offset: number;
  after: CursorValue[] | null;
}

/** A log as lists show it, by its column names. No column that lies out of line, such as the messages, is read. */
export interface RequestLogRow {
  id: string;
  model: string;
  provider: string;
  input_tokens: number | null;
  output_tokens: number | null;
  price: number | null;
  /** ISO 8601 with microseconds. */
  started_at: string;
  ended_at: string;
  latency_ms: number;
  tags: string[];
  metadata: Record<string, string>;
  status: RequestStatus;
  error_type: string | null;
  prompt_id: number | null;
  prompt_version_number: number | null;
  trace_id: string | null;
  span_id: string | null;
  group_id: number | null;
  scores: { name: string; score: number }[];
  sort_value: CursorValue;
}

const COLUMNS = [
  'id',
  'model',
  'provider',
  'input_tokens',
  'output_tokens',
  'price',
  'latency_ms',
  'tags',
  'metadata',
  'status',
  'error_type',
  'prompt_id',
  'prompt_version_number',
  'trace_id',
  'span_id',
  'group_id',
]
  .map((column) => `log.${column}`)
  .concat(
    `${isoTimestamp('log.request_start_time')} AS started_at, ${isoTimestamp('log.request_end_time')} AS ended_at`,
  )
  .join(', ');

const SCORES = `coalesce((SELECT json_agg(json_build_object('name', name, 'score', score) ORDER BY name COLLATE "C")
  FROM request_scores s WHERE s.workspace_id = log.workspace_id AND s.log_id = log.id), '[]') AS scores`;

interface SortKey {
  column: string;
  nullable: boolean;
  /** What a cursor carries of the column, and what it is compared as. */
  shape: CursorShape;
  type: string;
  /** How the cursor's value is made of the column; the column itself when absent. */
  written?: string;
}

/** A cursor may hold any whole number, so those are compared as bigint; the index serves that as well. */
const SORT_KEYS: Readonly<Record<RequestSort, SortKey>> = {
  request_start_time: {
    column: 'request_start_time',
    nullable: false,
    shape: 'moment',
    type: 'timestamptz',
    written: isoTimestamp('key.value'),
  },
  input_tokens: { column: 'input_tokens', nullable: true, shape: 'number or null', type: 'bigint' },
  output_tokens: { column: 'output_tokens', nullable: true, shape: 'number or null', type: 'bigint' },
  cost: { column: 'price', nullable: true, shape: 'float or null', type: 'float8' },
  latency_ms: { column: 'latency_ms', nullable: false, shape: 'float', type: 'float8' },
  status: { column: 'status', nullable: false, shape: 'text', type: 'text' },
};

/** The shapes of the sort values in a cursor: of the column, then of the id. */
export function cursorShapes(by: RequestSort): CursorShape[] {
  return [SORT_KEYS[by].shape, 'number'];
}

/** The sort values to continue after. */
export function cursorValues(row: RequestLogRow): CursorValue[] {
  return [row.sort_value, Number(row.id)];
}

/**
 * Up to `limit` logs in their order, logs without a value last in either direction and equal ones by id.
 *
 * An index keeps such logs at one end, so walking it backwards would meet them first. Therefore the logs with a value
 * and those without are two walks, and the second is made only when the first ends within the page.
 */
export async function readPage(
  db: EntityManager,
  match: RequestMatch,
  order: RequestOrder,
  { offset, after, limit }: PageStart & { limit: number },
): Promise<RequestLogRow[]> {
  const key = SORT_KEYS[order.by];
  const walk = (stretch: Pick<Walk, 'part' | 'after' | 'offset' | 'limit'>) =>
    readWalk(db, match, { walk: { ...stretch, ...key, direction: order.order }, written: key.written });
  if (!key.nullable) return walk({ part: 'all', offset, after, limit });
  if (after && after[0] === null) return walk({ part: 'missing', offset, after, limit });
  const rows = await walk({ part: 'present', offset, after, limit });
  if (rows.length === limit) return rows;
  const skipped = rows.length > 0 || offset === 0 ? 0 : Math.max(0, offset - (await countPresent(db, match, key)));
  const missing = await walk({ part: 'missing', offset: skipped, after: null, limit: limit - rows.length });
  return [...rows, ...missing];
}

/**
 * A page of what is found by words alone, newest or oldest first, and how many logs match; null where these are too many to be
 * collected, or more has to be looked at than the index of words, or the page is beyond the last one.
 */
export async function readCountedPage(
  db: EntityManager,
  match: RequestMatch,
  order: RequestOrder,
  { offset, limit }: { offset: number; limit: number },
): Promise<{ rows: RequestLogRow[]; matches: number } | null> {
  const { words, isFiltered, readsMessages } = match;
  if (words === null || isFiltered || readsMessages) return null;
  const walk: Walk = { ...SORT_KEYS[order.by], part: 'all', direction: order.order, after: null, offset, limit };
  const statement = countedStatement(match, words, walk);
  const entries = await expectedEntries(db, statement);
  if (entries === null || entries > FEW_ENTRIES) return null;
  const rows = await db.query<(RequestLogRow & { matches: string })[]>(statement.sql, statement.values);
  if (rows.length === 0) return offset === 0 ? { rows, matches: 0 } : null;
  return { rows, matches: Number(rows[0]!.matches) };
}

/** A walk of matches that are met soon takes a few milliseconds, one that reads messages some more. */
const SOON_MS = 100;
/** Where the entries of the index are few, collecting them takes little longer. */
const SOON_WITH_FEW_MS = 30;
const SOON_WITH_PHRASES_MS = 300;
/** So far into the pages a walk is long for good reasons. */
const DEEP = 1000;
/** Entries that are collected in a few dozen milliseconds, whatever else is asked of their logs. */
const FEW_ENTRIES = 16_000;
/** As a part of all entries: looking up the runs of so many takes as long as reading those of all in turn. */
const MANY_ENTRIES = 0.1;
/**
 * For messages of a few logs. The planner takes the check of one for so expensive that it would read all entries in
 * parallel: with workers it expects one match less, for it rounds for each.
 */
const ALONE = { max_parallel_workers_per_gather: '0' };
/** In the planner's units: less than scanning 50 million logs, or reading the messages of a few hundred. */
const CHEAP = 5_000_000;

async function readWalk(
  db: EntityManager,
  match: RequestMatch,
  { walk, written }: { walk: Walk; written?: string },
): Promise<RequestLogRow[]> {
  const read = (tx: EntityManager, { sql, values }: PageStatement) => tx.query<RequestLogRow[]>(sql, values);
  const walked = pageStatement(match, walk, { written, collected: false });
  const collected = pageStatement(match, walk, { written, collected: true });
  const entries = match.usesWords ? await expectedEntries(db, collected) : null;
  if (await mostMayHavePhrases(db, match, entries)) return read(db, walked);
  if (entries !== null && (await isQuickerCollected(db, match, { walk, entries }))) {
    return match.readsMessages ? withSettings(db, ALONE, (tx) => read(tx, collected)) : read(db, collected);
  }
  if (selectsAll(match) || walk.offset > DEEP) return read(db, walked);
  const rows = await withinMoment(db, patienceFor(match, entries), (tx) => read(tx, walked));
  if (rows) return rows;
  const collects = match.words !== null || (await isCheap(db, collected));
  return read(db, collects ? collected : walked);
}

/**
 * Testing an entry for its words takes as long as collecting one. Of words alone it is known how many a walk tests until
 * the page is full; of other conditions it is not.
 */
async function isQuickerCollected(
  db: EntityManager,
  match: RequestMatch,
  { walk, entries }: { walk: Walk; entries: number },
): Promise<boolean> {
  if (entries > FEW_ENTRIES) return false;
  if (match.words === null || match.isFiltered || match.readsMessages) return true;
  const tested = ((walk.offset + walk.limit) * (await expectedEntriesOfAll(db, match))) / entries;
  return entries <= tested;
}

function patienceFor(match: RequestMatch, entries: number | null): number {
  if (hasRuns(match)) return SOON_WITH_PHRASES_MS;
  return entries !== null && entries <= FEW_ENTRIES ? SOON_WITH_FEW_MS : SOON_MS;
}

/** How many entries the index of words is expected to narrow the logs down to; null when it takes no part. */
async function expectedEntries(db: EntityManager, { sql, values }: PageStatement): Promise<number | null> {
  const nodes = nodesOf(await planOf(db, sql, values));
  const entries = nodes.filter((node) => node['Relation Name'] === 'request_log_search');
  return entries.length > 0 ? Math.max(...entries.map((node) => node['Plan Rows'])) : null;
}

function selectsAll({ isFiltered, words }: RequestMatch): boolean {
  return !isFiltered && !words;
}

function hasRuns({ words }: RequestMatch): boolean {
  return words !== null && words.runs.length > 0;
}

/** Whether there is a phrase of words that a large part of all entries have. */
async function mostMayHavePhrases(db: EntityManager, match: RequestMatch, entries: number | null): Promise<boolean> {
  if (!hasRuns(match) || entries === null) return false;
  return entries > MANY_ENTRIES * (await expectedEntriesOfAll(db, match));
}

function expectedEntriesOfAll(db: EntityManager, { workspaceId }: RequestMatch): Promise<number> {
  return expectedRows(db, { from: 'request_log_search WHERE workspace_id = $1', values: [workspaceId] });
}

/** Whether all matches can be collected without reading the messages of very many logs. */
async function isCheap(db: EntityManager, { sql, values }: PageStatement): Promise<boolean> {
  return (await planOf(db, sql, values))['Total Cost'] <= CHEAP;
}

interface PageStatement {
  sql: string;
  values: unknown[];
}

function pageStatement(
  match: RequestMatch,
  walk: Walk,
  { written = 'key.value', collected }: { written?: string; collected: boolean },
): PageStatement {
  const values = [...match.values];
  const add = (value: unknown) => `$${values.push(value)}`;
  const keys = keysOf(match, walk, { add, collected });
  return {
    sql: `SELECT ${COLUMNS}, ${SCORES}, ${written} AS sort_value ${logsOf(match, walk, { keys, add })}`,
    values,
  };
}

function countedStatement(match: RequestMatch, words: WordMatch, walk: Walk): PageStatement {
  const values = [...match.values];
  const add = (value: unknown) => `$${values.push(value)}`;
  const keys = countedKeysOf(match, words, { walk, add });
  const columns = `${COLUMNS}, ${SCORES}, key.value AS sort_value, key.matches`;
  return { sql: `SELECT ${columns} ${logsOf(match, walk, { keys, add })}`, values };
}

/** The rest of a statement that reads the logs of some keys in their order. */
function logsOf(
  { workspaceId }: RequestMatch,
  { direction }: Walk,
  { keys, add }: { keys: string; add: (value: unknown) => string },
): string {
  // Log by log: beside what the conditions cost, the planner takes even reading all logs for each of them for nothing.
  return `FROM (${keys}) AS key CROSS JOIN LATERAL (
         SELECT * FROM request_logs WHERE workspace_id = ${add(workspaceId)} AND id = key.id OFFSET 0) AS log
      ORDER BY key.value ${direction}, key.id ${direction}`;
}

async function countPresent(db: EntityManager, { condition, values }: RequestMatch, key: SortKey): Promise<number> {
  return countRows(db, { from: `request_logs WHERE ${condition} AND ${key.column} IS NOT NULL`, values }, null);
}
