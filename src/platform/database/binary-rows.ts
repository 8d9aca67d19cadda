import { OID, POSTGRES_EPOCH_MS, writeInt8 } from './binary-arrays.js';

/**
 * Rows in the binary format of COPY: a signature, then per row the number of its fields and every field as a length (-1 for null)
 * and its bytes. The server parses no text, and writes a page at a time where INSERT writes a row.
 */

export const COPY_BEGIN = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1');
export const COPY_END = Buffer.from([0xff, 0xff]);

/** A placeholder for a value that is not known when its row is written; `fill` sets it. */
export const LATER = Symbol('later');
export type Later = typeof LATER;

const SMALLEST_PIECE = 16 * 1024;
const LARGEST_PIECE = 512 * 1024;
/** From this size in bytes a value is sent directly instead of being copied into a piece. */
const LONG_VALUE = 64 * 1024;
/** Most bytes of UTF-8 for a code unit of JavaScript. */
const BYTES_PER_UNIT = 3;
const JSONB_VERSION = 1;

/** Data in pieces for sending. */
export interface CopyData {
  pieces: Buffer[];
  /** Pieces allocated here. The others are buffers of values. */
  own: Buffer[];
}

/** Writes rows field by field, in the order of the columns. */
export class BinaryRows {
  private readonly pieces: Buffer[] = [];
  private readonly own: Buffer[] = [];
  private piece = Buffer.allocUnsafe(SMALLEST_PIECE);
  private at = 0;
  /** Positions of the values that `fill` sets. */
  private readonly open: { pieces: Buffer[]; at: number[] } = { pieces: [], at: [] };

  /** @param longValue Bytes from which on a value is sent as it is instead of being copied. */
  constructor(private readonly longValue = LONG_VALUE) {}

  /** Everything written so far. */
  take(): CopyData {
    this.closePiece(0);
    return { pieces: this.pieces, own: this.own };
  }

  /** Sets the open values, in their order. Can be called again with others. */
  fill(values: readonly number[]): void {
    const { pieces, at } = this.open;
    for (const [index, value] of values.entries()) writeInt8(pieces[index], value, at[index]);
  }

  startRow(fields: number): void {
    this.reserve(2);
    this.at = this.piece.writeInt16BE(fields, this.at);
  }

  null(): void {
    this.startField(-1, 0);
  }

  bool(value: boolean): void {
    this.startField(1, 1);
    this.piece[this.at++] = value ? 1 : 0;
  }

  int2(value: number): void {
    this.startField(2, 2);
    this.at = this.piece.writeInt16BE(value, this.at);
  }

  int4(value: number): void {
    this.startField(4, 4);
    this.at = this.piece.writeInt32BE(value, this.at);
  }

  /** A number must be a safe integer. */
  int8(value: number | bigint): void {
    this.startField(8, 8);
    writeInt8(this.piece, value, this.at);
    this.at += 8;
  }

  /** An int8 for `fill`. */
  later(): void {
    this.startField(8, 8);
    this.open.pieces.push(this.piece);
    this.open.at.push(this.at);
    this.at += 8;
  }

  float8(value: number): void {
    this.startField(8, 8);
    this.at = this.piece.writeDoubleBE(value, this.at);
  }

  /** Milliseconds since the epoch; fractions become microseconds. */
  timestamptz(value: number): void {
    this.int8(Math.round((value - POSTGRES_EPOCH_MS) * 1000));
  }

  text(value: string): void {
    this.utf8(value, 0);
  }

  /** JSON already serialised, as text or as its UTF-8. */
  jsonb(value: string | Uint8Array): void {
    if (typeof value === 'string') this.utf8(value, 1, JSONB_VERSION);
    else this.raw(value, 1, JSONB_VERSION);
  }

  bytea(value: Uint8Array): void {
    this.raw(value, 0);
  }

  textArray(values: readonly string[]): void {
    const start = this.startField(0, 20);
    this.at = this.piece.writeInt32BE(values.length > 0 ? 1 : 0, this.at);
    this.at = this.piece.writeInt32BE(0, this.at);
    this.at = this.piece.writeInt32BE(OID.text, this.at);
    let bytes = 12;
    if (values.length > 0) {
      this.at = this.piece.writeInt32BE(values.length, this.at);
      this.at = this.piece.writeInt32BE(1, this.at);
      bytes = 20;
    }
    // The length precedes the elements, which may be in the next piece.
    const lengthIn = this.piece;
    for (const value of values) bytes += this.utf8(value, 0);
    lengthIn.writeInt32BE(bytes, start);
  }

  /** Returns the written bytes, including the length. */
  private utf8(value: string, extra: number, first = 0): number {
    const most = value.length * BYTES_PER_UNIT;
    if (most >= LONG_VALUE) return this.raw(Buffer.from(value), extra, first);
    this.reserve(5 + most);
    const start = this.at;
    if (extra) this.piece[start + 4] = first;
    const length = extra + this.piece.write(value, start + 4 + extra);
    this.piece.writeInt32BE(length, start);
    this.at = start + 4 + length;
    return 4 + length;
  }

  private raw(value: Uint8Array, extra: number, first = 0): number {
    const length = value.length + extra;
    const isLong = value.length >= this.longValue;
    this.startField(length, isLong ? extra : length);
    if (extra) this.piece[this.at++] = first;
    if (isLong) {
      this.closePiece(SMALLEST_PIECE);
      this.pieces.push(Buffer.from(value.buffer, value.byteOffset, value.length));
    } else {
      this.piece.set(value, this.at);
      this.at += value.length;
    }
    return 4 + length;
  }

  /** Returns the position of the length. */
  private startField(length: number, room: number): number {
    this.reserve(4 + room);
    const start = this.at;
    this.at = this.piece.writeInt32BE(length, start);
    return start;
  }

  private reserve(bytes: number): void {
    if (this.at + bytes > this.piece.length) {
      this.closePiece(Math.max(bytes, Math.min(LARGEST_PIECE, this.piece.length * 2)));
    }
  }

  private closePiece(next: number): void {
    if (this.at > 0) {
      const written = this.piece.subarray(0, this.at);
      this.pieces.push(written);
      this.own.push(written);
    }
    this.piece = Buffer.allocUnsafe(next);
    this.at = 0;
  }
}
