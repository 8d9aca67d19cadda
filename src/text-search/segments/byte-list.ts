/**
 * Most lists of a segment stay empty or short, and allocating arrays is the largest cost of building it: none is allocated before
 * it is needed.
 */
const EMPTY = new Uint8Array(0);
const LEAST_ROOM = 16;
/** V8 stores arrays up to this size in its heap; a view of one moves it out, which takes longer than a copy. */
const COPIED = 64;

/** Numbers with a variable number of bytes, seven bits in each byte. */
export class ByteList {
  private bytes: Uint8Array = EMPTY;
  length = 0;

  /** A whole number from 0 to 2^31 - 1. */
  add(number: number): void {
    if (this.length + 5 > this.bytes.length) this.grow(5);
    while (number > 127) {
      this.bytes[this.length++] = (number & 127) | 128;
      number >>>= 7;
    }
    this.bytes[this.length++] = number;
  }

  addBytes(bytes: Uint8Array): void {
    if (this.length + bytes.length > this.bytes.length) this.grow(bytes.length);
    this.bytes.set(bytes, this.length);
    this.length += bytes.length;
  }

  /** Copies bytes up to and including the next 0; returns the position after it. */
  addUntilZero(bytes: Uint8Array, from: number): number {
    const end = bytes.indexOf(0, from) + 1;
    if (this.length + end - from > this.bytes.length) this.grow(end - from);
    for (let at = from; at < end; at++) this.bytes[this.length++] = bytes[at]!;
    return end;
  }

  /** The written bytes. Later additions may change them. */
  taken(): Uint8Array {
    const { bytes, length } = this;
    if (length === 0) return EMPTY;
    return bytes.length <= COPIED ? bytes.slice(0, length) : bytes.subarray(0, length);
  }

  private grow(by: number): void {
    const bytes = new Uint8Array(Math.max(this.bytes.length * 2, this.length + by, LEAST_ROOM));
    bytes.set(this.bytes);
    this.bytes = bytes;
  }
}

/** Reads the bytes of a `ByteList`. */
export class ByteReader {
  constructor(
    private readonly bytes: Uint8Array,
    private at = 0,
  ) {}

  get isAtEnd(): boolean {
    return this.at >= this.bytes.length;
  }

  next(): number {
    let number = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.bytes[this.at++]!;
      number |= (byte & 127) << shift;
      if (byte < 128) return number;
    }
  }

  /** Skips to the position after the next 0. No other number has a byte of 0. */
  skipUntilZero(): void {
    while (this.bytes[this.at++] !== 0);
  }
}
