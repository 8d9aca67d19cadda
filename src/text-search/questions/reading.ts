import type { Bits } from '../segments/bits.js';
import { START } from '../segments/segment.js';
import { type IndexOf, readHeads, readHeadsExcept, type SegmentHead } from '../segments/segments.queries.js';
import { answer, type LookedUp } from './answer.js';
import { compareKeys, type Direction, FirstKeys, type SortKey } from './first-keys.js';
import { keysIn, lookUp, type Source } from './looked-up.js';
import type { Question } from './question.js';

/** A document that was found, with what it is sorted by. */
export interface Found extends SortKey {
  key: string;
}

/** In which order documents are wanted. */
export interface Order {
  /** The value that documents are sorted by. */
  by: string;
  direction: Direction;
  /** Another value, different for every document, that decides between equal ones. */
  tie: string;
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
/** Documents of an order that is not the one of time, which are sorted at once. */
const PORTIONS = [200, 2000, 20_000];

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
  inOrder(question: Question, order: Order): AsyncGenerator<Found[]> {
    return order.by === START ? this.inTime(question, order) : this.byValue(question, order);
  }

  async count(question: Question): Promise<number> {
    let count = 0;
    for (const group of groupsOf(this.heads)) {
      for (const { bits } of await this.ask(group, question, [])) count += bits.count();
    }
    return count;
  }

  /** Nothing that has the order of the last portion is left out by asking the segments one after the other. */
  private async *inTime(question: Question, { direction, tie }: Order): AsyncGenerator<Found[]> {
    const reach = ({ low, high }: SegmentHead) => (direction === 'desc' ? -high : low);
    const heads = this.heads.toSorted((a, b) => reach(a) - reach(b));
    let pending: Match[] = [];
    let asked = 0;
    for (const group of groupsOf(heads)) {
      asked += group.length;
      for (const match of await this.matchesIn(group, question, [START, tie])) pending.push(match);
      pending.sort((a, b) => compareKeys(a, b, direction));
      const next = heads[asked];
      // What starts where the next segment does may have others of it before it.
      const sign = direction === 'desc' ? -1 : 1;
      const end = next ? pending.findIndex(({ value }) => sign * value >= reach(next)) : -1;
      const ready = end < 0 ? pending : pending.slice(0, end);
      pending = end < 0 ? [] : pending.slice(end);
      if (ready.length > 0) yield this.withKeys(ready);
    }
  }

  /** All that is found is kept as bits, and goes by once for each portion. */
  private async *byValue(question: Question, { by, direction, tie }: Order): AsyncGenerator<Found[]> {
    const answers: Answer[] = [];
    for (const group of groupsOf(this.heads)) answers.push(...(await this.ask(group, question, [by, tie])));
    let last: SortKey | null = null;
    for (let portion = 0; ; portion++) {
      const first = new FirstKeys<Match>(PORTIONS[portion] ?? Infinity, direction);
      for (const each of answers) {
        forEachMatch(each, [by, tie], (document, key) => {
          const isBehind = !last || compareKeys(last, key, direction) < 0;
          if (isBehind && first.takes(key)) first.add({ head: each.head, document, ...key });
        });
      }
      const sorted = first.sorted();
      if (sorted.length === 0) return;
      last = sorted.at(-1)!;
      yield this.withKeys(sorted);
    }
  }

  private async matchesIn(
    heads: readonly SegmentHead[],
    question: Question,
    [by, tie]: readonly [by: string, tie: string],
  ): Promise<Match[]> {
    const matches: Match[] = [];
    for (const each of await this.ask(heads, question, [by, tie])) {
      const { head } = each;
      forEachMatch(each, [by, tie], (document, key) => matches.push({ head, document, ...key }));
    }
    return matches;
  }

  private async ask(
    heads: readonly SegmentHead[],
    question: Question,
    orderedBy: readonly string[],
  ): Promise<Answer[]> {
    const known = await lookUp(this.source, heads, question, orderedBy);
    return heads.map((head) => {
      const segment = known.get(head.id)!;
      const bits = answer(question, segment);
      head.gone?.forEach((document) => bits.clear(document));
      return { head, bits, values: segment.values };
    });
  }

  private async withKeys(matches: readonly Match[]): Promise<Found[]> {
    const keys = await keysIn(this.source, [...new Set(matches.map(({ head }) => head))]);
    return matches.map(({ head, document, value, tie }) => ({ key: keys.get(head.id)![document]!, value, tie }));
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
