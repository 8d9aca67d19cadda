// Types of the API for the console, from openapi.json. They are never in the bundle.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const TARGET = 'console/src/api/schema.gen.ts';

/** Writes the types of every schema, and of every operation by its method and path. */
export function writeApiTypes(root) {
  const document = JSON.parse(readFileSync(path.join(root, 'openapi.json'), 'utf8'));
  const schemas = Object.entries(document.components.schemas).map(
    ([name, schema]) => `export type ${name} = ${typeOf(schema)};`,
  );
  const operations = Object.entries(document.paths).flatMap(([url, methods]) =>
    Object.entries(methods).map(([method, operation]) => describe(`${method.toUpperCase()} ${url}`, operation)),
  );
  const text = [
    '// Written by `npm run docs` from openapi.json.',
    ...schemas,
    'export interface Operations {',
    ...operations,
    '}',
    '',
  ].join('\n');
  writeFileSync(path.join(root, TARGET), text);
}

function describe(name, { parameters = [], requestBody, responses }) {
  const inPlace = (place) => parameters.filter((parameter) => parameter.in === place);
  const body = requestBody?.content?.['application/json']?.schema;
  const parts = [
    ['path', inPlace('path').length > 0 && fieldsOf(inPlace('path'))],
    ['query', inPlace('query').length > 0 && fieldsOf(inPlace('query'))],
    ['body', body && typeOf(body)],
    ['answer', answerOf(responses)],
  ].filter(([, type]) => type);
  return `  ${JSON.stringify(name)}: { ${parts.map(([key, type]) => `${key}: ${type}`).join('; ')} };`;
}

function fieldsOf(parameters) {
  const fields = parameters.map(
    ({ name, required, schema = {} }) => `${JSON.stringify(name)}${required ? '' : '?'}: ${typeOf(schema)}`,
  );
  return `{ ${fields.join('; ')} }`;
}

/** What comes back when nothing is wrong; unknown where that is no JSON. */
function answerOf(responses) {
  const done = Object.entries(responses).filter(([status]) => status.startsWith('2'));
  const types = done
    .map(([, { content }]) => content?.['application/json']?.schema)
    .map((schema) => (schema ? typeOf(schema) : 'unknown'));
  return [...new Set(types)].join(' | ') || 'unknown';
}

function typeOf(schema) {
  const type = bareTypeOf(schema);
  return schema.nullable && type !== 'unknown' ? `${type} | null` : type;
}

function bareTypeOf(schema) {
  if (schema.$ref) return schema.$ref.split('/').at(-1);
  if ('const' in schema) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const parts = schema.oneOf ?? schema.anyOf;
  if (parts) return union(parts.map(typeOf));
  if (schema.allOf) return schema.allOf.map((part) => `(${typeOf(part)})`).join(' & ');
  if (Array.isArray(schema.type)) return union(schema.type.map((type) => typeOf({ ...schema, type })));
  return typeOfKind(schema);
}

function typeOfKind(schema) {
  switch (schema.type) {
    case 'string':
      return 'string';
    case 'integer':
    case 'number':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'null':
      return 'null';
    case 'array':
      return `(${typeOf(schema.items ?? {})})[]`;
    case 'object':
      return typeOfObject(schema);
    default:
      return schema.properties ? typeOfObject(schema) : 'unknown';
  }
}

function typeOfObject({ properties, required = [], additionalProperties }) {
  if (!properties)
    return `Record<string, ${typeof additionalProperties === 'object' ? typeOf(additionalProperties) : 'unknown'}>`;
  const fields = Object.entries(properties).map(
    ([name, schema]) => `${JSON.stringify(name)}${required.includes(name) ? '' : '?'}: ${typeOf(schema)}`,
  );
  return `{ ${fields.join('; ')} }`;
}

function union(types) {
  return [...new Set(types)].join(' | ');
}
