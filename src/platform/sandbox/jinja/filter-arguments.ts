import { readPath } from './attributes.js';
import { type Arguments, TemplateError, Undefined, type Value, isDict, isList, isNone } from './values.js';

/** The part of the running template that filters may call. */
export interface Engine {
  filter(name: string, value: Value, given: Arguments): Value;
  test(name: string, value: Value, given: Arguments): boolean;
}

export type FilterFunction = (value: Value, given: Arguments, engine: Engine) => Value;

/** Reads the attribute that a filter was given; without one, the items themselves. */
export function attributeReader(attribute: Value | undefined, fallback?: Value): (item: Value) => Value {
  if (attribute === undefined || isNone(attribute)) return (item) => item;
  return (item) => {
    const value = readPath(item, attribute);
    return fallback !== undefined && value instanceof Undefined ? fallback : value;
  };
}

/** Ignores letter case for sort, unique, min, max and groupby unless the template says otherwise. */
export function foldCase(value: Value, caseSensitive: boolean): Value {
  return typeof value === 'string' && !caseSensitive ? value.toLowerCase() : value;
}

/** A text that is equal for equal values, so that they are found in linear time. */
export function fingerprint(value: Value): string {
  if (typeof value === 'string') return `s${value}`;
  if (typeof value === 'object' && value !== null) {
    if (isList(value)) return `[${value.map(lengthPrefixed).join('')}]`;
    if (isDict(value)) throw new TemplateError("unhashable type: 'dict'");
    return `o${value.constructor.name}`;
  }
  if (value === null) return 'null';
  // True, 1 and 1.0 are equal in Python.
  return typeof value === 'bigint' ? `n${value}` : fingerprintNumber(Number(value));
}

function fingerprintNumber(value: number): string {
  return Number.isInteger(value) ? `n${BigInt(value)}` : `n${value}`;
}

function lengthPrefixed(value: Value): string {
  const text = fingerprint(value);
  return `${text.length}:${text}`;
}
