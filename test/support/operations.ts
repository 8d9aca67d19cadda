import type { TestApp } from './test-app.js';
import { buildOpenApi } from '../../src/openapi.js';

export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
export type Schema = Record<string, unknown> & {
  properties?: Record<string, Schema>;
  enum?: unknown[];
  required?: string[];
};

/** One route of the OpenAPI document. */
export interface Operation {
  method: Method;
  path: string;
  /** Name in test titles. */
  name: string;
  summary?: string;
  description?: string;
  tags?: string[];
  security?: Record<string, unknown>[];
  parameters: { name: string; in: string; schema: Schema & { example?: unknown }; required?: boolean }[];
  requestBody?: {
    required?: boolean;
    content: Record<string, { schema: Schema; example?: unknown; examples?: Record<string, { value: unknown }> }>;
  };
  responses: Record<string, { description?: string; content?: Record<string, { schema?: Schema }> }>;
}

export interface Document {
  openapi: string;
  info: { title: string; version: string };
  servers?: { url: string }[];
  paths: Record<string, Record<string, unknown>>;
  components: { schemas: Record<string, Schema>; securitySchemes: Record<string, unknown> };
  security?: Record<string, unknown>[];
  tags: { name: string; description: string }[];
}

export function documentOf(app: TestApp): Document {
  return JSON.parse(JSON.stringify(buildOpenApi(app.app))) as Document;
}

export function operationsOf(document: Document): Operation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      parameters: [],
      ...(operation as Omit<Operation, 'method' | 'path' | 'name' | 'parameters'>),
      method: method.toUpperCase() as Method,
      path,
      name: `${method.toUpperCase()} ${path}`,
    })),
  );
}

/** A route that needs no key. */
export function isPublic(operation: Operation): boolean {
  return operation.security?.length === 0;
}

/** A route for identity providers: it takes a SCIM token alone, and words errors as SCIM does. `scim` calls these. */
export function isForProviders({ security = [] }: Operation): boolean {
  return security.some((schemes) => 'scim_token' in schemes);
}

/** The path with its parameters filled in. Throws for a parameter without a value. */
export function fillPath(path: string, ids: Record<string, string | number>): string {
  return path.replace(/\{([^}]+)\}/g, (_, name: string) => {
    if (!(name in ids)) throw new Error(`No value is known for the path parameter ${name} of ${path}: add one.`);
    return encodeURIComponent(ids[name]!);
  });
}

/** The first body that the document proposes, or else the example values of the fields that must be there. */
export function exampleBody(document: Document, { requestBody }: Operation): object {
  const { schema, example, examples } = requestBody!.content['application/json']!;
  const [first = { value: example }] = Object.values(examples ?? {});
  if (first.value !== undefined) return first.value as object;
  const { properties = {}, required = [] } = resolve(document, schema) as Schema & { required?: string[] };
  return Object.fromEntries(required.map((name) => [name, properties[name]!.example ?? null]));
}

/** The schema behind a reference; others as they are. */
export function resolve(document: Document, schema: Schema): Schema {
  const name = typeof schema.$ref === 'string' ? schema.$ref.split('/').at(-1)! : null;
  return name ? document.components.schemas[name]! : schema;
}
