const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** `[` and `{` differ in this bit only, and so do `]` and `}`. */
const SHAPE_BIT = 0x20;
const OPEN = 0x7b;
const CLOSE = 0x7d;

export interface JsonLimits {
  /** Maximum depth of nested lists and objects. */
  depth: number;
  /** Maximum number of lists and objects. */
  containers: number;
}

/**
 * Whether a JSON text stays within limits; linear, without recursion and without parsing. JSON.parse needs seconds and
 * gigabytes for some million brackets, and what it returns then could never be written back.
 */
export function fitsJsonLimits(json: string, limits: JsonLimits): boolean {
  let depth = 0;
  let containers = 0;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(json, at);
    } else if ((code | SHAPE_BIT) === OPEN) {
      if (++depth > limits.depth || ++containers > limits.containers) return false;
    } else if ((code | SHAPE_BIT) === CLOSE) {
      depth--;
    }
  }
  return true;
}

/** The index of the quote that closes the string opened at `open`; the length of the text if there is none. */
export function endOfString(json: string, open: number): number {
  for (let at = json.indexOf('"', open + 1); at >= 0; at = json.indexOf('"', at + 1)) {
    if (!isEscaped(json, at)) return at;
  }
  return json.length;
}

/** A quote after an odd number of backslashes is part of its string. */
function isEscaped(json: string, quote: number): boolean {
  let first = quote;
  while (json.charCodeAt(first - 1) === BACKSLASH) first--;
  return (quote - first) % 2 === 1;
}
