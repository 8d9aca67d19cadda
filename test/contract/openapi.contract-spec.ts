import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { demoTraces } from '../../src/embedded/demo/traces.js';
import {
  type Document,
  documentOf,
  isPublic,
  type Operation,
  operationsOf,
  resolve,
  type Schema,
} from '../support/operations.js';
import { JSON_TYPE } from '../support/otlp.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let document: Document;
let operations: Operation[];
beforeAll(async () => {
  app = await TestApp.own({ works: false });
  document = documentOf(app);
  operations = operationsOf(document);
});
afterAll(() => app.stop());

/** Leaves out what may look like a schema in an example. */
const withoutExamples = (key: string, value: unknown): unknown =>
  /^(example|examples|default)$/.test(key) ? undefined : value;

/** Every object anywhere in the document. */
function* nodes(node: unknown): Generator<Record<string, unknown>> {
  if (typeof node !== 'object' || node === null) return;
  if (!Array.isArray(node)) yield node as Record<string, unknown>;
  for (const child of Object.values(node)) yield* nodes(child);
}

/** Every object but values, and but those whose keys are names of fields. */
function* described(node: unknown): Generator<Record<string, unknown>> {
  if (typeof node !== 'object' || node === null) return;
  if (!Array.isArray(node)) yield node as Record<string, unknown>;
  for (const [key, child] of Object.entries(node)) {
    if (key === 'properties') for (const field of Object.values(child as object)) yield* described(field);
    else if (!['example', 'examples', 'default', 'const', 'enum'].includes(key)) yield* described(child);
  }
}

const MOST_FREE_OBJECTS = 76;
const MOST_FREE_VALUES = 43;

const WORKSPACE = '/api/admin/v1/workspaces/{workspace_id}';

describe('the OpenAPI document', () => {
  it('is the one that is committed', () => {
    const committed = readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8');
    expect(document, 'Run "npm run docs" to bring openapi.json up to date.').toEqual(JSON.parse(committed));
  });

  it('equals the document that the server returns', async () => {
    expect(await app.clientWith(null).get('/openapi.json')).toEqual(document);
  });

  it('is OpenAPI 3.1 with schemas that are valid JSON Schema and references that lead somewhere', () => {
    expect(document.openapi).toMatch(/^3\.1\.\d+$/);
    expect(document.info).toMatchObject({
      title: 'Tracesheet',
      version: expect.stringMatching(/^\d/),
      license: { identifier: 'Apache-2.0' },
    });
    expect(document.servers).toEqual([{ url: '/' }]);
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema({ $id: 'api', components: document.components });
    for (const name of Object.keys(document.components.schemas)) {
      expect(() => ajv.compile({ $ref: `api#/components/schemas/${name}` }), name).not.toThrow();
    }
    for (const { $ref } of nodes(document)) {
      if (typeof $ref !== 'string') continue;
      const at = $ref.replace('#/', '').split('/');
      expect(
        at.reduce((node: unknown, key) => (node as Schema | undefined)?.[key], document),
        $ref,
      ).toBeDefined();
    }
  });

  it('types every value, except for named schemas of free values', () => {
    const text = JSON.stringify(document);
    const uses = (name: string) => text.split(`"#/components/schemas/${name}"`).length - 1;
    // Raise these numbers only for values that clients may send in any form. Other values get a schema of their own.
    expect(uses('JsonObject')).toBeLessThanOrEqual(MOST_FREE_OBJECTS);
    expect(uses('JsonValue')).toBeLessThanOrEqual(MOST_FREE_VALUES);
    const { JsonObject: _, JsonValue: __, ...schemas } = document.components.schemas;
    const open = [...nodes([schemas, document.paths])].filter(
      (node) =>
        node.type === 'object' &&
        !node.properties &&
        !node.anyOf &&
        [undefined, true].includes(node.additionalProperties as never),
    );
    expect(open).toEqual([]);
  });

  it('uses no keyword that OpenAPI 3.1 dropped: clients would not understand it', () => {
    const dropped = [...nodes(document)].filter(
      (node) => typeof node.nullable === 'boolean' || node.exclusiveMinimum === true,
    );
    expect(dropped).toEqual([]);
  });

  it('names every operation once and gives each a tag, a summary and a description', () => {
    const ids = operations.map((operation) => (operation as unknown as { operationId: string }).operationId);
    expect(new Set(ids).size).toBe(ids.length);
    const bare = operations.filter(({ tags, summary, description }) => !tags?.length || !summary || !description);
    expect(bare.map(({ name }) => name)).toEqual([]);
    const used = new Set(operations.flatMap(({ tags }) => tags));
    expect(document.tags.map(({ name }) => name).sort()).toEqual([...used].sort());
    expect(document.tags.filter(({ description }) => !description)).toEqual([]);
  });

  it('describes every field of every body and answer', () => {
    const bare = [...nodes(JSON.parse(JSON.stringify(document, withoutExamples)))].flatMap((node) =>
      Object.entries((node.type === 'object' && node.properties) || {})
        .filter(([, field]) => !('description' in field) && !('$ref' in field) && !('allOf' in field))
        .map(([name]) => name),
    );
    expect(bare).toEqual([]);
  });

  it('describes a body that is not JSON as bytes', () => {
    const bodies = operations.flatMap(({ name, requestBody, responses }) =>
      [requestBody, ...Object.values(responses)].flatMap((body) =>
        Object.entries(body?.content ?? {}).map(([type, { schema }]) => ({ name, type, schema })),
      ),
    );
    const raw = bodies.filter(
      ({ type }) => !/json|event-stream|^text\/plain|form-data/.test(type) || type.includes('ndjson'),
    );
    expect(raw.filter(({ type }) => type === 'application/x-protobuf')).toHaveLength(6);
    for (const { name, type, schema } of raw)
      expect([name, type, schema]).toEqual([name, type, { type: 'string', format: 'binary' }]);
  });

  it('describes every parameter of every path, and the answer of every operation that succeeds', () => {
    for (const { name, path, parameters, responses } of operations) {
      const inPath = parameters.filter((parameter) => parameter.in === 'path').map((parameter) => parameter.name);
      expect([name, ...inPath.sort()]).toEqual([
        name,
        ...[...path.matchAll(/\{(.+?)\}/g)].map(([, key]) => key!).sort(),
      ]);
      for (const parameter of parameters)
        expect([name, parameter]).toEqual([name, expect.objectContaining({ schema: expect.anything() })]);
      const success = Object.keys(responses).filter((status) => status.startsWith('2'));
      expect([name, success]).toEqual([name, expect.arrayContaining([expect.any(String)])]);
      for (const status of success.filter((each) => each !== '204')) {
        // A download has a type for each of its formats.
        const [content] = Object.values(responses[status]!.content ?? {});
        expect([name, content?.schema]).toEqual([name, expect.anything()]);
      }
    }
  });

  it('says how each operation refuses what does not fit, and that errors are JSON', () => {
    const typeOf = (name: string) => (name.includes(' /scim/') ? 'application/scim+json' : 'application/json');
    for (const { name, parameters, responses } of operations) {
      const refusals = Object.keys(responses).filter((status) => status === '400' || status === '422');
      if (parameters.some((parameter) => parameter.in === 'path'))
        expect([name, refusals]).toEqual([name, expect.arrayContaining([expect.any(String)])]);
      for (const [status, { content = {} }] of Object.entries(responses).filter(([each]) => each >= '400'))
        expect([name, status, Object.keys(content)]).toEqual([name, status, [typeOf(name)]]);
    }
  });

  it('offers an Idempotency-Key on every POST but those that read, take spans, or answer a secret', () => {
    const posts = operations.filter(({ method }) => method === 'POST');
    const plain = posts.filter(({ parameters }) => !parameters.some(({ name }) => name === 'Idempotency-Key'));
    const rows = 'tables/{table_id}/sheets/{sheet_id}/rows/search';
    const requests = [
      'requests/analytics',
      'requests/analytics/custom-analytics',
      'requests/histogram',
      'requests/search',
    ];
    const sheet = ['columns/preview', 'feeds/plan'].map((path) => `tables/{table_id}/sheets/{sheet_id}/${path}`);
    const searches = ['traces/histogram', 'traces/search', rows];
    const reading = [...requests, 'me/api-keys', 'trials', 'monitors/preview', ...sheet, ...searches];
    expect(plain.map(({ path }) => path).sort()).toEqual([
      '/api/admin/v1/scim-tokens',
      '/api/admin/v1/users/{user_id}/password-links',
      `${WORKSPACE}/api-keys`,
      `${WORKSPACE}/api-keys/{key_id}/rotate`,
      `${WORKSPACE}/invitations`,
      `${WORKSPACE}/mcp-servers/{mcp_server_id}/test`,
      `${WORKSPACE}/model-credentials/{credential_id}/test`,
      `${WORKSPACE}/retention/dry-run`,
      `${WORKSPACE}/webhooks`,
      `${WORKSPACE}/webhooks/{webhook_id}/secret`,
      ...[...reading, 'tool-registry/{tool_identifier}/test-execute', 'traces/analytics/custom-analytics']
        .sort()
        .map((path) => `/api/public/v2/${path}`),
      '/console/identities',
      '/console/invitation',
      '/console/invitation/accept',
      '/console/invitation/sign-in',
      '/console/password',
      '/console/password/forgotten',
      '/console/session',
      '/console/session/workspace/{workspace_id}',
      '/console/sign-in',
      '/console/sign-in-link',
      '/prompt-templates/{identifier}',
      '/scim/v2/Groups',
      '/scim/v2/Users',
      '/spans-bulk',
      '/v1/logs',
      '/v1/metrics',
      '/v1/traces',
      '/ws-token-request-library',
    ]);
  });

  it('says which credentials each operation takes', () => {
    const { securitySchemes } = document.components;
    expect(document.security).toEqual([{ api_key: [] }]);
    expect(securitySchemes.operator).toEqual({ type: 'http', scheme: 'bearer', description: expect.any(String) });
    for (const { name, security } of operations) {
      for (const scheme of (security ?? []).flatMap(Object.keys))
        expect([name, securitySchemes[scheme]]).toEqual([name, expect.anything()]);
    }
    expect(
      operations
        .filter(isPublic)
        .map(({ path }) => path)
        .sort(),
    ).toEqual([
      '/console/invitation',
      '/console/invitation/accept',
      '/console/invitation/sign-in',
      '/console/password',
      '/console/password/forgotten',
      '/console/sign-in',
      '/console/sign-in',
      '/console/sign-in-link',
      '/health/live',
      '/health/ready',
    ]);
    for (const { name, security, description } of operations) {
      if (security?.flatMap(Object.keys).join() === 'operator')
        expect([name, description]).toEqual([name, expect.stringContaining('ADMIN_TOKEN')]);
    }
    const forKeysToo = operations.filter(({ path }) => path.startsWith(`${WORKSPACE}/api-keys`));
    expect(forKeysToo.length).toBeGreaterThan(2);
    for (const { name, security } of forKeysToo) {
      const schemes = security?.flatMap(Object.keys);
      expect([name, schemes]).toEqual([name, expect.arrayContaining(['api_key', 'operator'])]);
    }
  });
});

describe('generators of clients', () => {
  const membersOf = ({ oneOf, anyOf, allOf }: Record<string, unknown>) =>
    [oneOf, anyOf, allOf].filter(Array.isArray).map((members) => members as Schema[]);
  const tells = ({ properties = {} }: Schema) => Object.values(properties).some((field) => 'const' in field);

  it('find different schemas in every union, and the type of items in every list', () => {
    const unions = [...nodes(document)].flatMap(membersOf);
    expect(unions.length).toBeGreaterThan(200);
    const trivial = unions.filter((members) => new Set(members.map((member) => JSON.stringify(member))).size < 2);
    expect(trivial).toEqual([]);
    const lists = [...nodes(document)].filter(({ type }) => [type].flat().includes('array'));
    expect(lists.filter(({ items }) => items === undefined)).toEqual([]);
  });

  it('find named variants for each discriminator, and the values that stand for them', () => {
    const variants = new Set<string>();
    for (const node of nodes(document)) {
      const members = membersOf(node).flat();
      const telling = members.filter((member) => tells(resolve(document, member)));
      if (members.length < 2 || telling.length < members.length) continue;
      expect(
        telling.filter(({ $ref }) => !$ref),
        'A variant has a name: `.meta({ id })`.',
      ).toEqual([]);
      const { propertyName, mapping } = node.discriminator as { propertyName: string; mapping: Record<string, string> };
      expect(new Set(Object.values(mapping))).toEqual(new Set(members.map(({ $ref }) => $ref)));
      for (const [value, $ref] of Object.entries(mapping)) {
        const { properties, required } = resolve(document, { $ref });
        const { const: only, enum: values = [only] } = properties![propertyName]!;
        expect([$ref, values, required]).toEqual([
          $ref,
          expect.arrayContaining([value]),
          expect.arrayContaining([propertyName]),
        ]);
        variants.add($ref);
      }
    }
    expect(variants.size).toBeGreaterThan(45);
  });

  it('find examples that fit their schemas', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema({ $id: 'api', components: document.components });
    const { components, paths } = JSON.parse(
      JSON.stringify({ components: document.components, paths: document.paths }).replaceAll('"#/', '"api#/'),
    ) as Document;
    const unfit: unknown[] = [];
    const tried = new Set<string>();
    const check = (schema: object, examples: unknown[]) => {
      const text = JSON.stringify([schema, examples]);
      if (tried.has(text)) return;
      tried.add(text);
      const fits = ajv.compile(schema);
      for (const example of examples) if (!fits(example)) unfit.push([example, ajv.errorsText(fits.errors), schema]);
    };
    for (const { schema, example, examples, ...own } of described([components.schemas, paths])) {
      const shown = Array.isArray(examples)
        ? examples
        : Object.values((examples ?? {}) as Record<string, { value?: unknown }>).map(({ value }) => value);
      const given = example === undefined ? shown : [example, ...shown];
      if (given.length > 0) check((schema ?? own) as object, given);
    }
    expect(tried.size).toBeGreaterThan(300);
    expect(unfit).toEqual([]);
  });
});

describe('an example of the document', () => {
  it('finds something in the example data of a new server', async () => {
    await app.client.with(JSON_TYPE).post('/v1/traces', demoTraces(Date.now()));
    const found = (name: string) => readExample(operations.find((operation) => operation.name === name)!);

    expect(await found('GET /requests')).toMatchObject({ items: SOMETHING });
    expect(await found('GET /api/public/v2/requests/suggestions')).toMatchObject({ values: SOMETHING });
    expect(await found('POST /api/public/v2/requests/search')).toMatchObject({ items: SOMETHING });
    expect(await found('POST /api/public/v2/requests/analytics')).toMatchObject({ stats: SOMETHING });
    expect(await found('POST /api/public/v2/traces/search')).toMatchObject({ items: SOMETHING });
    for (const source of ['requests', 'traces']) {
      const { customCharts } = await found(`POST /api/public/v2/${source}/analytics/custom-analytics`);
      expect(customCharts).toEqual(SOMETHING);
      for (const chart of customCharts as unknown[]) expect(chart).toMatchObject({ data: SOMETHING });
    }
  });
});

const SOMETHING = expect.toSatisfy((list: unknown[]) => list.length > 0);

/** Answer of a reading operation to its example. */
async function readExample(operation: Operation): Promise<Record<string, unknown>> {
  const examples = operation.parameters.flatMap(({ name, schema: { example } }) =>
    example === undefined ? [] : [[name, String(example)]],
  );
  const path = `${operation.path}?${new URLSearchParams(examples).toString()}`;
  const body = operation.requestBody && JSON.stringify(bodyOf(operation));
  const answer = await app.client.with(JSON_TYPE).request(operation.method, path, body);
  expect([operation.name, answer.status]).toEqual([operation.name, 200]);
  return answer.body as Record<string, unknown>;
}

/** The body that Swagger UI proposes: without an example it makes up values for all fields. */
function bodyOf({ name, requestBody }: Operation): object {
  const { example, examples } = requestBody!.content['application/json']!;
  const [first = { value: example }] = Object.values(examples ?? {});
  expect([name, first.value]).toEqual([name, expect.any(Object)]);
  return first.value as object;
}
