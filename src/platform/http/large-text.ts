import { createHash, randomUUID } from 'node:crypto';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** In bytes. Shorter texts are strings. */
const LARGE = 256 * 1024;
/** Random in every process, so that no client can send it. */
const MARK = `large-text:${randomUUID()}:`;

/** A long text of a JSON body: the received bytes, without escapes. A string would be a second copy, and its decoded content a third. */
export class LargeText {
  constructor(readonly bytes: Buffer) {}

  /** Represents the text when a body is compared with another one. */
  toJSON(): string {
    return createHash('sha256').update(this.bytes).digest('hex');
  }
}

/**
 * Extracts the long texts of a JSON body. Returns the rest as JSON with marks in their place, and a function that restores them in
 * the parsed value. Texts with escapes are not extracted.
 */
export function detachLargeTexts(body: Buffer): { rest: Buffer; attach: (value: unknown) => unknown } {
  const texts = new Map<string, LargeText>();
  const pieces: Buffer[] = [];
  let kept = 0;
  for (let open = body.indexOf(QUOTE); open >= 0;) {
    const close = closingQuote(body, open);
    if (close < 0) break;
    const text = body.subarray(open + 1, close);
    if (text.length > LARGE && !text.includes(BACKSLASH)) {
      const mark = `${MARK}${texts.size}`;
      texts.set(mark, new LargeText(text));
      pieces.push(body.subarray(kept, open + 1), Buffer.from(mark));
      kept = close;
    }
    open = body.indexOf(QUOTE, close + 1);
  }
  if (texts.size === 0) return { rest: body, attach: (value) => value };
  return { rest: Buffer.concat([...pieces, body.subarray(kept)]), attach: (value) => attach(value, texts) };
}

function closingQuote(body: Buffer, open: number): number {
  for (let at = body.indexOf(QUOTE, open + 1); at >= 0; at = body.indexOf(QUOTE, at + 1)) {
    let first = at;
    while (body[first - 1] === BACKSLASH) first--;
    // A quote after an odd number of backslashes is part of its text.
    if ((at - first) % 2 === 0) return at;
  }
  return -1;
}

/** Recurses as deep as the value, which the limits on JSON bound. */
function attach(value: unknown, texts: Map<string, LargeText>): unknown {
  if (typeof value === 'string') return texts.get(value) ?? value;
  if (Array.isArray(value)) return value.map((item) => attach(item, texts));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, attach(item, texts)]));
}
