import { isObject, type JsonObject, type JsonValue, setOwn } from '../../platform/json.js';
import { boundedDepth, jsonNumber } from './any-value.js';
import type { TextCleaner } from './text-cleaner.js';
import { nanosInRange } from './span-collector.js';

const DECIMAL = /^[+-]?\d{1,20}$/;
/** Decimals of up to this many characters are always exact numbers. */
const EXACT_DIGITS = 15;
const DOUBLE = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const SPECIAL_DOUBLES = ['NaN', 'Infinity', '-Infinity'];
const MAX_DOUBLE_TEXT = 400;
const NOT_BASE64 = /[^A-Za-z0-9+/_=-]/;
const HEX = /^[0-9a-fA-F]+$/;

/** Thrown when JSON.parse may have rounded an integer that must be exact. */
export class RoundedInteger extends Error {}

/** Reads ids, numbers, texts and attribute values the way the JSON form of OTLP writes them. */
export class JsonValues {
  /** @param exact whether integers that a number cannot hold have been quoted, so that no number is a rounded one. */
  constructor(
    private readonly cleaner: TextCleaner,
    private readonly exact: boolean,
  ) {}

  /** The text, safe to store; "" for everything else. */
  text(value: JsonValue | undefined): string {
    return typeof value === 'string' ? this.cleaner.clean(value) : '';
  }

  /** Nanoseconds as a number or as decimal digits; 0 when missing, malformed or out of range. */
  nanos(value: JsonValue | undefined): bigint {
    if (typeof value === 'string') return DECIMAL.test(value) ? nanosInRange(BigInt(value)) : 0n;
    if (typeof value !== 'number' || !Number.isFinite(value)) return 0n;
    this.refuseRounded(value);
    return nanosInRange(BigInt(Math.trunc(value)));
  }

  /** An attribute list, or the plain object some clients send instead. Malformed entries are left out. */
  attributes(value: JsonValue | undefined, depth = 0): JsonObject {
    const attributes: JsonObject = {};
    if (Array.isArray(value)) for (const entry of value) this.addKeyValue(entry, attributes, depth);
    else if (isObject(value)) this.addPlain(value, attributes, depth);
    return attributes;
  }

  /** Key and value of an entry of an attribute list; undefined for one that is malformed. */
  keyValue(entry: JsonValue, depth = 0): [key: string, value: JsonValue] | undefined {
    if (!isObject(entry) || typeof entry.key !== 'string') return undefined;
    const value = this.anyValue(entry.value, depth);
    return value === undefined ? undefined : [this.cleaner.clean(entry.key), value];
  }

  private addKeyValue(entry: JsonValue, target: JsonObject, depth: number): void {
    const read = this.keyValue(entry, depth);
    if (read) setOwn(target, ...read);
  }

  private addPlain(source: JsonObject, target: JsonObject, depth: number): void {
    for (const [key, value] of Object.entries(source)) {
      setOwn(target, this.cleaner.clean(key), this.plain(value, depth));
    }
  }

  /** The value of an AnyValue; null when it holds none, undefined when it is malformed. */
  anyValue(value: JsonValue | undefined, depth = 0): JsonValue | undefined {
    if (value === undefined || value === null) return null;
    if (!isObject(value)) return undefined;
    // Nearly all traffic is text.
    if (typeof value.stringValue === 'string') return this.cleaner.clean(value.stringValue);
    for (const key in value) {
      const read = VALUE_FORMS.get(key);
      if (read && value[key] !== null) return read(this, value[key], depth);
    }
    return null;
  }

  list(value: JsonValue, depth: number): JsonValue | undefined {
    if (!isObject(value)) return undefined;
    const values = Array.isArray(value.values) ? value.values : [];
    return boundedDepth(depth, (inner) => values.map((entry) => this.anyValue(entry, inner) ?? null));
  }

  object(value: JsonValue, depth: number): JsonValue | undefined {
    return isObject(value) ? boundedDepth(depth, (inner) => this.attributes(value.values, inner)) : undefined;
  }

  /** An int64: a number when it is exact, otherwise its decimal digits. */
  integer(value: JsonValue): JsonValue | undefined {
    if (typeof value === 'number' && !Number.isInteger(value)) return jsonNumber(value);
    if (typeof value === 'number') this.refuseRounded(value);
    else if (typeof value !== 'string' || !DECIMAL.test(value)) return undefined;
    else if (value.length <= EXACT_DIGITS) return jsonNumber(Number(value));
    const integer = BigInt(value);
    const number = Number(integer);
    return Number.isSafeInteger(number) ? number : integer.toString();
  }

  private plain(value: JsonValue, depth: number): JsonValue {
    if (typeof value === 'string') return this.cleaner.clean(value);
    if (typeof value === 'number') return this.plainNumber(value);
    if (Array.isArray(value)) return boundedDepth(depth, (inner) => value.map((entry) => this.plain(entry, inner)));
    if (isObject(value)) return boundedDepth(depth, (inner) => this.attributes(value, inner));
    return value;
  }

  private plainNumber(value: number): JsonValue {
    if (Number.isInteger(value)) this.refuseRounded(value);
    return jsonNumber(value);
  }

  private refuseRounded(value: number): void {
    if (!this.exact && !Number.isSafeInteger(Math.trunc(value))) throw new RoundedInteger();
  }
}

type ReadForm = (values: JsonValues, value: JsonValue, depth: number) => JsonValue | undefined;

/** How each member of the AnyValue union is written in JSON. */
const VALUE_FORMS = new Map<string, ReadForm>(
  Object.entries({
    stringValue: (values, value) => (typeof value === 'string' ? values.text(value) : undefined),
    boolValue: (_, value) => (typeof value === 'boolean' ? value : undefined),
    intValue: (values, value) => values.integer(value),
    doubleValue: (_, value) => double(value),
    bytesValue: (_, value) => bytes(value),
    arrayValue: (values, value, depth) => values.list(value, depth),
    kvlistValue: (values, value, depth) => values.object(value, depth),
  } satisfies Record<string, ReadForm>).flatMap(([name, read]) => [
    [name, read],
    [name.replace('Value', '_value'), read],
  ]),
);

function double(value: JsonValue): JsonValue | undefined {
  if (typeof value === 'number') return jsonNumber(value);
  if (typeof value !== 'string') return undefined;
  if (SPECIAL_DOUBLES.includes(value)) return value;
  return value.length <= MAX_DOUBLE_TEXT && DOUBLE.test(value) ? jsonNumber(Number(value)) : undefined;
}

/** Standard base64 with padding, from the standard or the URL-safe alphabet. */
function bytes(value: JsonValue): JsonValue | undefined {
  if (typeof value !== 'string' || NOT_BASE64.test(value)) return undefined;
  return Buffer.from(value, 'base64').toString('base64');
}

/**
 * An id of `size` bytes as lower-case hex digits; "" if it is none. Hex is the rule; base64, as in the generic JSON
 * form of protobuf, is accepted too, padded or not.
 */
export function readId(value: JsonValue | undefined, size: number): string {
  if (typeof value !== 'string') return '';
  if (value.length === size * 2) return HEX.test(value) ? value.toLowerCase() : '';
  const unpadded = Math.ceil((size * 4) / 3);
  const padded = Math.ceil(size / 3) * 4;
  if ((value.length !== unpadded && value.length !== padded) || NOT_BASE64.test(value)) return '';
  const decoded = Buffer.from(value, 'base64');
  return decoded.length === size ? decoded.toString('hex') : '';
}

/** An enum as a number, as decimal digits or by its full name; 0 for everything else. */
export function readEnum(
  value: JsonValue | undefined,
  names: Readonly<Record<string, number>>,
  prefix: string,
): number {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string') return 0;
  if (DECIMAL.test(value)) return Number(value);
  const name = value.startsWith(prefix) ? value.slice(prefix.length) : '';
  return Object.hasOwn(names, name) ? names[name] : 0;
}
