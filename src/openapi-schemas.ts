import type { OpenAPIObject } from '@nestjs/swagger';
import { ANNOTATIONS, isNode, mapSchemas, type Node } from './openapi-walk.js';

const UNIONS = ['oneOf', 'anyOf', 'allOf'] as const;

/**
 * Rewrites schemas for generators of clients. A union of one schema becomes that schema, every list gets a schema of its
 * items, and a union of variants gets a discriminator: without one, generators try the variants in turn.
 */
export function tidySchemas(document: OpenAPIObject): void {
  const components = document.components!;
  const named = components.schemas as Record<string, Node>;
  const tidy = (node: Node): Node =>
    mapSchemas(node, (schema, descend) =>
      withDiscriminator(withNull(withItems(unwrapped(descend(schema)))), named),
    ) as Node;
  document.paths = tidy(document.paths as Node) as OpenAPIObject['paths'];
  components.schemas = tidy({ schemas: named }).schemas as typeof components.schemas;
}

/** Turns `{ oneOf: [schema] }` into `schema`. Keys next to it describe this use of it. */
function unwrapped(schema: Node): Node {
  const unions = UNIONS.filter((key) => Array.isArray(schema[key]));
  const members = unions.flatMap((key) => schema[key] as Node[]);
  const different = [...new Map(members.map((member) => [JSON.stringify(member), member])).values()];
  if (unions.length === 1 && different.length > 1) return { ...schema, [unions[0]!]: different };
  const [only] = different;
  if (!only || different.length > 1) return schema;
  const beside = Object.entries(schema).filter(([key]) => !unions.includes(key as never));
  // @nestjs/swagger may write `type: object` beside a union.
  const annotations = beside.filter(([key, value]) => !(key === 'type' && value === 'object' && only.$ref));
  const isPlain = annotations.every(([key]) => ANNOTATIONS.includes(key));
  return isPlain ? { ...only, ...Object.fromEntries(annotations) } : schema;
}

/** Adds `items`: for a tuple the union of its positions, without further items; otherwise anything. */
function withItems(schema: Node): Node {
  const takesLists = schema.type === 'array' || (Array.isArray(schema.type) && schema.type.includes('array'));
  if (!takesLists || schema.items !== undefined) return schema;
  const places = (schema.prefixItems as Node[] | undefined) ?? [{}];
  return { ...schema, items: unwrapped({ anyOf: places }) };
}

/** Splits null from a list of types, because generators make a separate enum with all values for each type. */
function withNull(schema: Node): Node {
  const { type, enum: values, ...others } = schema;
  if (!Array.isArray(type) || !Array.isArray(values) || !type.includes('null')) return schema;
  const types = type.filter((each) => each !== 'null');
  const listed = { type: types.length === 1 ? types[0] : types, enum: values.filter((value) => value !== null) };
  const entries = Object.entries(others);
  const annotations = Object.fromEntries(entries.filter(([key]) => ANNOTATIONS.includes(key)));
  const rules = Object.fromEntries(entries.filter(([key]) => !ANNOTATIONS.includes(key)));
  return { ...annotations, anyOf: [{ ...listed, ...rules }, { type: 'null' }] };
}

/** Adds a discriminator where all members are components that differ in the constant of one required field. */
function withDiscriminator(schema: Node, named: Record<string, Node>): Node {
  const { oneOf, anyOf, ...others } = schema;
  const members = (oneOf ?? anyOf) as Node[] | undefined;
  const refs = members?.map(({ $ref }) => $ref as string | undefined) ?? [];
  if (refs.length < 2 || refs.some((ref) => !ref)) return schema;
  const variants = refs.map((ref) => named[ref!.split('/').at(-1)!] ?? {});
  const required = (variants[0]!.required as string[] | undefined) ?? [];
  for (const propertyName of required) {
    const values = variants.map((variant) => constantsOf(variant, propertyName));
    if (values.some((each) => each.length === 0) || hasTwice(values.flat())) continue;
    const mapping = Object.fromEntries(values.flatMap((each, index) => each.map((value) => [value, refs[index]!])));
    return { ...others, oneOf: members, discriminator: { propertyName, mapping } };
  }
  return schema;
}

/** The values of a required field that only takes constants. */
function constantsOf({ required, properties }: Node, name: string): string[] {
  if (!Array.isArray(required) || !required.includes(name) || !isNode(properties)) return [];
  const { const: only, enum: values } = (properties[name] ?? {}) as { const?: unknown; enum?: unknown[] };
  return [only, ...(values ?? [])].filter((value) => typeof value === 'string');
}

const hasTwice = (values: string[]): boolean => new Set(values).size < values.length;
