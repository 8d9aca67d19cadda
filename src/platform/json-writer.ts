import { isUtf8 } from 'node:buffer';
import type { JsonValue } from './json.js';

const QUOTE = 0x22;
/** Below this number of bytes a loop is faster than a call that copies them. */
const SHORT = 64;
const LONGEST_UTF8 = 3;
/** Memory is allocated in chunks of this size, so that little of it stays unused. */
const CHUNK_BYTES = 256 * 1024;

/** Kinds of bytes in UTF-8 for a JSON string. */
const PLAIN = 0;
const ESCAPED = 1;
const PART_OF_CHARACTER = 2;
const KIND = new Uint8Array(256);
KIND.fill(ESCAPED, 0, 0x20);
KIND[QUOTE] = ESCAPED;
KIND[0x5c] = ESCAPED;
KIND.fill(PART_OF_CHARACTER, 0x80);

/** Position of the first byte that is not a character of its own, or that a JSON string escapes; `end` without any. */
export function firstSpecial(bytes: Uint8Array, start: number, end: number): number {
  let at = start;
  while (at < end && KIND[bytes[at]] === PLAIN) at++;
  return at;
}

/** Whether bytes are UTF-8 without NUL. */
export const isStorable = (bytes: Buffer): boolean => isUtf8(bytes) && !bytes.includes(0);

/**
 * Assembles JSON values as UTF-8, from bytes that never become JavaScript strings. They are outside of the heap, so
 * neither writing nor keeping them costs the garbage collector anything. The caller writes the punctuation between
 * values.
 */
export class JsonWriter {
  private chunk: Buffer;
  /** Start and current end of the value that is being written. */
  private start = 0;
  private at = 0;

  /** @param expected likely number of bytes; more is possible. */
  constructor(expected: number) {
    this.chunk = Buffer.allocUnsafe(Math.min(expected, CHUNK_BYTES));
  }

  /** Returns the bytes written since the last call. */
  take(): Buffer {
    const written = this.chunk.subarray(this.start, this.at);
    this.start = this.at;
    return written;
  }

  byte(code: number): void {
    if (this.at === this.chunk.length) this.reserve(1);
    this.chunk[this.at++] = code;
  }

  /** Writes bytes that are JSON already. */
  raw(bytes: Uint8Array, start: number, end: number): void {
    const length = end - start;
    if (this.chunk.length - this.at < length) this.reserve(length);
    const { chunk } = this;
    let { at } = this;
    if (length < SHORT) for (let from = start; from < end; from++) chunk[at++] = bytes[from];
    else chunk.set(bytes.subarray(start, end), at);
    this.at += length;
  }

  /** Writes UTF-8 without characters to escape as a JSON string. */
  quoted(bytes: Uint8Array, start: number, end: number): void {
    this.byte(QUOTE);
    this.raw(bytes, start, end);
    this.byte(QUOTE);
  }

  /** Writes UTF-8 as a JSON string. */
  text(bytes: Uint8Array, start: number, end: number): void {
    this.byte(QUOTE);
    let copied = start;
    for (let at = start; at < end; at++) {
      if (KIND[bytes[at]] !== ESCAPED) continue;
      this.raw(bytes, copied, at);
      this.value(String.fromCharCode(bytes[at]), 1);
      copied = at + 1;
    }
    this.raw(bytes, copied, end);
    this.byte(QUOTE);
  }

  /** @param trim number of characters to leave out at both ends. */
  value(value: JsonValue, trim = 0): void {
    const json = JSON.stringify(value);
    const text = trim === 0 ? json : json.slice(trim, -trim);
    const longest = text.length * LONGEST_UTF8;
    if (this.chunk.length - this.at < longest) this.reserve(longest);
    this.at += this.chunk.write(text, this.at);
  }

  /** Returned buffers keep the old chunk. Only the value that is being written moves to the new one. */
  private reserve(length: number): void {
    const begun = this.chunk.subarray(this.start, this.at);
    this.chunk = Buffer.allocUnsafe(Math.max(CHUNK_BYTES, 2 * (begun.length + length)));
    this.chunk.set(begun);
    this.start = 0;
    this.at = begun.length;
  }
}
