import type { Token, TokenType } from './lexer.js';
import { TemplateError } from './values.js';

/** The tokens of a template with a position. The last one is always `end`. */
export class TokenStream {
  private at = 0;

  constructor(private readonly tokens: Token[]) {}

  get current(): Token {
    return this.tokens[this.at];
  }

  /** The token after the current one. */
  get following(): Token {
    return this.tokens[Math.min(this.at + 1, this.tokens.length - 1)];
  }

  next(): Token {
    const token = this.current;
    if (token.type !== 'end') this.at++;
    return token;
  }

  is(type: TokenType, ...values: string[]): boolean {
    const token = this.current;
    return token.type === type && (values.length === 0 || values.includes(token.value));
  }

  /** Takes the token if it is the operator. */
  skip(operator: string): boolean {
    return this.is('op', operator) && this.next() !== undefined;
  }

  skipName(name: string): boolean {
    return this.is('name', name) && this.next() !== undefined;
  }

  expect(type: TokenType, value?: string): Token {
    if (value === undefined ? this.is(type) : this.is(type, value)) return this.next();
    throw new TemplateError(`Expected ${value ?? type}, got ${this.current.value || this.current.type}`);
  }
}
