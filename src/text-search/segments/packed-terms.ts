import type { Postings } from './postings.js';

/** Bytes of an entry besides its term and its postings. */
const HEAD = 14;

/**
 * The terms of a small segment as one value. Each entry has: the byte length of the term (2), the term, the count (4), the lengths
 * of the ordinals and of the places (4 each), and both. Then follow the offset of each entry (4 each) and the number of entries
 * (4). All numbers are little-endian. A lookup unpacks nothing.
 */
export function packTerms(terms: readonly (readonly [string, Postings])[]): Buffer {
  const sizes = terms.map(
    ([term, { ordinals, places }]) => Buffer.byteLength(term) + HEAD + ordinals.length + places.length,
  );
  const index = sizes.reduce((sum, size) => sum + size, 0);
  const packed = Buffer.allocUnsafe(index + terms.length * 4 + 4);
  let start = 0;
  for (const [place, [term, { count, ordinals, places }]] of terms.entries()) {
    const length = packed.write(term, start + 2);
    const at = packed.writeUInt16LE(length, start) + length;
    packed.writeUInt32LE(count, at);
    packed.writeUInt32LE(ordinals.length, at + 4);
    packed.writeUInt32LE(places.length, at + 8);
    packed.set(ordinals, at + 12);
    packed.set(places, at + 12 + ordinals.length);
    packed.writeUInt32LE(start, index + place * 4);
    start += sizes[place]!;
  }
  packed.writeUInt32LE(terms.length, packed.length - 4);
  return packed;
}

/** Reads the value of `packTerms`. */
export class PackedTerms {
  readonly size: number;
  private readonly index: number;

  constructor(private readonly packed: Buffer) {
    this.size = packed.readUInt32LE(packed.length - 4);
    this.index = packed.length - 4 - this.size * 4;
  }

  /** In byte order, from `low` up to but excluding `high`; all from `low` for null. */
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
