import { isUtf8 } from 'node:buffer';
import type { JsonValue } from './json.js';

const QUOTE = 0x22;
/** Copying fewer bytes than this one by one is faster than a call that copies them at once. */
const SHORT = 64;
const LONGEST_UTF8 = 3;
/** Room is taken in pieces of this size: little of it is taken in vain. */
const CHUNK_BYTES = 256 * 1024;

/** What a byte of UTF-8 means for a JSON string. */
const PLAIN = 0;
const ESCAPED = 1;
const PART_OF_CHARACTER = 2;
const KIND = new Uint8Array(256);
KIND.fill(ESCAPED, 0, 0x20);
KIND[QUOTE] = ESCAPED;
KIND[0x5c] = ESCAPED;
KIND.fill(PART_OF_CHARACTER, 0x80);

/** Where the first byte stands that is no character for itself, or one that a JSON string escapes; `end` without any. */
export function firstSpecial(bytes: Uint8Array, start: number, end: number): number {
  let at = start;
  while (at < end && KIND[bytes[at]] === PLAIN) at++;
  return at;
}

/** Whether bytes are UTF-8 without NUL. */
export const isStorable = (bytes: Buffer): boolean => isUtf8(bytes) && !bytes.includes(0);

/**
 * Puts JSON values together as UTF-8, from bytes that never become strings of JavaScript: outside of its heap, so that
 * neither making nor keeping them costs the garbage collector anything. The caller writes the punctuation between values.
 */
export class JsonWriter {
  private chunk: Buffer;
  /** Where the value begins that is being written, and where it ends so far. */
  private start = 0;
  private at = 0;

  /** @param expected how many bytes are likely to be written; more is possible. */
  constructor(expected: number) {
    this.chunk = Buffer.allocUnsafe(Math.min(expected, CHUNK_BYTES));
  }

  /** What was written since the last call. */
  take(): Buffer {
    const written = this.chunk.subarray(this.start, this.at);
    this.start = this.at;
    return written;
  }

  byte(code: number): void {
    if (this.at === this.chunk.length) this.reserve(1);
    this.chunk[this.at++] = code;
  }

  /** Bytes that are JSON already. */
  raw(bytes: Uint8Array, start: number, end: number): void {
    const length = end - start;
    if (this.chunk.length - this.at < length) this.reserve(length);
    const { chunk } = this;
    let { at } = this;
    if (length < SHORT) for (let from = start; from < end; from++) chunk[at++] = bytes[from];
    else chunk.set(bytes.subarray(start, end), at);
    this.at += length;
  }

  /** UTF-8 of which nothing has to be escaped, as a JSON string. */
  quoted(bytes: Uint8Array, start: number, end: number): void {
    this.byte(QUOTE);
    this.raw(bytes, start, end);
    this.byte(QUOTE);
  }

  /** UTF-8 as a JSON string. */
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

  /** @param trim how many characters to leave out at both ends. */
  value(value: JsonValue, trim = 0): void {
    const json = JSON.stringify(value);
    const text = trim === 0 ? json : json.slice(trim, -trim);
    const longest = text.length * LONGEST_UTF8;
    if (this.chunk.length - this.at < longest) this.reserve(longest);
    this.at += this.chunk.write(text, this.at);
  }

  /** What was taken keeps the old chunk; only the value that is being written moves. */
  private reserve(length: number): void {
    const begun = this.chunk.subarray(this.start, this.at);
    this.chunk = Buffer.allocUnsafe(Math.max(CHUNK_BYTES, 2 * (begun.length + length)));
    this.chunk.set(begun);
    this.start = 0;
    this.at = begun.length;
  }
}
