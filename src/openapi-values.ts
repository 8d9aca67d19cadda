import type { OpenAPIObject } from '@nestjs/swagger';
import { ANNOTATIONS, isNode, mapSchemas, type Node } from './openapi-walk.js';

const VALUE = '#/components/schemas/JsonValue';
const OBJECT = '#/components/schemas/JsonObject';
const NULL = { type: 'null' };

/** The two schemas of values that may be anything. */
const FREE: Record<string, object> = {
  JsonValue: { description: 'Any JSON value.' },
  JsonObject: {
    type: 'object',
    additionalProperties: { $ref: VALUE },
    description: 'A JSON object with any keys.',
  },
};

/**
 * Replaces every free schema with a named one. The name shows that anything is intended, not that a description is
 * missing.
 */
export function nameFreeValues(document: OpenAPIObject): void {
  const components = document.components!;
  const named = components.schemas as Record<string, Node>;
  for (const [name, schema] of Object.entries(named)) named[name] = rewriteSchema(schema, true);
  document.paths = descend(document.paths as Node) as OpenAPIObject['paths'];
  components.schemas = { ...named, ...FREE } as typeof components.schemas;
}

const descend = (node: Node): Node => mapSchemas(node, (schema) => rewriteSchema(schema)) as Node;

function rewriteSchema(schema: Node, isNamed = false): Node {
  if (typeof schema.$ref === 'string') return { ...annotationsOf(schema), $ref: schema.$ref };
  const free = isNamed ? null : freeKind(schema);
  if (free === 'value') return { ...annotationsOf(schema), $ref: VALUE };
  if (free === 'object') return { ...annotationsOf(schema), $ref: OBJECT };
  if (free === 'object or null') return { ...annotationsOf(schema), anyOf: [{ $ref: OBJECT }, NULL] };
  const rewritten = descend(schema);
  if (schema.type !== 'object' || !isOpen(schema.additionalProperties)) return rewritten;
  if (!schema.properties) return { ...rewritten, additionalProperties: { $ref: VALUE } };
  return takesOthers(schema, isNamed) ? { ...rewritten, additionalProperties: true } : rewritten;
}

/** Whether an object accepts other keys: those with known keys must declare it, and a class without declared fields accepts any. */
const takesOthers = ({ properties, additionalProperties }: Node, isNamed: boolean): boolean =>
  Boolean(additionalProperties) || (isNamed && isEmpty(properties));

const isEmpty = (properties: unknown): boolean => isNode(properties) && Object.keys(properties).length === 0;

function freeKind(schema: Node): 'value' | 'object' | 'object or null' | null {
  const keys = Object.keys(schema).filter((key) => !ANNOTATIONS.includes(key));
  if (keys.length === 0 || isAnyJson(schema)) return 'value';
  const others = keys.filter((key) => !['type', 'additionalProperties', 'propertyNames'].includes(key));
  if (others.length > 0 || !isOpen(schema.additionalProperties)) return null;
  if (schema.type === 'object') return 'object';
  return Array.isArray(schema.type) && schema.type.includes('object') ? 'object or null' : null;
}

/** All types but null, side by side. */
function isAnyJson({ oneOf }: Node): boolean {
  if (!Array.isArray(oneOf) || oneOf.length !== 5) return false;
  return oneOf.map((each) => (each as Node).type).join() === 'string,number,boolean,object,array';
}

function isOpen(additional: unknown): boolean {
  return (
    additional === undefined || additional === true || (isNode(additional) && Object.keys(additional).length === 0)
  );
}

function annotationsOf(schema: Node): Node {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => ANNOTATIONS.includes(key)));
}
