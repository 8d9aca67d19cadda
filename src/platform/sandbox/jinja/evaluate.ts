import type { CallArguments, Expression } from './ast.js';
import { readAttribute, readItem, readSlice } from './attributes.js';
import { applyComparison, applyBinary, applySign, undefinedError } from './operators.js';
import { runFilter, runTest } from './registry.js';
import type { Scope, TopLevel } from './scope.js';
import { lookup } from './scope.js';
import {
  Arguments,
  Callable,
  LoopState,
  TemplateError,
  Tuple,
  Undefined,
  type Value,
  isDict,
  iterate,
  toKey,
  truthy,
  typeName,
} from './values.js';

/** Context of an evaluation. */
export interface Frame {
  scope: Scope;
  top: TopLevel;
}

type Evaluators = {
  [Kind in Expression['kind']]: (node: Extract<Expression, { kind: Kind }>, frame: Frame) => Value;
};

/** The value of an expression. One native frame per level of nesting besides the evaluator's own. */
export function evaluate(node: Expression, frame: Frame): Value {
  return EVALUATORS[node.kind](node as never, frame);
}

const evaluateItems = (items: Expression[], frame: Frame) => items.map((item) => evaluate(item, frame));

const EVALUATORS: Evaluators = {
  constant: (node) => node.value,
  name: (node, frame) => lookup(frame.scope, frame.top, node.name),
  list: (node, frame) => evaluateItems(node.items, frame),
  tuple: (node, frame) => Tuple.make(...evaluateItems(node.items, frame)),
  dict: (node, frame) =>
    new Map(node.entries.map(([key, value]) => [toKey(evaluate(key, frame)), evaluate(value, frame)])),
  attribute: (node, frame) => readAttribute(evaluate(node.object, frame), node.name),
  item: (node, frame) => readItem(evaluate(node.object, frame), evaluate(node.key, frame)),
  slice: (node, frame) =>
    readSlice(
      evaluate(node.object, frame),
      node.bounds.map((bound) => bound && evaluate(bound, frame)),
    ),
  call: (node, frame) => callValue(evaluate(node.callee, frame), evaluateArguments(node.call, frame)),
  filter: (node, frame) => {
    const operand = ACCEPTS_MISSING.has(node.name)
      ? evaluateQuietly(node.operand, frame)
      : evaluate(node.operand, frame);
    return runFilter(node.name, operand, evaluateArguments(node.call, frame));
  },
  test: (node, frame) => {
    const operand = ACCEPTS_MISSING.has(node.name)
      ? evaluateQuietly(node.operand, frame)
      : evaluate(node.operand, frame);
    return runTest(node.name, operand, evaluateArguments(node.call, frame));
  },
  unary: (node, frame) => {
    const operand = evaluate(node.operand, frame);
    return node.operator === 'not' ? !truthy(operand) : applySign(node.operator, operand);
  },
  binary: (node, frame) => evaluateBinary(node, frame),
  logical: (node, frame) => {
    const left = evaluate(node.left, frame);
    return truthy(left) === (node.operator === 'or') ? left : evaluate(node.right, frame);
  },
  compare: (node, frame) => evaluateCompare(node, frame),
  conditional: (node, frame) => {
    if (truthy(evaluate(node.test, frame))) return evaluate(node.value, frame);
    return node.otherwise ? evaluate(node.otherwise, frame) : new Undefined('the inline if-expression');
  },
};

/** Filters and tests that exist to deal with missing values: to them a missing name is no surprise. */
const ACCEPTS_MISSING = new Set(['default', 'd', 'defined', 'undefined']);

/** Like evaluate, but a name at the root of a path is not noted as missing. */
function evaluateQuietly(node: Expression, frame: Frame): Value {
  if (node.kind === 'name') {
    const value = frame.scope.find(node.name);
    return value === undefined ? new Undefined(node.name) : value;
  }
  if (node.kind === 'attribute') return readAttribute(evaluateQuietly(node.object, frame), node.name);
  if (node.kind === 'item') return readItem(evaluateQuietly(node.object, frame), evaluate(node.key, frame));
  return evaluate(node, frame);
}

/** Long sums lean to the left: they are walked in a loop, not by recursion. */
function evaluateBinary(node: Extract<Expression, { kind: 'binary' }>, frame: Frame): Value {
  const pending = [node];
  while (pending[pending.length - 1].left.kind === 'binary') {
    pending.push(pending[pending.length - 1].left as typeof node);
  }
  let value = evaluate(pending[pending.length - 1].left, frame);
  while (pending.length > 0) {
    const { operator, right } = pending.pop() as typeof node;
    value = applyBinary(operator, value, evaluate(right, frame));
  }
  return value;
}

function evaluateCompare(node: Extract<Expression, { kind: 'compare' }>, frame: Frame): Value {
  let left = evaluate(node.first, frame);
  for (const [operator, operand] of node.rest) {
    const right = evaluate(operand, frame);
    if (!applyComparison(operator, left, right)) return false;
    left = right;
  }
  return true;
}

export function evaluateArguments(call: CallArguments, frame: Frame): Arguments {
  const positional = evaluateItems(call.positional, frame);
  if (call.spread) positional.push(...iterate(evaluate(call.spread, frame)));
  const keywords = new Map(call.keywords.map(([name, value]) => [name, evaluate(value, frame)]));
  if (call.keywordSpread) addKeywords(keywords, evaluate(call.keywordSpread, frame));
  return new Arguments(positional, keywords);
}

function addKeywords(keywords: Map<string, Value>, value: Value): void {
  if (!isDict(value)) throw new TemplateError(`argument after ** must be a mapping, not ${typeName(value)}`);
  for (const [name, item] of value) {
    if (typeof name !== 'string' || keywords.has(name))
      throw new TemplateError(`multiple values for '${String(name)}'`);
    keywords.set(name, item);
  }
}

export function callValue(callee: Value, given: Arguments): Value {
  if (callee instanceof Callable) return callee.call(given);
  if (callee instanceof LoopState && callee.recurse) return callee.recurse(given);
  if (callee instanceof Undefined) throw undefinedError(callee);
  throw new TemplateError(`'${typeName(callee)}' object is not callable`);
}
