import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Arbitraries } from '../support/arbitraries.js';
import type { Answer, Client } from '../support/client.js';
import { every } from '../support/every.js';
import { clientFor, type Ids, inhabit } from '../support/examples.js';
import {
  type Document,
  documentOf,
  fillPath,
  isForProviders,
  type Operation,
  operationsOf,
  type Schema,
} from '../support/operations.js';
import { JSON_TYPE } from '../support/otlp.js';
import { provider } from '../support/scim.js';
import { TestApp } from '../support/test-app.js';

/** The same requests every time. Others are drawn with another seed: `FUZZ_SEED=7 FUZZ_RUNS=50 npm test -- test/contract/generated`. */
const SEED = Number(process.env.FUZZ_SEED ?? 20_260_701);
const RUNS = Number(process.env.FUZZ_RUNS ?? 4);
const RUN = `Drawn with FUZZ_SEED=${SEED} FUZZ_RUNS=${RUNS}.`;

let app: TestApp;
let idp: Client;
let document: Document;
let ids: Ids;
let ajv: Ajv2020;
let arbitraries: Arbitraries;
let operations: Operation[];

beforeAll(async () => {
  // Requests of the operator change what all workspaces share.
  app = await TestApp.own();
  document = documentOf(app);
  ids = await inhabit(app);
  idp = await provider(app);
  ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema({ $id: 'api', components: document.components });
  arbitraries = new Arbitraries(document);
  // A stream ends when somebody hangs up.
  operations = operationsOf(document).filter(({ path }) => !path.endsWith('/events') || path.includes('/admin/'));
});
afterAll(() => app.stop());

const draw = <T>(arbitrary: fc.Arbitrary<T>): T[] => fc.sample(arbitrary, { seed: SEED, numRuns: RUNS });

interface Drawn {
  query: Record<string, unknown>;
  /** Undefined where the operation takes none. */
  body?: unknown;
}

function bodyOf({ requestBody }: Operation): Schema | null {
  return requestBody?.content['application/json']?.schema ?? null;
}

/** Requests that the document allows. */
function requestsOf(operation: Operation): fc.Arbitrary<Drawn> {
  const inQuery = operation.parameters.filter((parameter) => parameter.in === 'query');
  const values = Object.fromEntries(inQuery.map(({ name, schema }) => [name, arbitraries.of(schema)]));
  const requiredKeys = inQuery.filter(({ required }) => required).map(({ name }) => name);
  const schema = bodyOf(operation);
  const allows = schema ? validatorOf(schema) : anything;
  return fc.record({
    query: fc.record(values, { requiredKeys }) as fc.Arbitrary<Drawn['query']>,
    body: (schema ? arbitraries.of(schema) : fc.constant(undefined)).filter(allows),
  });
}

function urlOf({ path }: Operation, query: Drawn['query']): string {
  const pairs = Object.entries(query).flatMap(([name, value]) => {
    const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
    return [`${encodeURIComponent(name)}=${encodeURIComponent(text.toWellFormed())}`];
  });
  return `${fillPath(path, ids)}${pairs.length > 0 ? `?${pairs.join('&')}` : ''}`;
}

/** The client holds the answer against the schema of its status; here the status must be one that the operation has. */
async function send(operation: Operation, { query, body }: { query: Drawn['query']; body?: string }): Promise<Answer> {
  const sender = isForProviders(operation) ? idp : clientFor(app, operation);
  const client = body === undefined ? sender : sender.with(JSON_TYPE);
  const answer = await client.request(operation.method, urlOf(operation, query), body);
  if (!(answer.status in operation.responses)) throw new Error(`${answer.status} is not in the document`);
  if (answer.status >= 500) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
  return answer;
}

async function telling(operation: Operation, sent: unknown, work: () => Promise<void>): Promise<void> {
  await work().catch((error: Error) => {
    const request = JSON.stringify(sent) ?? '';
    throw new Error(`${operation.name} ${request.slice(0, 600)}: ${error.message} ${RUN}`, { cause: error });
  });
}

const deep = (depth: number): unknown => JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`);

/** Values that replace one that the document allows. */
const HOSTILE = fc.constantFrom<unknown>(
  null,
  true,
  -1,
  1.5,
  1e300,
  2 ** 53 - 1,
  '',
  ' ',
  'NaN',
  '\0',
  '\uD800 lone \uDFFF',
  'x'.repeat(70_000),
  '2026-13-45T99:99:99Z',
  [],
  {},
  [[]],
  [null],
  deep(60),
  { constructor: 1, toString: null },
  JSON.parse('{"__proto__": {"polluted": true}}'),
);

/** Puts a value at a random place into another one, replacing a member or under an unknown key. */
function spoiled(value: unknown, hostile: unknown, choice: number): unknown {
  if (typeof value !== 'object' || value === null) return hostile;
  const keys = Object.keys(value);
  const at = choice % (keys.length + 1);
  const rest = Math.floor(choice / (keys.length + 1));
  if (Array.isArray(value)) {
    if (at === keys.length) return [...(value as unknown[]), hostile];
    return value.map((item: unknown, index) => (index === at ? spoiledInside(item, hostile, rest) : item));
  }
  if (at === keys.length) return { ...value, nobody_knows: hostile };
  const key = keys[at]!;
  return { ...value, [key]: spoiledInside((value as Record<string, unknown>)[key], hostile, rest) };
}

/** Half of the time the whole value goes, otherwise something in it. */
const spoiledInside = (value: unknown, hostile: unknown, choice: number): unknown =>
  choice % 2 === 0 ? hostile : spoiled(value, hostile, Math.floor(choice / 2));

function validatorOf(schema: Schema): ValidateFunction {
  const text = JSON.stringify(schema).replaceAll('"#/components/', '"api#/components/');
  return ajv.compile(JSON.parse(text) as Schema);
}

interface Case extends Drawn {
  operation: Operation;
  /** Whether the document allows the body. */
  allows: (body: unknown) => boolean;
}

const anything = () => true;

const allowedRequests = (some: Operation[]): Case[] =>
  some.flatMap((operation) => draw(requestsOf(operation)).map((drawn) => ({ operation, allows: anything, ...drawn })));

function spoiledBodies(some: Operation[]): Case[] {
  return some.flatMap((operation) => {
    const schema = bodyOf(operation);
    if (!schema) return [];
    const allows = validatorOf(schema);
    const drawn = draw(fc.tuple(requestsOf(operation), HOSTILE, fc.nat()));
    return drawn.map(([{ query, body }, hostile, choice]) => ({
      operation,
      query,
      allows,
      body: spoiled(body, hostile, choice),
    }));
  });
}

function spoiledQueries(some: Operation[]): Case[] {
  return some.flatMap((operation) => {
    const inQuery = operation.parameters.filter((parameter) => parameter.in === 'query');
    if (inQuery.length === 0) return [];
    const drawn = draw(fc.tuple(requestsOf(operation), fc.constantFrom(...inQuery), HOSTILE));
    return drawn.map(([{ query, body }, { name }, hostile]) => ({
      operation,
      allows: anything,
      body,
      query: { ...query, [name]: hostile },
    }));
  });
}

/**
 * Sends all bodies. Every answer must be in the document, and bodies that the document does not allow must be rejected.
 */
async function sendAll(cases: Case[]): Promise<void> {
  await every(cases, ({ operation, query, allows, body }) =>
    telling(operation, { query, body }, async () => {
      const { status } = await send(operation, { query, body: body === undefined ? undefined : JSON.stringify(body) });
      // A key that stands for the prototype may also be left out.
      const isLeftOut = JSON.stringify(body ?? null).includes('"__proto__"');
      // Providers send more forms of values than the document shows, see `scim-patch`.
      const isLenient = isForProviders(operation);
      if (status < 400 && !allows(body) && !isLeftOut && !isLenient)
        throw new Error(`${status} although the document does not allow the body.`);
      if (status === 401) throw new Error('401 although the key is right.');
    }),
  );
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
}

describe.each([
  ['requests that the document allows', allowedRequests],
  ['bodies that are spoiled somewhere', spoiledBodies],
  ['query parameters that hold anything', spoiledQueries],
])('%s', (_, make) => {
  it('are answered as the document says, and never break the server', () =>
    sendAll(make(operations.filter(({ method }) => method !== 'DELETE'))));
});

it('deletions are answered as the document says, whatever comes with them', async () => {
  // The key that the requests are sent with is still needed.
  const deletions = operations.filter(({ method, path }) => method === 'DELETE' && !path.includes('/api-keys/'));
  await sendAll([...spoiledBodies(deletions), ...spoiledQueries(deletions), ...allowedRequests(deletions)]);
});
