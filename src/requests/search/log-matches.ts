import type { EntityManager } from 'typeorm';
import { withinMoment } from '../../platform/database/within-time.js';
import { SqlParameters } from '../../platform/filters/sql-parameters.js';
import type { CursorValue } from '../../platform/http/cursor.js';
import {
  type AmongOptions,
  type Asked,
  askForText,
  DocumentMatches,
  type IndexSort,
  type MatchPage,
  type MatchSource,
  microsOf,
  type Question,
  saysNothing,
  START,
} from '../../text-search/index.js';
import type { TextQuery } from '../../words/index.js';
import { ID, NUMBERS } from './indexed-fields.js';
import { LOGS, statusValue } from './log-document.js';
import { filterConditions, type UnderstoodQuery } from './request-conditions.js';
import {
  compareRows,
  countLogs,
  type LogCondition,
  readAmong,
  readIdsAmong,
  readSomeIds,
  type RequestLogRow,
  type RequestOrder,
  walkLogs,
} from './search-page.queries.js';
import { checkTexts } from './text-check.js';

export type LogMatches = DocumentMatches<RequestLogRow, RequestOrder, CursorValue[]>;

const COUNTING_MS = 200;

/** The logs that match a query. */
export async function openLogs(
  db: EntityManager,
  workspaceId: number,
  query: UnderstoodQuery,
  limitMs?: number,
): Promise<LogMatches> {
  const { text, waiting, groups } = query;
  const parameters = new SqlParameters();
  const conditions = await filterConditions(db, workspaceId, groups, parameters);
  const logs = { condition: conditions.join(' AND '), values: parameters.values };
  const questions = [...query.questions, ...(text ? [askForText(text)] : [])];
  const index = { workspaceId, kind: LOGS };
  const found = { questions, waiting, limitMs };
  return DocumentMatches.open(db, index, found, (asked) => new LogSource(db, workspaceId, { logs, text, asked }));
}

interface LogQuestion {
  /** All conditions except the free text. */
  logs: LogCondition;
  text: TextQuery | null;
  asked: Asked;
}

/** Reads the logs of a workspace for a query. */
class LogSource implements MatchSource<RequestLogRow, RequestOrder, CursorValue[]> {
  constructor(
    private readonly db: EntityManager,
    private readonly workspaceId: number,
    private readonly question: LogQuestion,
  ) {}

  sortOf({ by, order }: RequestOrder): IndexSort {
    return { by: NUMBERS[by], direction: order, tie: ID };
  }

  /** Logs without a value come last. Logs with equal values, or without any, are sorted by id. */
  notBefore({ by, order }: RequestOrder, [last, id]: CursorValue[]): Question {
    const value = NUMBERS[by];
    const behind = (of: string, at: number): Question =>
      order === 'asc'
        ? { value: of, from: at, to: null, isOpen: true }
        : { value: of, from: null, to: at, isOpen: true };
    const hasNone: Question = { not: { value, from: null, to: null } };
    if (last === null) return { all: [hasNone, behind(ID, Number(id))] };
    const limit =
      value === START ? microsOf(last!) : value === NUMBERS.status ? statusValue(String(last)) : Number(last);
    if (limit === null) return { all: [] };
    const same: Question = { all: [{ value, from: limit, to: limit }, behind(ID, Number(id))] };
    return { any: [behind(value, limit), same, hasNone] };
  }

  /** Every order has an index. */
  isWalked(): boolean {
    return this.question.text === null && saysNothing(this.question.asked);
  }

  walk(order: RequestOrder, page: MatchPage<CursorValue[]>): Promise<RequestLogRow[]> {
    return walkLogs(this.db, this.question.logs, order, page);
  }

  async rowsAmong(
    ids: readonly string[],
    { order, after, isIndexed }: AmongOptions<RequestOrder, CursorValue[]>,
  ): Promise<RequestLogRow[]> {
    const rows = await readAmong(this.db, this.question.logs, order, { ids, after });
    const found = rows.map(({ id }) => id);
    const matching = new Set(await this.withText(found, isIndexed));
    return rows.filter(({ id }) => matching.has(id));
  }

  async keysAmong(ids: readonly string[], isIndexed: boolean): Promise<string[]> {
    return this.withText(await readIdsAmong(this.db, this.question.logs, ids), isIndexed);
  }

  keyOf({ id }: RequestLogRow): string {
    return id;
  }

  sorted(rows: RequestLogRow[], { order }: RequestOrder): RequestLogRow[] {
    return rows.toSorted((a, b) => compareRows(a, b, order));
  }

  /** Counts up to `most`. A free text is checked in the messages: null when there are too many logs, or no time. */
  count(most: number): Promise<number | null> {
    const { logs, text } = this.question;
    return withinMoment(this.db, COUNTING_MS, async (tx) => {
      if (text === null) return countLogs(tx, logs, most);
      const ids = await readSomeIds(tx, logs, most);
      return ids.length < most ? (await checkTexts(tx, this.workspaceId, { ids, query: text })).length : null;
    });
  }

  /** The logs that match the free text. Exact results of the index need no check. */
  private async withText(ids: string[], isIndexed: boolean): Promise<string[]> {
    const { text, asked } = this.question;
    if (text === null || ids.length === 0 || (isIndexed && asked.isExact)) return ids;
    return checkTexts(this.db, this.workspaceId, { ids, query: text });
  }
}
