import { isObject, type JsonValue } from './json.js';

export type JsonScalar = string | number | bigint | boolean | null;

/**
 * A flattened JSON value: names are joined by dots and positions in lists left out, so a path may have several values.
 * Lists and objects are no values; an empty one has none.
 */
export interface FlatJson {
  /** Every path once, those of objects and lists on the way too. */
  paths: Set<string>;
  /** In the order of the document. */
  values: [path: string, value: JsonScalar][];
}

export interface FlatLimits {
  paths: number;
  values: number;
}

/**
 * Flattens a value up to the limits; the rest is dropped. `base` is the path of the value itself; a document has none.
 */
export function flatten(value: JsonValue, limits: FlatLimits, base: string | null = null): FlatJson {
  const flat: FlatJson = { paths: new Set(), values: [] };
  visit(value, base, { flat, limits });
  return flat;
}

function visit(value: JsonValue, path: string | null, walk: { flat: FlatJson; limits: FlatLimits }): void {
  const { flat, limits } = walk;
  if (flat.values.length >= limits.values) return;
  if (Array.isArray(value)) {
    for (const item of value) visit(item, path, walk);
  } else if (!isObject(value)) {
    flat.values.push([path ?? '', value]);
  } else {
    for (const name of Object.keys(value)) {
      const inner = path === null ? name : `${path}.${name}`;
      if (flat.paths.size < limits.paths) flat.paths.add(inner);
      visit(value[name]!, inner, walk);
    }
  }
}

/** A scalar in PostgreSQL's format: texts unchanged, numbers without an exponent. */
export function scalarText(value: JsonScalar): string {
  return typeof value === 'number' ? plainNumber(value) : String(value);
}

/** JavaScript writes 1e21 and 1e-7 where the database writes all digits. */
function plainNumber(value: number): string {
  const text = String(value);
  const scientific = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(text);
  if (!scientific) return text;
  const [, sign, first, rest = '', exponent] = scientific;
  const digits = first! + rest;
  const point = 1 + Number(exponent);
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  return sign + digits.padEnd(point, '0');
}
