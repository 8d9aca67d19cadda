/** Most lists of a segment stay empty or short, and arrays are what making a segment costs most: none is made before it is needed. */
const EMPTY = new Uint8Array(0);
const LEAST_ROOM = 16;
/** V8 keeps arrays up to this many bytes among its objects; a view of one moves it out of there, which takes longer than a copy. */
const COPIED = 64;

/** Bytes that are written one after the other, in numbers of as many bytes as each needs (seven bits in a byte). */
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

  /** Copies bytes up to the next 0 and with it; gives where the next ones begin. */
  addUntilZero(bytes: Uint8Array, from: number): number {
    const end = bytes.indexOf(0, from) + 1;
    if (this.length + end - from > this.bytes.length) this.grow(end - from);
    for (let at = from; at < end; at++) this.bytes[this.length++] = bytes[at]!;
    return end;
  }

  /** More that is added may or may not change it. */
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

/** Reads what a `ByteList` has written. */
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

  /** Goes behind the next 0. No other number has a byte of 0. */
  skipUntilZero(): void {
    while (this.bytes[this.at++] !== 0);
  }
}
