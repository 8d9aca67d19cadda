/** Bytes that are written one after the other, in numbers of as many bytes as each needs (seven bits in a byte). */
export class ByteList {
  private bytes: Uint8Array;
  length = 0;

  constructor(room = 16) {
    this.bytes = new Uint8Array(room);
  }

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

  /** Not a copy: more that is added may or may not change it. */
  taken(): Uint8Array {
    return this.bytes.subarray(0, this.length);
  }

  private grow(by: number): void {
    const bytes = new Uint8Array(Math.max(this.bytes.length * 2, this.length + by));
    bytes.set(this.taken());
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
}
