import { crc32 } from 'node:zlib';
import { NoAnswer } from './model-failure.js';

/** The media type of a stream in frames, which AWS uses in place of server-sent events. */
export const FRAMES_TYPE = 'application/vnd.amazon.eventstream';

/** One message of such a stream. */
export interface EventFrame {
  /** Headers with text values. Other headers are not used. */
  headers: Map<string, string>;
  payload: Buffer;
}

/** A frame: length of the whole and of its headers, checksum of both, headers, payload, checksum of all before it. */
const LENGTHS = 8;
const CHECKSUM = 4;
const PRELUDE = LENGTHS + CHECKSUM;
const SMALLEST_FRAME = PRELUDE + CHECKSUM;
/** The limits of the format itself. */
const MOST_BYTES = 16 * 1024 * 1024;
const MOST_HEADER_BYTES = 128 * 1024;

const TEXT_HEADER = 7;
/** Number of bytes of a header's value, by its type. */
const FIXED_SIZES = new Map([
  [0, 0],
  [1, 0],
  [2, 1],
  [3, 2],
  [4, 4],
  [5, 8],
  [8, 8],
  [9, 16],
]);
/** Types whose values begin with their length. */
const SIZED_TYPES = new Set([6, TEXT_HEADER]);

/**
 * The frames of a body, however it is cut into pieces. Throws NoAnswer for a wrong checksum, a frame beyond the limits
 * and a body that ends within a frame. A length is trusted only after its checksum: otherwise a broken length would
 * make the reader wait for bytes that never come.
 */
export async function* readFrames(body: AsyncIterable<Uint8Array>): AsyncGenerator<EventFrame> {
  const held = new HeldBytes();
  let expected: number | null = null;
  for await (const bytes of body) {
    held.add(bytes);
    while (held.length >= (expected ?? PRELUDE)) {
      if (expected === null) expected = lengthOf(held.first(PRELUDE));
      else {
        const frame = held.take(expected);
        expected = null;
        yield toFrame(frame);
      }
    }
  }
  if (held.length > 0) throw broken('it ends within a frame');
}

/** Bytes that have arrived and are not read yet. They are put together only when they are needed. */
class HeldBytes {
  private pieces: Uint8Array[] = [];
  length = 0;

  add(bytes: Uint8Array): void {
    this.pieces.push(bytes);
    this.length += bytes.length;
  }

  first(count: number): Buffer {
    return this.joined().subarray(0, count);
  }

  take(count: number): Buffer {
    const all = this.joined();
    this.pieces = [all.subarray(count)];
    this.length -= count;
    return all.subarray(0, count);
  }

  private joined(): Buffer {
    const [only] = this.pieces;
    const all = only instanceof Buffer && this.pieces.length === 1 ? only : Buffer.concat(this.pieces);
    this.pieces = [all];
    return all;
  }
}

function lengthOf(prelude: Buffer): number {
  if (crc32(prelude.subarray(0, LENGTHS)) !== prelude.readUInt32BE(LENGTHS)) {
    throw broken('the start of a frame has a wrong checksum');
  }
  const length = prelude.readUInt32BE(0);
  const headers = prelude.readUInt32BE(CHECKSUM);
  if (length > MOST_BYTES) throw broken(`a frame is longer than ${MOST_BYTES} bytes`);
  if (headers > MOST_HEADER_BYTES) throw broken(`the headers of a frame are longer than ${MOST_HEADER_BYTES} bytes`);
  if (length < SMALLEST_FRAME + headers) throw broken('a frame is shorter than its headers');
  return length;
}

function toFrame(frame: Buffer): EventFrame {
  const end = frame.length - CHECKSUM;
  if (crc32(frame.subarray(0, end)) !== frame.readUInt32BE(end)) throw broken('a frame has a wrong checksum');
  const start = PRELUDE + frame.readUInt32BE(CHECKSUM);
  return { headers: readHeaders(frame.subarray(PRELUDE, start)), payload: frame.subarray(start, end) };
}

/** Each has the length of its name, its name, the type of its value, and its value. */
function readHeaders(bytes: Buffer): Map<string, string> {
  const headers = new Map<string, string>();
  let at = 0;
  const next = (count: number): Buffer => {
    if (at + count > bytes.length) throw broken('a header of a frame is cut off');
    at += count;
    return bytes.subarray(at - count, at);
  };
  while (at < bytes.length) {
    const name = next(next(1).readUInt8()).toString();
    const type = next(1).readUInt8();
    const size = SIZED_TYPES.has(type) ? next(2).readUInt16BE() : FIXED_SIZES.get(type);
    if (size === undefined) throw broken(`a header of a frame has the unknown type ${type}`);
    const value = next(size);
    if (type === TEXT_HEADER) headers.set(name, value.toString());
  }
  return headers;
}

const broken = (reason: string): NoAnswer => new NoAnswer(`its stream is broken: ${reason}.`, null);
