import { isObject, type JsonObject, type JsonValue } from '../../platform/json.js';
import { isNamed } from './json-objects.js';

/** Replaces the variable parts of a schema. */
export interface SchemaRendering {
  text(text: string): string;
  /** The list for an enum; undefined leaves the enum out. */
  values(name: string): JsonValue[] | undefined;
  /** The schema for a node; null when there is none. */
  schema(name: string): JsonObject | null;
}

/**
 * Renders the texts of a schema and puts the supplied enums and schemas in. A supplied schema of an object inherits
 * `additionalProperties` from the object around it unless it has the key itself. Keys and supplied values are not rendered.
 */
export function renderSchema(value: JsonValue, rendering: SchemaRendering): JsonValue {
  return renderNode(value, rendering, undefined) ?? null;
}

function renderNode(
  value: JsonValue,
  rendering: SchemaRendering,
  inherited: JsonValue | undefined,
): JsonValue | undefined {
  if (typeof value === 'string') return rendering.text(value);
  if (Array.isArray(value)) return value.map((item) => renderNode(item, rendering, inherited)).filter(isKept);
  if (!isObject(value)) return value;
  if (isNamed(value, 'enum_variable')) return rendering.values(value.name);
  if (isNamed(value, 'variable')) return inherit(rendering.schema(value.name), inherited);
  const passedOn = value.additionalProperties ?? inherited;
  const entries = Object.entries(value).map(([key, item]) => [key, renderNode(item, rendering, passedOn)] as const);
  return Object.fromEntries(entries.filter((entry): entry is [string, JsonValue] => isKept(entry[1])));
}

function isKept(value: JsonValue | undefined): value is JsonValue {
  return value !== undefined;
}

function inherit(schema: JsonObject | null, inherited: JsonValue | undefined): JsonObject {
  // A required node cannot be left out. An object without properties is the weakest schema.
  const node: JsonObject = schema ?? { type: 'object', properties: {} };
  const isObjectSchema = node.type === 'object' || isObject(node.properties);
  if (inherited === undefined || !isObjectSchema || node.additionalProperties !== undefined) return node;
  return { ...node, additionalProperties: inherited };
}

/** Names of the enums and schemas that must be supplied, in the order of the schema. */
export function schemaNames(value: JsonValue): string[] {
  const names: string[] = [];
  const collect = (name: string) => void names.push(name);
  renderSchema(value, {
    text: (text) => text,
    values: (name) => (collect(name), undefined),
    schema: (name) => (collect(name), null),
  });
  return names;
}
