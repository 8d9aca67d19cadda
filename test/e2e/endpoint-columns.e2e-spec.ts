import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { activeOperation, readOperation, recalculate } from '../support/external-cells.js';
import {
  addColumn,
  addCount,
  type Cell,
  cellsOf,
  type Column,
  newSheet,
  settled,
  type TestSheet,
} from '../support/factories.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';
import { Receiver, type Treatment } from '../support/webhooks.js';

const ENV = { OUTBOUND_ALLOW_PRIVATE: 'on', EXTERNAL_BACKOFF_MS: '20' };

let app: TestApp;
let me: Client;
const receivers: Receiver[] = [];
beforeAll(async () => {
  app = await TestApp.start({ env: ENV });
  me = app.client;
});
afterEach(async () => {
  await Promise.all(receivers.splice(0).map((receiver) => receiver.stop()));
});
afterAll(() => app.stop());

async function serve(treat: Treatment): Promise<Receiver> {
  const receiver = await Receiver.start(treat);
  receivers.push(receiver);
  return receiver;
}

function addEndpoint(sheet: TestSheet, config: object): Promise<Column> {
  return addColumn(me, sheet, { title: 'Answer', type: 'ENDPOINT', config });
}

/** The cells of a column that calls an endpoint which treats calls like this. */
async function answered(treat: Treatment, texts: unknown[] = ['Rome'], more: object = {}) {
  const receiver = await serve(treat);
  const sheet = await newSheet(me, texts);
  const column = await addEndpoint(sheet, { url: receiver.url, ...more });
  await settled(me, sheet);
  return { receiver, sheet, column, cells: await cellsOf(me, sheet, column.id) };
}

const respond =
  (status: number, body: string, headers: Record<string, string> = {}): Treatment =>
  (response) =>
    response.writeHead(status, headers).end(body);

describe('a cell of an endpoint', () => {
  it('is the answer of the endpoint to the values of all columns to its left', async () => {
    const receiver = await serve((response) => response.end('{"city":"Rome","inhabitants":12345678901234567890}'));
    const sheet = await newSheet(me, ['Rome']);
    await addCount(me, sheet, 'Length');
    await settled(me, sheet);
    const column = await addEndpoint(sheet, { url: receiver.url, headers: { 'X-Team': 'support', accept: 'text/x' } });
    await addColumn(me, sheet, { title: 'Right of it', type: 'TEXT' });
    await settled(me, sheet);
    expect(receiver.payloads).toEqual([{ 'Column A': 'Rome', Length: 4 }]);
    expect(receiver.requests[0]!.headers).toMatchObject({
      'content-type': 'application/json',
      accept: 'text/x',
      'x-team': 'support',
    });
    const raw = await me.request('GET', `${sheet.path}/rows`);
    expect(raw.bytes.toString()).toContain('12345678901234567890');
    expect((await cellsOf(me, sheet, column.id))[0]).toMatchObject({ status: 'completed', error: null });
  });

  it.each<[string, string, Record<string, string>, unknown]>([
    ['JSON', '[1,{"a":null}]', { 'content-type': 'text/plain' }, [1, { a: null }]],
    ['a number', '42', {}, 42],
    ['text', 'plain {text', { 'content-type': 'application/json' }, 'plain {text'],
    ['nothing', '', {}, ''],
    ['very deep JSON', '['.repeat(100_000), {}, '['.repeat(100_000)],
    ['NUL bytes', 'a\u0000b', {}, expect.not.stringContaining('\u0000')],
  ])('holds %s', async (_, body, headers, value) => {
    const { cells } = await answered(respond(200, body, headers));
    expect(cells[0]).toMatchObject({ status: 'completed', value });
  });

  it('reads an answer in the encoding that it names', async () => {
    const { cells } = await answered((response) =>
      response.writeHead(201, { 'content-type': 'text/plain; charset=iso-8859-1' }).end(Buffer.from('Zoë', 'latin1')),
    );
    expect(cells[0]!.value).toBe('Zoë');
  });

  it('calls once for each row, also where rows are equal, and not for blank ones', async () => {
    const { receiver, cells } = await answered((response, count) => response.end(String(count)), ['a', 'a', '', 'b']);
    expect(receiver.requests).toHaveLength(3);
    expect(cells.map(({ value }) => value).toSorted()).toEqual([1, 2, 3, null]);
  });

  it('is stale after an edit to its left, and then sends the new values', async () => {
    const { receiver, sheet, column } = await answered(respond(200, 'ok'));
    const [source] = await cellsOf(me, sheet, sheet.columnId);
    await me.patch(`${sheet.path}/cells/${source!.id}`, { value: 'Oslo' });
    expect((await cellsOf(me, sheet, column.id))[0]!.status).toBe('stale');
    await recalculate(me, sheet);
    await settled(me, sheet);
    expect(receiver.payloads).toEqual([{ 'Column A': 'Rome' }, { 'Column A': 'Oslo' }]);
  });
});

const failed = (cells: Cell[]) => cells.map(({ status, error_message: message }) => [status, message]);

describe('an endpoint that fails', () => {
  it.each<[string, Treatment, string, number]>([
    ['401', respond(401, '{"error":"no key"}'), 'The endpoint answered 401: {"error":"no key"}', 1],
    ['404 without a word', respond(404, ''), 'The endpoint answered 404.', 1],
    ['500', respond(500, 'broken'), 'The endpoint answered 500: broken', 4],
    ['408', respond(408, 'late'), 'The endpoint answered 408: late', 4],
    ['much text', respond(400, 'x'.repeat(5000)), `The endpoint answered 400: ${'x'.repeat(300)}…`, 1],
    [
      'a redirect to the metadata of the machine',
      respond(302, '', { location: 'http://169.254.169.254/latest/meta-data' }),
      'The endpoint answered 302, a redirect to http://169.254.169.254/latest/meta-data. Redirects are not followed: give the URL that answers itself.',
      1,
    ],
    [
      'half an answer',
      (response) => {
        response.writeHead(200, { 'content-length': '100' }).write('half', () => response.destroy());
      },
      'The connection failed (ECONNRESET).',
      4,
    ],
    ['a hang-up', (response) => void response.destroy(), 'The connection failed (ECONNRESET).', 4],
    ['too much', respond(200, 'x'.repeat(10_000_001)), 'The endpoint answered with more than 10000000 bytes.', 1],
  ])('with %s fails the cell with what came', async (_, treat, message, calls) => {
    const { receiver, cells } = await answered(treat);
    expect(failed(cells)).toEqual([['error', message]]);
    expect(receiver.requests).toHaveLength(calls);
  });

  it('never takes in an endless answer', async () => {
    const endless = (response: ServerResponse) => {
      const more = () => {
        while (response.writable && response.write('x'.repeat(100_000)));
      };
      response.on('drain', more);
      more();
    };
    const { cells } = await answered(endless);
    expect(failed(cells)).toEqual([['error', 'The endpoint answered with more than 10000000 bytes.']]);
  });

  it('to answer in time fails the cell, once', async () => {
    const { receiver, cells } = await answered(() => undefined, ['x'], { timeout: 0.2 });
    expect(failed(cells)).toEqual([['error', 'There was no whole answer within 200 ms.']]);
    expect(receiver.requests).toHaveLength(1);
  });

  it('for a while is tried again', async () => {
    const busy: Treatment = (response, count) => {
      if (count > 2) response.end('"there"');
      else response.writeHead(count === 1 ? 429 : 503, { 'retry-after': '0' }).end();
    };
    const { receiver, cells } = await answered(busy);
    expect(cells[0]).toMatchObject({ status: 'completed', value: 'there' });
    expect(receiver.requests).toHaveLength(3);
  });

  it('and asks for a too long pause is not called again', async () => {
    const { receiver, cells } = await answered(respond(429, 'busy', { 'retry-after': '172800' }));
    expect(failed(cells)).toEqual([['error', 'The endpoint answered 429: busy']]);
    expect(receiver.requests).toHaveLength(1);
  });

  it('to be reached fails the cell without an address', async () => {
    const sheet = await newSheet(me, ['x']);
    const column = await addEndpoint(sheet, { url: 'http://nowhere.invalid/' });
    await settled(me, sheet);
    expect(failed(await cellsOf(me, sheet, column.id))).toEqual([
      ['error', expect.stringMatching(/^The connection failed \(E\w+\)\.$/)],
    ]);
  });
});

it('hangs up when the operation is cancelled', async () => {
  let closed = 0;
  const receiver = await serve((response) => response.on('close', () => closed++));
  const sheet = await newSheet(me, ['x', 'y']);
  await addEndpoint(sheet, { url: receiver.url });
  await until(() => Promise.resolve(receiver.requests.length === 2));
  const id = await activeOperation(me, sheet);
  await me.delete(`${sheet.path}/operations/${id}`);
  await until(() => Promise.resolve(closed === 2));
  expect(await readOperation(me, sheet, id)).toMatchObject({ status: 'cancelled' });
});

describe('the config of an endpoint', () => {
  it.each<[string, object, string]>([
    ['no URL', {}, 'url is required'],
    ['no URL but a word', { url: 'example' }, 'url: It must start with http'],
    ['another scheme', { url: 'ftp://example.com' }, 'url: It must start with http'],
    ['credentials in the URL', { url: 'https://me:secret@example.com' }, 'user name or password'],
    [
      'headers that are a list',
      { url: 'https://example.com', headers: [] },
      'headers: Input should be a valid dictionary',
    ],
    ['a line break in a header', { url: 'https://example.com', headers: { A: 'a\r\nB: b' } }, 'line breaks'],
    ['a Host', { url: 'https://example.com', headers: { Host: 'inside' } }, 'The header Host is set by the server.'],
    ['a header that is no text', { url: 'https://example.com', headers: { A: 1 } }, 'The header A must be a text.'],
    ['no time', { url: 'https://example.com', timeout: 0 }, 'timeout: Input should be greater than or equal to 0.1'],
    ['a time that is a text', { url: 'https://example.com', timeout: '5' }, 'timeout: Input should be a valid number'],
    [
      'endless time',
      { url: 'https://example.com', timeout: 1e9 },
      'timeout: Input should be less than or equal to 600',
    ],
    ['a long URL', { url: `https://example.com/${'x'.repeat(2000)}` }, 'url: String should have at most 2000'],
  ])('with %s is refused', async (_, config, problem) => {
    const sheet = await newSheet(me, ['x']);
    const answer = await me.request('POST', `${sheet.path}/columns`, { title: 'Bad', type: 'ENDPOINT', config });
    expect(answer).toMatchObject({ status: 400, body: { error: 'column_config_invalid' } });
    expect((answer.body as { message: string }).message).toContain(problem);
  });

  it('is checked when it is changed, too, and nulls mean the defaults', async () => {
    const { sheet, column } = await answered(respond(200, 'ok'), ['x'], { headers: null, timeout: null });
    const at = `${sheet.path}/columns/${column.id}`;
    await me.patch(at, { config: { url: 'https://example.com', headers: { 'a b': '' } } }, 400);
    await me.patch(at, { config: { url: 'https://example.com', headers: { Ab: '' } } });
  });
});

describe('where private addresses are not allowed', () => {
  let strict: TestApp;
  beforeAll(async () => {
    strict = await TestApp.start({ env: { ...ENV, OUTBOUND_ALLOW_PRIVATE: 'off' } });
  });
  afterAll(() => strict.stop());

  it.each([
    'http://127.0.0.1/',
    'http://169.254.169.254/latest',
    'http://[::1]/',
    'http://localhost/',
    'http://2130706433/',
  ])('%s is refused when it is saved', async (url) => {
    const sheet = await newSheet(strict.client, ['x']);
    const body = { title: 'Inside', type: 'ENDPOINT', config: { url } };
    expect(await strict.client.post(`${sheet.path}/columns`, body, 400)).toMatchObject({
      message: expect.stringContaining('not on the public internet'),
    });
  });
});

it('is listed with its schema and an example that can be sent unchanged', async () => {
  const { column_types: types } = (await me.get('/api/public/v2/column-types')) as {
    column_types: { type: string; example: { config: object } | null }[];
  };
  const endpoint = types.find(({ type }) => type === 'ENDPOINT')!;
  expect(endpoint).toMatchObject({
    kind: 'external',
    computed: true,
    config_schema: { required: ['url'], properties: { timeout: { default: 30 } } },
    example: { type: 'ENDPOINT', config: { url: 'https://api.example.com/classify', timeout: 30 } },
  });
  // Without rows nothing is called.
  const sheet = await newSheet(me);
  await me.post(`${sheet.path}/columns`, endpoint.example, 201);
});
