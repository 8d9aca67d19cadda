import type { Expression, MacroStatement, Parameter, Statement, Target } from './ast.js';
import { ExpressionParser } from './expression-parser.js';
import { tokenize } from './lexer.js';
import { TokenStream } from './token-stream.js';
import { TemplateError } from './values.js';

/** Statements inside statements cost native stack when they run. */
const MAX_NESTING = 50;
const UNSUPPORTED = ['extends', 'include', 'import', 'from'];

/** Parses a template. Throws TemplateError on anything it does not understand. */
export function parseTemplate(source: string): Statement[] {
  return new Parser(new TokenStream(tokenize(source))).parseAll();
}

class Parser extends ExpressionParser {
  private nesting = 0;

  parseAll(): Statement[] {
    const body = this.parseBody([]);
    this.tokens.expect('end');
    return body;
  }

  /** Everything up to one of the closing tags, which stays: its name is the current token. */
  private parseBody(closing: string[]): Statement[] {
    const body: Statement[] = [];
    if (++this.nesting > MAX_NESTING) throw new TemplateError('The template is nested too deeply.');
    while (!this.tokens.is('end')) {
      if (this.tokens.is('text')) body.push({ kind: 'text', text: this.tokens.next().value });
      else if (this.tokens.is('variable_begin')) body.push(this.parseOutput());
      else {
        this.tokens.expect('block_begin');
        if (this.tokens.is('name', ...closing) && closing.length > 0) break;
        body.push(this.parseStatement());
        this.tokens.expect('block_end');
      }
    }
    if (closing.length > 0 && this.tokens.is('end')) throw new TemplateError(`Missing ${closing.join(' or ')}`);
    this.nesting--;
    return body;
  }

  private parseOutput(): Statement {
    this.tokens.next();
    const expression = this.parseTuple();
    this.tokens.expect('variable_end');
    return { kind: 'output', expression };
  }

  /** A statement from its name to before its last `%}`. */
  private parseStatement(): Statement {
    const name = this.tokens.expect('name').value;
    if (UNSUPPORTED.includes(name)) throw new TemplateError(`'${name}' is not available: there are no other templates`);
    const parse = Object.hasOwn(STATEMENTS, name) ? STATEMENTS[name] : undefined;
    if (!parse) throw new TemplateError(`Encountered unknown tag '${name}'`);
    return parse(this);
  }

  /** The body after a tag and the closing tag itself. */
  private parseBlock(end: string): Statement[] {
    this.tokens.expect('block_end');
    const body = this.parseBody([end]);
    this.tokens.next();
    return body;
  }

  parseIf(): Statement {
    const branches: { test: Expression; body: Statement[] }[] = [];
    do {
      const test = this.parseTuple(false);
      this.tokens.expect('block_end');
      branches.push({ test, body: this.parseBody(['elif', 'else', 'endif']) });
    } while (this.tokens.skipName('elif'));
    return { kind: 'if', branches, otherwise: this.parseElse('endif') };
  }

  private parseElse(end: string): Statement[] {
    const otherwise = this.tokens.skipName('else') ? this.afterTag(() => this.parseBody([end])) : [];
    this.tokens.expect('name', end);
    return otherwise;
  }

  private afterTag<T>(parse: () => T): T {
    this.tokens.expect('block_end');
    return parse();
  }

  parseFor(): Statement {
    const target = this.parseTarget(false);
    this.tokens.expect('name', 'in');
    const iterable = this.parseTuple(false);
    const condition = this.tokens.skipName('if') ? this.parseExpression() : null;
    const recursive = this.tokens.skipName('recursive');
    const body = this.afterTag(() => this.parseBody(['endfor', 'else']));
    return { kind: 'for', target, iterable, condition, recursive, body, otherwise: this.parseElse('endfor') };
  }

  parseSet(): Statement {
    const target = this.parseTarget(true);
    if (this.tokens.skip('=')) return { kind: 'set', target, value: this.parseTuple() };
    const filters = this.tokens.skip('|') ? this.parseFilterChain() : [];
    return { kind: 'setBlock', target, filters, body: this.parseBlock('endset') };
  }

  private parseTarget(allowsNamespace: boolean): Target {
    const first = this.parseSingleTarget(allowsNamespace);
    if (!this.tokens.is('op', ',')) return first;
    const items = [first];
    while (this.tokens.skip(',')) {
      if (!this.tokens.is('name') && !this.tokens.is('op', '(')) break;
      if (this.tokens.is('name', 'in')) break;
      items.push(this.parseSingleTarget(allowsNamespace));
    }
    return { kind: 'tuple', items };
  }

  private parseSingleTarget(allowsNamespace: boolean): Target {
    if (this.tokens.skip('(')) {
      const target = this.parseTarget(allowsNamespace);
      this.tokens.expect('op', ')');
      return target;
    }
    const name = this.tokens.expect('name').value;
    if (['true', 'false', 'none', 'True', 'False', 'None'].includes(name)) {
      throw new TemplateError(`can't assign to '${name}'`);
    }
    if (!allowsNamespace || !this.tokens.skip('.')) return { kind: 'name', name };
    return { kind: 'namespace', name, attribute: this.tokens.expect('name').value };
  }

  parseWith(): Statement {
    const bindings: [Target, Expression][] = [];
    while (!this.tokens.is('block_end')) {
      if (bindings.length > 0) this.tokens.expect('op', ',');
      const target = this.parseTarget(false);
      this.tokens.expect('op', '=');
      bindings.push([target, this.parseExpression()]);
    }
    return { kind: 'with', bindings, body: this.parseBlock('endwith') };
  }

  parseMacro(): Statement {
    const name = this.tokens.expect('name').value;
    const parameters = this.parseParameters();
    return { kind: 'macro', name, parameters, body: this.parseBlock('endmacro') };
  }

  private parseParameters(): Parameter[] {
    const parameters: Parameter[] = [];
    this.tokens.expect('op', '(');
    while (!this.tokens.is('op', ')')) {
      const name = this.tokens.expect('name').value;
      const fallback = this.tokens.skip('=') ? this.parseExpression() : null;
      if (!fallback && parameters.at(-1)?.fallback)
        throw new TemplateError('non-default argument follows default argument');
      parameters.push({ name, fallback });
      if (!this.tokens.skip(',')) break;
    }
    this.tokens.expect('op', ')');
    return parameters;
  }

  parseCallBlock(): Statement {
    const parameters = this.tokens.is('op', '(') ? this.parseParameters() : [];
    const call = this.parseExpression();
    if (call.kind !== 'call') throw new TemplateError('expected call');
    const caller: MacroStatement = { kind: 'macro', name: 'caller', parameters, body: this.parseBlock('endcall') };
    return { kind: 'callBlock', call, caller };
  }

  parseFilterBlock(): Statement {
    return { kind: 'filterBlock', filters: this.parseFilterChain(), body: this.parseBlock('endfilter') };
  }

  /** Blocks render their body, because there is no inheritance. */
  parseNamedBlock(): Statement {
    this.tokens.expect('name');
    while (this.tokens.is('name', 'scoped', 'required')) this.tokens.next();
    const body = this.parseBlock('endblock');
    if (this.tokens.is('name')) this.tokens.next();
    return { kind: 'scoped', body };
  }

  /** Escaping is always off, because the result is no HTML. */
  parseAutoescape(): Statement {
    this.parseExpression();
    return { kind: 'scoped', body: this.parseBlock('endautoescape') };
  }
}

const STATEMENTS: Record<string, (parser: Parser) => Statement> = {
  if: (parser) => parser.parseIf(),
  for: (parser) => parser.parseFor(),
  set: (parser) => parser.parseSet(),
  with: (parser) => parser.parseWith(),
  macro: (parser) => parser.parseMacro(),
  call: (parser) => parser.parseCallBlock(),
  filter: (parser) => parser.parseFilterBlock(),
  block: (parser) => parser.parseNamedBlock(),
  autoescape: (parser) => parser.parseAutoescape(),
};
