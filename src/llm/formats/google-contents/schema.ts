import { isObject, type JsonObject, type JsonValue } from '../../../platform/json.js';

/** Members that hold schemas by name: there, a word is the name of a property. */
const NAMED = new Set(['properties', '$defs']);

/** Members that hold a schema or a list of them; everything else is data. */
const NESTED = new Set(['items', 'anyOf', 'oneOf', 'prefixItems', 'additionalProperties']);

/** Spellings of words that mean the same to the API. */
const SYNONYMS = new Map([
  ['definitions', '$defs'],
  ['any_of', 'anyOf'],
]);

/** Keywords without meaning for the API. */
const IDLE = new Set(['$schema', '$id', '$comment', 'strict']);

/** The words of its own kind of schema, an older form of that of OpenAPI. */
const OWN_WORDS = new Set([
  'type',
  'format',
  'title',
  'description',
  'nullable',
  'default',
  'enum',
  'items',
  'minItems',
  'maxItems',
  'properties',
  'propertyOrdering',
  'required',
  'minProperties',
  'maxProperties',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'pattern',
  'example',
  'anyOf',
]);

/** The keywords of JSON Schema that the API supports. */
const JSON_SCHEMA_WORDS = new Set([
  '$ref',
  '$defs',
  '$anchor',
  'type',
  'format',
  'title',
  'description',
  'enum',
  'items',
  'prefixItems',
  'minItems',
  'maxItems',
  'minimum',
  'maximum',
  'anyOf',
  'oneOf',
  'properties',
  'propertyOrdering',
  'additionalProperties',
  'required',
]);

/**
 * A JSON schema for Google's API: in its own kind of schema where that can express all of it, else as the supported
 * part of JSON Schema, under another name.
 */
export function googleSchema(schema: JsonObject): { kind: 'own' | 'json'; schema: JsonObject } {
  if (isOwn(schema)) return { kind: 'own', schema: rewritten(schema, OWN_WORDS) };
  return { kind: 'json', schema: rewritten(schema, JSON_SCHEMA_WORDS) };
}

/** Whether the API's own kind of schema can express all of a schema. */
function isOwn(schema: JsonObject): boolean {
  return Object.entries(schema).every(([given, value]) => {
    const word = nameOf(given);
    if (IDLE.has(word) || (word === 'additionalProperties' && typeof value === 'boolean')) return true;
    const isKnown = OWN_WORDS.has(word) && !(word === 'type' && typeof value !== 'string');
    return isKnown && schemasAt(word, value).every((inner) => !isObject(inner) || isOwn(inner));
  });
}

function schemasAt(word: string, value: JsonValue): JsonValue[] {
  if (NAMED.has(word)) return isObject(value) ? Object.values(value) : [];
  return NESTED.has(word) ? [value].flat() : [];
}

function rewritten(schema: JsonObject, words: Set<string>): JsonObject {
  const { const: only, allOf, ...others } = schema;
  const known = Object.entries(others)
    .map(([word, value]): [string, JsonValue] => [nameOf(word), value])
    .filter(([word]) => words.has(word))
    .map(([word, value]) => [word, member(word, value, words)]);
  // Joins several schemas that must all hold, because the API has no keyword for that.
  const parts = (Array.isArray(allOf) ? allOf : []).filter(isObject).map((part) => rewritten(part, words));
  const own = { ...(only === undefined ? {} : { enum: [only] }), ...Object.fromEntries(known) };
  return [...parts, own].reduce(joined, {});
}

/** One schema for two: the properties of both; all that either requires are required. */
function joined(a: JsonObject, b: JsonObject): JsonObject {
  const both: JsonObject = { ...a, ...b };
  if (isObject(a.properties) && isObject(b.properties)) both.properties = { ...a.properties, ...b.properties };
  if (Array.isArray(a.required) && Array.isArray(b.required)) {
    both.required = [...new Set([...a.required, ...b.required])];
  }
  return both;
}

function member(word: string, value: JsonValue, words: Set<string>): JsonValue {
  const nested = (schema: JsonValue) => (isObject(schema) ? rewritten(schema, words) : schema);
  if (NESTED.has(word)) return Array.isArray(value) ? value.map(nested) : nested(value);
  if (word === '$ref') return typeof value === 'string' ? value.replace(/^#\/definitions\//, '#/$defs/') : value;
  if (!NAMED.has(word) || !isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, nested(schema)]));
}

const nameOf = (word: string): string => SYNONYMS.get(word) ?? word;
