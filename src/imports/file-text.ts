import { ImportErrors } from './imports.errors.js';

const UTF8_BOM = [0xef, 0xbb, 0xbf];
const NEWLINE = 0x0a;
const RETURN = 0x0d;

/**
 * Returns the text of a file in UTF-8 without a byte order mark, piece by piece. UTF-16 is read if it has a byte order
 * mark. Other encodings cannot be distinguished reliably, so they are rejected instead of guessed. Throws
 * import_file_not_utf8 and import_file_binary.
 */
export function* toUtf8(pieces: Iterable<Buffer>): Generator<Buffer> {
  let decode: ((piece?: Buffer) => Buffer) | null = null;
  for (const piece of pieces) {
    const bom = decode ? 0 : bomLength(piece);
    decode ??= decoderOf(piece);
    const text = decode(piece.subarray(bom));
    if (text.includes(0)) throw ImportErrors.import_file_binary();
    if (text.length > 0) yield text;
  }
  decode?.();
}

function bomLength(piece: Buffer): number {
  if (UTF8_BOM.every((byte, index) => piece[index] === byte)) return UTF8_BOM.length;
  return utf16Of(piece) ? 2 : 0;
}

function utf16Of(piece: Buffer): 'utf-16le' | 'utf-16be' | null {
  if (piece[0] === 0xff && piece[1] === 0xfe) return 'utf-16le';
  return piece[0] === 0xfe && piece[1] === 0xff ? 'utf-16be' : null;
}

/** A call without a piece checks for an incomplete character at the end. */
function decoderOf(first: Buffer): (piece?: Buffer) => Buffer {
  const utf16 = utf16Of(first);
  const decoder = new TextDecoder(utf16 ?? 'utf-8', { fatal: true, ignoreBOM: true });
  return (piece) => {
    const text = decodeOrRefuse(decoder, piece);
    // UTF-8 is only validated: the bytes are passed on unchanged.
    return utf16 ? Buffer.from(text) : (piece ?? Buffer.alloc(0));
  };
}

function decodeOrRefuse(decoder: TextDecoder, piece?: Buffer): string {
  try {
    return piece ? decoder.decode(piece, { stream: true }) : decoder.decode();
  } catch {
    throw ImportErrors.import_file_not_utf8();
  }
}

/** Splits a text into pieces of exactly `size` bytes; only the last may be shorter. */
export function* inPiecesOf(size: number, pieces: Iterable<Buffer>): Generator<Buffer> {
  let open: Buffer[] = [];
  let length = 0;
  for (const piece of pieces) {
    for (let at = 0; at < piece.length;) {
      const part = piece.subarray(at, at + size - length);
      open.push(part);
      length += part.length;
      at += part.length;
      if (length < size) continue;
      yield Buffer.concat(open);
      [open, length] = [[], 0];
    }
  }
  if (length > 0) yield Buffer.concat(open);
}

/** Counts the lines of a text with any line breaks: an upper limit of its records. */
export class LineCounter {
  private readonly breaks = new Map([
    [NEWLINE, 0],
    [RETURN, 0],
  ]);

  add(piece: Buffer): void {
    for (const [byte, count] of this.breaks) {
      let more = 0;
      for (let at = piece.indexOf(byte); at >= 0; at = piece.indexOf(byte, at + 1)) more++;
      this.breaks.set(byte, count + more);
    }
  }

  get lines(): number {
    return Math.max(...this.breaks.values()) + 1;
  }
}
