import type { EntityManager } from 'typeorm';
import { nodesOf, planOf } from '../../platform/database/query-plan.js';
import { withinMoment } from '../../platform/database/within-time.js';
import { PlatformErrors } from '../../platform/errors/platform.errors.js';
import type { CursorValue } from '../../platform/http/cursor.js';

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
  order: 'asc' | 'desc';
}

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

/** The traces that a query matches: a condition over `traces` t, and the values of its placeholders. */
export interface TraceMatch {
  condition: string;
  values: readonly unknown[];
  /** Whether the condition asks for more than the workspace. */
  isFiltered: boolean;
  /** What traces must have in the index of words, where the condition reads the texts of their spans for a phrase. */
  phrase: { workspaceId: number; tsquery: string } | null;
}

export interface PageStart {
  offset: number;
  after: CursorValue[] | null;
  limit: number;
}

export interface TraceOnPage {
  trace_id: string;
  sort_value: string | null;
}

/** What is counted. A trace whose first spans were refused has a row but is not there. */
export const matchingTraces = ({ condition }: TraceMatch): string => `traces t WHERE ${condition} AND t.span_count > 0`;

/** Matches that many traces have are met soon. */
const SOON_MS = 100;
/** So few are found by their values and all tested, without a walk before. */
const FEW_TRACES = 1000;

/**
 * Up to `limit` traces in their order; those without a value come last in either direction. Traces that are equal are
 * ordered by their id, against the direction of the sort: so does the index by start.
 *
 * What many traces fulfil is looked for along the index by start. By itself the planner would often find all of them
 * and sort them, for it does not know what testing the spans of a trace costs.
 */
export async function readTracePage(
  db: EntityManager,
  match: TraceMatch,
  order: TraceOrder,
  start: PageStart,
): Promise<TraceOnPage[]> {
  if (order.by === 'trace_start' && match.phrase) return readNewestOf(db, match, match.phrase, { order, start });
  const { sql, values } = pageStatement(match, order, start);
  const read = (tx: EntityManager) => tx.query<TraceOnPage[]>(sql, values);
  if (!match.isFiltered || order.by !== 'trace_start' || (await expectsFewTraces(db, sql, values))) return read(db);
  const walked = await withinMoment(db, SOON_MS, async (tx) => {
    await tx.query('SET LOCAL enable_sort = off; SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off');
    return read(tx);
  });
  return walked ?? read(db);
}

function pageStatement(match: TraceMatch, order: TraceOrder, { offset, after, limit }: PageStart) {
  const values = [...match.values];
  const add = (value: unknown) => `$${values.push(value)}`;
  const { sql: key, searched } = SORT_KEYS[order.by];
  const join = searched
    ? 'LEFT JOIN trace_search x ON x.workspace_id = t.workspace_id AND x.trace_id = t.trace_id'
    : '';
  const conditions = [match.condition, 't.span_count > 0', ...(after ? [afterCondition(order, after, add)] : [])];
  const sql = `SELECT t.trace_id, (${key})::text AS sort_value FROM traces t ${join} WHERE ${conditions.join(' AND ')}
      ORDER BY ${orderBy(order)} LIMIT ${add(limit)} OFFSET ${add(offset)}`;
  return { sql, values };
}

/**
 * Traces that have the words of a phrase, sorted before their spans are read for the phrase itself, which ends with the
 * page: IS TRUE and OFFSET keep the test out of the subquery, where all of them would be tested first.
 */
function readNewestOf(
  db: EntityManager,
  match: TraceMatch,
  { workspaceId, tsquery }: { workspaceId: number; tsquery: string },
  { order, start: { offset, after, limit } }: { order: TraceOrder; start: PageStart },
): Promise<TraceOnPage[]> {
  const values = [...match.values];
  const add = (value: unknown) => `$${values.push(value)}`;
  const further = after ? ` AND ${afterCondition(order, after, add)}` : '';
  return db.query<TraceOnPage[]>(
    `SELECT t.trace_id, t.start_ns::text AS sort_value
       FROM (SELECT t.* FROM trace_search x
               JOIN traces t ON t.workspace_id = x.workspace_id AND t.trace_id = x.trace_id
              WHERE x.workspace_id = ${add(workspaceId)}::int AND x.words @@ ${add(tsquery)}::tsquery
                AND t.span_count > 0${further}
              ORDER BY ${orderBy(order)} OFFSET 0) AS t
      WHERE (${match.condition}) IS TRUE ORDER BY ${orderBy(order)} LIMIT ${add(limit)} OFFSET ${add(offset)}`,
    values,
  );
}

/** Whether the index of values is expected to leave a few traces only. */
async function expectsFewTraces(db: EntityManager, sql: string, values: unknown[]): Promise<boolean> {
  const found = nodesOf(await planOf(db, sql, values)).filter((node) => node['Node Type'] === 'Bitmap Heap Scan');
  return found.length > 0 && Math.max(...found.map((node) => node['Plan Rows'])) <= FEW_TRACES;
}

function orderBy({ by, order }: TraceOrder): string {
  const { sql } = SORT_KEYS[by];
  const ties = `t.trace_id ${order === 'asc' ? 'DESC' : 'ASC'}`;
  // Every trace has a start, and only in this form the index gives the order.
  return by === 'trace_start' ? `${sql} ${order}, ${ties}` : `(${sql} IS NULL), ${sql} ${order}, ${ties}`;
}

function afterCondition({ by, order }: TraceOrder, after: CursorValue[], add: (value: unknown) => string): string {
  const { sql, type } = SORT_KEYS[by];
  const [value, traceId] = after as [string | null, string];
  const [next, nextId] = order === 'asc' ? ['>', '<'] : ['<', '>'];
  const idAfter = `t.trace_id ${nextId} ${add(traceId)}::text COLLATE "C"`;
  if (value === null) return `(${sql} IS NULL AND ${idAfter})`;
  const key = `${add(checked(value, type))}::${type}`;
  const onward = `(${sql} ${next}= ${key} AND (${sql} ${next} ${key} OR ${idAfter}))`;
  return by === 'trace_start' ? onward : `(${onward} OR ${sql} IS NULL)`;
}

const PATTERNS: Record<SortKey['type'], RegExp> = {
  bigint: /^-?\d{1,19}$/,
  numeric: /^-?\d{1,100}(?:\.\d{1,400})?$/,
  text: /^/,
};

/** Somebody may have written the cursor by hand. */
function checked(value: string, type: SortKey['type']): string {
  const fits = PATTERNS[type].test(value) && (type !== 'bigint' || isInt8(BigInt(value)));
  if (!fits) throw PlatformErrors.cursor_invalid();
  return value;
}

function isInt8(value: bigint): boolean {
  return BigInt.asIntN(64, value) === value;
}
