import { classCounts } from './latency-sketch.js';

/** Sums over rows of a group that began in the same part of time. */
export class SeriesSums {
  items = 0;
  failed = 0;
  tokens = 0;
  /** US dollars. */
  cost = 0;
  /** How often each class of values occurs: of latencies by `latency-sketch.ts`, or whatever the reader asked for. */
  readonly classes = new Map<number, number>();

  addNumbers({ items, failed, tokens, cost }: SeriesNumbers): void {
    this.items += Number(items);
    this.failed += Number(failed);
    this.tokens += Number(tokens);
    this.cost += Number(cost);
  }

  addClass(value: number | null, count: number): void {
    if (value !== null) this.classes.set(value, (this.classes.get(value) ?? 0) + count);
  }

  addPacked(latencies: Buffer): void {
    for (const [value, count] of classCounts(latencies)) this.addClass(value, count);
  }

  addAll(other: SeriesSums): void {
    this.addNumbers(other);
    for (const [value, count] of other.classes) this.addClass(value, count);
  }
}

/** Numbers as the database writes them. */
export interface SeriesNumbers {
  items: number | string;
  failed: number | string;
  tokens: number | string;
  cost: number | string;
}

/** The sums of one group by the beginning of their part of time, in milliseconds since 1970. */
export class Series {
  private readonly parts = new Map<number, SeriesSums>();
  private sorted: [number, SeriesSums][] | null = null;

  at(startMs: number): SeriesSums {
    let sums = this.parts.get(startMs);
    if (!sums) {
      this.parts.set(startMs, (sums = new SeriesSums()));
      this.sorted = null;
    }
    return sums;
  }

  entries(): Iterable<[startMs: number, sums: SeriesSums]> {
    return this.parts;
  }

  /** The parts that begin between two moments. */
  *between(fromMs: number, toMs: number): Generator<SeriesSums> {
    const sorted = (this.sorted ??= [...this.parts].sort(([a], [b]) => a - b));
    for (let at = firstFrom(sorted, fromMs); at < sorted.length && sorted[at]![0] < toMs; at++) yield sorted[at]![1];
  }

  sum(fromMs: number, toMs: number): SeriesSums {
    const total = new SeriesSums();
    for (const part of this.between(fromMs, toMs)) total.addAll(part);
    return total;
  }
}

/** Series by group. */
export class SeriesByGroup {
  readonly groups = new Map<string, Series>();

  of(group: string): Series {
    let series = this.groups.get(group);
    if (!series) this.groups.set(group, (series = new Series()));
    return series;
  }
}

function firstFrom(sorted: readonly [number, SeriesSums][], fromMs: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]![0] < fromMs) low = middle + 1;
    else high = middle;
  }
  return low;
}
