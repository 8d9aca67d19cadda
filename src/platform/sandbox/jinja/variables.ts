import type { Expression, MacroStatement, Statement, Target } from './ast.js';
import { GLOBAL_NAMES } from './globals.js';
import { parseTemplate } from './parser.js';
import { everyExpression, filterExpressions } from './walk.js';

/**
 * The names a template expects from outside, in the order of the text: neither global functions nor what it
 * assigns, loops over or declares itself before. Throws TemplateError when it does not parse.
 */
export function findVariables(source: string): string[] {
  const finder = new VariableFinder();
  finder.visit(parseTemplate(source), new Set(GLOBAL_NAMES));
  return [...finder.found];
}

class VariableFinder {
  readonly found = new Set<string>();

  visit(statements: Statement[], bound: Set<string>): void {
    for (const statement of statements) VISITORS[statement.kind](statement as never, bound, this);
  }

  read(expressions: Expression[], bound: Set<string>): void {
    for (const expression of expressions) {
      for (const node of everyExpression(expression)) {
        if (node.kind === 'name' && !bound.has(node.name)) this.found.add(node.name);
      }
    }
  }

  readMacro(macro: MacroStatement, bound: Set<string>): void {
    const inside = new Set([...bound, 'varargs', 'kwargs', 'caller']);
    for (const { name, fallback } of macro.parameters) {
      if (fallback) this.read([fallback], inside);
      inside.add(name);
    }
    this.visit(macro.body, inside);
  }
}

type Visitors = {
  [Kind in Statement['kind']]: (
    statement: Extract<Statement, { kind: Kind }>,
    bound: Set<string>,
    finder: VariableFinder,
  ) => void;
};

const VISITORS: Visitors = {
  text: () => undefined,
  output: (statement, bound, finder) => finder.read([statement.expression], bound),
  if: (statement, bound, finder) => {
    for (const { test, body } of statement.branches) {
      finder.read([test], bound);
      finder.visit(body, bound);
    }
    finder.visit(statement.otherwise, bound);
  },
  for: (statement, bound, finder) => {
    finder.read([statement.iterable], bound);
    const inside = bind(new Set(bound), statement.target);
    if (statement.condition) finder.read([statement.condition], inside);
    finder.visit(statement.body, inside.add('loop'));
    finder.visit(statement.otherwise, new Set(bound));
  },
  set: (statement, bound, finder) => {
    finder.read([statement.value], bound);
    bind(bound, statement.target);
  },
  setBlock: (statement, bound, finder) => {
    finder.read(filterExpressions(statement.filters), bound);
    finder.visit(statement.body, new Set(bound));
    bind(bound, statement.target);
  },
  with: (statement, bound, finder) => {
    finder.read(
      statement.bindings.map(([, value]) => value),
      bound,
    );
    const inside = new Set(bound);
    for (const [target] of statement.bindings) bind(inside, target);
    finder.visit(statement.body, inside);
  },
  macro: (statement, bound, finder) => {
    bound.add(statement.name);
    finder.readMacro(statement, bound);
  },
  callBlock: (statement, bound, finder) => {
    finder.read([statement.call], bound);
    finder.readMacro(statement.caller, bound);
  },
  filterBlock: (statement, bound, finder) => {
    finder.read(filterExpressions(statement.filters), bound);
    finder.visit(statement.body, new Set(bound));
  },
  scoped: (statement, bound, finder) => finder.visit(statement.body, new Set(bound)),
};

function bind(bound: Set<string>, target: Target): Set<string> {
  if (target.kind === 'name') bound.add(target.name);
  if (target.kind === 'tuple') for (const item of target.items) bind(bound, item);
  return bound;
}
