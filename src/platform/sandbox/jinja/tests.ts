import { applyBinary, applyComparison, equals } from './operators.js';
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

function leaves(rest: bigint, value: Value, divisor: Value): boolean {
  return equals(applyBinary('%', value, divisor), rest);
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
  odd: (value) => leaves(1n, value, 2n),
  even: (value) => leaves(0n, value, 2n),
  divisibleby: (value, given) => leaves(0n, value, onlyArgument(given)),
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
