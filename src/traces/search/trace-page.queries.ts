import type { EntityManager } from 'typeorm';
import type { RowSource } from '../../platform/database/bounded-total.js';
import { withinMoment, withSettings } from '../../platform/database/within-time.js';
import { PlatformErrors } from '../../platform/errors/platform.errors.js';
import { SqlParameters } from '../../platform/filters/sql-parameters.js';
import type { CursorValue } from '../../platform/http/cursor.js';
import type { Order } from '../../platform/http/list.js';
import { mayHaveRuns } from '../../requests/index.js';
import type { Candidates } from './trace-candidates.js';
import type { TraceSelection } from './trace-conditions.js';

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

/** The traces that a query matches. */
export interface TraceMatch extends TraceSelection {
  workspaceId: number;
  /** Of the placeholders of the condition. */
  values: readonly unknown[];
  /** Whether the condition asks for more than the workspace. */
  isFiltered: boolean;
  /** Whether the condition reads the texts of spans, which takes milliseconds for each trace. */
  readsTexts: boolean;
  /** Whether every candidate is a match. */
  isExact: boolean;
  /** See `expectCandidates`; 0 without candidates. */
  expectedCandidates: number;
  /** All traces of the workspace; 0 without candidates. */
  expectedTraces: number;
}

interface PageStart {
  offset: number;
  after: CursorValue[] | null;
  limit: number;
}

export interface TracePage {
  order: TraceOrder;
  start: PageStart;
}

export interface TraceOnPage {
  trace_id: string;
  sort_value: string | null;
}

const IS_THERE = 't.span_count > 0';

/** Counting traces may mean testing the spans of all of them, ten to thirty in a millisecond. */
const COUNTING_MS = 50;
/** Of more there is no time to test all, and to have met enough of them is no better than an estimate. */
const MOST_TESTED = 2000;

/** What is counted. A trace whose first spans were refused has a row but is not there. */
export function matchingTraces(match: TraceMatch): RowSource {
  const { condition, values, candidates, expectedCandidates, isExact } = match;
  if (candidates && isExact) return thoseThere(candidates);
  const isHopeless = match.testsSpans && !match.testsColumns && expectedCandidates > MOST_TESTED;
  return {
    from: `traces t WHERE ${condition} AND ${IS_THERE}`,
    values,
    patienceMs: isHopeless ? 0 : COUNTING_MS,
    mostExpected: expectedCandidates,
  };
}

/** Candidates that match without a test. */
function thoseThere(candidates: Candidates): RowSource {
  const parameters = new SqlParameters();
  const from = `${oneByOne(candidates, parameters)} AND ${IS_THERE}`;
  return { from, values: parameters.values, indexed: true, patienceMs: COUNTING_MS };
}

/** What traces are tested with, and parameters with its values. IS TRUE keeps the planner from taking it apart. */
function testOf(match: TraceMatch, candidates: Candidates | null) {
  if (candidates && match.isExact) return { test: 'TRUE', parameters: new SqlParameters() };
  const { condition, values } = candidates ? match.ofCandidates : match;
  return { test: `(${condition}) IS TRUE`, parameters: new SqlParameters([...values]) };
}

/**
 * Candidates x, and of each its trace t. The planner, which does not expect rows to be in memory, would rather read all
 * traces than look up some hundred of them.
 */
function oneByOne(candidates: Candidates, parameters: SqlParameters): string {
  return `trace_search x CROSS JOIN LATERAL (
      SELECT * FROM traces WHERE workspace_id = x.workspace_id AND trace_id = x.trace_id OFFSET 0) AS t
    WHERE ${candidates.condition(parameters)}`;
}

/**
 * So many candidates, at most, are sorted sooner than some that match are met along the newest; and for so many
 * milliseconds, at most, these are looked for where there are more. It takes less where every candidate matches.
 */
const TESTED = { mostSorted: 2500, walkMs: 100 };
const EXACT = { mostSorted: 4000, walkMs: 40 };
/** Of so many candidates, at most, traces are looked up one by one; in other orders than by start so many are sorted first. */
const FEW = 15_000;
/** Sorting the candidates takes about this. The newest are not walked along for longer, should they not be among them. */
const CANDIDATES_PER_MS = 100;
/** What many traces fulfil is met soon once all are sorted. */
const SORTED_MS = 1000;
/** Processes that read along the same index beside each other read, and test, more traces than the page needs. */
const ALONG_THE_INDEX = {
  enable_sort: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  max_parallel_workers_per_gather: '0',
};
/**
 * Words and facets lie compressed outside of their rows, so whoever tests a row reads a page or more for it. The planner
 * takes that for the comparison of two numbers: it would test all traces of the workspace to be spared an index.
 */
const AS_TESTS_COST = { cpu_tuple_cost: '1' };

/**
 * Up to `limit` traces in their order; those without a value come last in either direction. Traces that are equal are
 * ordered by their id, against the direction of the sort: so does the index by start.
 *
 * By itself the planner would test all traces and then sort, for it does not know what testing the spans of a trace
 * costs. So few traces as can match, as the indexes tell, are sorted and then tested until the page is full. What many
 * fulfil is looked for along the index by start, and in other orders from the top of all traces; where it is not met
 * soon, the candidates are tested after all. `listThoroughly` gives the same match with fewer of them, where it may be rare.
 */
export async function readTracePage(
  db: EntityManager,
  match: TraceMatch,
  page: TracePage,
  listThoroughly: () => Promise<TraceMatch>,
): Promise<TraceOnPage[]> {
  const { candidates, isFiltered, testsSpans, asksForIds } = match;
  if (!isFiltered || asksForIds || (!isByStart(page) && !testsSpans)) return readInOrder(db, match, page);
  if (mostMayHavePhrases(match, page)) return readAlongRuns(db, match, page);
  const found = !candidates || areMany(match, page) ? await readSoon(db, match, page) : null;
  if (found) return found;
  if (candidates) return readCandidates(db, match.mayBeRare ? await listThoroughly() : match, page);
  return isByStart(page) ? readInOrder(db, match, page) : readSorted(db, match, null, page);
}

const isByStart = ({ order }: TracePage): boolean => order.by === 'trace_start';

/**
 * As a part of all traces: to collect so many takes about as long as it mostly takes to fill a page along the runs of all, of
 * which each is tested in a tenth of the time.
 */
const MANY_TRACES = 0.01;

/** Whether there is a phrase of words that many traces have, and the page is in the order of runs. */
function mostMayHavePhrases(match: TraceMatch, page: TracePage): boolean {
  const { candidates, expectedCandidates, expectedTraces } = match;
  if (!candidates || candidates.runs.length === 0) return false;
  return isByStart(page) && expectedCandidates > MANY_TRACES * expectedTraces;
}

/** For what is not met soon. */
async function readCandidates(db: EntityManager, match: TraceMatch, page: TracePage): Promise<TraceOnPage[]> {
  const sortsAll = !isByStart(page) && areMany(match, page);
  return (sortsAll ? await sortAllSoon(db, match, page) : null) ?? collect(db, match, page);
}

/** Whether there are too many candidates to sort them without looking for some of them first. */
function areMany(match: TraceMatch, page: TracePage): boolean {
  const mostSorted = isByStart(page) ? limitsOf(match).mostSorted : FEW;
  return match.expectedCandidates > mostSorted && !match.readsTexts;
}

const limitsOf = ({ isExact }: TraceMatch) => (isExact ? EXACT : TESTED);

/** What is met soon along the index by start, in other orders at the top of all traces; null where that takes long. */
function readSoon(db: EntityManager, match: TraceMatch, page: TracePage): Promise<TraceOnPage[] | null> {
  const { candidates, testsSpans, testsColumns, expectedCandidates } = match;
  if (!isByStart(page)) return withinMoment(db, SORTED_MS, (tx) => readTop(tx, match, page));
  const { walkMs } = limitsOf(match);
  const longest = candidates ? Math.min(walkMs, Math.ceil(expectedCandidates / CANDIDATES_PER_MS)) : walkMs;
  // The planner might test the spans of all traces first, were they not kept apart from what tells the candidates. Then,
  // though, columns do not narrow the walk down, to the traces of a day for example.
  const read = (tx: EntityManager) =>
    candidates && testsSpans && !testsColumns ? readSorted(tx, match, candidates, page) : readInOrder(tx, match, page);
  return withinMoment(db, longest, read, ALONG_THE_INDEX);
}

/** Sorts the candidates, as the indexes give them. */
function collect(db: EntityManager, match: TraceMatch, page: OrderedPage): Promise<TraceOnPage[]> {
  const isFew = match.expectedCandidates <= FEW;
  return withSettings(db, AS_TESTS_COST, (tx) => readSorted(tx, match, match.candidates, { ...page, isFew }));
}

/** What a page is read of, and how. */
interface OrderedPage extends TracePage {
  /** Only so many traces from the top are tested. */
  tested?: number;
  /** There are so few candidates that their traces are looked up one by one. */
  isFew?: boolean;
}

/** Where one trace of so many matches, the first ones fill the page. */
const TOP = 40;

/** What many traces fulfil is found at the top of all, for which these need not be sorted to the end; null where it is not. */
async function readTop(db: EntityManager, match: TraceMatch, page: TracePage): Promise<TraceOnPage[] | null> {
  const { offset, limit } = page.start;
  const rows = await readSorted(db, match, null, { ...page, tested: TOP * (offset + limit) });
  return rows.length === limit ? rows : null;
}

/** Sorts all traces and tests them until the page is full; null where that takes long. */
function sortAllSoon(db: EntityManager, match: TraceMatch, page: TracePage): Promise<TraceOnPage[] | null> {
  return withinMoment(db, SORTED_MS, (tx) => readSorted(tx, match, null, page));
}

/** Leaves to the planner what is tested and sorted first. */
function readInOrder(
  db: EntityManager,
  match: TraceMatch,
  { order, start: { offset, after, limit } }: OrderedPage,
): Promise<TraceOnPage[]> {
  const parameters = new SqlParameters([...match.values]);
  const further = afterCondition(order, after, parameters);
  return db.query<TraceOnPage[]>(
    `SELECT t.trace_id, (${SORT_KEYS[order.by].sql})::text AS sort_value FROM ${tracesFor(order)}
      WHERE ${match.condition} AND ${IS_THERE}${further}
      ORDER BY ${orderBy(order)} LIMIT ${parameters.add(limit)} OFFSET ${parameters.add(offset)}`,
    parameters.values,
  );
}

/**
 * Sorts all candidates, or all traces of the workspace, before it tests them, which ends with the page: IS TRUE and the
 * barrier keep the test out of the subquery, where all of them would be tested first.
 */
function readSorted(
  db: EntityManager,
  match: TraceMatch,
  candidates: Candidates | null,
  { order, start: { offset, after, limit }, tested, isFew = false }: OrderedPage,
): Promise<TraceOnPage[]> {
  const { test, parameters } = testOf(match, candidates);
  const further = afterCondition(order, after, parameters);
  const barrier = tested === undefined ? 'OFFSET 0' : `LIMIT ${parameters.add(tested)}`;
  const source = candidates
    ? candidatesWithTraces(candidates, isFew, parameters)
    : `${tracesFor(order)} WHERE t.workspace_id = ${parameters.add(match.workspaceId)}::int`;
  const { sql: key } = SORT_KEYS[order.by];
  // Only what the subquery gives out under a name is known to be sorted already.
  const sorted = orderBy(order, { value: 't.sort_key', isMissing: 't.sorts_last' });
  return db.query<TraceOnPage[]>(
    `SELECT t.trace_id, t.sort_key::text AS sort_value
       FROM (SELECT t.*, ${key} AS sort_key, (${key} IS NULL) AS sorts_last
               FROM ${source} AND ${IS_THERE}${further}
              ORDER BY ${orderBy(order)} ${barrier}) AS t
      WHERE ${test}
      ORDER BY ${sorted} LIMIT ${parameters.add(limit)} OFFSET ${parameters.add(offset)}`,
    parameters.values,
  );
}

/**
 * Along the newest, or oldest: tests those that seem to have the runs. Looking at the runs of a trace takes a few microseconds,
 * at its words and facets a hundred.
 */
function readAlongRuns(
  db: EntityManager,
  match: TraceMatch,
  { order, start: { offset, after, limit } }: TracePage,
): Promise<TraceOnPage[]> {
  const { test, parameters } = testOf(match, match.candidates);
  // Both have the start of the trace and its id.
  const further = afterCondition(order, after, parameters);
  const alongRuns = { value: 'run.start_ns', isMissing: 'FALSE', id: 'run.trace_id' };
  const sql = `SELECT t.trace_id, run.start_ns::text AS sort_value
       FROM (SELECT t.workspace_id, t.trace_id, t.start_ns FROM trace_word_runs t
              WHERE t.workspace_id = ${parameters.add(match.workspaceId)}::int
                AND ${mayHaveRuns('t', match.candidates!.runs)}${further}
              ORDER BY ${orderBy(order)} OFFSET 0) AS run
      CROSS JOIN LATERAL (
            SELECT * FROM traces WHERE workspace_id = run.workspace_id AND trace_id = run.trace_id OFFSET 0) AS t
      WHERE ${IS_THERE} AND ${test}
      ORDER BY ${orderBy(order, alongRuns)} LIMIT ${parameters.add(limit)} OFFSET ${parameters.add(offset)}`;
  return withSettings(db, ALONG_THE_INDEX, (tx) => tx.query<TraceOnPage[]>(sql, parameters.values));
}

function candidatesWithTraces(candidates: Candidates, isFew: boolean, parameters: SqlParameters): string {
  if (isFew) return oneByOne(candidates, parameters);
  return `trace_search x JOIN traces t ON t.workspace_id = x.workspace_id AND t.trace_id = x.trace_id
    WHERE ${candidates.condition(parameters)}`;
}

/** The traces, with what an order needs of their search rows. */
function tracesFor({ by }: TraceOrder): string {
  const join = 'LEFT JOIN trace_search x ON x.workspace_id = t.workspace_id AND x.trace_id = t.trace_id';
  return SORT_KEYS[by].searched ? `traces t ${join}` : 'traces t';
}

function keyOf({ by }: TraceOrder): OrderKey {
  const { sql } = SORT_KEYS[by];
  return { value: sql, isMissing: `(${sql} IS NULL)` };
}

interface OrderKey {
  value: string;
  isMissing: string;
  id?: string;
}

function orderBy(
  { by, order, missingFirst = false }: TraceOrder,
  { value, isMissing, id = 't.trace_id' }: OrderKey = keyOf({ by, order }),
): string {
  const ties = `${id} ${order === 'asc' ? 'DESC' : 'ASC'}`;
  // Every trace has a start, and only in this form the index gives the order.
  return by === 'trace_start'
    ? `${value} ${order}, ${ties}`
    : `${isMissing}${missingFirst ? ' DESC' : ''}, ${value} ${order}, ${ties}`;
}

/** What stands behind a cursor, as a further condition; nothing without one. */
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
