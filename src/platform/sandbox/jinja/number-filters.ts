import type { FilterFunction } from './filter-arguments.js';
import { fixed, floatText, roundHalfEven } from './numbers.js';
import { applySign, undefinedError } from './operators.js';
import { type Arguments, TemplateError, Undefined, type Value, isNumeric, toInt, truthy, typeName } from './values.js';

/** Filters about numbers. */
export const NUMBER_FILTERS: Record<string, FilterFunction> = {
  abs: (value) => {
    const number = applySign('+', value) as number | bigint;
    return number < 0 || Object.is(number, -0) ? applySign('-', number) : number;
  },
  int: (value, given) => {
    const [fallback, base] = given.bind('default', 'base');
    return toInteger(value, toInt(base, 10)) ?? fallback ?? 0n;
  },
  float: (value, given) => toFloat(value) ?? given.bind('default')[0] ?? 0,
  round: roundNumber,
  filesizeformat: (value, given) => fileSize(toFloat(value) ?? 0, truthy(given.bind('binary')[0] ?? false)),
};

function toInteger(value: Value, base: number): Value | null {
  if (value instanceof Undefined) throw undefinedError(value);
  if (typeof value === 'string') return parseInteger(value.trim(), base);
  if (!isNumeric(value)) return null;
  if (typeof value !== 'number') return BigInt(value);
  if (!Number.isFinite(value)) throw new TemplateError('cannot convert float infinity or NaN to integer');
  return BigInt(Math.trunc(value));
}

const RADIX_PREFIX: Record<number, RegExp> = { 2: /^0b/i, 8: /^0o/i, 16: /^0x/i };

/** Longer texts are no useful numbers, and parsing them takes time that cannot be interrupted. */
const MAX_DIGITS = 5_000;

function parseInteger(text: string, base: number): Value | null {
  if (text.length > MAX_DIGITS || base < 2 || base > 36) return null;
  const isNegative = text.startsWith('-');
  const digits = text
    .replace(/^[+-]/, '')
    .replace(RADIX_PREFIX[base] ?? '', '')
    .replace(/(?<=\w)_(?=\w)/g, '');
  const magnitude = base === 10 ? parseDecimal(digits) : parseDigits(digits, base);
  if (magnitude !== null) return isNegative ? -magnitude : magnitude;
  const float = parseFloatText(text);
  return float === null || !Number.isFinite(float) ? null : BigInt(Math.trunc(float));
}

function parseDecimal(digits: string): bigint | null {
  return /^\d+$/.test(digits) ? BigInt(digits) : null;
}

function parseDigits(digits: string, base: number): bigint | null {
  let value = 0n;
  for (const digit of digits.toLowerCase()) {
    const amount = parseInt(digit, 36);
    if (!(amount < base)) return null;
    value = value * BigInt(base) + BigInt(amount);
  }
  return digits === '' ? null : value;
}

function toFloat(value: Value): number | null {
  if (value instanceof Undefined) throw undefinedError(value);
  if (typeof value === 'string') return parseFloatText(value.trim());
  return isNumeric(value) ? Number(value) : null;
}

function parseFloatText(text: string): number | null {
  const special = /^([+-]?)(inf(?:inity)?|nan)$/i.exec(text);
  if (special) return special[2].toLowerCase() === 'nan' ? NaN : special[1] === '-' ? -Infinity : Infinity;
  return /^[+-]?(?:\d[\d_]*\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text) ? Number(text.replaceAll('_', '')) : null;
}

function roundNumber(value: Value, given: Arguments): Value {
  const [digits, method] = given.bind('precision', 'method');
  const precision = toInt(digits, 0);
  if (value instanceof Undefined) throw undefinedError(value);
  if (!isNumeric(value)) throw new TemplateError(`type ${typeName(value)} cannot be rounded`);
  if (method === undefined || method === 'common') return roundCommon(value, precision);
  if (method !== 'ceil' && method !== 'floor') throw new TemplateError('method must be common, ceil or floor');
  const unit = 10 ** precision;
  return (method === 'ceil' ? Math.ceil(Number(value) * unit) : Math.floor(Number(value) * unit)) / unit;
}

function roundCommon(value: number | bigint | boolean, precision: number): Value {
  if (typeof value === 'number') return roundHalfEven(value, precision);
  return precision >= 0 ? BigInt(value) : BigInt(roundHalfEven(Number(value), precision));
}

const DECIMAL_UNITS = ['kB', 'MB', 'GB', 'TB', 'PB', 'EB', 'ZB', 'YB'];
const BINARY_UNITS = ['KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB', 'ZiB', 'YiB'];

function fileSize(bytes: number, isBinary: boolean): string {
  const base = isBinary ? 1024 : 1000;
  if (bytes === 1) return '1 Byte';
  if (bytes < base) return `${floatText(bytes).replace(/\.\d*$/, '')} Bytes`;
  const units = isBinary ? BINARY_UNITS : DECIMAL_UNITS;
  const power = units.findIndex((_, index) => bytes < base ** (index + 2));
  const index = power < 0 ? units.length - 1 : power;
  return `${fixed(bytes / base ** (index + 1), 1)} ${units[index]}`;
}
