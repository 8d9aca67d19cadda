import type { EntityManager } from 'typeorm';
import { withinMoment } from '../../platform/database/within-time.js';
import { SqlParameters } from '../../platform/filters/sql-parameters.js';
import type { CursorValue } from '../../platform/http/cursor.js';
import {
  type AmongOptions,
  type Asked,
  DocumentMatches,
  type IndexSort,
  type MatchPage,
  type MatchSource,
  MISSES_WORDS,
  type Question,
  saysNothing,
} from '../../text-search/index.js';
import {
  conditionOf,
  type LookedAt,
  type ReadTraceQuery,
  readTraceQuery,
  type TraceQuery,
  type UnderstoodTraceQuery,
  understandTraceQuery,
} from './trace-conditions.js';
import { microsOfNs, statusValue, tieOf, TRACES, VALUES } from './trace-document.js';
import {
  checkSortValue,
  countTraces,
  readAmong,
  readIdsAmong,
  type TraceCondition,
  type TraceOnPage,
  type TraceOrder,
  walkTraces,
} from './trace-page.queries.js';
import { TRACE_FIELDS, type TraceLevelField } from './trace-fields.js';
import { asksForIds, asksForStart } from './trace-questions.js';
import { readWaitingTraces } from './trace-queue.queries.js';

export type TraceMatches = DocumentMatches<TraceOnPage, TraceOrder, CursorValue[]>;

const COUNTING_MS = 200;

const MOMENTS: ReadonlySet<string> = new Set([VALUES.start, VALUES.end]);

interface OpenOptions {
  limitMs?: number;
  /** Whether the search rows are up to date, see `TraceFreshness`. */
  isFresh: boolean;
}

/** The traces that a query matches. Use them soon. */
export async function openTraces(
  db: EntityManager,
  query: UnderstoodTraceQuery,
  { limitMs, isFresh }: OpenOptions,
): Promise<TraceMatches> {
  const { workspaceId } = query.workspace;
  const isOutdated = !isFresh && !isToldByTraces(query);
  const waiting = { ...(await readWaitingTraces(db, workspaceId)), isOutdated };
  const found = { questions: query.questions, waiting, limitMs };
  return DocumentMatches.open(
    db,
    { workspaceId, kind: TRACES },
    found,
    (asked, missed) => new TraceSource(db, query, { asked, missed }),
  );
}

/**
 * The SQL condition over `traces` t, the workspace included, that selects the matches of a query. Its values are added
 * to `parameters`. Throws FilterSyntaxError (422) and FilterSemanticsError (400).
 */
export async function traceConditions(
  db: EntityManager,
  workspaceId: number,
  query: TraceQuery,
  parameters: SqlParameters,
): Promise<string> {
  const read = readTraceQuery(query);
  const understood = await understandTraceQuery(db, workspaceId, read);
  const { group, text, questions } = understood;
  const isOfRows = isToldByTraces(read) || (text === null && group !== null && asksForIds(group));
  if (isOfRows || questions.every(saysNothing)) return conditionOf(understood, ALL, parameters);
  const ids = await (await openTraces(db, understood, { isFresh: true })).ids();
  return `t.workspace_id = ${parameters.add(workspaceId)}::int AND t.trace_id = ANY(${parameters.add(ids)}::text[])`;
}

/** Whether no search row is needed. */
const isToldByTraces = ({ group, text }: ReadTraceQuery): boolean =>
  text === null && (group === null || asksForStart(group));

const ALL: LookedAt = { group: true, words: 'all', phrases: true };
const NOTHING: LookedAt = { group: false, words: 'none', phrases: false };

/** The traces of a workspace, as they are read for a query. */
class TraceSource implements MatchSource<TraceOnPage, TraceOrder, CursorValue[]> {
  private readonly all: TraceCondition;
  private readonly nothing: TraceCondition;
  private readonly ofIndexed: TraceCondition;

  constructor(
    private readonly db: EntityManager,
    private readonly query: UnderstoodTraceQuery,
    private readonly known: { asked: Asked; missed: readonly Question[] },
  ) {
    const { asked, missed } = known;
    this.all = conditionFor(query, ALL);
    this.nothing = conditionFor(query, NOTHING);
    const looked: LookedAt = { ...ALL, words: missed.includes(MISSES_WORDS) ? 'all' : 'unasked' };
    this.ofIndexed = asked.isExact ? this.nothing : conditionFor(query, looked);
  }

  sortOf({ by, order, missingFirst }: TraceOrder): IndexSort | null {
    const { value } = TRACE_FIELDS[by] as TraceLevelField;
    // Names are sorted by the database.
    if (value === undefined) return null;
    return { by: value, direction: order, missingFirst, tie: VALUES.tie, isRounded: MOMENTS.has(value) };
  }

  notBefore(order: TraceOrder, after: CursorValue[]): Question {
    const sort = this.sortOf(order);
    const [last, id] = after as [string | null, string];
    if (!sort) return { all: [] };
    const has: Question = { value: sort.by, from: null, to: null };
    if (last !== null) checkSortValue(order, last);
    if (last === null) return order.missingFirst ? { all: [] } : { not: has };
    const reached = reachedBy(sort, indexValue(sort.by, last), id);
    return order.missingFirst ? reached : { any: [reached, { not: has }] };
  }

  /** There is an index for the order by start, and one for ids. */
  isWalked({ by }: TraceOrder): boolean {
    const { group, text } = this.query;
    if (group && asksForIds(group)) return true;
    if (by !== 'trace_start') return by === 'trace_name' && group === null && text === null;
    return saysNothing(this.known.asked) || isToldByTraces(this.query);
  }

  walk(order: TraceOrder, page: MatchPage<CursorValue[]>): Promise<TraceOnPage[]> {
    return walkTraces(this.db, this.all, order, page);
  }

  rowsAmong(
    ids: readonly string[],
    { order, after, isIndexed }: AmongOptions<TraceOrder, CursorValue[]>,
  ): Promise<TraceOnPage[]> {
    return readAmong(this.db, isIndexed ? this.ofIndexed : this.all, order, { ids, after });
  }

  keysAmong(ids: readonly string[], isIndexed: boolean): Promise<string[]> {
    return readIdsAmong(this.db, isIndexed ? this.ofIndexed : this.all, ids);
  }

  keyOf({ trace_id: id }: TraceOnPage): string {
    return id;
  }

  sorted(rows: TraceOnPage[], order: TraceOrder): Promise<TraceOnPage[]> {
    const ids = rows.map((row) => row.trace_id);
    return readAmong(this.db, this.nothing, order, { ids, after: null });
  }

  count(most: number): Promise<number | null> {
    return withinMoment(this.db, COUNTING_MS, (tx) => countTraces(tx, this.all, most));
  }
}

function conditionFor(query: UnderstoodTraceQuery, looked: LookedAt): TraceCondition {
  const parameters = new SqlParameters();
  const condition = conditionOf(query, looked, parameters);
  return { condition, values: parameters.values };
}

/** Matches everything up to a value, and among equal values everything up to an id. */
function reachedBy({ by, direction, tie, isRounded }: IndexSort, limit: number, id: string): Question {
  const from = (value: string, at: number, isOpen: boolean): Question =>
    direction === 'asc' ? { value, from: at, to: null, isOpen } : { value, from: null, to: at, isOpen };
  if (isRounded) return from(by, limit, false);
  const same: Question = { value: by, from: limit, to: limit };
  return { any: [from(by, limit, true), { all: [same, from(tie, tieOf(id), false)] }] };
}

function indexValue(value: string, last: string): number {
  if (MOMENTS.has(value)) return microsOfNs(BigInt(last));
  return value === VALUES.status ? statusValue(last) : Number(last);
}
