import { setImmediate } from 'node:timers/promises';
import type { Bits } from '../segments/bits.js';
import { START } from '../segments/segment.js';
import { type IndexOf, readHeads, readHeadsExcept, type SegmentHead } from '../segments/segments.queries.js';
import { answer, type LookedUp } from './answer.js';
import { compareKeys, type Direction, FirstKeys, type KeyOrder, type SortKey } from './first-keys.js';
import { keysIn, lookUp, type Source } from './looked-up.js';
import type { Question } from './question.js';

/** A document that was found, with what it is sorted by. */
export interface Found extends SortKey {
  key: string;
}

/** In which order documents are wanted. */
export interface Order extends KeyOrder {
  /** The value that documents are sorted by. */
  by: string;
  /** Another value, different for every document, that decides between equal ones. */
  tie: string;
}

/** How many documents a question is true of. */
export interface Counted {
  count: number;
  /** Null when they are too many, or were not all asked. */
  keys: string[] | null;
  isExact: boolean;
}

/** A document of a segment. */
interface Match extends SortKey {
  head: SegmentHead;
  document: number;
}

/** The documents of a segment that a question is true of, and their values. */
interface Answer extends Pick<LookedUp, 'values'> {
  head: SegmentHead;
  bits: Bits;
}

/** Segments that are asked at once: of a common question the newest one has a page, and of a rare one none has much. */
const GROUPS = [1, 2, 4, 8, 16, 32];
/** For how long answering may hold up everything else in the process, but for the one segment that is being asked. */
const HOLDS_UP_MS = 10;
/** Documents that are sorted at once. */
const PORTIONS = [200, 2000, 20_000, 200_000];

/**
 * An index as it was when it was opened, without some documents. Segments never change, and those that were merged meanwhile stay
 * for a while (`MERGED_SEGMENTS_STAY`), so no transaction is needed.
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

  /** In portions in the order; each begins behind the one before it. */
  async *inOrder(question: Question, order: Order): AsyncGenerator<Found[]> {
    const { direction } = order;
    const inTime = order.by === START;
    const heads = this.heads.toSorted((a, b) => nearEnd(a, direction) - nearEnd(b, direction));
    /** What has been asked and may hold more. */
    let answers: Answer[] = [];
    let asked = 0;
    const taken: Taken = { last: null, portions: 0 };
    for (const group of groupsOf(heads)) {
      asked += group.length;
      answers.push(...(await this.ask(group, question, [order.by, order.tie])));
      const next = heads[asked];
      // In another order than that of time any segment may hold the first ones.
      if (next && !inTime) continue;
      const end = next ? nearEnd(next, direction) : Infinity;
      for (const matches of portionsOf(answers, { order, taken, end })) yield this.withKeys(matches);
      answers = answers.filter(({ head }) => farEnd(head, direction) >= end);
    }
  }

  /** The keys of all, in portions. */
  async *inAnyOrder(question: Question): AsyncGenerator<string[]> {
    for (const group of groupsOf(this.heads)) {
      const found = await this.keysOf(await this.ask(group, question, []));
      if (found.length > 0) yield found;
    }
  }

  /** How many there are, and their keys where there are no more than `most`. When `end` has come (in ms), it is told from what was asked. */
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

/** Where a segment begins in the order of time, and where it ends; less is earlier in the order. */
const nearEnd = ({ low, high }: SegmentHead, direction: Direction): number => (direction === 'desc' ? -high : low);
const farEnd = ({ low, high }: SegmentHead, direction: Direction): number => (direction === 'desc' ? -low : high);

/** What has been given so far. */
interface Taken {
  last: SortKey | null;
  portions: number;
}

/**
 * What comes behind the last that was taken, in portions; in the order of time only what comes before `end`, where others may begin.
 * Matches are bits, which go by once for each portion: there may be a million of them.
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
