import { EvaluationError } from './evaluation-error.js';

/**
 * A Python regular expression in the syntax of two engines. One matches in linear time but knows only the boundaries of
 * ASCII words. JavaScript's engine is used where a boundary of other words counts.
 */
export interface TranslatedPattern {
  linear: string;
  /** Null when the linear engine gives the same result as Python. */
  backtracking: { source: string; flags: string } | null;
}

/** A letter, digit or connector in any language, like Python's `\w`. */
const WORD = String.raw`\p{L}\p{N}_`;
const SPACE = String.raw`\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000`;
const ASCII = { w: 'A-Za-z0-9_', d: '0-9', s: String.raw`\t-\r\x20` };
const UNICODE = { w: WORD, d: String.raw`\p{Nd}`, s: SPACE };
const BOUNDARY = `(?:(?<=[${WORD}])(?![${WORD}])|(?<![${WORD}])(?=[${WORD}]))`;
const NO_BOUNDARY = `(?:(?<=[${WORD}])(?=[${WORD}])|(?<![${WORD}])(?![${WORD}]))`;
const ASCII_BOUNDARY = BOUNDARY.replaceAll(WORD, ASCII.w);
const ASCII_NO_BOUNDARY = NO_BOUNDARY.replaceAll(WORD, ASCII.w);

/** Escapes in the syntax of each engine. `\b` has its meaning in a class. */
const ESCAPES: Readonly<Record<string, [string, string]>> = {
  '\\A': ['\\A', '(?<![^])'],
  '\\Z': ['\\z', '(?![^])'],
  '\\z': ['\\z', '(?![^])'],
  '\\a': ['\\x07', '\\x07'],
  '\\b': ['\\x08', '\\x08'],
  ...Object.fromEntries(['\\f', '\\n', '\\r', '\\t', '\\v'].map((escape) => [escape, [escape, escape]])),
};

const complements = new Map<string, string>();

/** The complement of a class as the content of a class: within brackets there is no other way to write it. */
function complementOf(content: string): string {
  let found = complements.get(content);
  if (found === undefined) complements.set(content, (found = listOutside(new RegExp(`[${content}]`, 'iu'))));
  return found;
}

function listOutside(inside: RegExp): string {
  const ranges: string[] = [];
  let start: number | null = null;
  for (let code = 0; code <= 0x110000; code++) {
    const isOutside = code < 0x110000 && !inside.test(String.fromCodePoint(code));
    if (isOutside) start ??= code;
    else if (start !== null) {
      ranges.push(`${hex(start)}-${hex(code - 1)}`);
      start = null;
    }
  }
  return ranges.join('');
}

/** Syntax of the linear engine; see `forJavaScript`. */
const hex = (code: number): string => `\\x{${code.toString(16)}}`;

/** A token of a pattern: a character, an escape, a comment, or the start of a group. */
interface Token {
  text: string;
  inClass: boolean;
}

/** The tokens of a pattern one by one. */
export function* tokensOf(pattern: string): Generator<Token> {
  let inClass = false;
  for (let at = 0; at < pattern.length;) {
    const text = tokenAt(pattern, at, inClass);
    yield { text, inClass };
    at += text.length;
    if (inClass) {
      inClass = text !== ']';
    } else if (text === '[' || text === '[^') {
      inClass = true;
      // A bracket right after the opening one is a character of the class.
      if (pattern[at] === ']') {
        yield { text: '\\]', inClass };
        at++;
      }
    }
  }
}

const ESCAPE =
  /\\(?:u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|x\{[0-9a-fA-F]+\}|x[0-9a-fA-F]{2}|[pP](?:\{[^}]*\}|[A-Za-z])|[^])/y;
const OPENING = /\(\?(?:#[^)]*\)?|P<\w+>|<\w+>|[a-zA-Z-]*[:)])|\[\^|\{,\d+\}|\{\d+(?:,\d*)?\}/y;

function tokenAt(pattern: string, at: number, inClass: boolean): string {
  const kind = pattern[at] === '\\' ? ESCAPE : inClass ? null : OPENING;
  if (kind) kind.lastIndex = at;
  return kind?.exec(pattern)?.[0] ?? String.fromCodePoint(pattern.codePointAt(at)!);
}

/** Translates a pattern. Throws EvaluationError for unknown flags. */
export function translate(pattern: string): TranslatedPattern {
  const translation = new Translation();
  for (const token of tokensOf(pattern)) translation.add(token);
  return translation.result;
}

class Translation {
  private linear = '';
  private javaScript = '';
  private flags = 'u';
  private hasBoundary = false;
  /** True when JavaScript's engine cannot be used, because it has no flags for a part of a pattern. */
  private isLinearOnly = false;
  /** Whether classes mean ASCII, for each open group. */
  private readonly ascii = [false];

  get result(): TranslatedPattern {
    const { linear, javaScript: source, flags } = this;
    const isNeeded = this.hasBoundary && !this.isLinearOnly;
    return { linear, backtracking: isNeeded ? { source, flags } : null };
  }

  add({ text, inClass }: Token): void {
    if (text.startsWith('(?#')) return;
    if (text.startsWith('\\')) return this.escape(text, inClass);
    if (inClass) return this.write(text, text === '[' ? '\\[' : text);
    if (text.startsWith('(')) return this.open(text);
    if (text === ')' && this.ascii.length > 1) this.ascii.pop();
    // Python counts from zero when the first number is left out.
    if (text.startsWith('{,')) return this.write(`{0${text.slice(1)}`);
    this.write(text, ['{', '}', ']'].includes(text) ? `\\${text}` : text);
  }

  private write(linear: string, javaScript = linear): void {
    this.linear += linear;
    this.javaScript += javaScript;
  }

  private get isAscii(): boolean {
    return this.ascii.at(-1)!;
  }

  private open(text: string): void {
    const [, letters, end] = /^\(\?([a-zA-Z-]*)([:)])$/.exec(text) ?? [];
    const flags = letters ?? '';
    const isAscii = flags.includes('a') || (this.isAscii && !flags.includes('u'));
    const kept = flags.replaceAll(/[auL]/g, '').replace(/-$/, '');
    if (end === ')') {
      this.ascii[this.ascii.length - 1] = isAscii;
      this.applyGlobally(kept);
      return;
    }
    this.ascii.push(isAscii);
    if (kept !== '') this.isLinearOnly = true;
    if (end === ':') this.write(`(?${kept}:`);
    else this.write(text, text.replace('(?P<', '(?<'));
  }

  private applyGlobally(flags: string): void {
    if (flags === '') return;
    this.linear += `(?${flags})`;
    if (this.javaScript !== '' || /[^ims]/.test(flags)) this.isLinearOnly = true;
    else this.flags += flags;
  }

  private escape(text: string, inClass: boolean): void {
    const letter = text[1]!;
    const classes = this.isAscii ? ASCII : UNICODE;
    const name = letter.toLowerCase();
    if (text.length === 2 && (name === 'w' || name === 'd' || name === 's')) {
      return this.writeClass(classes[name], { inClass, isNegated: name !== letter });
    }
    if (name === 'b' && !inClass) return this.writeBoundary(letter === 'b');
    const known = ESCAPES[text];
    if (known) return this.write(...known);
    if (/^\\[uUx]./.test(text)) return this.writeCode(parseInt(text.replace(/[^0-9a-fA-F]/g, ''), 16));
    if (/^\\[pP]/.test(text)) return this.write(text, text.replace(/^(\\[pP])([A-Za-z])$/, '$1{$2}'));
    this.writeLiteral(text);
  }

  private writeClass(content: string, { inClass, isNegated }: { inClass: boolean; isNegated: boolean }): void {
    if (!inClass) return this.writeBoth(`[${isNegated ? '^' : ''}${content}]`);
    this.writeBoth(isNegated ? complementOf(content) : content);
  }

  /** Writes text that differs between the engines only in the escapes of code points. */
  private writeBoth(content: string): void {
    const linear = content.replaceAll(/\\u([0-9a-f]{4})/g, '\\x{$1}');
    this.write(linear, content.replaceAll('\\x{', '\\u{'));
  }

  private writeBoundary(isWanted: boolean): void {
    this.hasBoundary ||= !this.isAscii;
    if (this.isAscii) this.write(isWanted ? '\\b' : '\\B', isWanted ? ASCII_BOUNDARY : ASCII_NO_BOUNDARY);
    else this.write(isWanted ? '\\b' : '\\B', isWanted ? BOUNDARY : NO_BOUNDARY);
  }

  private writeCode(code: number): void {
    if (!(code <= 0x10ffff)) throw new EvaluationError('There is no character of such a number.');
    this.write(hex(code), `\\u{${code.toString(16)}}`);
  }

  /** Writes an escaped sign, which means itself. Other escapes of letters and digits are left to the linear engine. */
  private writeLiteral(text: string): void {
    const sign = text.slice(1);
    if (/[A-Za-z0-9]/.test(sign)) {
      this.isLinearOnly ||= sign !== '0';
      return this.write(text, '\\0');
    }
    this.write(text, /[$^\\.*+?()[\]{}|/]/.test(sign) ? text : `\\u{${sign.codePointAt(0)!.toString(16)}}`);
  }
}
