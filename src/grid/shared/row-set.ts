/** A half-open range of row indexes. */
export interface RowRange {
  from: number;
  to: number;
}

/** Rows per chunk: the unit of computation and of bookkeeping about stale and failed cells. */
export const CHUNK_ROWS = 1000;

export const chunkOf = (row: number): number => Math.floor(row / CHUNK_ROWS);
export const chunkRange = (chunkNo: number): RowRange => ({
  from: chunkNo * CHUNK_ROWS,
  to: (chunkNo + 1) * CHUNK_ROWS,
});

/** The smallest range with all of these rows; empty for no rows. */
export const rangeOf = (rows: RowSet): RowRange => ({ from: rows.ranges[0]?.from ?? 0, to: rows.end });

/**
 * An immutable set of row indexes, kept as sorted ranges that neither touch nor overlap: what PostgreSQL stores as an
 * int4multirange. A sheet of 100,000 rows without gaps is one range.
 */
export class RowSet {
  static readonly EMPTY = new RowSet([]);

  private constructor(readonly ranges: readonly RowRange[]) {}

  static range(from: number, to: number): RowSet {
    return from < to ? new RowSet([{ from, to }]) : RowSet.EMPTY;
  }

  static of(rows: Iterable<number>): RowSet {
    return RowSet.normalise([...rows].map((row) => ({ from: row, to: row + 1 })));
  }

  /** Reads PostgreSQL's text form, such as `{[0,5),[7,9)}`. */
  static parse(text: string): RowSet {
    return new RowSet(
      [...text.matchAll(/\[(\d+),(\d+)\)/g)].map(([, from, to]) => ({ from: Number(from), to: Number(to) })),
    );
  }

  static union(sets: Iterable<RowSet>): RowSet {
    return RowSet.normalise([...sets].flatMap((set) => set.ranges));
  }

  private static normalise(ranges: RowRange[]): RowSet {
    const merged: RowRange[] = [];
    for (const { from, to } of ranges.toSorted((a, b) => a.from - b.from)) {
      const last = merged.at(-1);
      if (last && from <= last.to) last.to = Math.max(last.to, to);
      else if (from < to) merged.push({ from, to });
    }
    return new RowSet(merged);
  }

  /** PostgreSQL's text form. */
  toString(): string {
    return `{${this.ranges.map(({ from, to }) => `[${from},${to})`).join(',')}}`;
  }

  get count(): number {
    return this.ranges.reduce((sum, { from, to }) => sum + to - from, 0);
  }

  get isEmpty(): boolean {
    return this.ranges.length === 0;
  }

  /** One more than the largest member; 0 for the empty set. */
  get end(): number {
    return this.ranges.at(-1)?.to ?? 0;
  }

  has(row: number): boolean {
    const range = this.ranges[this.firstEndingAfter(row)];
    return range !== undefined && range.from <= row;
  }

  overlaps(other: RowSet): boolean {
    return other.ranges.some(({ from, to }) => {
      const range = this.ranges[this.firstEndingAfter(from)];
      return range !== undefined && range.from < to;
    });
  }

  equals(other: RowSet): boolean {
    return this.toString() === other.toString();
  }

  union(other: RowSet): RowSet {
    if (other.isEmpty) return this;
    return this.isEmpty ? other : RowSet.union([this, other]);
  }

  intersect(other: RowSet): RowSet {
    const common: RowRange[] = [];
    for (const { from, to } of other.ranges) {
      for (let at = this.firstEndingAfter(from); at < this.ranges.length && this.ranges[at]!.from < to; at++) {
        const range = this.ranges[at]!;
        common.push({ from: Math.max(from, range.from), to: Math.min(to, range.to) });
      }
    }
    return new RowSet(common);
  }

  without(other: RowSet): RowSet {
    if (other.isEmpty || this.isEmpty) return this;
    const gaps: RowRange[] = [];
    let from = 0;
    for (const range of other.ranges) {
      if (from < range.from) gaps.push({ from, to: range.from });
      from = range.to;
    }
    gaps.push({ from, to: Math.max(from, this.end) });
    return this.intersect(new RowSet(gaps));
  }

  /** The part within one chunk. */
  inChunk(chunkNo: number): RowSet {
    const { from, to } = chunkRange(chunkNo);
    return this.intersect(RowSet.range(from, to));
  }

  /** The chunks that hold at least one member, ascending. */
  chunks(): number[] {
    const numbers = new Set<number>();
    for (const { from, to } of this.ranges) {
      for (let chunkNo = chunkOf(from); chunkNo <= chunkOf(to - 1); chunkNo++) numbers.add(chunkNo);
    }
    return [...numbers];
  }

  *[Symbol.iterator](): Generator<number> {
    for (const { from, to } of this.ranges) for (let row = from; row < to; row++) yield row;
  }

  /** Up to `limit` members after `after` (before it, descending, when `order` is desc). null starts at the end. */
  page(after: number | null, limit: number, order: 'asc' | 'desc'): number[] {
    const rest =
      order === 'asc'
        ? this.intersect(RowSet.range(after === null ? 0 : after + 1, this.end))
        : this.intersect(RowSet.range(0, after ?? this.end));
    const ranges = order === 'asc' ? rest.ranges : rest.ranges.toReversed();
    const rows: number[] = [];
    for (const { from, to } of ranges) {
      const take = Math.min(to - from, limit - rows.length);
      for (let step = 0; step < take; step++) rows.push(order === 'asc' ? from + step : to - 1 - step);
      if (rows.length === limit) break;
    }
    return rows;
  }

  /** Up to `limit` members after the first `offset` ones in an order. */
  at(offset: number, limit: number, order: 'asc' | 'desc'): number[] {
    if (order === 'asc') return [...this.part(offset, limit)];
    const end = Math.max(0, this.count - offset);
    const start = Math.max(0, end - limit);
    return [...this.part(start, end - start)].reverse();
  }

  /** The members from the one at `offset` on, counted from the smallest: up to `limit` of them. */
  part(offset: number, limit: number): RowSet {
    const ranges: RowRange[] = [];
    let position = 0;
    for (const { from, to } of this.ranges) {
      const start = from + Math.max(0, offset - position);
      const end = Math.min(to, from + offset + limit - position);
      if (start < end) ranges.push({ from: start, to: end });
      position += to - from;
      if (position >= offset + limit) break;
    }
    return new RowSet(ranges);
  }

  /** Index of the first range that ends after the row: the only one that can contain it. */
  private firstEndingAfter(row: number): number {
    let low = 0;
    let high = this.ranges.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.ranges[middle]!.to > row) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
