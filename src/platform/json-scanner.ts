import type { JsonLimits } from './json-limits.js';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** `[` and `{` differ in this bit only, and so do `]` and `}`. */
const SHAPE_BIT = 0x20;
const OPEN = 0x7b;
const CLOSE = 0x7d;

const ZERO = 0x30;
const NINE = 0x39;
/** Every natural number of so many digits is exact. */
const EXACT_DIGITS = 15;

/** What a byte means inside a string. */
const PLAIN = 0;
const CONTROL = 3;
const IN_STRING = new Uint8Array(256);
IN_STRING.fill(CONTROL, 0, 0x20);
IN_STRING[QUOTE] = 1;
IN_STRING[BACKSLASH] = 2;

/** 1 for the bytes that end a number, `true`, `false` or `null`. */
const ENDS_LITERAL = new Uint8Array(256);
for (const character of ' \t\n\r,:]}[{"') ENDS_LITERAL[character.charCodeAt(0)] = 1;

/** 1 for what may follow a backslash, `u` apart. */
const ESCAPE = new Uint8Array(256);
for (const character of '"\\/bfnrt') ESCAPE[character.charCodeAt(0)] = 1;
const UNICODE = 0x75;

/** Thrown where a text is not what the scanner can pass over: it may not be JSON, or JSON of another shape. */
export class UnexpectedJson extends Error {}

/**
 * Moves over JSON in UTF-8 without making values of it. Strings are checked completely, but for the digits of code
 * points; of everything else only the brackets are. So what was passed must be parsed by someone else, or be compared
 * byte by byte.
 */
export class JsonScanner {
  at = 0;
  /** Where the string begins that was passed last, with its quote. */
  start = 0;
  /** Whether it holds escapes of code points, which may stand for what no text can hold. */
  unicodeEscapes = false;
  /** Whether it holds any escapes. */
  escapes = false;
  private containers = 0;
  private depth = 0;

  constructor(
    private readonly bytes: Buffer,
    private readonly limits: JsonLimits,
  ) {}

  /** Passes blanks; gives the byte that follows, undefined at the end. */
  next(): number | undefined {
    const { bytes } = this;
    let byte = bytes[this.at];
    while (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) byte = bytes[++this.at];
    return byte;
  }

  /** Passes this byte if it comes next. */
  takes(byte: number): boolean {
    if (this.next() !== byte) return false;
    this.at++;
    return true;
  }

  /** Passes exactly these bytes if they come next, after blanks. */
  passes(expected: Uint8Array): boolean {
    this.next();
    return this.follows(expected);
  }

  /** Passes exactly these bytes if they come next, without blanks. */
  follows(expected: Uint8Array): boolean {
    const { bytes, at } = this;
    for (let index = 0; index < expected.length; index++) if (bytes[at + index] !== expected[index]) return false;
    this.at = at + expected.length;
    return true;
  }

  /** Passes a string, which must come next. */
  string(): void {
    const { bytes } = this;
    if (this.next() !== QUOTE) throw new UnexpectedJson();
    this.start = this.at;
    this.escapes = false;
    this.unicodeEscapes = false;
    let at = this.at + 1;
    for (;;) {
      while (IN_STRING[bytes[at]] === PLAIN) at++;
      if (bytes[at] === QUOTE) break;
      if (bytes[at] !== BACKSLASH) throw new UnexpectedJson();
      at = this.escape(at);
    }
    this.at = at + 1;
  }

  /** Passes the digits of a natural number that JavaScript holds exactly; null, and passes nothing, if it is none. */
  natural(): number | null {
    const { bytes } = this;
    let { at } = this;
    let number = 0;
    while (bytes[at] >= ZERO && bytes[at] <= NINE) number = number * 10 + bytes[at++] - ZERO;
    const digits = at - this.at;
    if (digits === 0 || digits > EXACT_DIGITS || (digits > 1 && bytes[this.at] === ZERO)) return null;
    this.at = at;
    return number;
  }

  /** Whether a number ends here. */
  isAtEnd(): boolean {
    return ENDS_LITERAL[this.bytes[this.at]] !== 0;
  }

  /** Passes a value of any kind. */
  value(): void {
    const outer = this.depth;
    do {
      const byte = this.next();
      if (byte === QUOTE) this.string();
      else if (byte === undefined) throw new UnexpectedJson();
      else if ((byte | SHAPE_BIT) === OPEN) this.open();
      else if ((byte | SHAPE_BIT) === CLOSE) this.close();
      else this.literal();
    } while (this.depth > outer);
    if (this.depth < outer) throw new UnexpectedJson();
  }

  open(): void {
    if (++this.depth > this.limits.depth || ++this.containers > this.limits.containers) throw new UnexpectedJson();
    this.at++;
  }

  close(): void {
    this.depth--;
    this.at++;
  }

  /** Passes an escape sequence; gives where it ends. */
  private escape(at: number): number {
    const { bytes } = this;
    this.escapes = true;
    if (ESCAPE[bytes[at + 1]] === 1) return at + 2;
    if (bytes[at + 1] !== UNICODE) throw new UnexpectedJson();
    this.unicodeEscapes = true;
    return at + 2;
  }

  /** A number, `true`, `false` or `null`, or the punctuation between values. */
  private literal(): void {
    const { bytes } = this;
    this.at++;
    while (this.at < bytes.length && ENDS_LITERAL[bytes[this.at]] === 0) this.at++;
  }
}
