import { isObject, type JsonObject, type JsonValue } from '../../platform/json.js';

/** Words of JSON schema that Google's API refuses. */
const REFUSED = new Set(['$schema', '$id', '$comment', 'additionalProperties', 'strict']);

/** Members that hold schemas by name: there, a refused word is the name of a property. */
const NAMED = new Set(['properties', '$defs', 'definitions', 'patternProperties']);

/** Members that hold a schema or a list of them; everything else is data. */
const NESTED = new Set(['items', 'anyOf', 'oneOf', 'allOf', 'any_of', 'not', 'prefixItems']);

/** A JSON schema without the words Google's API refuses. */
export function googleSchema(schema: JsonObject): JsonObject {
  const kept = Object.entries(schema).filter(([word]) => !REFUSED.has(word));
  return Object.fromEntries(kept.map(([word, value]) => [word, member(word, value)]));
}

function member(word: string, value: JsonValue): JsonValue {
  if (NESTED.has(word)) return Array.isArray(value) ? value.map(nested) : nested(value);
  if (!NAMED.has(word) || !isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, nested(schema)]));
}

function nested(schema: JsonValue): JsonValue {
  return isObject(schema) ? googleSchema(schema) : schema;
}
