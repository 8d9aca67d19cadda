import type { EntityManager } from 'typeorm';
import { isoTimestamp } from '../../platform/database/iso-timestamp.js';
import type { CursorShape, CursorValue } from '../../platform/http/cursor.js';
import type { RequestStatus } from '../../llm/records/llm-call.js';
import type { Origin } from '../../llm/records/origin.js';
import type { RequestSort } from '../shared/request-sorts.js';

export interface RequestOrder {
  by: RequestSort;
  order: 'asc' | 'desc';
}

/** Start of a page: an offset, or the sort values of the log before it. */
export interface PageStart {
  offset: number;
  after: CursorValue[] | null;
}

/** A log with the columns of a list. Columns that are stored out of line, such as the messages, are not read. */
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
  origin: Origin;
  environment: string | null;
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
  'origin',
  'environment',
]
  .map((column) => `log.${column}`)
  .concat(
    `${isoTimestamp('log.request_start_time')} AS started_at, ${isoTimestamp('log.request_end_time')} AS ended_at`,
  )
  .join(', ');

const SCORES = `coalesce((SELECT json_agg(json_build_object('name', name, 'score', score) ORDER BY name COLLATE "C")
  FROM request_scores s WHERE s.workspace_id = $1 AND s.log_id = log.id), '[]') AS scores`;

interface SortKey {
  column: string;
  nullable: boolean;
  /** Shape of the column's value in a cursor, and the type for comparing it. */
  shape: CursorShape;
  type: string;
  /** SQL of the value in the cursor; by default the column. */
  written?: string;
}

/** A cursor may hold any whole number, so they are compared as bigint. The index supports that. */
const SORT_KEYS: Readonly<Record<RequestSort, SortKey>> = {
  request_start_time: {
    column: 'request_start_time',
    nullable: false,
    shape: 'moment',
    type: 'timestamptz',
    written: isoTimestamp('log.request_start_time'),
  },
  input_tokens: { column: 'input_tokens', nullable: true, shape: 'number or null', type: 'bigint' },
  output_tokens: { column: 'output_tokens', nullable: true, shape: 'number or null', type: 'bigint' },
  cost: { column: 'price', nullable: true, shape: 'float or null', type: 'float8' },
  latency_ms: { column: 'latency_ms', nullable: false, shape: 'float', type: 'float8' },
  status: { column: 'status', nullable: false, shape: 'text', type: 'text' },
};

/** Shapes of the sort values in a cursor: of the column, then of the id. */
export function cursorShapes(by: RequestSort): CursorShape[] {
  return [SORT_KEYS[by].shape, 'number'];
}

/** Sort values after which the next page begins. */
export function cursorValues(row: RequestLogRow): CursorValue[] {
  return [row.sort_value, Number(row.id)];
}

/**
 * Logs that match an SQL condition over `request_logs` without an alias. It contains the workspace, which is its first
 * value.
 */
export interface LogCondition {
  condition: string;
  values: readonly unknown[];
}

/** Returns the placeholder of a value. */
type Add = (value: unknown) => string;

/** The logs, among these ids, that match a condition and come after a position, in their order. */
export async function readAmong(
  db: EntityManager,
  { condition, values }: LogCondition,
  { by, order }: RequestOrder,
  { ids, after }: { ids: readonly string[]; after: CursorValue[] | null },
): Promise<RequestLogRow[]> {
  if (ids.length === 0) return [];
  const key = SORT_KEYS[by];
  const all = [...values];
  const add: Add = (value) => `$${all.push(value)}`;
  const among = `id = ANY(${add(ids)}::bigint[])`;
  const conditions = [among, condition, ...(after ? [isAfter(key, { order, after, add })] : [])];
  return db.query<RequestLogRow[]>(
    `SELECT ${selected(key)} FROM request_logs AS log WHERE ${conditions.join(' AND ')}
      ORDER BY log.${key.column} ${order} NULLS LAST, log.id ${order}`,
    all,
  );
}

/** The ids, among these, of logs that match a condition. */
export async function readIdsAmong(
  db: EntityManager,
  { condition, values }: LogCondition,
  ids: readonly string[],
): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await db.query<{ id: string }[]>(
    `SELECT id FROM request_logs WHERE id = ANY($${values.length + 1}::bigint[]) AND ${condition}`,
    [...values, ids],
  );
  return rows.map(({ id }) => id);
}

/**
 * Up to `limit` logs in order, read along the index of the order. Logs without a value come last in either direction,
 * equal ones are sorted by id.
 *
 * An index keeps logs without a value at one end, so reading it backwards would find them first. Therefore logs with
 * and without a value are separate scans, and the second one is only made when the first one ends within the page.
 */
export async function walkLogs(
  db: EntityManager,
  match: LogCondition,
  { by, order }: RequestOrder,
  { offset, after, limit }: PageStart & { limit: number },
): Promise<RequestLogRow[]> {
  const key = SORT_KEYS[by];
  const walk = (stretch: Omit<Stretch, 'order'>) => readStretch(db, match, key, { ...stretch, order });
  if (!key.nullable) return walk({ part: 'all', offset, after, limit });
  if (after && after[0] === null) return walk({ part: 'missing', offset, after, limit });
  const rows = await walk({ part: 'present', offset, after, limit });
  if (rows.length === limit) return rows;
  const skipped = rows.length > 0 || offset === 0 ? 0 : Math.max(0, offset - (await countPresent(db, match, key)));
  const missing = await walk({ part: 'missing', offset: skipped, after: null, limit: limit - rows.length });
  return [...rows, ...missing];
}

interface Stretch {
  order: 'asc' | 'desc';
  /** Logs with a value in the column, without one, or all where there is always one. */
  part: 'all' | 'present' | 'missing';
  after: CursorValue[] | null;
  offset: number;
  limit: number;
}

function readStretch(
  db: EntityManager,
  { condition, values }: LogCondition,
  key: SortKey,
  { order, part, after, offset, limit }: Stretch,
): Promise<RequestLogRow[]> {
  const all = [...values];
  const add: Add = (value) => `$${all.push(value)}`;
  const conditions = [
    condition,
    ...(part === 'all' ? [] : [`${key.column} IS ${part === 'present' ? 'NOT NULL' : 'NULL'}`]),
    ...(after ? [isAfter(key, { order, after, add })] : []),
  ];
  const sort = part === 'missing' ? `id ${order}` : `${key.column} ${order}, id ${order}`;
  return db.query<RequestLogRow[]>(
    `SELECT ${selected(key)} FROM request_logs AS log WHERE ${conditions.join(' AND ')}
      ORDER BY ${sort} LIMIT ${add(limit)} OFFSET ${add(offset)}`,
    all,
  );
}

const selected = ({ column, written = `log.${column}` }: SortKey): string =>
  `${COLUMNS}, ${SCORES}, ${written} AS sort_value`;

/** Logs without a value come last. */
function isAfter(
  { column, type, nullable }: SortKey,
  { order, after, add }: { order: 'asc' | 'desc'; after: CursorValue[]; add: Add },
): string {
  const comparison = order === 'asc' ? '>' : '<';
  const [value, id] = after;
  if (value === null) return `${column} IS NULL AND id ${comparison} ${add(id)}::bigint`;
  const isFurther = `(${column}, id) ${comparison} (${add(value)}::${type}, ${add(id)}::bigint)`;
  return nullable ? `(${column} IS NULL OR ${isFurther})` : isFurther;
}

async function countPresent(db: EntityManager, { condition, values }: LogCondition, key: SortKey): Promise<number> {
  const [row] = await db.query<[{ count: string }]>(
    `SELECT count(*) FROM request_logs WHERE ${condition} AND ${key.column} IS NOT NULL`,
    [...values],
  );
  return Number(row.count);
}

/** Counts up to `limit`. */
export async function countLogs(
  db: EntityManager,
  { condition, values }: LogCondition,
  limit: number,
): Promise<number> {
  const [row] = await db.query<[{ count: string }]>(
    `SELECT count(*) FROM (SELECT FROM request_logs WHERE ${condition} LIMIT ${Math.trunc(limit)}) AS counted`,
    [...values],
  );
  return Number(row.count);
}

/** Ids of at most `limit` logs. */
export async function readSomeIds(
  db: EntityManager,
  { condition, values }: LogCondition,
  limit: number,
): Promise<string[]> {
  const rows = await db.query<{ id: string }[]>(
    `SELECT id FROM request_logs WHERE ${condition} LIMIT ${Math.trunc(limit)}`,
    [...values],
  );
  return rows.map(({ id }) => id);
}

/** Compares two logs in the order of the database. */
export function compareRows(a: RequestLogRow, b: RequestLogRow, order: 'asc' | 'desc'): number {
  const sign = order === 'asc' ? 1 : -1;
  const [left, right] = [a.sort_value, b.sort_value];
  if (left === right) return sign * (Number(a.id) - Number(b.id));
  if (left === null || right === null) return left === null ? 1 : -1;
  return sign * (left < right ? -1 : 1);
}
