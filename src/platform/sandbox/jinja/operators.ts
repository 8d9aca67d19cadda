import { characters } from './characters.js';
import type { BinaryOperator, Comparison } from './ast.js';
import { formatPercent } from './percent-format.js';
import { assertTextLength, toText } from './text.js';
import {
  EmptyNone,
  TemplateError,
  Tuple,
  Undefined,
  type Value,
  isDict,
  isList,
  isNone,
  isNumeric,
  toKey,
  typeName,
} from './values.js';

/** Bits of the largest int a template may compute. Larger ones cost time nothing can interrupt. */
const MAX_INT_BITS = 20_000;

type Numeric = number | bigint | boolean;

export function applyBinary(operator: BinaryOperator, left: Value, right: Value): Value {
  if (operator === '~') return joinTexts(toText(left), toText(right));
  if (operator === '%' && typeof left === 'string') return formatPercent(left, right);
  if (isNumeric(left) && isNumeric(right)) return arithmetic(operator, left, right);
  if (operator === '+') return concatenate(left, right);
  if (operator === '*') return repeat(left, right) ?? repeat(right, left) ?? refuse(operator, left, right);
  return refuse(operator, left, right);
}

function refuse(operator: string, left: Value, right: Value): never {
  for (const value of [left, right]) if (value instanceof Undefined) throw undefinedError(value);
  throw new TemplateError(`unsupported operand type(s) for ${operator}: '${typeName(left)}' and '${typeName(right)}'`);
}

export function undefinedError(value: Undefined): TemplateError {
  return new TemplateError(`'${value.what}' is undefined`);
}

function joinTexts(left: string, right: string): string {
  assertTextLength(left.length + right.length);
  return left + right;
}

function concatenate(left: Value, right: Value): Value {
  if (typeof left === 'string' && typeof right === 'string') return joinTexts(left, right);
  if (left instanceof Tuple && right instanceof Tuple) return Tuple.make(...left, ...right);
  if (isList(left) && isList(right) && !(left instanceof Tuple) && !(right instanceof Tuple)) return left.concat(right);
  return refuse('+', left, right);
}

function repeat(value: Value, times: Value): Value | null {
  if (typeof times !== 'bigint' && typeof times !== 'boolean') return null;
  const count = Math.max(0, Number(times));
  if (typeof value === 'string') {
    assertTextLength(value.length * count);
    return value.repeat(count);
  }
  if (!isList(value)) return null;
  assertTextLength(value.length * count);
  const items = Array.from({ length: count }, () => [...value]).flat();
  return value instanceof Tuple ? Tuple.make(...items) : items;
}

function arithmetic(operator: BinaryOperator, left: Numeric, right: Numeric): Value {
  const areInts = typeof left !== 'number' && typeof right !== 'number';
  if (areInts && operator !== '/') return intArithmetic(operator, BigInt(left), BigInt(right));
  return floatArithmetic(operator, Number(left), Number(right));
}

function intArithmetic(operator: BinaryOperator, left: bigint, right: bigint): Value {
  switch (operator) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      assertBits(bits(left) + bits(right));
      return left * right;
    case '**':
      return intPower(left, right);
    default:
      return intDivision(operator, left, right);
  }
}

function bits(value: bigint): number {
  return value.toString(16).length * 4;
}

function assertBits(count: number): void {
  if (count > MAX_INT_BITS) throw new TemplateError('The number becomes too large.');
}

function intPower(base: bigint, exponent: bigint): Value {
  if (exponent < 0n) return floatArithmetic('**', Number(base), Number(exponent));
  if (base !== 0n && base !== 1n && base !== -1n) assertBits(bits(base) * Number(exponent));
  return base ** exponent;
}

/** Division and remainder round down, so that the remainder has the sign of the divisor. */
function intDivision(operator: BinaryOperator, left: bigint, right: bigint): bigint {
  if (right === 0n) throw new TemplateError('integer division or modulo by zero');
  const remainder = left % right;
  const isOff = remainder !== 0n && remainder < 0n !== right < 0n;
  if (operator === '%') return isOff ? remainder + right : remainder;
  return isOff ? left / right - 1n : left / right;
}

function floatArithmetic(operator: BinaryOperator, left: number, right: number): number {
  if (right === 0 && ['/', '//', '%'].includes(operator)) throw new TemplateError('division by zero');
  switch (operator) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
      return left / right;
    case '//':
      return Math.floor(left / right);
    case '%':
      return floatRemainder(left, right);
    default:
      return floatPower(left, right);
  }
}

/** The remainder has the sign of the divisor. */
function floatRemainder(left: number, right: number): number {
  const remainder = left % right;
  if (remainder === 0) return right < 0 ? -0 : 0;
  return remainder < 0 === right < 0 ? remainder : remainder + right;
}

function floatPower(base: number, exponent: number): number {
  const result = base ** exponent;
  if (!Number.isFinite(result) && Number.isFinite(base)) throw new TemplateError('Numerical result out of range');
  return result;
}

export function applySign(operator: '-' | '+', value: Value): Value {
  if (value instanceof Undefined) throw undefinedError(value);
  if (!isNumeric(value)) throw new TemplateError(`bad operand type for unary ${operator}: '${typeName(value)}'`);
  const number = typeof value === 'boolean' ? BigInt(value) : value;
  return operator === '-' ? -number : number;
}

export function applyComparison(operator: Comparison, left: Value, right: Value): boolean {
  switch (operator) {
    case '==':
      return equals(left, right);
    case '!=':
      return !equals(left, right);
    case 'in':
      return contains(right, left);
    case 'not in':
      return !contains(right, left);
    case '<':
      return compare(left, right) < 0;
    case '<=':
      return compare(left, right) <= 0;
    case '>':
      return compare(left, right) > 0;
    default:
      return compare(left, right) >= 0;
  }
}

export function equals(left: Value, right: Value): boolean {
  if (isNumeric(left) && isNumeric(right)) return Number(left) === Number(right) && exact(left) === exact(right);
  if (isList(left) && isList(right)) return equalItems(left, right);
  if (isDict(left) && isDict(right)) return equalEntries(left, right);
  return left === right || (isNone(left) && isNone(right)) || areUndefined(left, right);
}

function areUndefined(left: Value, right: Value): boolean {
  return left instanceof Undefined && right instanceof Undefined;
}

/** Large ints must not become equal by becoming floats. */
function exact(value: Numeric): Numeric {
  return typeof value === 'bigint' && (value > 2n ** 53n || value < -(2n ** 53n)) ? value : Number(value);
}

function equalItems(left: Value[], right: Value[]): boolean {
  if (left instanceof Tuple !== right instanceof Tuple || left.length !== right.length) return false;
  return left.every((item, index) => equals(item, right[index]));
}

function equalEntries(left: Map<Value, Value>, right: Map<Value, Value>): boolean {
  if (left.size !== right.size) return false;
  return [...left].every(([key, value]) => right.has(key) && equals(value, right.get(key) as Value));
}

export function contains(container: Value, item: Value): boolean {
  if (typeof container === 'string') {
    if (typeof item !== 'string') throw new TemplateError(`'in <string>' requires string, not ${typeName(item)}`);
    return container.includes(item);
  }
  if (isDict(container)) return container.has(toKey(item));
  if (isList(container)) return container.some((candidate) => equals(candidate, item));
  if (container instanceof Undefined || container instanceof EmptyNone) return false;
  throw new TemplateError(`argument of type '${typeName(container)}' is not iterable`);
}

/** Negative, zero or positive. Throws where Python cannot order the two. */
export function compare(left: Value, right: Value): number {
  if (isNumeric(left) && isNumeric(right)) return left < right ? -1 : left > right ? 1 : 0;
  if (typeof left === 'string' && typeof right === 'string') return compareTexts(left, right);
  if (isList(left) && isList(right)) return compareItems(left, right);
  return refuse('<', left, right);
}

function compareTexts(left: string, right: string): number {
  if (left === right) return 0;
  // Compares by code point, like Python; only surrogates make a difference to comparing code units.
  if (!/[\ud800-\udfff]/.test(left + right)) return left < right ? -1 : 1;
  const others = characters(right);
  const difference = characters(left).findIndex((character, index) => character !== others[index]);
  if (difference < 0) return -1;
  const [one, two] = [characters(left)[difference], others[difference]];
  return two !== undefined && (one.codePointAt(0) as number) < (two.codePointAt(0) as number) ? -1 : 1;
}

function compareItems(left: Value[], right: Value[]): number {
  for (let index = 0; index < Math.min(left.length, right.length); index++) {
    if (!equals(left[index], right[index])) return compare(left[index], right[index]);
  }
  return left.length - right.length;
}
