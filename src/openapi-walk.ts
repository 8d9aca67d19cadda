export type Node = Record<string, unknown>;

/** Changes a schema. `descend` gives the same schema with the change applied to every schema within it. */
export type SchemaChange = (schema: Node, descend: (schema: Node) => Node) => unknown;

/** Keys that may stand next to a reference. */
export const ANNOTATIONS = ['description', 'example', 'examples', 'default', 'title', 'deprecated'];
/** Their members are values, not schemas. */
const VALUES = new Set(['example', 'examples', 'default', 'enum', 'const', 'required', 'discriminator']);
/** Their members are schemas by name. */
const MAPS = new Set(['properties', 'schemas', 'patternProperties']);
const SCHEMAS = new Set(['schema', 'items', 'oneOf', 'anyOf', 'allOf', 'prefixItems', 'additionalProperties', 'not']);

/** Any part of an OpenAPI document with its schemas changed. The part itself is not taken for a schema. */
export function mapSchemas(node: unknown, change: SchemaChange): unknown {
  if (Array.isArray(node)) return node.map((item) => mapSchemas(item, change));
  if (!isNode(node)) return node;
  const descend = (schema: Node) => mapSchemas(schema, change) as Node;
  const changed = (schema: unknown) => (isNode(schema) ? change(schema, descend) : schema);
  return mapValues(node, (value, key) => {
    if (VALUES.has(key)) return value;
    if (MAPS.has(key) && isNode(value)) return mapValues(value, changed);
    if (!SCHEMAS.has(key)) return mapSchemas(value, change);
    return Array.isArray(value) ? value.map(changed) : changed(value);
  });
}

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function mapValues(node: Node, change: (value: unknown, key: string) => unknown): Node {
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, change(value, key)]));
}
