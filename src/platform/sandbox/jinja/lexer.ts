import { TemplateError } from './values.js';

export type TokenType =
  | 'text'
  | 'variable_begin'
  | 'variable_end'
  | 'block_begin'
  | 'block_end'
  | 'name'
  | 'int'
  | 'float'
  | 'string'
  | 'op'
  | 'end';

export interface Token {
  type: TokenType;
  value: string;
}

const TAG_START = /\{[{%#]/g;
const RAW_START = /\{%[-+]?\s*raw\s*(-?)%\}/y;
const RAW_END = /\{%([-+]?)\s*endraw\s*([-+]?)%\}/g;
const SPACE = /\s*/y;
const NAME = /[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Mn}\p{Mc}\p{Nd}\p{Pc}]*/uy;
const PLAIN_NAME = /[A-Za-z_]\w*/y;
const ASCII = 0x7f;
const DIGIT = /\d/;
const FLOAT = /(?:\d+_)*\d+(?:(?:\.(?:\d+_)*\d+)?[eE][+-]?(?:\d+_)*\d+|\.(?:\d+_)*\d+)/y;
const INTEGER = /0[bB](?:_?[01])+|0[oO](?:_?[0-7])+|0[xX](?:_?[\da-fA-F])+|[1-9](?:_?\d)*|0(?:_?0)*/y;
const OPERATOR = /\/\/|\*\*|==|!=|>=|<=|[-+*/%~<>=.,:|;()[\]{}]/y;
const CLOSING: Record<string, string> = { '(': ')', '[': ']', '{': '}' };

/**
 * Splits a template into tokens. Newlines become "\n", one at the end is dropped, whitespace control and raw
 * blocks are resolved here.
 */
export function tokenize(source: string): Token[] {
  const normalized = source.replace(/\r\n?/g, '\n');
  return new Lexer(normalized.endsWith('\n') ? normalized.slice(0, -1) : normalized).run();
}

class Lexer {
  private readonly tokens: Token[] = [];
  private at = 0;
  /** The previous tag removes the whitespace after it. */
  private trimsNext = false;

  constructor(private readonly source: string) {}

  run(): Token[] {
    while (this.at < this.source.length) this.readTextAndTag();
    this.tokens.push({ type: 'end', value: '' });
    return this.tokens;
  }

  private readTextAndTag(): void {
    TAG_START.lastIndex = this.at;
    const start = TAG_START.exec(this.source)?.index ?? this.source.length;
    const marker = this.source[start + 2];
    this.pushText(this.source.slice(this.at, start), marker === '-');
    this.at = start;
    if (start >= this.source.length) return;
    const kind = this.source[start + 1];
    if (kind === '#') this.skipComment();
    else if (kind === '%' && this.matches(RAW_START)) this.readRaw();
    else this.readTag(kind === '{' ? 'variable' : 'block');
  }

  private pushText(text: string, trimsEnd: boolean): void {
    let kept = this.trimsNext ? text.trimStart() : text;
    this.trimsNext = false;
    if (trimsEnd) kept = kept.trimEnd();
    if (kept !== '') this.tokens.push({ type: 'text', value: kept });
  }

  private matches(pattern: RegExp): string | null {
    pattern.lastIndex = this.at;
    return pattern.exec(this.source)?.[0] ?? null;
  }

  private skipComment(): void {
    const end = this.source.indexOf('#}', this.at + 2);
    if (end < 0) throw new TemplateError('Missing end of comment tag');
    this.trimsNext = this.source[end - 1] === '-' && end - 1 >= this.at + 2;
    this.at = end + 2;
  }

  private readRaw(): void {
    const opening = this.matches(RAW_START) as string;
    this.trimsNext = opening.endsWith('-%}');
    RAW_END.lastIndex = this.at + opening.length;
    const end = RAW_END.exec(this.source);
    if (!end) throw new TemplateError('Missing end of raw directive');
    this.pushText(this.source.slice(this.at + opening.length, end.index), end[1] === '-');
    this.trimsNext = end[2] === '-';
    this.at = end.index + end[0].length;
  }

  private readTag(kind: 'variable' | 'block'): void {
    const sign = this.source[this.at + 2];
    this.at += sign === '-' || sign === '+' ? 3 : 2;
    this.tokens.push({ type: `${kind}_begin`, value: '' });
    const open: string[] = [];
    const end = kind === 'variable' ? '}}' : '%}';
    for (;;) {
      this.matches(SPACE);
      this.at = SPACE.lastIndex;
      if (open.length === 0 && this.readEnd(end, kind)) return;
      this.readToken(open);
    }
  }

  private readEnd(end: string, kind: 'variable' | 'block'): boolean {
    const sign = this.source[this.at];
    const isSigned = (sign === '-' || (sign === '+' && kind === 'block')) && this.source.startsWith(end, this.at + 1);
    if (!isSigned && !this.source.startsWith(end, this.at)) return false;
    this.tokens.push({ type: `${kind}_end`, value: '' });
    this.at += end.length + (isSigned ? 1 : 0);
    this.trimsNext = isSigned && sign === '-';
    return true;
  }

  private readToken(open: string[]): void {
    if (this.at >= this.source.length) throw new TemplateError('Unexpected end of template');
    const character = this.source[this.at];
    if (character === '"' || character === "'") this.readString(character);
    else if (DIGIT.test(character)) this.readNumber();
    else if (!this.readName()) this.readOperator(open);
  }

  private readPlain(type: TokenType, pattern: RegExp): boolean {
    const value = this.matches(pattern);
    if (value === null) return false;
    this.tokens.push({ type, value });
    this.at += value.length;
    return true;
  }

  private readNumber(): void {
    // After a dot only an index can follow: x.0.1 is not a float.
    const last = this.tokens.at(-1);
    const isIndex = last?.type === 'op' && last.value === '.';
    if (isIndex || !this.readPlain('float', FLOAT)) this.readPlain('int', INTEGER);
  }

  /** Reads a name. Unicode properties are slow to look up, and most names need none. */
  private readName(): boolean {
    const plain = this.matches(PLAIN_NAME);
    if (plain === null || this.source.charCodeAt(this.at + plain.length) > ASCII) return this.readPlain('name', NAME);
    this.tokens.push({ type: 'name', value: plain });
    this.at += plain.length;
    return true;
  }

  private readString(mark: string): void {
    let end = this.at + 1;
    while (end < this.source.length && this.source[end] !== mark) end += this.source[end] === '\\' ? 2 : 1;
    if (end >= this.source.length) throw new TemplateError('Unexpected end of string');
    this.tokens.push({ type: 'string', value: unescapeText(this.source.slice(this.at + 1, end)) });
    this.at = end + 1;
  }

  private readOperator(open: string[]): void {
    const operator = this.matches(OPERATOR);
    if (operator === null) throw new TemplateError(`Unexpected character ${JSON.stringify(this.source[this.at])}`);
    if (CLOSING[operator]) open.push(CLOSING[operator]);
    else if (')]}'.includes(operator) && open.pop() !== operator) throw new TemplateError(`Unexpected '${operator}'`);
    this.tokens.push({ type: 'op', value: operator });
    this.at += operator.length;
  }
}

const ESCAPE = /\\(?:\n|[xuU]((?<=x)[\da-fA-F]{2}|(?<=u)[\da-fA-F]{4}|(?<=U)[\da-fA-F]{8})|[0-7]{1,3}|[abfnrtv\\'"])/g;
const SHORT_ESCAPES: Record<string, string> = { a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

/** Replaces the escapes of a Python text literal. Unknown ones stay. */
function unescapeText(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replace(ESCAPE, (escape: string, hex?: string) => {
    const rest = escape.slice(1);
    if (hex !== undefined) return codePoint(parseInt(hex, 16));
    if (/^[0-7]/.test(rest)) return String.fromCodePoint(parseInt(rest, 8));
    // A backslash before the end of a line joins the lines.
    return rest === '\n' ? '' : (SHORT_ESCAPES[rest] ?? rest);
  });
}

function codePoint(code: number): string {
  if (code > 0x10ffff) throw new TemplateError('Illegal Unicode character');
  return String.fromCodePoint(code);
}
