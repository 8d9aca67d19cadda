import { isObject, type JsonObject, type JsonValue, setOwn } from '../platform/json.js';
import { tryReadJson } from '../platform/read-json.js';

type JsonType = 'string' | 'number' | 'integer' | 'boolean' | 'object' | 'array' | 'null';

/**
 * Converts arguments to the types of an input schema where that is unambiguous. A text that is JSON of an allowed type becomes
 * that value, and other values become texts for properties that only allow texts. Null is dropped if a property does not allow
 * it. Other values stay, and the server explains why it refuses them.
 */
export function fitArguments(args: JsonObject, schema: JsonObject): JsonObject {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const fitted: JsonObject = {};
  for (const [name, value] of Object.entries(args)) {
    const types = Object.hasOwn(properties, name) ? typesOf(properties[name]!) : null;
    const argument = types === null ? value : fitValue(value, types);
    if (argument !== undefined) setOwn(fitted, name, argument);
  }
  return fitted;
}

/** The types that a schema allows; null if it does not restrict them, or in a way that is not supported here. */
function typesOf(schema: JsonValue): Set<JsonType> | null {
  if (!isObject(schema)) return null;
  const { type, enum: values, const: constant, anyOf, oneOf } = schema;
  if (typeof type === 'string') return new Set([type as JsonType]);
  if (Array.isArray(type)) return new Set(type as JsonType[]);
  if (Array.isArray(values)) return new Set(values.map(typeOf));
  if (constant !== undefined) return new Set([typeOf(constant)]);
  const choices = anyOf ?? oneOf;
  if (!Array.isArray(choices)) return null;
  const each = choices.map(typesOf);
  return each.includes(null) ? null : new Set(each.flatMap((types) => [...types!]));
}

/** Returns undefined for values that should be dropped. */
function fitValue(value: JsonValue, types: Set<JsonType>): JsonValue | undefined {
  if (fits(value, types)) return value;
  if (value === null) return undefined;
  if (typeof value !== 'string') return types.has('string') ? JSON.stringify(value) : value;
  const text = value.trim();
  if (text === '') return types.has('null') ? null : undefined;
  const meant =
    types.has('boolean') && /^(?:true|false)$/i.test(text) ? text.toLowerCase() === 'true' : tryReadJson(text);
  return meant !== undefined && fits(meant, types) ? meant : value;
}

function fits(value: JsonValue, types: Set<JsonType>): boolean {
  const type = typeOf(value);
  return types.has(type) || (type === 'integer' && types.has('number'));
}

function typeOf(value: JsonValue): JsonType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'bigint') return 'integer';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value as JsonType;
}
