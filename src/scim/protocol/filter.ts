import { ScimErrors } from '../shared/scim.errors.js';
import { readJson } from '../../platform/read-json.js';
import { safeText } from '../../platform/safe-text.js';

export const OPERATORS = ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'] as const;
export type Operator = (typeof OPERATORS)[number];
export type Comparable = string | number | boolean | null;

/** A filter of RFC 7644, section 3.4.2.2. */
export type Filter =
  | { kind: 'and' | 'or'; parts: Filter[] }
  | { kind: 'not'; part: Filter }
  | { kind: 'compare'; path: string; operator: Operator; value: Comparable }
  | { kind: 'present'; path: string }
  /** One item of a multi-valued attribute fulfils the filter: `emails[type eq "work"]`. */
  | { kind: 'item'; path: string; filter: Filter };

/** The target of a PATCH operation: `emails[type eq "work"].value`. */
export interface ValuePath {
  path: string;
  filter: Filter | null;
  sub: string | null;
}

const LONGEST = 4000;
const DEEPEST = 20;
const MOST_CONDITIONS = 100;

const TOKEN =
  /\s*(?:([()[\]])|("(?:[^"\\]|\\.)*")|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.:])|(\.?[A-Za-z$][\w.:$-]*))/y;

interface Token {
  kind: 'bracket' | 'text' | 'number' | 'word';
  text: string;
}

/** Throws scim_filter_invalid. */
export function parseFilter(text: string): Filter {
  return new FilterParser(text, ScimErrors.scim_filter_invalid).whole();
}

/** Throws scim_path_invalid for a text that is no path at all; whether the attributes exist is not checked. */
export function parseValuePath(text: string): ValuePath {
  return new FilterParser(text, () => ScimErrors.scim_path_invalid(text)).valuePath();
}

class FilterParser {
  private readonly tokens: Token[];
  private at = 0;
  private depth = 0;
  private conditions = 0;

  constructor(
    text: string,
    private readonly refusal: (problem: string) => Error,
  ) {
    if (text.length > LONGEST) throw refusal(`it is longer than ${LONGEST} characters.`);
    this.tokens = this.tokensOf(safeText(text));
  }

  whole(): Filter {
    const filter = this.either();
    this.end();
    return filter;
  }

  valuePath(): ValuePath {
    const path = this.word();
    if (!this.skip('[')) return this.ended({ path, filter: null, sub: null });
    const filter = this.nested(']');
    const sub = this.at < this.tokens.length ? this.subAttribute() : null;
    return this.ended({ path, filter, sub });
  }

  private ended<T>(value: T): T {
    this.end();
    return value;
  }

  private either(): Filter {
    return this.joined('or', () => this.joined('and', () => this.condition()));
  }

  private joined(kind: 'and' | 'or', read: () => Filter): Filter {
    const parts = [read()];
    while (this.skipWord(kind)) parts.push(read());
    return parts.length === 1 ? parts[0]! : { kind, parts };
  }

  private condition(): Filter {
    if (++this.conditions > MOST_CONDITIONS) throw this.refusal(`it has more than ${MOST_CONDITIONS} conditions.`);
    if (this.skip('(')) return this.nested(')');
    const path = this.word();
    if (path.toLowerCase() === 'not' && this.skip('(')) return { kind: 'not', part: this.nested(')') };
    if (!this.skip('[')) return this.comparison(path);
    const filter = this.nested(']');
    if (!this.peek()?.text.startsWith('.')) return { kind: 'item', path, filter };
    const about = this.comparison(this.subAttribute());
    return { kind: 'item', path, filter: { kind: 'and', parts: [filter, about] } };
  }

  private nested(close: string): Filter {
    if (++this.depth > DEEPEST) throw this.refusal(`it nests deeper than ${DEEPEST} levels.`);
    const filter = this.either();
    if (!this.skip(close)) throw this.refusal(`"${close}" is missing.`);
    this.depth--;
    return filter;
  }

  private comparison(path: string): Filter {
    const word = this.word().toLowerCase();
    if (word === 'pr') return { kind: 'present', path };
    const operator = OPERATORS.find((each) => each === word);
    if (!operator) throw this.refusal(`"${word.slice(0, 60)}" is no operator. Known: ${OPERATORS.join(', ')}, pr.`);
    return { kind: 'compare', path, operator, value: this.value() };
  }

  private value(): Comparable {
    const token = this.next();
    if (token?.kind === 'number') return Number(token.text);
    if (token?.kind === 'text') return this.textOf(token.text);
    const words: Record<string, Comparable> = { true: true, false: false, null: null };
    const word = token?.text.toLowerCase() ?? '';
    if (!Object.hasOwn(words, word)) throw this.refusal('a value is missing: texts are in double quotes.');
    return words[word]!;
  }

  private textOf(literal: string): string {
    try {
      return safeText(readJson(literal) as string);
    } catch {
      throw this.refusal(`${literal.slice(0, 60)} is no JSON text.`);
    }
  }

  private subAttribute(): string {
    const word = this.word();
    if (!/^\.[A-Za-z$][\w$-]*$/.test(word)) throw this.refusal(`"${word.slice(0, 60)}" is no sub-attribute.`);
    return word.slice(1);
  }

  private word(): string {
    const token = this.next();
    if (token?.kind !== 'word') throw this.refusal('the name of an attribute or an operator is missing.');
    return token.text;
  }

  private skip(bracket: string): boolean {
    const found = this.peek()?.kind === 'bracket' && this.peek()!.text === bracket;
    if (found) this.at++;
    return found;
  }

  private skipWord(word: string): boolean {
    const found = this.peek()?.kind === 'word' && this.peek()!.text.toLowerCase() === word;
    if (found) this.at++;
    return found;
  }

  private end(): void {
    const token = this.peek();
    if (token) throw this.refusal(`"${token.text.slice(0, 60)}" was not expected.`);
  }

  private peek(): Token | undefined {
    return this.tokens[this.at];
  }

  private next(): Token | undefined {
    return this.tokens[this.at++];
  }

  private tokensOf(text: string): Token[] {
    const tokens: Token[] = [];
    const pattern = new RegExp(TOKEN);
    const end = text.trimEnd().length;
    while (pattern.lastIndex < end) {
      const from = pattern.lastIndex;
      const found = pattern.exec(text);
      if (!found) throw this.refusal(`"${text.slice(from, from + 60)}" cannot be read.`);
      const [, bracket, quoted, digits, word] = found;
      if (bracket) tokens.push({ kind: 'bracket', text: bracket });
      else if (quoted) tokens.push({ kind: 'text', text: quoted });
      else if (digits) tokens.push({ kind: 'number', text: digits });
      else tokens.push({ kind: 'word', text: word! });
    }
    return tokens;
  }
}
