import { z } from 'zod';
import { type Attribute, GROUP, type ResourceType, USER } from './schemas.js';

/** The components of the OpenAPI document for resources, made from their schemas. */
export const USER_COMPONENT = documentOf(USER, 'ScimUser', 'A user, as SCIM describes one (RFC 7643, section 4.1).');
export const GROUP_COMPONENT = documentOf(
  GROUP,
  'ScimGroup',
  'A group, as SCIM describes one (RFC 7643, section 4.2).',
);

function documentOf(type: ResourceType, id: string, description: string): string {
  const schemas = z.array(z.string()).optional().meta({ description: 'The URNs of the schemas of the resource.' });
  z.object({ schemas, ...fieldsOf(type.attributes) }).meta({ id, description });
  return id;
}

function fieldsOf(attributes: readonly Attribute[]): Record<string, z.ZodType> {
  return Object.fromEntries(attributes.map((attribute) => [attribute.name, fieldOf(attribute)]));
}

function fieldOf(attribute: Attribute): z.ZodType {
  const { name, multiValued, description } = attribute;
  const single = typeOf(attribute);
  const field = multiValued ? z.array(single) : single;
  // Answers may leave every attribute out, see `attributes`.
  return field.optional().meta({ description: description || `The attribute \`${name}\`.` });
}

function typeOf({ type, subAttributes = [] }: Attribute): z.ZodType {
  if (type === 'complex') return z.object(fieldsOf(subAttributes));
  return type === 'boolean' ? z.boolean() : z.string();
}
