/**
 * Latencies are stored as counts by class. Each class begins 4 % above the one before, so its middle differs from every value in
 * it by at most 2 %, and so does a percentile that is computed from classes. Appending the classes of several hours adds them up.
 */
const GROWTH = 1.04;
/** Class of latencies of zero. */
const ZERO = -32_768;
/** From a nanosecond to thirty thousand years, in milliseconds. */
const [SHORTEST, LONGEST] = [1e-6, 1e15];
/** Bytes of an entry: the class and how often it occurs, as `int2send` and `int4send` write them. */
const ENTRY = 6;

/** The class of a time in milliseconds; null for an unknown one. */
export const latencyClass = (ms: string): string =>
  `(CASE WHEN ${ms} > 0 THEN ceil(ln(least(greatest(${ms}, ${SHORTEST}), ${LONGEST})) / ln(${GROWTH}::float8)) WHEN ${ms} <= 0 THEN ${ZERO} END)::int`;

/** An aggregate over rows of a class and the number of its times. */
export const packedClasses = (latency: string, count: string): string =>
  `coalesce(string_agg(int2send(${latency}::int2) || int4send(${count}::int4), ''::bytea) FILTER (WHERE ${latency} IS NOT NULL), ''::bytea)`;

/** The classes of packed times and how often each occurs. A class may come several times. */
export function* classCounts(packed: Buffer): Generator<[latency: number, count: number]> {
  for (let at = 0; at < packed.length; at += ENTRY) yield [packed.readInt16BE(at), packed.readInt32BE(at + 2)];
}

/** Collects classes and computes percentiles. */
export class LatencySketch {
  private readonly counts = new Map<number, number>();
  private total = 0;

  add(latency: number | null, count: number): void {
    if (latency === null) return;
    this.counts.set(latency, (this.counts.get(latency) ?? 0) + count);
    this.total += count;
  }

  addPacked(entries: Buffer): void {
    for (const [latency, count] of classCounts(entries)) this.add(latency, count);
  }

  /** Milliseconds, at most 2 % off: what this part of the times does not exceed. Null without times. */
  quantile(part: number): number | null {
    if (this.total === 0) return null;
    let missing = Math.max(1, Math.ceil(part * this.total));
    for (const [latency, count] of [...this.counts].sort(([a], [b]) => a - b)) {
      missing -= count;
      if (missing <= 0) return middleOf(latency);
    }
    return null;
  }
}

/** Milliseconds of a class: as far from its beginning as from its end, in proportion. Nobody needs more than four digits of it. */
export function middleOf(latency: number): number {
  return latency === ZERO ? 0 : Number(((2 * GROWTH ** latency) / (GROWTH + 1)).toPrecision(4));
}
