import type { Place } from '../../trace-conventions/index.js';
import { UnreadableBody } from './otlp.errors.js';

const VARINT = 0;
const FIXED64 = 1;
const LENGTH = 2;
const FIXED32 = 5;

const MAX_VARINT_BYTES = 10;
const MAX_TAG = 2 ** 32 - 1;

/** An empty message takes 2 bytes on the wire and some 100 in memory: a body may not be made of nothing else. */
const MAX_MESSAGES = 3_000_000;

/**
 * Reads the protobuf wire format from a buffer, one field at a time. Every read stays within the message that is
 * open; whatever is truncated, overlong or of the wrong wire type throws {@link UnreadableBody}.
 */
export class ProtoReader {
  private at = 0;
  private end: number;
  private messages = 0;
  private readonly view: DataView;

  constructor(readonly bytes: Buffer) {
    this.end = bytes.length;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** The next field's tag: field number × 8 + wire type. */
  private tag(): number {
    const tag = this.varint();
    if (tag < 8 || tag > MAX_TAG) throw new UnreadableBody('A field number is invalid.');
    return tag;
  }

  /** Reads the message in this field: `readField` gets every tag and must read or skip its field. */
  message(tag: number, readField: (tag: number) => void): void {
    if (++this.messages > MAX_MESSAGES) throw new UnreadableBody('The body holds too many values.');
    const outer = this.end;
    this.end = this.lengthEnd(tag);
    this.fields(readField);
    this.end = outer;
  }

  /** Reads all fields of the open message; at the start that is the whole body. */
  fields(readField: (tag: number) => void): void {
    while (this.at < this.end) readField(this.tag());
  }

  string(tag: number): string {
    return this.textAt(this.place(tag));
  }

  /** Skips a string; returns its position. */
  place(tag: number): Place {
    const end = this.lengthEnd(tag);
    const start = this.at;
    this.at = end;
    return { start, end };
  }

  textAt({ start, end }: Place): string {
    return this.bytes.toString('utf8', start, end);
  }

  base64(tag: number): string {
    const end = this.lengthEnd(tag);
    const text = this.bytes.toString('base64', this.at, end);
    this.at = end;
    return text;
  }

  /** Bytes of exactly this size as lower-case hex digits; "" for any other size. */
  id(tag: number, size: number): string {
    const end = this.lengthEnd(tag);
    const id = end - this.at === size ? this.bytes.toString('hex', this.at, end) : '';
    this.at = end;
    return id;
  }

  bool(tag: number): boolean {
    return this.enum(tag) !== 0;
  }

  enum(tag: number): number {
    this.expect(tag, VARINT);
    return this.varint();
  }

  /** An int64: a number when it is exact, otherwise its decimal digits. */
  int64(tag: number): number | string {
    this.expect(tag, VARINT);
    const start = this.at;
    const small = this.varint();
    if (small <= Number.MAX_SAFE_INTEGER) return small;
    const exact = BigInt.asIntN(64, this.bigVarint(start));
    const number = Number(exact);
    return Number.isSafeInteger(number) ? number : exact.toString();
  }

  fixed64(tag: number): bigint {
    return this.view.getBigUint64(this.take(tag, FIXED64, 8), true);
  }

  double(tag: number): number {
    return this.view.getFloat64(this.take(tag, FIXED64, 8), true);
  }

  /** Skips a field without a use here. Groups, which the format no longer has, are refused. */
  skip(tag: number): void {
    const wireType = tag & 7;
    if (wireType === VARINT) this.varint();
    else if (wireType === LENGTH) this.at = this.lengthEnd(tag);
    else if (wireType === FIXED64) this.take(tag, FIXED64, 8);
    else this.take(tag, FIXED32, 4);
  }

  /** A varint as a number; inexact above 2^53, which no length and no tag may reach. */
  private varint(): number {
    let value = 0;
    let scale = 1;
    for (let count = 0; count < MAX_VARINT_BYTES; count++) {
      if (this.at >= this.end) throw truncated();
      const byte = this.bytes[this.at++];
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 128;
    }
    throw new UnreadableBody('A number is longer than 64 bits.');
  }

  /** The varint that starts there, whose end `varint` has checked already. */
  private bigVarint(start: number): bigint {
    let value = 0n;
    for (let at = start, shift = 0n; at < this.at; at++, shift += 7n) {
      value |= BigInt(this.bytes[at] & 0x7f) << shift;
    }
    return value;
  }

  private lengthEnd(tag: number): number {
    this.expect(tag, LENGTH);
    const length = this.varint();
    if (length > this.end - this.at) throw truncated();
    return this.at + length;
  }

  /** Skips `size` bytes; returns the position of the first. */
  private take(tag: number, wireType: number, size: number): number {
    this.expect(tag, wireType);
    const start = this.at;
    if (size > this.end - start) throw truncated();
    this.at = start + size;
    return start;
  }

  private expect(tag: number, wireType: number): void {
    if ((tag & 7) !== wireType) throw new UnreadableBody(`Field ${tag >>> 3} has the wrong wire type.`);
  }
}

function truncated(): UnreadableBody {
  return new UnreadableBody('The body ends in the middle of a field.');
}
