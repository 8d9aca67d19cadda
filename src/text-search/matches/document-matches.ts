import type { EntityManager } from 'typeorm';
import type { Total } from '../../platform/http/total.js';
import { PlatformErrors } from '../../platform/errors/platform.errors.js';
import { openIndex } from '../open-index.js';
import { allOf, type Asked, saysNothing } from '../questions/asked.js';
import type { Question } from '../questions/question.js';
import type { Found, Order, Reading } from '../questions/reading.js';
import type { IndexOf } from '../segments/segments.queries.js';
import { INCOMPLETE } from '../words/add-text.js';

/** How the index sorts. */
export interface IndexSort extends Order {
  /** Whether values that differ may be the same in the index. Documents that are the same there are sorted by the source. */
  isRounded?: boolean;
}

/** What a page of rows begins behind, and how many there are. */
export interface MatchPage<After> {
  offset: number;
  after: After | null;
  limit: number;
}

/** How rows of certain documents are read. */
export interface AmongOptions<Sort, After> {
  order: Sort;
  after: After | null;
  /** Whether the index gave them; then they fulfil what it tells exactly. */
  isIndexed: boolean;
}

/** The rows of the documents of an index, as the domain reads them that stores them. */
export interface MatchSource<Row, Sort, After> {
  /** Null where the index does not know the order. */
  sortOf(order: Sort): IndexSort | null;
  /** A question that is true of all that can come behind a position. */
  notBefore(order: Sort, after: After): Question;
  /** Whether rows are better read along the order, and tested, than asked for. Nothing is asked of the index then. */
  isWalked(order: Sort): boolean;
  walk(order: Sort, page: MatchPage<After>): Promise<Row[]>;
  /** Of some documents those that match and come behind a position, sorted. */
  rowsAmong(keys: readonly string[], options: AmongOptions<Sort, After>): Promise<Row[]>;
  keysAmong(keys: readonly string[], isIndexed: boolean): Promise<string[]>;
  /** Sorts rows that were read apart from each other. */
  sorted(rows: Row[], order: Sort): Row[] | Promise<Row[]>;
  /** Counts what matches, up to `most` and for a moment; null when it took longer. */
  count(most: number): Promise<number | null>;
}

/** Documents of which the index does not tell how they are now, as far as they are looked at themselves. */
export interface Waiting {
  ids: string[];
  /** Whether there are more. */
  isCut: boolean;
}

/** Rows of a page, and whether some of the documents that wait were not looked at. */
export interface FoundRows<Row> {
  rows: Row[];
  isPartial: boolean;
}

/** Candidates that are looked at in one statement: about as many as are wanted at first, then more. */
const LOOKED_AT = { least: 50, most: 2000 };
/** So many matches are counted where the index does not tell how many there are. */
const COUNTED = 1000;

interface KnownMatches<Row, Sort, After> {
  source: MatchSource<Row, Sort, After>;
  asked: Asked;
  waiting: Waiting;
  reading: Reading;
  /** When its time is up, in milliseconds since the epoch, and how long that is. */
  end: number;
  limitMs: number;
}

/**
 * The documents that a query matches. The index gives candidates, in the order that is asked for; where it does not tell
 * exactly, conditions are looked at in the rows themselves. Documents that wait for the index are looked at as well, and what
 * the index says of them does not count.
 */
export class DocumentMatches<Row, Sort, After> {
  /** How many of the waiting ones match, once they were looked at for a page: their texts are not read twice. */
  private ofWaiting: number | null = null;

  private constructor(private readonly known: KnownMatches<Row, Sort, After>) {}

  /** `source` is made when it is known what the index tells. */
  static async open<Row, Sort, After>(
    db: EntityManager,
    index: IndexOf,
    query: { questions: readonly Asked[]; waiting: Waiting; limitMs?: number },
    source: (asked: Asked, isComplete: boolean) => MatchSource<Row, Sort, After>,
  ): Promise<DocumentMatches<Row, Sort, After>> {
    const { questions, waiting, limitMs = Infinity } = query;
    const reading = await openIndex(db, index, waiting.ids);
    const isComplete = !questions.some(({ mayMiss }) => mayMiss) || (await reading.count({ term: INCOMPLETE })) === 0;
    const asked = allOf(isComplete ? questions : questions.map(orIncomplete));
    const end = Date.now() + limitMs;
    return new DocumentMatches({ source: source(asked, isComplete), asked, waiting, reading, end, limitMs });
  }

  /** A page by its number, and how many match. Where it ends before it is full, all were counted by reading it. */
  async readPage(order: Sort, { offset, size }: { offset: number; size: number }): Promise<FoundRows<Row> & Total> {
    const { rows, isPartial } = await this.read(order, { offset, after: null, limit: size + 1 });
    const isLast = rows.length <= size && (rows.length > 0 || offset === 0);
    const total = isLast
      ? { total: offset + rows.length, isExact: true }
      : await this.total(rows.length > size ? offset + rows.length : 0);
    return { rows: rows.slice(0, size), isPartial, ...total };
  }

  /** Up to `limit` rows. Throws reading_timeout. */
  async read(order: Sort, { offset, after, limit }: MatchPage<After>): Promise<FoundRows<Row>> {
    const { asked, waiting, source } = this.known;
    const isPartial = waiting.isCut;
    if (source.isWalked(order)) return { rows: await source.walk(order, { offset, after, limit }), isPartial: false };
    const ofWaiting = await source.rowsAmong(waiting.ids, { order, after, isIndexed: false });
    if (after === null) this.ofWaiting = ofWaiting.length;
    // So many of the index come before the page, whatever waits.
    const mostSkipped = asked.isExact ? Math.max(0, offset - ofWaiting.length) : 0;
    const { rows, skipped } = await this.readIndexed(order, { mostSkipped, after, limit: offset + limit });
    const from = offset - skipped;
    const both = [...ofWaiting, ...rows];
    const sorted = ofWaiting.length > 0 && rows.length > 0 ? await source.sorted(both, order) : both;
    return { rows: sorted.slice(from, from + limit), isPartial };
  }

  /** How many match; `known` is how many there are at least. */
  async total(known: number): Promise<Total> {
    const { asked, waiting, reading } = this.known;
    if (saysNothing(asked) && !asked.isExact) return this.countInDatabase(known);
    const candidates = await reading.count(asked.question);
    const isExact = !waiting.isCut;
    if (asked.isExact) {
      const ofWaiting = this.ofWaiting ?? (await this.known.source.keysAmong(waiting.ids, false)).length;
      return { total: Math.max(known, candidates + ofWaiting), isExact };
    }
    if (candidates <= COUNTED) return { total: (await this.ids()).length, isExact };
    return { total: Math.max(known, candidates), isExact: false };
  }

  /** The keys of all of them, in no order. */
  async ids(): Promise<string[]> {
    const { waiting, asked, reading, source } = this.known;
    const found = [await source.keysAmong(waiting.ids, false)];
    for await (const portion of reading.inAnyOrder(asked.question)) {
      if (asked.isExact) found.push(portion);
      else for (const some of piecesOf(portion)) found.push(await source.keysAmong(some, true));
    }
    return found.flat();
  }

  private async countInDatabase(known: number): Promise<Total> {
    const counted = await this.known.source.count(COUNTED + 1);
    if (counted !== null && counted <= COUNTED) return { total: counted, isExact: true };
    return { total: Math.max(known, counted ?? 0), isExact: false };
  }

  /** `limit` counts what is skipped as well. */
  private async readIndexed(
    order: Sort,
    { mostSkipped, after, limit }: { mostSkipped: number; after: After | null; limit: number },
  ): Promise<{ rows: Row[]; skipped: number }> {
    const { source, asked, reading } = this.known;
    const sort = source.sortOf(order);
    const options = { order, after, isIndexed: true };
    if (!sort) return { rows: await source.rowsAmong(await this.indexedIds(), options), skipped: 0 };
    const question = after ? { all: [asked.question, source.notBefore(order, after)] } : asked.question;
    const rows: Row[] = [];
    let skipped = 0;
    let size = Math.max(limit - mostSkipped, LOOKED_AT.least);
    let keys: string[] = [];
    const look = async () => {
      this.checkTime();
      rows.push(...(await source.rowsAmong(keys, options)));
      keys = [];
      size = Math.min(2 * size, LOOKED_AT.most);
    };
    for await (const equal of groupsOf(reading.inOrder(question, sort), sort)) {
      if (keys.length === 0 && rows.length === 0 && skipped + equal.length <= mostSkipped) {
        skipped += equal.length;
        continue;
      }
      keys.push(...equal);
      if (keys.length >= size) await look();
      if (rows.length >= limit - skipped) break;
    }
    if (keys.length > 0 && rows.length < limit - skipped) await look();
    return { rows: rows.slice(0, limit - skipped), skipped };
  }

  private async indexedIds(): Promise<string[]> {
    const found: string[][] = [];
    for await (const portion of this.known.reading.inAnyOrder(this.known.asked.question)) found.push(portion);
    return found.flat();
  }

  /** Each statement has its limit, and so have all of them together. */
  private checkTime(): void {
    const { end, limitMs } = this.known;
    if (Date.now() > end) throw PlatformErrors.reading_timeout(limitMs);
  }
}

/** A document of which something is missing in the index may fulfil whatever is asked of that. */
function orIncomplete(asked: Asked): Asked {
  if (!asked.mayMiss) return asked;
  return { ...asked, question: { any: [asked.question, { term: INCOMPLETE }] }, isExact: false };
}

/** The keys of what is given, those together that the index cannot tell apart. */
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

/** Nothing is rounded to 0, nor to no value. */
function isEqual(a: Found, b: Found, isRounded: boolean): boolean {
  if (!Object.is(a.value, b.value)) return false;
  return a.tie === b.tie || (isRounded && a.value !== 0 && !Number.isNaN(a.value));
}

function* piecesOf(keys: readonly string[]): Generator<string[]> {
  for (let at = 0; at < keys.length; at += LOOKED_AT.most) yield keys.slice(at, at + LOOKED_AT.most);
}
