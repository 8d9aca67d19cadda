import { applyComparison, applySign } from './operators.js';
import {
  type Arguments,
  Callable,
  LoopState,
  TemplateError,
  Undefined,
  type Value,
  isDict,
  isList,
  isNone,
  isNumeric,
} from './values.js';
import { toText } from './text.js';

type TestFunction = (value: Value, given: Arguments) => boolean;

const compareWith =
  (operator: Parameters<typeof applyComparison>[0]): TestFunction =>
  (value, given) =>
    applyComparison(operator, value, onlyArgument(given));

function onlyArgument(given: Arguments): Value {
  const [value] = given.bind('other');
  if (value === undefined) throw new TemplateError('the test needs an argument');
  return value;
}

/** `value % divisor == rest`, with Python's remainder. */
function remainder(value: Value, divisor: Value, rest: bigint): boolean {
  const [left, right] = [applySign('+', value), applySign('+', divisor)];
  if (Number(right) === 0) throw new TemplateError('integer modulo by zero');
  if (typeof left === 'bigint' && typeof right === 'bigint') return ((left % right) + right) % right === rest;
  const result = Number(left) % Number(right);
  return (result < 0 ? result + Number(right) : result) === Number(rest);
}

const equal = compareWith('==');
const unequal = compareWith('!=');
const less = compareWith('<');
const lessOrEqual = compareWith('<=');
const greater = compareWith('>');
const greaterOrEqual = compareWith('>=');

/** `value is test(...)`. Whether a filter or test exists is known to the caller only, so those two are made by it. */
export const TESTS: Record<string, TestFunction> = {
  defined: (value) => !(value instanceof Undefined),
  undefined: (value) => value instanceof Undefined,
  none: (value) => isNone(value),
  boolean: (value) => typeof value === 'boolean',
  true: (value) => value === true,
  false: (value) => value === false,
  integer: (value) => typeof value === 'bigint',
  float: (value) => typeof value === 'number',
  number: (value) => isNumeric(value),
  string: (value) => typeof value === 'string',
  mapping: (value) => isDict(value),
  iterable: (value) =>
    isList(value) ||
    isDict(value) ||
    typeof value === 'string' ||
    value instanceof Undefined ||
    value instanceof LoopState,
  sequence: (value) => isList(value) || isDict(value) || typeof value === 'string' || value instanceof Undefined,
  callable: (value) => value instanceof Callable || value instanceof Undefined,
  escaped: () => false,
  lower: (value) => isCased(toText(value), (text) => text.toLowerCase()),
  upper: (value) => isCased(toText(value), (text) => text.toUpperCase()),
  odd: (value) => remainder(value, 2n, 1n),
  even: (value) => remainder(value, 2n, 0n),
  divisibleby: (value, given) => remainder(value, onlyArgument(given), 0n),
  sameas: (value, given) => value === onlyArgument(given) || (isNone(value) && isNone(onlyArgument(given))),
  in: (value, given) => applyComparison('in', value, onlyArgument(given)),
  eq: equal,
  equalto: equal,
  '==': equal,
  ne: unequal,
  '!=': unequal,
  lt: less,
  lessthan: less,
  '<': less,
  le: lessOrEqual,
  '<=': lessOrEqual,
  gt: greater,
  greaterthan: greater,
  '>': greater,
  ge: greaterOrEqual,
  '>=': greaterOrEqual,
};

function isCased(text: string, change: (text: string) => string): boolean {
  return text === change(text) && text.toLowerCase() !== text.toUpperCase();
}
