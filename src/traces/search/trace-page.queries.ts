import type { EntityManager } from 'typeorm';
import { PlatformErrors } from '../../platform/errors/platform.errors.js';
import { SqlParameters } from '../../platform/filters/sql-parameters.js';
import type { CursorValue } from '../../platform/http/cursor.js';
import type { Order } from '../../platform/http/list.js';

export const TRACE_SORTS = [
  'trace_start',
  'trace_end',
  'trace_duration_ms',
  'trace_total_cost_usd',
  'trace_total_tokens',
  'trace_input_tokens',
  'trace_output_tokens',
  'trace_span_count',
  'trace_depth',
  'trace_name',
  'trace_status',
] as const;
export type TraceSort = (typeof TRACE_SORTS)[number];

export interface TraceOrder {
  by: TraceSort;
  order: Order;
  /** Traces without a value come first instead of last: where an order is read from its end. */
  missingFirst?: boolean;
}

/** The same order from its end to its beginning. */
export const reversed = ({ by, order }: TraceOrder): TraceOrder => ({
  by,
  order: order === 'asc' ? 'desc' : 'asc',
  missingFirst: true,
});

interface SortKey {
  /** Over `traces` t and `trace_search` x. */
  sql: string;
  type: 'bigint' | 'numeric' | 'text';
  searched?: boolean;
}

/** Characters of a name that order it: a cursor carries them. */
const NAME_KEY = 'left(x.name, 200)';

const SORT_KEYS: Readonly<Record<TraceSort, SortKey>> = {
  trace_start: { sql: 't.start_ns', type: 'bigint' },
  trace_end: { sql: 't.end_ns', type: 'bigint' },
  trace_duration_ms: {
    sql: '(CASE WHEN t.end_ns IS NOT NULL THEN greatest(0, t.end_ns - t.start_ns) END)',
    type: 'bigint',
  },
  trace_total_cost_usd: { sql: 't.cost', type: 'numeric' },
  trace_total_tokens: { sql: '(t.input_tokens + t.output_tokens)', type: 'bigint' },
  trace_input_tokens: { sql: 't.input_tokens', type: 'bigint' },
  trace_output_tokens: { sql: 't.output_tokens', type: 'bigint' },
  trace_span_count: { sql: 't.span_count', type: 'bigint' },
  trace_depth: { sql: 'x.depth', type: 'bigint', searched: true },
  trace_name: { sql: NAME_KEY, type: 'text', searched: true },
  trace_status: { sql: 'x.status', type: 'text', searched: true },
};

/** Sort value and trace id. */
export const CURSOR_SHAPE = ['text or null', 'text'] as const;

export interface TraceOnPage {
  trace_id: string;
  sort_value: string | null;
}

/** A condition over `traces` t, the workspace included, with the values of its placeholders. */
export interface TraceCondition {
  condition: string;
  values: readonly unknown[];
}

/** A trace whose first spans were refused has a row but is not there. */
const IS_THERE = 't.span_count > 0';

/** Up to `limit` traces that fulfil a condition, in their order; those without a value come last in either direction. */
export function walkTraces(
  db: EntityManager,
  { condition, values }: TraceCondition,
  order: TraceOrder,
  { offset, after, limit }: { offset: number; after: CursorValue[] | null; limit: number },
): Promise<TraceOnPage[]> {
  const parameters = new SqlParameters([...values]);
  const further = afterCondition(order, after, parameters);
  return db.query<TraceOnPage[]>(
    `SELECT ${selected(order)} FROM ${tracesFor(order)} WHERE ${condition} AND ${IS_THERE}${further}
      ORDER BY ${orderBy(order)} LIMIT ${parameters.add(limit)} OFFSET ${parameters.add(offset)}`,
    parameters.values,
  );
}

/** The traces, among some, that match a condition and come after a position, in their order. */
export async function readAmong(
  db: EntityManager,
  { condition, values }: TraceCondition,
  order: TraceOrder,
  { ids, after }: { ids: readonly string[]; after: CursorValue[] | null },
): Promise<TraceOnPage[]> {
  if (ids.length === 0) return [];
  const parameters = new SqlParameters([...values]);
  const further = afterCondition(order, after, parameters);
  return db.query<TraceOnPage[]>(
    `SELECT ${selected(order)} FROM ${tracesFor(order)}
      WHERE t.trace_id = ANY(${parameters.add(ids)}::text[]) AND ${condition} AND ${IS_THERE}${further}
      ORDER BY ${orderBy(order)}`,
    parameters.values,
  );
}

/** The ids, among some, of traces that match a condition. */
export async function readIdsAmong(
  db: EntityManager,
  { condition, values }: TraceCondition,
  ids: readonly string[],
): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await db.query<{ trace_id: string }[]>(
    `SELECT t.trace_id FROM traces t WHERE t.trace_id = ANY($${values.length + 1}::text[]) AND ${condition} AND ${IS_THERE}`,
    [...values, ids],
  );
  return rows.map((row) => row.trace_id);
}

/** Counts no further than `limit`. */
export async function countTraces(
  db: EntityManager,
  { condition, values }: TraceCondition,
  limit: number,
): Promise<number> {
  const [row] = await db.query<[{ count: string }]>(
    `SELECT count(*) FROM (SELECT FROM traces t WHERE ${condition} AND ${IS_THERE} LIMIT ${Math.trunc(limit)}) AS counted`,
    [...values],
  );
  return Number(row.count);
}

const selected = ({ by }: TraceOrder): string => `t.trace_id, (${SORT_KEYS[by].sql})::text AS sort_value`;

/** The traces, with what an order needs of their search rows. */
function tracesFor({ by }: TraceOrder): string {
  const join = 'LEFT JOIN trace_search x ON x.workspace_id = t.workspace_id AND x.trace_id = t.trace_id';
  return SORT_KEYS[by].searched ? `traces t ${join}` : 'traces t';
}

/** Traces that are equal are ordered by their id, against the direction of the sort: so does the index by start. */
function orderBy({ by, order, missingFirst = false }: TraceOrder): string {
  const { sql } = SORT_KEYS[by];
  const ties = `t.trace_id ${order === 'asc' ? 'DESC' : 'ASC'}`;
  // Every trace has a start, and the index provides the order only in this form.
  return by === 'trace_start'
    ? `${sql} ${order}, ${ties}`
    : `(${sql} IS NULL)${missingFirst ? ' DESC' : ''}, ${sql} ${order}, ${ties}`;
}

/** A further condition for rows after a cursor; empty without one. */
function afterCondition(
  { by, order, missingFirst }: TraceOrder,
  after: CursorValue[] | null,
  parameters: SqlParameters,
): string {
  if (!after) return '';
  const { sql, type } = SORT_KEYS[by];
  const [value, traceId] = after as [string | null, string];
  const [next, nextId] = order === 'asc' ? ['>', '<'] : ['<', '>'];
  const idAfter = `t.trace_id ${nextId} ${parameters.add(traceId)}::text COLLATE "C"`;
  if (value === null)
    return ` AND ${missingFirst ? `(${sql} IS NOT NULL OR ${idAfter})` : `${sql} IS NULL AND ${idAfter}`}`;
  const key = `${parameters.add(checked(value, type))}::${type}`;
  const onward = `(${sql} ${next}= ${key} AND (${sql} ${next} ${key} OR ${idAfter}))`;
  return ` AND ${by === 'trace_start' || missingFirst ? onward : `(${onward} OR ${sql} IS NULL)`}`;
}

const PATTERNS: Record<SortKey['type'], RegExp> = {
  bigint: /^-?\d{1,19}$/,
  // Prices are double precision, and costs are sums of them.
  numeric: /^-?\d{1,400}(?:\.\d{1,400})?$/,
  text: /^/,
};

/** Throws cursor_invalid for a sort value that no trace can have: the cursor may have been edited. */
export function checkSortValue({ by }: TraceOrder, value: string): void {
  checked(value, SORT_KEYS[by].type);
}

function checked(value: string, type: SortKey['type']): string {
  const fits = PATTERNS[type].test(value) && (type !== 'bigint' || isInt8(BigInt(value)));
  if (!fits) throw PlatformErrors.cursor_invalid();
  return value;
}

function isInt8(value: bigint): boolean {
  return BigInt.asIntN(64, value) === value;
}
