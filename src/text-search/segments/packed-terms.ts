import type { Postings } from './postings.js';

/**
 * The terms of a small segment as one value: for each the bytes of
 * its length (2), the term, the count (4), the lengths of the ordinals and of the places (4 each), and both; then where each entry
 * begins (4 each), and how many there are (4). All numbers are little-endian. Nothing of it has to be unpacked to look up a term.
 */
export function packTerms(terms: Iterable<readonly [string, Postings]>): Buffer {
  const pieces: Buffer[] = [];
  const starts: number[] = [];
  let at = 0;
  for (const [term, { count, ordinals, places }] of terms) {
    const text = Buffer.from(term);
    const head = Buffer.allocUnsafe(text.length + 14);
    head.writeUInt16LE(text.length, 0);
    text.copy(head, 2);
    head.writeUInt32LE(count, text.length + 2);
    head.writeUInt32LE(ordinals.length, text.length + 6);
    head.writeUInt32LE(places.length, text.length + 10);
    pieces.push(head, Buffer.from(ordinals), Buffer.from(places));
    starts.push(at);
    at += head.length + ordinals.length + places.length;
  }
  const index = Buffer.allocUnsafe(starts.length * 4 + 4);
  starts.forEach((start, place) => index.writeUInt32LE(start, place * 4));
  index.writeUInt32LE(starts.length, starts.length * 4);
  return Buffer.concat([...pieces, index]);
}

/** Reads what `packTerms` gives. */
export class PackedTerms {
  readonly size: number;
  private readonly index: number;

  constructor(private readonly packed: Buffer) {
    this.size = packed.readUInt32LE(packed.length - 4);
    this.index = packed.length - 4 - this.size * 4;
  }

  /** In the order of their bytes, those from `low` up to and without `high`; all from `low` on when it is null. */
  *between(low: string, high: string | null): Generator<readonly [string, Postings]> {
    const end = high === null ? null : Buffer.from(high);
    for (let place = this.firstFrom(Buffer.from(low)); place < this.size; place++) {
      const bytes = this.termAt(place);
      if (end && bytes.compare(end) >= 0) return;
      yield [bytes.toString(), this.postingsAt(place)];
    }
  }

  has(term: string): boolean {
    const bytes = Buffer.from(term);
    const place = this.firstFrom(bytes);
    return place < this.size && this.termAt(place).equals(bytes);
  }

  private firstFrom(term: Buffer): number {
    let low = 0;
    let high = this.size;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.termAt(middle).compare(term) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  private startOf(place: number): number {
    return this.packed.readUInt32LE(this.index + place * 4);
  }

  private termAt(place: number): Buffer {
    const start = this.startOf(place);
    return this.packed.subarray(start + 2, start + 2 + this.packed.readUInt16LE(start));
  }

  private postingsAt(place: number): Postings {
    const { packed } = this;
    const start = this.startOf(place);
    const at = start + 2 + packed.readUInt16LE(start);
    const ordinals = at + 12;
    const places = ordinals + packed.readUInt32LE(at + 4);
    return {
      count: packed.readUInt32LE(at),
      ordinals: packed.subarray(ordinals, places),
      places: packed.subarray(places, places + packed.readUInt32LE(at + 8)),
    };
  }
}
