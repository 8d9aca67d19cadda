import type { Filter, ForStatement, MacroStatement, Parameter, Statement, Target } from './ast.js';
import { type Frame, callValue, evaluate, evaluateArguments } from './evaluate.js';
import { Loop } from './loop.js';
import { makeGlobals } from './globals.js';
import { parseTemplate } from './parser.js';
import { runFilter } from './registry.js';
import { Scope, TopLevel } from './scope.js';
import { MAX_TEXT, toText } from './text.js';
import {
  type Arguments,
  Callable,
  Namespace,
  TemplateError,
  Tuple,
  Undefined,
  type Value,
  iterate,
  truthy,
} from './values.js';

/** Collects text. Parts are joined once: adding to a text again and again would copy it each time. */
class Output {
  private readonly parts: string[] = [];
  private length = 0;

  write(text: string): void {
    this.length += text.length;
    if (this.length > MAX_TEXT) throw new TemplateError('The output becomes too long.');
    this.parts.push(text);
  }

  toString(): string {
    return this.parts.join('');
  }
}

/** Renders one template. Throws TemplateError; `missing` are the names it used that do not exist. */
export function renderTemplate(
  source: string,
  variables: { [name: string]: unknown },
): { text: string; missing: string[] } {
  const statements = parseTemplate(source);
  const top = new TopLevel(variables, makeGlobals());
  const text = capture(statements, { scope: new Scope(top), top });
  return { text, missing: [...top.missing] };
}

/** The text of statements that are not written where they stand. */
function capture(statements: Statement[], frame: Frame): string {
  const output = new Output();
  run(statements, frame, output);
  return output.toString();
}

function run(statements: Statement[], frame: Frame, output: Output): void {
  for (const statement of statements) RUNNERS[statement.kind](statement as never, frame, output);
}

type Runners = {
  [Kind in Statement['kind']]: (statement: Extract<Statement, { kind: Kind }>, frame: Frame, output: Output) => void;
};

const RUNNERS: Runners = {
  text: (statement, _, output) => output.write(statement.text),
  output: (statement, frame, output) => output.write(toText(evaluate(statement.expression, frame))),
  if: (statement, frame, output) => {
    const branch = statement.branches.find(({ test }) => truthy(evaluate(test, frame)));
    run(branch?.body ?? statement.otherwise, frame, output);
  },
  for: (statement, frame, output) => runFor(statement, frame, output),
  set: (statement, frame) => assign(statement.target, evaluate(statement.value, frame), frame),
  setBlock: (statement, frame) => {
    const text = capture(statement.body, inner(frame));
    assign(statement.target, applyFilters(statement.filters, text, frame), frame);
  },
  with: (statement, frame, output) => {
    const scoped = inner(frame);
    // The values belong to the scope outside: they do not see each other.
    const values = statement.bindings.map(([, value]) => evaluate(value, frame));
    statement.bindings.forEach(([target], index) => assign(target, values[index], scoped));
    run(statement.body, scoped, output);
  },
  macro: (statement, frame) => frame.scope.set(statement.name, makeMacro(statement, frame)),
  callBlock: (statement, frame, output) => {
    const given = evaluateArguments(statement.call.call, frame);
    given.keywords.set('caller', makeMacro(statement.caller, frame));
    output.write(toText(callValue(evaluate(statement.call.callee, frame), given)));
  },
  filterBlock: (statement, frame, output) => {
    const text = capture(statement.body, inner(frame));
    output.write(toText(applyFilters(statement.filters, text, frame)));
  },
  scoped: (statement, frame, output) => run(statement.body, inner(frame), output),
};

function inner(frame: Frame): Frame {
  return { scope: new Scope(frame.scope), top: frame.top };
}

function applyFilters(filters: Filter[], text: string, frame: Frame): Value {
  return filters.reduce<Value>((value, { name, call }) => runFilter(name, value, evaluateArguments(call, frame)), text);
}

function assign(target: Target, value: Value, frame: Frame): void {
  if (target.kind === 'name') return frame.scope.set(target.name, value);
  if (target.kind === 'tuple') return unpack(target.items, value, frame);
  const namespace = frame.scope.find(target.name);
  if (!(namespace instanceof Namespace)) throw new TemplateError('cannot assign attribute on non-namespace object');
  namespace.entries.set(target.attribute, value);
}

function unpack(targets: Target[], value: Value, frame: Frame): void {
  const items = iterate(value);
  if (items.length !== targets.length) {
    throw new TemplateError(`cannot unpack ${items.length} values into ${targets.length} names`);
  }
  targets.forEach((target, index) => assign(target, items[index], frame));
}

function runFor(statement: ForStatement, frame: Frame, output: Output): void {
  runLoop(statement, frame, { value: evaluate(statement.iterable, frame), depth: 0, output });
}

function runLoop(statement: ForStatement, frame: Frame, pass: { value: Value; depth: number; output: Output }): void {
  const items = select(statement, iterate(pass.value), frame);
  const recurse = (given: Arguments): Value => {
    const output = new Output();
    runLoop(statement, frame, { value: given.bind('iterable')[0] ?? null, depth: pass.depth + 1, output });
    return output.toString();
  };
  const loop = new Loop(items, pass.depth, statement.recursive ? recurse : null);
  for (; loop.index < items.length; loop.index++) {
    const scoped = inner(frame);
    scoped.scope.set('loop', loop.state);
    assign(statement.target, items[loop.index], scoped);
    run(statement.body, scoped, pass.output);
  }
  if (items.length === 0) run(statement.otherwise, inner(frame), pass.output);
}

/** The items that meet the condition of the loop. A copy: the body may change the list. */
function select(statement: ForStatement, items: Value[], frame: Frame): Value[] {
  const { condition } = statement;
  if (!condition) return [...items];
  return items.filter((item) => {
    const scoped = inner(frame);
    assign(statement.target, item, scoped);
    return truthy(evaluate(condition, scoped));
  });
}

function makeMacro(macro: MacroStatement, frame: Frame): Callable {
  return new Callable(macro.name, (given) => {
    const scoped = inner(frame);
    bindParameters(macro, given, scoped);
    return capture(macro.body, scoped);
  });
}

function bindParameters(macro: MacroStatement, given: Arguments, frame: Frame): void {
  const keywords = new Map(given.keywords);
  const caller = keywords.get('caller');
  if (caller !== undefined && !macro.parameters.some(({ name }) => name === 'caller')) {
    frame.scope.set('caller', caller);
    keywords.delete('caller');
  }
  macro.parameters.forEach((parameter, index) => bindParameter(parameter, given.positional[index], keywords, frame));
  frame.scope.set('varargs', Tuple.make(...given.positional.slice(macro.parameters.length)));
  frame.scope.set('kwargs', new Map(keywords));
}

function bindParameter(
  parameter: Parameter,
  value: Value | undefined,
  keywords: Map<string, Value>,
  frame: Frame,
): void {
  const named = keywords.get(parameter.name);
  keywords.delete(parameter.name);
  if (value !== undefined && named !== undefined) throw new TemplateError(`multiple values for '${parameter.name}'`);
  const bound = value === undefined ? named : value;
  if (bound !== undefined) frame.scope.set(parameter.name, bound);
  else if (parameter.fallback) frame.scope.set(parameter.name, evaluate(parameter.fallback, frame));
  else frame.scope.set(parameter.name, new Undefined(`parameter '${parameter.name}' was not provided`));
}
