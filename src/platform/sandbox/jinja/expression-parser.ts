import type { BinaryOperator, CallArguments, Comparison, Expression, Filter } from './ast.js';
import type { TokenStream } from './token-stream.js';
import { TemplateError } from './values.js';

const CONSTANTS: Record<string, boolean | null> = {
  true: true,
  True: true,
  false: false,
  False: false,
  none: null,
  None: null,
};

/** Binary operators from loose to tight. All of them, also `**`, group to the left in templates. */
const LEVELS: string[][] = [['+', '-'], ['~'], ['*', '/', '//', '%'], ['**']];
const COMPARISONS = ['==', '!=', '<', '<=', '>', '>='];
const MAX_DEPTH = 100;

/** Expressions of the template language, one token of look-ahead. */
export class ExpressionParser {
  private depth = 0;

  constructor(protected readonly tokens: TokenStream) {}

  /** One expression, with an inline `if` unless the caller's syntax has its own. */
  parseExpression(allowsConditional = true): Expression {
    if (this.isAlone()) return this.parsePrimary();
    // Nesting costs native stack; a template that deep is an attack or a mistake.
    if (++this.depth > MAX_DEPTH) throw new TemplateError('The expression is nested too deeply.');
    let node = this.parseOr();
    while (allowsConditional && this.tokens.skipName('if')) {
      const test = this.parseOr();
      const otherwise = this.tokens.skipName('else') ? this.parseExpression() : null;
      node = { kind: 'conditional', test, value: node, otherwise };
    }
    this.depth--;
    return node;
  }

  /** True for a single name in a tag of its own. Most expressions are, and can skip all levels of the grammar. */
  private isAlone(): boolean {
    const { current, following } = this.tokens;
    const isEnd = following.type === 'variable_end' || following.type === 'block_end';
    return isEnd && current.type === 'name' && current.value !== 'not';
  }

  /** Expressions separated by commas are a tuple; one alone is itself. */
  parseTuple(allowsConditional = true): Expression {
    const first = this.parseExpression(allowsConditional);
    if (!this.tokens.is('op', ',')) return first;
    const items = [first];
    while (this.tokens.skip(',') && !this.isTupleEnd()) items.push(this.parseExpression(allowsConditional));
    return { kind: 'tuple', items };
  }

  private isTupleEnd(): boolean {
    const { tokens } = this;
    return (
      tokens.is('variable_end') ||
      tokens.is('block_end') ||
      tokens.is('op', ')', ']') ||
      tokens.is('name', 'in', 'recursive')
    );
  }

  private parseOr(): Expression {
    let left = this.parseAnd();
    while (this.tokens.skipName('or')) left = { kind: 'logical', operator: 'or', left, right: this.parseAnd() };
    return left;
  }

  private parseAnd(): Expression {
    let left = this.parseNot();
    while (this.tokens.skipName('and')) left = { kind: 'logical', operator: 'and', left, right: this.parseNot() };
    return left;
  }

  private parseNot(): Expression {
    let negations = 0;
    while (this.tokens.is('name', 'not')) {
      this.tokens.next();
      negations++;
    }
    let node = this.parseCompare();
    // Two negations make a bool; every further pair adds nothing but depth.
    const count = negations > 2 ? 2 - (negations % 2) : negations;
    for (let index = 0; index < count; index++) node = { kind: 'unary', operator: 'not', operand: node };
    return node;
  }

  private parseCompare(): Expression {
    const first = this.parseBinary(0);
    const rest: [Comparison, Expression][] = [];
    for (let operator = this.readComparison(); operator; operator = this.readComparison()) {
      rest.push([operator, this.parseBinary(0)]);
    }
    return rest.length === 0 ? first : { kind: 'compare', first, rest };
  }

  private readComparison(): Comparison | null {
    const { tokens } = this;
    if (tokens.is('op', ...COMPARISONS)) return tokens.next().value as Comparison;
    if (tokens.skipName('in')) return 'in';
    const isNotIn = tokens.is('name', 'not') && tokens.following.type === 'name' && tokens.following.value === 'in';
    if (!isNotIn) return null;
    tokens.next();
    tokens.next();
    return 'not in';
  }

  /** Precedence climbing: one native frame per level that is really used. */
  private parseBinary(level: number): Expression {
    let left = this.parseUnary();
    for (;;) {
      const found = this.binaryLevel();
      if (found < level) return left;
      const operator = this.tokens.next().value as BinaryOperator;
      left = { kind: 'binary', operator, left, right: this.parseBinary(found + 1) };
    }
  }

  private binaryLevel(): number {
    const { current } = this.tokens;
    return current.type === 'op' ? LEVELS.findIndex((operators) => operators.includes(current.value)) : -1;
  }

  private parseUnary(): Expression {
    const signs: ('-' | '+')[] = [];
    while (this.tokens.is('op', '-', '+')) {
      if (signs.length > MAX_DEPTH) throw new TemplateError('The expression is nested too deeply.');
      signs.push(this.tokens.next().value as '-' | '+');
    }
    let node = this.parsePostfix(this.parsePrimary());
    while (signs.length > 0) node = { kind: 'unary', operator: signs.pop() as '-' | '+', operand: node };
    return this.parseFiltersAndTests(node);
  }

  private parsePrimary(): Expression {
    const token = this.tokens.next();
    switch (token.type) {
      case 'name':
        return Object.hasOwn(CONSTANTS, token.value)
          ? { kind: 'constant', value: CONSTANTS[token.value] }
          : { kind: 'name', name: token.value };
      case 'string':
        return { kind: 'constant', value: this.joinTexts(token.value) };
      case 'int':
        return { kind: 'constant', value: readInt(token.value) };
      case 'float':
        return { kind: 'constant', value: Number(token.value.replaceAll('_', '')) };
      default:
        return this.parseBracketed(token.type === 'op' ? token.value : token.type);
    }
  }

  private joinTexts(first: string): string {
    const texts = [first];
    while (this.tokens.is('string')) texts.push(this.tokens.next().value);
    return texts.join('');
  }

  private parseBracketed(opening: string): Expression {
    if (opening === '(') return this.parseParentheses();
    if (opening === '[') return { kind: 'list', items: this.parseItems(']') };
    if (opening === '{') return this.parseDict();
    throw new TemplateError(`Unexpected '${opening}'`);
  }

  private parseParentheses(): Expression {
    if (this.tokens.skip(')')) return { kind: 'tuple', items: [] };
    const node = this.parseTuple();
    this.tokens.expect('op', ')');
    return node;
  }

  private parseItems(closing: string): Expression[] {
    const items: Expression[] = [];
    while (!this.tokens.is('op', closing)) {
      items.push(this.parseExpression());
      if (!this.tokens.skip(',')) break;
    }
    this.tokens.expect('op', closing);
    return items;
  }

  private parseDict(): Expression {
    const entries: [Expression, Expression][] = [];
    while (!this.tokens.is('op', '}')) {
      const key = this.parseExpression();
      this.tokens.expect('op', ':');
      entries.push([key, this.parseExpression()]);
      if (!this.tokens.skip(',')) break;
    }
    this.tokens.expect('op', '}');
    return { kind: 'dict', entries };
  }

  private parsePostfix(start: Expression): Expression {
    let node = start;
    for (let count = 0; ; count++) {
      if (count > MAX_DEPTH) throw new TemplateError('The expression is nested too deeply.');
      if (this.tokens.skip('.')) node = this.parseAttribute(node);
      else if (this.tokens.skip('[')) node = this.parseSubscript(node);
      else if (this.tokens.is('op', '(')) node = { kind: 'call', callee: node, call: this.parseCall() };
      else return node;
    }
  }

  private parseAttribute(object: Expression): Expression {
    if (!this.tokens.is('int')) return { kind: 'attribute', object, name: this.tokens.expect('name').value };
    return { kind: 'item', object, key: { kind: 'constant', value: readInt(this.tokens.next().value) } };
  }

  private parseSubscript(object: Expression): Expression {
    const bounds: (Expression | null)[] = [this.parseBound()];
    while (bounds.length < 3 && this.tokens.skip(':')) bounds.push(this.parseBound());
    this.tokens.expect('op', ']');
    const [key, stop = null, step = null] = bounds;
    if (bounds.length > 1) return { kind: 'slice', object, bounds: [key, stop, step] };
    if (key === null) throw new TemplateError('Expected an index');
    return { kind: 'item', object, key };
  }

  private parseBound(): Expression | null {
    return this.tokens.is('op', ':', ']') ? null : this.parseTuple();
  }

  protected parseCall(): CallArguments {
    const call: CallArguments = { positional: [], keywords: [], spread: null, keywordSpread: null };
    this.tokens.expect('op', '(');
    while (!this.tokens.is('op', ')')) {
      this.parseArgument(call);
      if (!this.tokens.skip(',')) break;
    }
    this.tokens.expect('op', ')');
    return call;
  }

  private parseArgument(call: CallArguments): void {
    const { tokens } = this;
    if (call.keywordSpread) throw new TemplateError('invalid syntax for function call expression');
    if (tokens.skip('**')) call.keywordSpread = this.parseExpression();
    else if (tokens.is('op', '*') && !call.spread) {
      tokens.next();
      call.spread = this.parseExpression();
    } else if (tokens.is('name') && tokens.following.type === 'op' && tokens.following.value === '=') {
      const name = tokens.next().value;
      tokens.next();
      call.keywords.push([name, this.parseExpression()]);
    } else if (call.keywords.length > 0 || call.spread) {
      throw new TemplateError('invalid syntax for function call expression');
    } else call.positional.push(this.parseExpression());
  }

  private parseFiltersAndTests(start: Expression): Expression {
    let node = start;
    for (let count = 0; ; count++) {
      if (count > MAX_DEPTH) throw new TemplateError('The expression is nested too deeply.');
      if (this.tokens.is('op', '|')) node = { kind: 'filter', operand: node, ...this.parseFilter() };
      else if (this.tokens.is('name', 'is')) node = this.parseTest(node);
      else if (this.tokens.is('op', '(')) node = { kind: 'call', callee: node, call: this.parseCall() };
      else return node;
    }
  }

  private parseFilter(): Filter {
    this.tokens.expect('op', '|');
    return this.parseFilterName();
  }

  /** The filters of `{% filter a | b(1) %}` and `{% set x | a %}`: at least one. */
  protected parseFilterChain(): Filter[] {
    const filters = [this.parseFilterName()];
    while (this.tokens.is('op', '|')) filters.push(this.parseFilter());
    return filters;
  }

  private parseFilterName(): Filter {
    let name = this.tokens.expect('name').value;
    while (this.tokens.skip('.')) name += `.${this.tokens.expect('name').value}`;
    return { name, call: this.tokens.is('op', '(') ? this.parseCall() : noArguments() };
  }

  private parseTest(operand: Expression): Expression {
    this.tokens.next();
    const isNegated = this.tokens.skipName('not');
    const name = this.tokens.expect('name').value;
    const test: Expression = { kind: 'test', operand, name, call: this.parseTestArguments() };
    return isNegated ? { kind: 'unary', operator: 'not', operand: test } : test;
  }

  private parseTestArguments(): CallArguments {
    const { tokens } = this;
    if (tokens.is('op', '(')) return this.parseCall();
    const startsValue = ['string', 'int', 'float', 'name'].includes(tokens.current.type) || tokens.is('op', '[', '{');
    if (!startsValue || tokens.is('name', 'else', 'or', 'and')) return noArguments();
    if (tokens.is('name', 'is')) throw new TemplateError('You cannot chain multiple tests with is');
    // `x is string in y` and `x is odd if z` have no argument after the test.
    if (tokens.is('name', 'in', 'if', 'not')) return noArguments();
    return { ...noArguments(), positional: [this.parsePostfix(this.parsePrimary())] };
  }
}

function noArguments(): CallArguments {
  return { positional: [], keywords: [], spread: null, keywordSpread: null };
}

function readInt(text: string): bigint {
  return BigInt(text.replaceAll('_', ''));
}
