import type { EntityManager } from 'typeorm';
import type { Total } from '../../platform/http/total.js';
import { isTimeout } from '../../platform/errors/failures.js';
import { PlatformErrors } from '../../platform/errors/platform.errors.js';
import { inPortions } from '../../platform/in-portions.js';
import { openIndex } from './open-index.js';
import { allOf, type Asked, saysNothing } from '../questions/asked.js';
import type { Question } from '../questions/question.js';
import type { Found, Order, Reading } from '../questions/reading.js';
import type { IndexOf } from '../segments/segments.queries.js';

/** How the index sorts. */
export interface IndexSort extends Order {
  /** Whether different values may be equal in the index. The source sorts documents that are equal there. */
  isRounded?: boolean;
}

/** The position before a page of rows, and the size of the page. */
export interface MatchPage<After> {
  offset: number;
  after: After | null;
  limit: number;
}

/** How rows of certain documents are read. */
export interface AmongOptions<Sort, After> {
  order: Sort;
  after: After | null;
  /** Whether they come from the index; then they meet its exact conditions. */
  isIndexed: boolean;
}

/** The rows behind the documents of an index, read by the domain that stores them. */
export interface MatchSource<Row, Sort, After> {
  /** Null for an order that the index does not have. */
  sortOf(order: Sort): IndexSort | null;
  /** A question that holds for all documents after a position. */
  notBefore(order: Sort, after: After): Question;
  /** Whether reading rows in order and checking them is faster than the index, which is then not asked. */
  isWalked(order: Sort): boolean;
  walk(order: Sort, page: MatchPage<After>): Promise<Row[]>;
  /** The matching documents among these after a position, sorted. */
  rowsAmong(keys: readonly string[], options: AmongOptions<Sort, After>): Promise<Row[]>;
  keysAmong(keys: readonly string[], isIndexed: boolean): Promise<string[]>;
  keyOf(row: Row): string;
  /** Sorts rows that were read separately. */
  sorted(rows: Row[], order: Sort): Row[] | Promise<Row[]>;
  /** Counts matches, up to `most` and for a limited time; null when it takes longer. */
  count(most: number): Promise<number | null>;
}

/** Documents whose state in the index is outdated, as far as they are checked directly. */
export interface Waiting {
  ids: string[];
  /** Whether there are more of them. */
  isCut: boolean;
  /** Whether the rows that the query reads are outdated for some of them. */
  isOutdated?: boolean;
}

/** Rows of a page, without a gap. */
export interface FoundRows<Row> {
  rows: Row[];
  /** Whether some waiting documents were not checked in their current state. */
  isPartial: boolean;
  /** Whether the time was up before the page was full: more rows may follow its last one. */
  isCutShort: boolean;
}

/** Candidates checked in one statement: about as many as are wanted at first, then more. */
const LOOKED_AT = { least: 50, most: 2000 };
/** Most matches that are counted when the index has no exact number. */
const COUNTED = 1000;
/** After this time a total is estimated from the part of the index that was read. */
const COUNTING_MS = 2000;

/** Candidates of the index for a page: the rows after the skipped ones. */
interface Gathered<Row> {
  rows: Row[];
  skipped: number;
  isCutShort: boolean;
}

interface KnownMatches<Row, Sort, After> {
  source: MatchSource<Row, Sort, After>;
  asked: Asked;
  waiting: Waiting;
  reading: Reading;
  /** The deadline, in milliseconds since the epoch, and its duration. */
  end: number;
  limitMs: number;
}

/**
 * The documents that match a query. The index gives candidates in the requested order; if it is not exact, conditions are checked
 * in the rows. Documents that wait for the index are checked as well, and their entries in the index are ignored.
 */
export class DocumentMatches<Row, Sort, After> {
  /** Number of matching waiting documents, once they were checked for a page: their texts are not read twice. */
  private ofWaiting: number | null = null;

  private constructor(private readonly known: KnownMatches<Row, Sort, After>) {}

  /** `source` is created when the exact conditions of the index are known; `missed` are those of `mayMiss` that hold for some documents. */
  static async open<Row, Sort, After>(
    db: EntityManager,
    index: IndexOf,
    query: { questions: readonly Asked[]; waiting: Waiting; limitMs?: number },
    source: (asked: Asked, missed: readonly Question[]) => MatchSource<Row, Sort, After>,
  ): Promise<DocumentMatches<Row, Sort, After>> {
    const { questions, waiting, limitMs = Infinity } = query;
    const reading = await openIndex(db, index, waiting.ids);
    const missed: Question[] = [];
    for (const some of allOf(questions).mayMiss) if ((await reading.count(some)).count > 0) missed.push(some);
    const asked = allOf(questions.map((each) => orMissed(each, missed)));
    const end = Date.now() + limitMs;
    return new DocumentMatches({ source: source(asked, missed), asked, waiting, reading, end, limitMs });
  }

  /** A page by its number, and the number of matches. If it ends before it is full, reading it has counted all of them. */
  async readPage(order: Sort, { offset, size }: { offset: number; size: number }): Promise<FoundRows<Row> & Total> {
    const { rows, ...told } = await this.read(order, { offset, after: null, limit: size + 1 });
    if (told.isCutShort) return { rows: rows.slice(0, size), ...told, total: offset + rows.length, isExact: false };
    const isLast = rows.length <= size && (rows.length > 0 || offset === 0);
    const total = isLast
      ? { total: offset + rows.length, isExact: !told.isPartial }
      : await this.totalInTime(rows.length > size ? offset + rows.length : 0);
    return { rows: rows.slice(0, size), ...told, ...total };
  }

  /** The page is complete: a total that takes too long must not fail it. */
  private async totalInTime(known: number): Promise<Total> {
    try {
      return await this.total(known);
    } catch (error) {
      if (!isTimeout(error)) throw error;
      return { total: known, isExact: false };
    }
  }

  /** Up to `limit` rows. Throws reading_timeout when the time is up before the first of them is found. */
  async read(order: Sort, { offset, after, limit }: MatchPage<After>): Promise<FoundRows<Row>> {
    const { asked, waiting, source } = this.known;
    if (source.isWalked(order)) {
      const rows = await source.walk(order, { offset, after, limit });
      return { rows, isPartial: waiting.isOutdated === true, isCutShort: false };
    }
    const ofWaiting = await source.rowsAmong(waiting.ids, { order, after, isIndexed: false });
    if (after === null) this.ofWaiting = ofWaiting.length;
    // This many documents of the index precede the page, whatever documents wait.
    const mostSkipped = asked.isExact ? Math.max(0, offset - ofWaiting.length) : 0;
    const { rows, skipped, isCutShort } = await this.readIndexed(order, { mostSkipped, after, limit: offset + limit });
    const from = offset - skipped;
    const both = [...ofWaiting, ...rows];
    const sorted = ofWaiting.length > 0 && rows.length > 0 ? await source.sorted(both, order) : both;
    // After the last row of the index, further ones may precede a waiting document.
    const until = isCutShort
      ? 1 + sorted.findIndex((row) => source.keyOf(row) === source.keyOf(rows.at(-1)!))
      : Infinity;
    const page = sorted.slice(from, Math.min(until, from + limit));
    if (isCutShort && page.length === 0) throw PlatformErrors.reading_timeout(this.known.limitMs);
    return { rows: page, isPartial: missesSome(waiting), isCutShort };
  }

  /** The number of matches; `known` is a lower bound. */
  async total(known: number): Promise<Total> {
    const { asked, waiting, reading } = this.known;
    if (saysNothing(asked) && !asked.isExact) return this.countInDatabase(known);
    const { count, keys, ...counted } = await reading.count(asked.question, {
      most: asked.isExact ? 0 : COUNTED,
      end: Date.now() + COUNTING_MS,
    });
    const isExact = counted.isExact && !missesSome(waiting);
    if (asked.isExact) {
      const ofWaiting = this.ofWaiting ?? (await this.known.source.keysAmong(waiting.ids, false)).length;
      return { total: Math.max(known, count + ofWaiting), isExact };
    }
    if (keys) return { total: (await this.matchingAmong([keys])).length, isExact };
    return { total: Math.max(known, count), isExact: false };
  }

  /** The keys of all matches, in no order. */
  ids(): Promise<string[]> {
    return this.matchingAmong(this.known.reading.inAnyOrder(this.known.asked.question));
  }

  /** The matches among the candidates of the index and the waiting documents. */
  private async matchingAmong(portions: Iterable<string[]> | AsyncIterable<string[]>): Promise<string[]> {
    const { waiting, asked, source } = this.known;
    const found = [await source.keysAmong(waiting.ids, false)];
    for await (const portion of portions) {
      if (asked.isExact) found.push(portion);
      else for (const some of inPortions(portion, LOOKED_AT.most)) found.push(await source.keysAmong(some, true));
    }
    return found.flat();
  }

  private async countInDatabase(known: number): Promise<Total> {
    const counted = await this.known.source.count(COUNTED + 1);
    if (counted !== null && counted <= COUNTED)
      return { total: counted, isExact: this.known.waiting.isOutdated !== true };
    return { total: Math.max(known, counted ?? 0), isExact: false };
  }

  /** `limit` includes skipped rows. Throws reading_timeout when nothing is found in time. */
  private async readIndexed(
    order: Sort,
    { after, ...wanted }: { mostSkipped: number; after: After | null; limit: number },
  ): Promise<Gathered<Row>> {
    const { source, asked, reading, limitMs } = this.known;
    const sort = source.sortOf(order);
    const options = { order, after, isIndexed: true };
    const gathered: Gathered<Row> = { rows: [], skipped: 0, isCutShort: false };
    if (!sort) return { ...gathered, rows: await source.rowsAmong(await this.indexedIds(), options) };
    const question = after ? { all: [asked.question, source.notBefore(order, after)] } : asked.question;
    try {
      await this.gather(gathered, groupsOf(reading.inOrder(question, sort), sort), options, wanted);
    } catch (error) {
      if (!isTimeout(error)) throw error;
      gathered.isCutShort = true;
    }
    const { rows, skipped, isCutShort } = gathered;
    if (isCutShort && rows.length === 0) throw PlatformErrors.reading_timeout(limitMs);
    return { rows: rows.slice(0, wanted.limit - skipped), skipped, isCutShort };
  }

  /** Checks candidates, in growing batches, until there are enough rows or the time is up. */
  private async gather(
    gathered: Gathered<Row>,
    groups: AsyncGenerator<string[]>,
    options: AmongOptions<Sort, After>,
    { mostSkipped, limit }: { mostSkipped: number; limit: number },
  ): Promise<void> {
    const { source, end } = this.known;
    const { rows } = gathered;
    let size = Math.max(limit - mostSkipped, LOOKED_AT.least);
    let keys: string[] = [];
    for await (const equal of groups) {
      if (keys.length === 0 && rows.length === 0 && gathered.skipped + equal.length <= mostSkipped) {
        gathered.skipped += equal.length;
        continue;
      }
      keys.push(...equal);
      if (keys.length < size) continue;
      rows.push(...(await source.rowsAmong(keys, options)));
      if (rows.length >= limit - gathered.skipped) return;
      // Each statement has a timeout, and all of them together have one.
      gathered.isCutShort = Date.now() > end;
      if (gathered.isCutShort) return;
      keys = [];
      size = Math.min(2 * size, LOOKED_AT.most);
    }
    if (keys.length > 0) rows.push(...(await source.rowsAmong(keys, options)));
  }

  private async indexedIds(): Promise<string[]> {
    const found: string[][] = [];
    for await (const portion of this.known.reading.inAnyOrder(this.known.asked.question)) found.push(portion);
    return found.flat();
  }
}

const missesSome = ({ isCut, isOutdated = false }: Waiting): boolean => isCut || isOutdated;

/** A document with terms missing in the index may match any question about these. */
function orMissed(asked: Asked, missed: readonly Question[]): Asked {
  const some = asked.mayMiss.filter((each) => missed.includes(each));
  return some.length === 0 ? asked : { ...asked, question: { any: [asked.question, ...some] }, isExact: false };
}

/** Keys of the documents, grouped by equal values in the index. */
async function* groupsOf(portions: AsyncGenerator<Found[]>, { isRounded }: IndexSort): AsyncGenerator<string[]> {
  let group: Found[] = [];
  for await (const portion of portions) {
    for (const found of portion) {
      if (group.length > 0 && !isEqual(group[0]!, found, isRounded === true)) {
        yield group.map(({ key }) => key);
        group = [];
      }
      group.push(found);
    }
  }
  if (group.length > 0) yield group.map(({ key }) => key);
}

/** No value is rounded to 0 or to a missing value. */
function isEqual(a: Found, b: Found, isRounded: boolean): boolean {
  if (!Object.is(a.value, b.value)) return false;
  return a.tie === b.tie || (isRounded && a.value !== 0 && !Number.isNaN(a.value));
}
