import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sampled } from '../support/depth.js';
import { every } from '../support/every.js';
import type { Page } from '../support/factories.js';
import { clientFor, type Ids, inhabit } from '../support/examples.js';
import { documentOf, fillPath, isForProviders, type Operation, operationsOf } from '../support/operations.js';
import { JSON_TYPE } from '../support/otlp.js';
import { TestApp } from '../support/test-app.js';

type Parameter = Operation['parameters'][number];

let app: TestApp;
let operations: Operation[];
let reads: Operation[];
let ids: Ids;

beforeAll(async () => {
  // Requests of the operator change what all workspaces share.
  app = await TestApp.own();
  operations = operationsOf(documentOf(app)).filter((operation) => !isForProviders(operation));
  reads = operations.filter(({ method }) => method === 'GET');
  ids = await inhabit(app);
});
afterAll(() => app.stop());

async function expectStatus(operation: Operation, query: string, statuses: number[]): Promise<void> {
  const url = `${fillPath(operation.path, ids)}?${query}`;
  const { status } = await clientFor(app, operation).request('GET', url);
  if (!statuses.includes(status)) throw new Error(`${operation.name}?${query.slice(0, 100)} → ${status}`);
}

const BAD: Record<string, string[]> = {
  integer: ['0', '-1', '1.5', 'abc', '1e3', '99999999999999999999', '%20', '%00', 'null'],
  boolean: ['2', 'yes', 'null', '%00', '[]'],
  enum: ['x', 'ASC%20', '%00', '1'],
  string: ['%00', '%ED%A0%80', 'x'.repeat(5000), '%F0%9F%98%80', `'%20OR%201=1--`, '%25_%5C'],
};
const kindOf = ({ schema }: Parameter): string => (schema.enum ? 'enum' : String(schema.type));
const inQuery = (operation: Operation) => operation.parameters.filter((parameter) => parameter.in === 'query');
const queried = () => reads.flatMap((operation) => inQuery(operation).map((parameter) => ({ operation, parameter })));
/** Status of the answer to a request that does not fit the schema. */
const refusal = ({ responses }: Operation): number => ('422' in responses ? 422 : 400);
/** Operations without required parameters. */
const withoutRequired = (operations: typeof reads) =>
  operations.filter((operation) => !inQuery(operation).some(({ required }) => required));
const withParameter = (name: string) =>
  withoutRequired(reads).filter((each) => each.parameters.some((parameter) => parameter.name === name));

describe('a query parameter', () => {
  it('never breaks the server, whatever it holds and however often it is there', async () => {
    const cases = queried().flatMap(({ operation, parameter: { name } }) => {
      const texts = [...Object.values(BAD).flat(), ''].map((text) => `${name}=${text}`);
      const forms = [name, `${name}=1&${name}=2`, `${name}[]=1`, `${name}[a]=1`];
      return [...texts, ...forms].map((query) => ({ operation, query }));
    });
    await every(sampled(cases), ({ operation, query }) =>
      // 403 and 404 where the parameter is the id of something.
      expectStatus(operation, query, [200, 400, 422, ...[403, 404].filter((status) => status in operation.responses)]),
    );
  });

  it('is refused with its place when it is of the wrong type', async () => {
    const typed = queried().filter(({ parameter }) => kindOf(parameter) !== 'string' && kindOf(parameter) in BAD);
    // Places are counted from 0.
    const isBad = ({ schema }: Parameter, text: string) => text !== '0' || schema.minimum !== 0;
    const cases = typed.flatMap((each) => {
      const bad = BAD[kindOf(each.parameter)]!.filter((text) => isBad(each.parameter, text));
      return bad.map((text) => ({ ...each, text }));
    });
    await every(cases, async ({ operation, parameter, text }) => {
      const url = `${fillPath(operation.path, ids)}?${parameter.name}=${text}`;
      const { status, body } = await clientFor(app, operation).request('GET', url);
      // A required parameter that is missing is reported beside it.
      const detail = expect.arrayContaining([expect.objectContaining({ loc: ['query', parameter.name] })]);
      // Some routes know no 422 and say the same in an ordinary 400.
      const message = expect.stringContaining(`query.${parameter.name}: `);
      const expected =
        refusal(operation) === 422 ? { message: expect.any(String), detail } : expect.objectContaining({ message });
      expect([url, status, body]).toEqual([url, refusal(operation), expected]);
    });
  });

  it('limits a page to between 1 and 100 items, and the turns of a session to 1,000', async () => {
    await every(withParameter('limit'), async (operation) => {
      const url = fillPath(operation.path, ids);
      const client = clientFor(app, operation);
      const most = operation.path.endsWith('/turns') ? 1000 : 100;
      for (const limit of [0, most + 1]) await client.get(`${url}?limit=${limit}`, refusal(operation));
      for (const limit of [1, most]) {
        const page = (await client.get(`${url}?limit=${limit}`)) as { limit?: number; pagination?: object };
        // The answer of this one is closed.
        if (operation.path.endsWith('/scorecard/rows')) continue;
        // Lists that page in two ways say it beside their items.
        expect(page.pagination ?? page).toMatchObject({ limit });
      }
    });
  });

  it('is ignored when it is unknown, or named where it is rejected', async () => {
    // A decision of a feed is found by one of two parameters.
    const complete = withoutRequired(reads).filter(({ path }) => !path.endsWith('/decisions'));
    const statuses: number[] = [];
    await every(complete, async (operation) => {
      const url = `${fillPath(operation.path, ids)}?nobody=x&__proto__=1&constructor=2`;
      const { status, body } = await clientFor(app, operation).request('GET', url);
      statuses.push(status);
      if (status === 200) return;
      const named = expect.objectContaining({ loc: ['query', 'nobody'], type: 'extra_forbidden' });
      const detail = expect.arrayContaining([named]);
      expect([url, status, body]).toEqual([url, 422, expect.objectContaining({ detail })]);
    });
    // Lists that select by their parameters refuse what they do not know.
    expect(statuses.filter((status) => status === 422).length).toBeGreaterThan(10);
    expect(statuses).toContain(200);
  });
});

describe('a cursor', () => {
  it('is refused with 400 on every list unless the list made it', async () => {
    const cursors = ['x', '{}', 'bnVsbA', Buffer.from('[]').toString('base64url'), 'x'.repeat(4000)];
    const cases = withParameter('cursor').flatMap((operation) => cursors.map((cursor) => ({ operation, cursor })));
    await every(cases, async ({ operation, cursor }) => {
      const url = `${fillPath(operation.path, ids)}?cursor=${cursor}`;
      expect(await clientFor(app, operation).get(url, 400)).toMatchObject({ error: 'cursor_invalid' });
    });
  });

  it('does not break the server when its inside was changed by hand', async () => {
    const values = [
      'garbage',
      '',
      'infinity',
      '99999-01-01',
      '2026-02-30T00:00:00Z',
      0,
      -1,
      Number.MAX_SAFE_INTEGER,
      1.5,
      null,
      {},
    ];
    await every(withParameter('cursor'), async (operation) => {
      const query = 'limit=1';
      const page = (await clientFor(app, operation).get(`${fillPath(operation.path, ids)}?${query}`)) as Partial<
        Page<unknown>
      > & {
        pagination?: { next_cursor: string | null };
      };
      const next = page.next_cursor ?? page.pagination?.next_cursor;
      if (!next) return;
      const parts = JSON.parse(Buffer.from(next, 'base64url').toString()) as [...string[], unknown[]];
      const last = parts.at(-1) as unknown[];
      const changed = last.flatMap((_, at) => values.map((value) => [...parts.slice(0, -1), last.with(at, value)]));
      await every(changed, async (cursor) => {
        const text = Buffer.from(JSON.stringify(cursor)).toString('base64url');
        await expectStatus(operation, `${query}&cursor=${text}`, [200, 400]).catch((error: Error) => {
          throw new Error(`${JSON.stringify(cursor)}: ${error.message}`, { cause: error });
        });
      });
    });
  });
});

describe('an id in a path', () => {
  const texts = [
    'x',
    '0',
    '-1',
    '1.5',
    '1e3',
    '9'.repeat(20),
    '%00',
    '%ED%A0%80',
    '%F0%9F%98%80',
    "'",
    'x'.repeat(1500),
    '..%2F..',
    '%20',
  ];

  it('that cannot be one is refused and never breaks the server', async () => {
    const places = operations.flatMap((operation) =>
      [...operation.path.matchAll(/\{(.+?)\}/g)].map(([place]) => ({ operation, place })),
    );
    const cases = places
      .flatMap((each) => texts.map((text) => ({ ...each, text })))
      // There is a row 0.
      .filter(({ place, text }) => place !== '{row_index}' || text !== '0');
    await every(sampled(cases), async ({ operation, place, text }) => {
      const path = fillPath(operation.path.replace(place, text), ids);
      const headers = operation.requestBody ? JSON_TYPE : {};
      const body = operation.requestBody && '{}';
      const { status } = await clientFor(app, operation).with(headers).request(operation.method, path, body);
      if (![400, 404, 422].includes(status)) throw new Error(`${operation.method} ${path.slice(0, 200)} → ${status}`);
    });
  });
});
