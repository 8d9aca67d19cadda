import { composed, isSameName } from '../../platform/comparable-text.js';
import type { JsonValue } from '../../platform/json.js';
import { compareDecimals } from '../../platform/decimals.js';
import { isObject } from '../../platform/json.js';
import { asDecimal, asJson, asText, canonicalJson } from '../column-type/values.js';
import type { GuardOperator } from '../columns/column-guard.js';

type Order = -1 | 0 | 1;

/**
 * Compares two values. Models answer in texts, so a text with a number, a boolean or JSON is converted for a comparison
 * with another type; two texts with numbers are compared as numbers. A missing value is null. Values without an order,
 * such as null or an object, are neither less nor greater.
 */
export function compareValues(operator: GuardOperator, left: JsonValue, right: JsonValue): boolean {
  switch (operator) {
    case '=':
      return isSame(left, right);
    case '!=':
      return !isSame(left, right);
    case 'in':
      return isIn(left, right);
    case 'not_in':
      return !isIn(left, right);
    case 'is_null':
      return left === null;
    case 'is_not_null':
      return left !== null;
    default:
      return ORDERED[operator](orderOf(left, right));
  }
}

const ORDERED: Record<'<' | '>' | '<=' | '>=', (order: Order | null) => boolean> = {
  '<': (order) => order === -1,
  '>': (order) => order === 1,
  '<=': (order) => order === -1 || order === 0,
  '>=': (order) => order === 1 || order === 0,
};

/** null where the values have no order. */
function orderOf(left: JsonValue, right: JsonValue): Order | null {
  const [a, b] = [asDecimal(left), asDecimal(right)];
  if (a && b) return compareDecimals(a, b);
  return typeof left === 'string' && typeof right === 'string' ? order(composed(left), composed(right)) : null;
}

function order(a: string, b: string): Order {
  if (a < b) return -1;
  return a > b ? 1 : 0;
}

function isSame(left: JsonValue, right: JsonValue): boolean {
  if (left === null || right === null) return left === right;
  const [a, b] = [asDecimal(left), asDecimal(right)];
  if (a && b) return compareDecimals(a, b) === 0;
  if (typeof left === 'string' && typeof right === 'string') return isSameName(left, right);
  if (typeof left === 'boolean' || typeof right === 'boolean') return spelled(left) === spelled(right);
  return isSameName(canonicalJson(parsed(left)), canonicalJson(parsed(right)));
}

/** In Python true is called True. */
function spelled(value: JsonValue): string | null {
  return typeof value === 'boolean' || typeof value === 'string' ? String(value).trim().toLowerCase() : null;
}

/** Looks in a list, also one in a text; among the keys of an object; within a text. */
function isIn(value: JsonValue, whole: JsonValue): boolean {
  const container = parsed(whole);
  if (Array.isArray(container)) return container.some((item) => isSame(value, item));
  if (value === null || whole === null) return false;
  if (isObject(container)) return Object.keys(container).some((key) => isSameName(key, asText(value)));
  return typeof whole === 'string' ? composed(whole).includes(composed(asText(value))) : isSame(value, whole);
}

/** Parses a list or an object in a text; other values stay as they are. */
function parsed(value: JsonValue): JsonValue {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value;
  try {
    return asJson(value);
  } catch {
    return value;
  }
}
