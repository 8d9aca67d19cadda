import type { EntityManager } from 'typeorm';
import type { Total } from '../../platform/database/bounded-total.js';
import { SqlParameters } from '../../platform/filters/sql-parameters.js';
import { PlatformErrors } from '../../platform/errors/platform.errors.js';
import { withinMoment } from '../../platform/database/within-time.js';
import type { CursorValue } from '../../platform/http/cursor.js';
import { type Found, openIndex, type Question, type Reading, START } from '../../text-search/index.js';
import { ID, INCOMPLETE, LOGS, statusValue } from './log-document.js';
import { allOf, type LogQuestion, microsOf, questionOfText, saysNothing } from './log-questions.js';
import { filterConditions, type UnderstoodQuery } from './request-conditions.js';
import {
  compareRows,
  countLogs,
  type LogCondition,
  type PageStart,
  readAmong,
  readIdsAmong,
  type RequestLogRow,
  type RequestOrder,
  walkLogs,
} from './search-page.queries.js';
import { checkTexts } from './text-check.js';
import type { TextQuery } from './text-query.js';
import type { WaitingLogs } from './waiting-logs.js';

/** Rows of a page, and whether the time was up before all were found that belong to it. */
export interface FoundRows {
  rows: RequestLogRow[];
  isPartial: boolean;
}

/** Candidates that are looked at in one statement: about as many as are wanted at first, then more. */
const LOOKED_AT = { least: 50, most: 2000 };
/** So many matches are counted where the index does not tell how many there are. */
const COUNTED = 1000;
const COUNTING_MS = 200;

/** The values of the index by which logs are sorted. */
const SORT_VALUES: Readonly<Record<RequestOrder['by'], string>> = {
  request_start_time: START,
  input_tokens: 'input_tokens',
  output_tokens: 'output_tokens',
  cost: 'cost',
  latency_ms: 'latency_ms',
  status: 'status',
};

interface KnownMatches {
  /** All but the free text. */
  logs: LogCondition;
  text: TextQuery | null;
  asked: LogQuestion;
  waiting: WaitingLogs;
  reading: Reading;
  /** When its time is up, in milliseconds since the epoch, and how long that is. */
  end: number;
  limitMs: number;
}

/**
 * The logs that a query matches. The index gives candidates, in the order that is asked for; the conditions are looked at in
 * the logs themselves. Logs that wait for the index are looked at as well, and what the index says of them does not count.
 */
export class LogMatches {
  /** How many of the waiting logs match, once they were looked at for a page: their messages are not read twice. */
  private ofWaiting: number | null = null;

  private constructor(
    private readonly db: EntityManager,
    private readonly workspaceId: number,
    private readonly known: KnownMatches,
  ) {}

  static async open(
    db: EntityManager,
    workspaceId: number,
    query: UnderstoodQuery,
    limitMs = Infinity,
  ): Promise<LogMatches> {
    const { text } = query;
    const parameters = new SqlParameters();
    const conditions = await filterConditions(db, workspaceId, query.groups, parameters);
    const logs = { condition: conditions.join(' AND '), values: parameters.values };
    const reading = await openIndex(db, { workspaceId, kind: LOGS }, query.waiting.ids);
    const asked = await withIncomplete(reading, [...query.questions, ...(text ? [questionOfText(text)] : [])]);
    return new LogMatches(db, workspaceId, {
      logs,
      text,
      asked,
      waiting: query.waiting,
      reading,
      end: Date.now() + limitMs,
      limitMs,
    });
  }

  /** The free text with what is known of its words; null when there is none. */
  get text(): TextQuery | null {
    return this.known.text;
  }

  /** Up to `limit` logs. Throws reading_timeout. */
  async read(order: RequestOrder, { offset, after, limit }: PageStart & { limit: number }): Promise<FoundRows> {
    const { logs, asked, waiting } = this.known;
    if (this.isLeftToDatabase) {
      return { rows: await walkLogs(this.db, logs, order, { offset, after, limit }), isPartial: false };
    }
    const ofWaiting = await this.rowsAmong(waiting.ids, { order, after, isIndexed: false });
    if (after === null) this.ofWaiting = ofWaiting.length;
    // So many of the index come before the page, whatever waits.
    const skipped = asked.isExact ? Math.max(0, offset - ofWaiting.length) : 0;
    const from = offset - skipped;
    const found = await this.readIndexed(order, { skipped, after, limit: from + limit });
    const rows = [...ofWaiting, ...found].sort((a, b) => compareRows(a, b, order.order));
    return { rows: rows.slice(from, from + limit), isPartial: waiting.isCut };
  }

  /** How many logs match; `known` is how many there are at least. */
  async total(known: number): Promise<Total> {
    const { asked, waiting, reading } = this.known;
    if (saysNothing(asked) && !asked.isExact) return this.countInDatabase(known);
    const candidates = await reading.count(asked.question);
    const isExact = !waiting.isCut;
    if (asked.isExact) {
      const ofWaiting = this.ofWaiting ?? (await this.idsAmong(waiting.ids, false)).length;
      return { total: Math.max(known, candidates + ofWaiting), isExact };
    }
    if (candidates <= COUNTED) return { total: (await this.ids()).length, isExact };
    return { total: Math.max(known, candidates), isExact: false };
  }

  /** The ids of all of them, in no order. */
  async ids(): Promise<string[]> {
    const { waiting, asked } = this.known;
    const found = [await this.idsAmong(waiting.ids, false)];
    for await (const portion of this.candidates(NEWEST, null)) {
      const keys = portion.map(({ key }) => key);
      if (asked.isExact) found.push(keys);
      else for (const some of piecesOf(keys)) found.push(await this.idsAmong(some, true));
    }
    return found.flat();
  }

  /** There is nothing to ask the index, and all logs are in the order that is asked for already. */
  private get isLeftToDatabase(): boolean {
    return this.known.text === null && saysNothing(this.known.asked);
  }

  private async countInDatabase(known: number): Promise<Total> {
    const { logs } = this.known;
    const counted = await withinMoment(this.db, COUNTING_MS, (tx) => countLogs(tx, logs, COUNTED + 1));
    if (counted !== null && counted <= COUNTED) return { total: counted, isExact: true };
    return { total: Math.max(known, counted ?? 0), isExact: false };
  }

  private async readIndexed(
    order: RequestOrder,
    { skipped, after, limit }: { skipped: number; after: CursorValue[] | null; limit: number },
  ): Promise<RequestLogRow[]> {
    const rows: RequestLogRow[] = [];
    let left = skipped;
    let size = Math.max(limit, LOOKED_AT.least);
    for await (const portion of this.candidates(order, after)) {
      this.checkTime();
      const passed = Math.min(left, portion.length);
      left -= passed;
      for (let at = passed; at < portion.length && rows.length < limit;) {
        const some = portion.slice(at, at + size).map(({ key }) => key);
        at += some.length;
        this.checkTime();
        size = Math.min(2 * size, LOOKED_AT.most);
        rows.push(...(await this.rowsAmong(some, { order, after, isIndexed: true })));
      }
      if (rows.length >= limit) break;
    }
    return rows.slice(0, limit);
  }

  /** Each statement has its limit, and so have all of them together. */
  private checkTime(): void {
    const { end, limitMs } = this.known;
    if (Date.now() > end) throw PlatformErrors.reading_timeout(limitMs);
  }

  /** What the index gives, in the order. */
  private candidates({ by, order }: RequestOrder, after: CursorValue[] | null): AsyncGenerator<Found[]> {
    const { asked, reading } = this.known;
    const value = SORT_VALUES[by];
    const question = after ? { all: [asked.question, notBefore(value, order, after[0]!)] } : asked.question;
    return reading.inOrder(question, { by: value, direction: order, tie: ID });
  }

  private async rowsAmong(ids: readonly string[], { order, after, isIndexed }: AmongOptions): Promise<RequestLogRow[]> {
    const rows = await readAmong(this.db, this.known.logs, order, { ids, after });
    const matching = new Set(
      await this.withText(
        rows.map(({ id }) => id),
        isIndexed,
      ),
    );
    return rows.filter(({ id }) => matching.has(id));
  }

  private async idsAmong(ids: readonly string[], isIndexed: boolean): Promise<string[]> {
    return this.withText(await readIdsAmong(this.db, this.known.logs, ids), isIndexed);
  }

  /** Those of which the free text is true; of logs that the index gives it may be known. */
  private async withText(ids: string[], isIndexed: boolean): Promise<string[]> {
    const { text, asked } = this.known;
    if (text === null || ids.length === 0 || (isIndexed && asked.isExact)) return ids;
    return checkTexts(this.db, this.workspaceId, { ids, query: text });
  }
}

interface AmongOptions {
  order: RequestOrder;
  after: CursorValue[] | null;
  /** Whether the index gave them. */
  isIndexed: boolean;
}

function* piecesOf(keys: readonly string[]): Generator<string[]> {
  for (let at = 0; at < keys.length; at += LOOKED_AT.most) yield keys.slice(at, at + LOOKED_AT.most);
}

/** Logs of which words are missing in the index may match whatever is asked of their words. There are hardly ever any. */
async function withIncomplete(reading: Reading, questions: readonly LogQuestion[]): Promise<LogQuestion> {
  const asksWords = questions.some(({ words }) => words);
  if (!asksWords || (await reading.count({ term: INCOMPLETE })) === 0) return allOf(questions);
  return allOf(
    questions.map((each) => {
      if (!each.words) return each;
      return { ...each, question: { any: [each.question, { term: INCOMPLETE }] }, isExact: false };
    }),
  );
}

const NEWEST: RequestOrder = { by: 'request_start_time', order: 'desc' };

/** Of what comes after a value in an order: it is as great, or there is none. */
function notBefore(value: string, order: 'asc' | 'desc', last: CursorValue): Question {
  const has: Question = { value, from: null, to: null };
  if (last === null) return { not: has };
  const limit = value === START ? microsOf(last) : value === 'status' ? statusValue(String(last)) : Number(last);
  if (limit === null) return { all: [] };
  const reached: Question = order === 'asc' ? { value, from: limit, to: null } : { value, from: null, to: limit };
  return { any: [reached, { not: has }] };
}
