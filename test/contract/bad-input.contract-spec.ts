import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer } from '../support/client.js';
import { sampled } from '../support/depth.js';
import { every } from '../support/every.js';
import {
  type Document,
  documentOf,
  fillPath,
  isForProviders,
  type Operation,
  operationsOf,
  resolve,
  type Schema,
} from '../support/operations.js';
import { JSON_TYPE } from '../support/otlp.js';
import { clientFor, type Ids, inhabit } from '../support/examples.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let document: Document;
let withBody: Operation[];
let ids: Ids;
let ajv: Ajv2020;

beforeAll(async () => {
  // Requests of the operator change what all workspaces share.
  app = await TestApp.own();
  document = documentOf(app);
  const operations = operationsOf(document).filter((operation) => !isForProviders(operation));
  withBody = operations.filter(({ requestBody, path }) => requestBody && !path.startsWith('/v1/'));
  const inhabited = await inhabit(app);
  // One of the bodies ends the key at once.
  const keys = `/api/admin/v1/workspaces/${inhabited.workspace_id}/api-keys`;
  const { api_key: key } = (await app.client.post(keys, {}, 201)) as { api_key: { id: number } };
  ids = { ...inhabited, key_id: key.id };
  ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema({ $id: 'api', components: document.components });
});
afterAll(() => app.stop());

/** Sends bytes as they are. The client holds status and shape of the answer against the document. */
function send(operation: Operation, body: string, headers: Record<string, string> = JSON_TYPE): Promise<Answer> {
  return clientFor(app, operation).with(headers).request(operation.method, fillPath(operation.path, ids), body);
}

/** Sends each body to each route and checks the answer. */
function sendAll(bodies: string[], check: (answer: Answer) => void): Promise<void> {
  const cases = withBody.flatMap((operation) => bodies.map((body) => ({ operation, body })));
  return every(cases, async ({ operation, body }) => {
    const answer = await send(operation, body);
    naming(`${operation.name} ${body.slice(0, 200)} → ${answer.status}`, () => check(answer));
  });
}

function naming(what: string, check: () => void): void {
  try {
    check();
  } catch (error) {
    throw new Error(`${what}: ${(error as Error).message}`, { cause: error });
  }
}

const schemaOf = ({ requestBody }: Operation): Schema =>
  resolve(document, requestBody!.content['application/json']!.schema);

/** The example values of the fields that must be there. */
function required(operation: Operation): Record<string, unknown> {
  const { properties = {}, required: names = [] } = schemaOf(operation) as {
    properties?: Record<string, Schema>;
    required?: string[];
  };
  return Object.fromEntries(names.map((name) => [name, properties[name]!.example ?? null]));
}

/** Whether the document allows a value for a field. */
function validatorOf(operation: Operation, field: string): ValidateFunction {
  const schema = JSON.stringify(schemaOf(operation).properties![field]).replaceAll(
    '"#/components/',
    '"api#/components/',
  );
  return ajv.compile(JSON.parse(schema) as Schema);
}

/** The routes that take in calls, spans and files may be sent more at once. */
const SHEETS = '/api/public/v2/tables/{table_id}/sheets';
const SKILLS = '/api/public/v2/skill-collections';
const INGESTION = [
  '/log-request',
  '/track-request',
  '/spans-bulk',
  SHEETS,
  `${SHEETS}/{sheet_id}/imports/file`,
  '/api/public/v2/dataset-versions/from-file',
  SKILLS,
  `${SKILLS}/{skill_collection}/versions`,
];

const deep = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;

describe('a body that is no JSON object', () => {
  it('is refused by every route that takes one', async () => {
    await sendAll(['[]', '"x"', '1', 'true'], ({ status }) => expect([400, 422]).toContain(status));
    // For an optional body, null is accepted.
    const needing = withBody.filter(({ requestBody }) => requestBody!.required !== false);
    await every(needing, async (operation) => expect([400, 422]).toContain((await send(operation, 'null')).status));
  });

  it('is refused with 400 when it cannot be read', async () => {
    const bodies = ['{', '{"title":', 'title=x', '\u0000', '{"a":1}}', '{"a":NaN}', deep(100), `{"a":${deep(100)}}`];
    await sendAll(bodies, ({ status, body }) => {
      expect(status).toBe(400);
      // Some route families give no code.
      const { success, error = 'json_' } = body as { success: boolean; error?: string };
      expect([success, error]).toEqual([false, expect.stringMatching(/^json_/)]);
    });
  });

  it('is refused with 415 when it is announced as something else', async () => {
    const types = [
      'text/plain',
      'application/x-protobuf',
      'application/xml; charset=utf-8',
      'nonsense',
      ';;;',
      'application/json2',
    ];
    const cases = withBody.flatMap((operation) => types.map((type) => ({ operation, type })));
    await every(cases, async ({ operation, type }) => {
      const { status } = await send(operation, JSON.stringify(required(operation)), { 'content-type': type });
      expect([operation.name, type, status]).toEqual([operation.name, type, 415]);
    });
  });

  it('counts as an object without fields when it is empty', async () => {
    await every(withBody, async (operation) => {
      const nothing = await send(operation, '');
      const empty = await send(operation, '{}');
      expect([operation.name, nothing.status]).toEqual([operation.name, empty.status]);
    });
  });

  it('is refused with 413 when it is larger than such bodies may be', async () => {
    const body = `"${'x'.repeat(10 * 1024 * 1024)}"`;
    const ordinary = withBody.filter(({ path }) => !INGESTION.includes(path));
    await every(ordinary, async (operation) => {
      expect([operation.name, (await send(operation, body)).status]).toEqual([operation.name, 413]);
    });
  });
});

const HUGE = 1e300;
const VALUES: unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  HUGE,
  -HUGE,
  '',
  '   ',
  '\u0000',
  '\uD800 lone \uDFFF',
  'x'.repeat(100_000),
  '00000000-0000-0000-0000-000000000000',
  [],
  [null],
  [HUGE],
  [['\u0000']],
  [{}],
  {},
  { '\u0000': '\uD800' },
  { constructor: { prototype: 1 }, toString: 1, length: -1 },
  JSON.parse('{"then": 1, "toJSON": 1, "valueOf": null}'),
  JSON.parse('{"__proto__": {"polluted": true}}'),
  JSON.parse(`[${deep(50)}]`),
];

describe('a field with any value', () => {
  it('never breaks the server, and is refused wherever the document does not allow it', async () => {
    const fields = withBody.flatMap((operation) =>
      Object.keys(schemaOf(operation).properties ?? {}).map((field) => ({ operation, field })),
    );
    const numbered = fields.map((each, number) => ({ ...each, number }));
    await every(numbered, async ({ operation, field, number }) => {
      const allows = validatorOf(operation, field);
      await every(sampled(VALUES, number), async (value) => {
        const body = JSON.stringify({ ...required(operation), [field]: value });
        const { status } = await send(operation, body).catch((error: Error) => {
          throw new Error(`${body.slice(0, 120)}: ${error.message}`, { cause: error });
        });
        const refused = status === 400 || status === 422;
        // A key that stands for the prototype may also be left out.
        const leftOut = value !== null && Object.hasOwn(value as object, '__proto__');
        if (!allows(value) && !leftOut)
          expect([operation.name, body.slice(0, 200), status, refused]).toEqual([
            operation.name,
            body.slice(0, 200),
            status,
            true,
          ]);
      });
    });
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    // Thousands of requests.
  });

  it('is missed where it is required', async () => {
    const fields = withBody.flatMap((operation) =>
      Object.keys(required(operation)).map((field) => ({ operation, field })),
    );
    await every(fields, async ({ operation, field }) => {
      const { status, body } = await send(operation, JSON.stringify({ ...required(operation), [field]: undefined }));
      // Some routes know no 422 and say the same in an ordinary 400.
      const expected = '422' in operation.responses ? 422 : 400;
      expect([operation.name, field, status]).toEqual([operation.name, field, expected]);
      const detail = { detail: [{ loc: ['body', field], type: 'missing' }] };
      expect(body).toMatchObject(expected === 422 ? detail : { message: `body.${field}: Field required` });
    });
  });

  it('does no harm where the body has no such field', async () => {
    await every(withBody, async (operation) => {
      const { status } = await send(
        operation,
        JSON.stringify({ ...required(operation), nobody_knows: { a: ['\u0000'] } }),
      );
      expect(status).toBeLessThan(500);
    });
  });
});
