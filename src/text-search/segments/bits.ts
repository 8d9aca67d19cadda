/** A set of ordinals below `length`, as the bits of 32-bit words. Nothing is set beyond `length`. */
export class Bits {
  private constructor(
    readonly length: number,
    readonly words: Uint32Array,
  ) {}

  static none(length: number): Bits {
    return new Bits(length, new Uint32Array(Math.ceil(length / 32)));
  }

  static all(length: number): Bits {
    return Bits.none(length).flip();
  }

  /** From the bytes of `toBytes`. */
  static of(length: number, bytes: Uint8Array): Bits {
    const bits = Bits.none(length);
    new Uint8Array(bits.words.buffer).set(bytes.subarray(0, bits.words.byteLength));
    return bits;
  }

  has(ordinal: number): boolean {
    return (this.words[ordinal >>> 5]! & (1 << (ordinal & 31))) !== 0;
  }

  set(ordinal: number): void {
    this.words[ordinal >>> 5]! |= 1 << (ordinal & 31);
  }

  clear(ordinal: number): void {
    this.words[ordinal >>> 5]! &= ~(1 << (ordinal & 31));
  }

  /** Changes this set and returns it, like the other operations. */
  and(other: Bits): Bits {
    for (let at = 0; at < this.words.length; at++) this.words[at]! &= other.words[at]!;
    return this;
  }

  or(other: Bits): Bits {
    for (let at = 0; at < this.words.length; at++) this.words[at]! |= other.words[at]!;
    return this;
  }

  flip(): Bits {
    for (let at = 0; at < this.words.length; at++) this.words[at] = ~this.words[at]!;
    const beyond = this.length & 31;
    if (beyond > 0) this.words[this.words.length - 1]! &= (1 << beyond) - 1;
    return this;
  }

  isEmpty(): boolean {
    return this.words.every((word) => word === 0);
  }

  count(): number {
    let count = 0;
    this.forEach(() => count++);
    return count;
  }

  /** In ascending order. */
  forEach(visit: (ordinal: number) => void): void {
    for (let at = 0; at < this.words.length; at++) {
      for (let word = this.words[at]!; word !== 0; word &= word - 1) visit(at * 32 + 31 - Math.clz32(word & -word));
    }
  }

  toBytes(): Uint8Array {
    return new Uint8Array(this.words.buffer, 0, Math.ceil(this.length / 8));
  }
}
