import SCIMMY from 'scimmy';
import { readJson } from '../../platform/read-json.js';

/** An attribute with its characteristics (RFC 7643, section 7). */
export interface Attribute {
  name: string;
  type: 'string' | 'boolean' | 'decimal' | 'integer' | 'dateTime' | 'reference' | 'binary' | 'complex';
  multiValued: boolean;
  description: string;
  required: boolean;
  /** Absent for types without letter case. */
  caseExact?: boolean;
  mutability: 'readOnly' | 'readWrite' | 'immutable' | 'writeOnly';
  returned: 'always' | 'never' | 'default' | 'request';
  uniqueness?: 'none' | 'server' | 'global';
  canonicalValues?: string[];
  referenceTypes?: string[];
  subAttributes?: Attribute[];
}

export interface Schema {
  id: string;
  name: string;
  description: string;
  attributes: Attribute[];
}

export interface ResourceType {
  name: 'User' | 'Group';
  /** Below `/scim/v2`. */
  endpoint: 'Users' | 'Groups';
  core: Schema;
  extensions: Schema[];
  /** All attributes of a resource: the common ones, those of the core schema, and each extension as one complex attribute. */
  attributes: Attribute[];
}

/** The definitions are those of RFC 7643. They are read once and never changed: other users of the library may share them. */
function describe({ definition }: { definition: { describe(): object } }): Schema {
  const { id, name, description, attributes } = readJson(JSON.stringify(definition.describe())) as Schema;
  return { id, name, description, attributes };
}

const COMMON: Attribute[] = [
  common('id', 'The id that this server gives the resource. It never changes.', {
    caseExact: true,
    mutability: 'readOnly',
    returned: 'always',
    uniqueness: 'server',
  }),
  common('externalId', 'The id that the identity provider uses for the resource.', { caseExact: true }),
  {
    ...common('meta', 'Facts about the resource.', { type: 'complex', mutability: 'readOnly' }),
    subAttributes: [
      common('resourceType', 'User or Group.', { caseExact: true, mutability: 'readOnly' }),
      common('created', 'When the resource was created.', { type: 'dateTime', mutability: 'readOnly' }),
      common('lastModified', 'When the resource last changed.', { type: 'dateTime', mutability: 'readOnly' }),
      common('location', 'The URL of the resource.', { type: 'reference', mutability: 'readOnly' }),
      common('version', 'The version, as in the header ETag.', { caseExact: true, mutability: 'readOnly' }),
    ],
  },
];

function common(name: string, description: string, characteristics: Partial<Attribute>): Attribute {
  return {
    name,
    type: 'string',
    multiValued: false,
    description,
    required: false,
    caseExact: false,
    mutability: 'readWrite',
    returned: 'default',
    ...characteristics,
  };
}

/** An extension holds its attributes under its URN. */
const asAttribute = ({ id, attributes, description }: Schema): Attribute => ({
  ...common(id, description, { type: 'complex' }),
  subAttributes: attributes,
});

function resourceType(
  name: ResourceType['name'],
  endpoint: ResourceType['endpoint'],
  core: Schema,
  extensions: Schema[],
): ResourceType {
  const attributes = [...COMMON, ...core.attributes, ...extensions.map(asAttribute)];
  return { name, endpoint, core, extensions, attributes };
}

const { User, EnterpriseUser, Group } = SCIMMY.Schemas;

export const USER = resourceType('User', 'Users', describe(User), [describe(EnterpriseUser)]);
export const GROUP = resourceType('Group', 'Groups', withUniqueName(describe(Group)), []);

/** The rules of the operator name groups by their display names. */
function withUniqueName(schema: Schema): Schema {
  const attributes = schema.attributes.map((each) =>
    each.name === 'displayName' ? { ...each, uniqueness: 'server' as const } : each,
  );
  return { ...schema, attributes };
}

/** Attribute names have no letter case (RFC 7643, section 2.1). */
export function findAttribute(attributes: readonly Attribute[], name: string): Attribute | null {
  const lower = name.toLowerCase();
  return attributes.find((each) => each.name.toLowerCase() === lower) ?? null;
}

/**
 * Resolves a path such as `name.givenName` or `urn:…:User:manager.value` to its attributes, outermost first. Null for a path that
 * does not exist.
 */
export function resolvePath(type: ResourceType, path: string): Attribute[] | null {
  const lower = path.toLowerCase();
  if (lower.startsWith(`${type.core.id.toLowerCase()}:`)) {
    return walk(type.core.attributes, path.slice(type.core.id.length + 1).split('.'));
  }
  for (const { id } of type.extensions) {
    const extension = findAttribute(type.attributes, id)!;
    if (lower === id.toLowerCase()) return [extension];
    if (!lower.startsWith(`${id.toLowerCase()}:`)) continue;
    const rest = walk(extension.subAttributes!, path.slice(id.length + 1).split('.'));
    return rest && [extension, ...rest];
  }
  return walk(type.attributes, path.split('.'));
}

function walk(attributes: readonly Attribute[], names: string[]): Attribute[] | null {
  const [first, ...rest] = names;
  const found = first === undefined ? null : findAttribute(attributes, first);
  if (!found || rest.length === 0) return found && [found];
  const deeper = walk(found.subAttributes ?? [], rest);
  return deeper && [found, ...deeper];
}

export const isText = ({ type }: Attribute): boolean => ['string', 'reference', 'binary'].includes(type);
