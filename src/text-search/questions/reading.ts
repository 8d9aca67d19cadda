import { setImmediate } from 'node:timers/promises';
import type { Bits } from '../segments/bits.js';
import { START } from '../segments/segment.js';
import { type IndexOf, readHeads, readHeadsExcept, type SegmentHead } from '../segments/segments.queries.js';
import { answer, type LookedUp } from './answer.js';
import { compareKeys, type Direction, FirstKeys, type KeyOrder, type SortKey } from './first-keys.js';
import { keysIn, lookUp, type Source } from './looked-up.js';
import type { Question } from './question.js';

/** A found document with its sort value. */
export interface Found extends SortKey {
  key: string;
}

/** The requested order of documents. */
export interface Order extends KeyOrder {
  /** The sort value. */
  by: string;
  /** A unique value that decides between equal sort values. */
  tie: string;
}

/** The number of documents for which a question holds. */
export interface Counted {
  count: number;
  /** Null when they are too many, or some segments were not read. */
  keys: string[] | null;
  isExact: boolean;
}

/** A document of a segment. */
interface Match extends SortKey {
  head: SegmentHead;
  document: number;
}

/** The documents of a segment for which a question holds, with their values. */
interface Answer extends Pick<LookedUp, 'values'> {
  head: SegmentHead;
  bits: Bits;
}

/** Segments read at once: for a common question the newest one fills a page, and for a rare one none has much. */
const GROUPS = [1, 2, 4, 8, 16, 32];
/** Longest time in which answering blocks the event loop, besides the segment that is being read. */
const HOLDS_UP_MS = 10;
/** Documents sorted at once. */
const PORTIONS = [200, 2000, 20_000, 200_000];

/**
 * The state of an index when it was opened, without some documents. Segments never change, and merged ones stay for a while
 * (`MERGED_SEGMENTS_STAY`), so no transaction is needed.
 */
export class Reading {
  private constructor(
    private readonly source: Source,
    private readonly heads: readonly SegmentHead[],
  ) {}

  static async open(source: Source, index: IndexOf, except: readonly string[] = []): Promise<Reading> {
    const { db } = source;
    return new Reading(
      source,
      except.length > 0 ? await readHeadsExcept(db, index, except) : await readHeads(db, index),
    );
  }

  /** Matches in batches in the requested order; each batch continues after the previous one. */
  async *inOrder(question: Question, order: Order): AsyncGenerator<Found[]> {
    const { direction } = order;
    const inTime = order.by === START;
    const heads = this.heads.toSorted((a, b) => nearEnd(a, direction) - nearEnd(b, direction));
    /** Segments that were read and may have more matches. */
    let answers: Answer[] = [];
    let asked = 0;
    const taken: Taken = { last: null, portions: 0 };
    for (const group of groupsOf(heads)) {
      asked += group.length;
      answers.push(...(await this.ask(group, question, [order.by, order.tie])));
      const next = heads[asked];
      // In an order other than by time, any segment may have the first matches.
      if (next && !inTime) continue;
      const end = next ? nearEnd(next, direction) : Infinity;
      for (const matches of portionsOf(answers, { order, taken, end })) yield this.withKeys(matches);
      answers = answers.filter(({ head }) => farEnd(head, direction) >= end);
    }
  }

  /** The keys of all matches, in batches. */
  async *inAnyOrder(question: Question): AsyncGenerator<string[]> {
    for (const group of groupsOf(this.heads)) {
      const found = await this.keysOf(await this.ask(group, question, []));
      if (found.length > 0) yield found;
    }
  }

  /**
   * The number of matches, and their keys if there are at most `most`. After `end` (in ms) it is estimated from the segments read
   * so far.
   */
  async count(question: Question, { most = 0, end = Infinity } = {}): Promise<Counted> {
    const counted: Counted = { count: 0, keys: [], isExact: true };
    let asked = 0;
    for (const group of groupsOf(this.heads)) {
      if (asked > 0 && Date.now() > end) return this.estimated(counted.count, asked);
      const answers = await this.ask(group, question, []);
      counted.count += sum(answers.map(({ bits }) => bits.count()));
      if (counted.count > most) counted.keys = null;
      counted.keys?.push(...(await this.keysOf(answers)));
      asked += documentsIn(group);
    }
    return counted;
  }

  private estimated(count: number, asked: number): Counted {
    return { count: Math.round((count / asked) * documentsIn(this.heads)), keys: null, isExact: false };
  }

  private async keysOf(answers: readonly Answer[]): Promise<string[]> {
    const some = answers.filter(({ bits }) => !bits.isEmpty());
    const keys = await keysIn(
      this.source,
      some.map(({ head }) => head),
    );
    const found: string[] = [];
    for (const { head, bits } of some) bits.forEach((document) => found.push(keys.get(head.id)![document]!));
    return found;
  }

  private async ask(
    heads: readonly SegmentHead[],
    question: Question,
    orderedBy: readonly string[],
  ): Promise<Answer[]> {
    const known = await lookUp(this.source, heads, question, orderedBy);
    const answers: Answer[] = [];
    let since = Date.now();
    for (const head of heads) {
      if (Date.now() - since > HOLDS_UP_MS) {
        await setImmediate();
        since = Date.now();
      }
      const segment = known.get(head.id)!;
      const bits = answer(question, segment);
      head.gone?.forEach((document) => bits.clear(document));
      answers.push({ head, bits, values: segment.values });
    }
    return answers;
  }

  private async withKeys(matches: readonly Match[]): Promise<Found[]> {
    const keys = await keysIn(this.source, [...new Set(matches.map(({ head }) => head))]);
    return matches.map(({ head, document, value, tie }) => ({ key: keys.get(head.id)![document]!, value, tie }));
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
const documentsIn = (heads: readonly SegmentHead[]): number => sum(heads.map(({ documents }) => documents));

/** The beginning of a segment in time order, and its end; lower values come earlier. */
const nearEnd = ({ low, high }: SegmentHead, direction: Direction): number => (direction === 'desc' ? -high : low);
const farEnd = ({ low, high }: SegmentHead, direction: Direction): number => (direction === 'desc' ? -low : high);

/** The matches returned so far. */
interface Taken {
  last: SortKey | null;
  portions: number;
}

/**
 * Matches after the last returned one, in batches; in time order only those before `end`, where other segments may begin. Matches
 * are bits, which are scanned once per batch: there may be a million of them.
 */
function* portionsOf(
  answers: readonly Answer[],
  { order, taken, end }: { order: Order; taken: Taken; end: number },
): Generator<Match[]> {
  const { by, direction, tie } = order;
  const sign = direction === 'desc' ? -1 : 1;
  for (;;) {
    const most = PORTIONS[taken.portions] ?? PORTIONS.at(-1)!;
    const first = new FirstKeys<Match>(most, order);
    const isWanted = (key: SortKey) =>
      (end === Infinity || sign * key.value < end) && (!taken.last || compareKeys(taken.last, key, order) < 0);
    for (const each of answers) {
      forEachMatch(each, [by, tie], (document, key) => {
        if (isWanted(key) && first.takes(key)) first.add({ head: each.head, document, ...key });
      });
    }
    const matches = first.sorted();
    if (matches.length === 0) return;
    taken.last = matches.at(-1)!;
    taken.portions++;
    yield matches;
    if (matches.length < most) return;
  }
}

/** The key is the same object each time: there may be a million matches. */
function forEachMatch(
  { bits, values }: Answer,
  [by, tie]: readonly [by: string, tie: string],
  visit: (document: number, key: Readonly<SortKey>) => void,
): void {
  const [numbers, ties] = [values.get(by), values.get(tie)];
  const key: SortKey = { value: NaN, tie: 0 };
  bits.forEach((document) => {
    key.value = numbers?.[document] ?? NaN;
    key.tie = ties?.[document] ?? document;
    visit(document, key);
  });
}

function* groupsOf(heads: readonly SegmentHead[]): Generator<SegmentHead[]> {
  for (let at = 0, group = 0; at < heads.length; group++) {
    const size = GROUPS[group] ?? GROUPS.at(-1)!;
    yield heads.slice(at, at + size);
    at += size;
  }
}
