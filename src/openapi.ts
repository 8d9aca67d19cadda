import type { INestApplication } from '@nestjs/common';
import { readJson } from './platform/read-json.js';
import { AccessErrors } from './access/index.js';
import { tags } from './composition.js';
import { PlatformErrors } from './platform/errors/platform.errors.js';
import type { AnyErrorFactory } from './platform/errors/problem.js';
import { exampleOf } from './example-ids.js';
import { addCredentials, type RouteCredentials, securityOf } from './openapi-security.js';
import { BINARY } from './platform/http/binary.js';
import type { FormParts } from './platform/http/form.js';
import { describeScim } from './openapi-scim.js';
import { tidySchemas } from './openapi-schemas.js';
import { ScimErrors } from './scim/index.js';
import { nameFreeValues } from './openapi-values.js';
import { namedSchemas } from './platform/http/schema-field.js';
import { ValidationErrorBody } from './platform/http/throws.js';
import { closedBodies } from './platform/http/validation.pipe.js';
import { DocumentBuilder, getSchemaPath, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';

const DESCRIPTION = `Send traces, find the request logs they became, and work on them in sheets.

Press **Authorize** and paste an API key; every example can then be run as it stands. The few operations that need ADMIN_TOKEN say so.

Any request can also be answered with 405 (the path takes other methods: see the \`Allow\` header), 431 (the URL and the headers are
too long: send long filters in the body of a POST), 429 and 503 (try again after the seconds of \`Retry-After\`).`;

/** The builder only knows licences with a URL. */
const LICENSE = { name: 'Apache License 2.0', identifier: 'Apache-2.0' };

/** The OpenAPI 3.1 document of the running application, extensions included. */
export function buildOpenApi(app: INestApplication): OpenAPIObject {
  const builder = new DocumentBuilder()
    .setTitle('Tracesheet')
    .setDescription(DESCRIPTION)
    // Version of the public API; /health has that of the server.
    .setVersion('1.0.0')
    .addServer('/')
    .setOpenAPIVersion('3.1.0')
    .addSecurityRequirements('api_key');
  addCredentials(builder);
  for (const { name, description } of tags()) builder.addTag(name, description);
  const document = SwaggerModule.createDocument(app, builder.build(), {
    operationIdFactory: (controller, method) => `${controller.replace(/Controller$/, '')}_${method}`,
  });
  Object.assign(document.info, { license: LICENSE });
  document.components!.schemas = { ...document.components!.schemas, ...(namedSchemas() as Schemas) };
  nameFreeValues(document);
  closeBodies(document.components!.schemas as Schemas);
  document.paths = withRestOfPath(document.paths as Paths) as OpenAPIObject['paths'];
  showExampleIds(document.paths as Paths);
  for (const { method, operation } of operationsOf(document)) {
    completeOperation(method, operation);
    completeBody(operation, document.components!.schemas as Schemas);
    if (operation['x-provider']) describeScim(operation);
    delete operation['x-provider'];
  }
  tidySchemas(document);
  return document;
}

function closeBodies(schemas: Schemas): void {
  for (const name of closedBodies) if (schemas[name]) Object.assign(schemas[name], { additionalProperties: false });
}

type Schemas = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;
type Fields = { required?: string[]; properties?: Record<string, { example?: unknown }> };
type Body = { schema: Fields & { $ref?: string; type?: string }; example?: unknown; examples?: object };
type Operation = Record<string, unknown> &
  RouteCredentials & {
    parameters?: Parameter[];
    requestBody?: { required?: boolean; content?: Record<string, Body> };
    responses: Record<string, { description: string }>;
  };

function operationsOf(document: OpenAPIObject): { method: string; operation: Operation }[] {
  return Object.values(document.paths as Paths).flatMap((path) =>
    Object.entries(path).map(([method, operation]) => ({ method, operation })),
  );
}

type Paths = Record<string, Record<string, Operation>>;

/** Names the wildcards at the end of routes, which the generator does not support. */
function withRestOfPath(paths: Paths): Paths {
  const documented: Paths = {};
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const name = operation['x-rest-of-path'] as string | undefined;
      const shown = name === undefined ? path : path.replace(/\{\w+\}$/, `{${name}}`);
      const rename = (parameter: Parameter) => (parameter.name === '*' ? { ...parameter, name: name! } : parameter);
      const parameters = operation.parameters?.map(rename);
      documented[shown] = { ...documented[shown], [method]: { ...operation, parameters } };
    }
  }
  return documented;
}

function showExampleIds(paths: Paths): void {
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, { parameters }] of Object.entries(operations)) {
      for (const { in: place, name, schema } of parameters ?? []) {
        if (place === 'path' && schema) schema.example ??= exampleOf(`${method} ${path}`, name, schema.type);
      }
    }
  }
}

type Parameter = { name: string; in: string; schema?: { type?: string; example?: unknown } };

const BRIEF = '"#/components/schemas/BriefErrorBody"';

const KEY_REFUSALS = [
  AccessErrors.api_key_invalid,
  AccessErrors.api_key_expired,
  AccessErrors.api_key_outside_networks,
];

/** Errors of the body parser, which all routes share. */
const BODY_REFUSALS = [
  PlatformErrors.json_unreadable,
  PlatformErrors.json_too_deep,
  PlatformErrors.body_too_large,
  PlatformErrors.media_type_unsupported,
];

const INVALID = {
  description: 'The request does not fit its schema.',
  content: { 'application/json': { schema: { $ref: getSchemaPath(ValidationErrorBody) } } },
};

const FORM_REFUSALS = [
  PlatformErrors.form_unreadable,
  PlatformErrors.form_json_unreadable,
  PlatformErrors.form_part_unknown,
  PlatformErrors.form_part_repeated,
];

/** Routes marked `x-public` need no key; all others refuse a caller without one. */
function completeOperation(method: string, operation: Operation): void {
  operation.security = securityOf(method, operation);
  if (!operation['x-public']) {
    const refusals = operation['x-provider'] ? [ScimErrors.scim_token_invalid] : KEY_REFUSALS;
    if (!operation.responses['401']) addRefusals(operation, refusals);
    addRefusals(operation, [AccessErrors.wrong_keys_limited]);
  }
  if (operation['x-invalid-is-400']) addRefusals(operation, [PlatformErrors.validation_error]);
  else if (takesInput(operation)) operation.responses['422'] = INVALID;
  if (takesJson(operation)) addRefusals(operation, BODY_REFUSALS);
  else if (operation['x-form']) describeForm(operation, operation['x-form'] as FormParts);
  else describeBytes(operation);
  addRefusals(operation, [
    PlatformErrors.headers_too_large,
    PlatformErrors.database_unavailable,
    PlatformErrors.storage_unavailable,
  ]);
  if (operation['x-brief-errors']) operation.responses = withBriefErrors(operation.responses);
  if (operation['x-successor']) operation.deprecated = true;
  if (isForOperator(operation)) addSentence(operation, NEEDS_ADMIN_TOKEN);
  for (const name of ['x-public', 'x-operator', 'x-body-key', 'x-ingests']) delete operation[name];
  delete operation['x-brief-errors'];
  delete operation['x-invalid-is-400'];
  delete operation['x-form'];
}

const NEEDS_ADMIN_TOKEN = 'Needs the ADMIN_TOKEN of the server as a bearer token: an API key is refused.';

function isForOperator({ security }: Operation): boolean {
  const names = ((security ?? []) as object[]).map((schemes) => Object.keys(schemes).join());
  return names.join() === 'operator';
}

function addSentence(operation: Operation, sentence: string): void {
  operation.description = [operation.description, sentence].filter(Boolean).join(' ');
}

/** The generator describes all types of a body alike, but only JSON has fields. */
function describeBytes({ requestBody: { content = {} } = {} }: Operation): void {
  for (const type of Object.keys(content)) if (type !== 'application/json') content[type] = BINARY;
}

/** The generator describes both types of the body alike. */
function describeForm(operation: Operation, { json, file }: FormParts): void {
  const alsoNamed = (names: string[]) =>
    `Also under the name ${names
      .slice(1)
      .map((name) => `\`${name}\``)
      .join(' or ')}.`;
  const properties: Record<string, object> = {
    [json[0]!]: { type: 'string', description: `The JSON of the other form of the body. ${alsoNamed(json)}` },
    [file[0]!]: { type: 'string', format: 'binary', description: `The file. ${alsoNamed(file)}` },
  };
  operation.requestBody!.content!['multipart/form-data'] = { schema: { type: 'object', properties } };
  addRefusals(operation, [...BODY_REFUSALS, ...FORM_REFUSALS]);
}

/** A body, a query or parameters of the path, which are validated. */
function takesInput({ requestBody, parameters = [] }: Operation): boolean {
  return requestBody !== undefined || parameters.some(({ in: place }) => place !== 'header');
}

function takesForm({ requestBody }: Operation): boolean {
  return requestBody?.content?.['multipart/form-data'] !== undefined;
}

/** A route that takes other bodies too parses them itself. */
function takesJson({ requestBody }: Operation): boolean {
  return Object.keys(requestBody?.content ?? {}).join() === 'application/json';
}

/**
 * Makes bodies without required fields optional; the generator marks every body as required. A body without an example gets
 * the examples of its fields: Swagger UI would otherwise invent a value for every field, even if fields exclude each other.
 */
function completeBody(operation: Operation, schemas: Schemas): void {
  if (!takesJson(operation) && !takesForm(operation)) return;
  const body = operation.requestBody!.content!['application/json']!;
  const name = body.schema.$ref?.split('/').at(-1);
  const { required = [], properties = {} } = (name === undefined ? body.schema : schemas[name]) as Fields;
  operation.requestBody!.required = required.length > 0;
  if (!body.examples) body.example = examplesOf(properties);
}

function examplesOf(properties: NonNullable<Fields['properties']>): Record<string, unknown> {
  const told = Object.entries(properties).filter(([, field]) => 'example' in field);
  return Object.fromEntries(told.map(([key, { example }]) => [key, example]));
}

/** Adds errors that are not declared at the route, after those that are. */
function addRefusals({ responses }: Operation, errors: AnyErrorFactory[]): void {
  for (const { code, definition } of errors) {
    const known = responses[definition.status];
    const name = `\`${code}\``;
    if (known?.description.includes(name)) continue;
    responses[definition.status] = known ? { ...known, description: `${known.description}, ${name}` } : refusal(name);
  }
}

const refusal = (description: string) => ({
  description,
  content: { 'application/json': { schema: { $ref: '#/components/schemas/ErrorBody' } } },
});

function withBriefErrors(responses: Operation['responses']): Operation['responses'] {
  const text = JSON.stringify(responses);
  const brief = readJson(text.replaceAll('"#/components/schemas/ErrorBody"', BRIEF)) as Operation['responses'];
  for (const { content } of Object.values(brief) as { content?: Record<string, Body> }[]) {
    for (const { example } of Object.values(content ?? {})) delete (example as { error?: unknown } | undefined)?.error;
  }
  return brief;
}
