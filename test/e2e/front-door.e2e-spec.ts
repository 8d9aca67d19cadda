import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/composition.js';
import { newSheet, TABLES } from '../support/factories.js';
import { RawConnection } from '../support/raw-connection.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';

const METRICS_TOKEN = 'metrics-token-0123456789abcdef';

let app: TestApp;
let url: string;
beforeAll(async () => {
  app = await TestApp.start({
    works: false,
    env: { WRONG_KEYS_PER_MINUTE: '5', CONNECTIONS_PER_ADDRESS: '20', METRICS_TOKEN, HOST: '0.0.0.0' },
  });
  await app.listen();
  url = await app.app.getUrl();
});
afterAll(() => app.stop());

describe('the headers of an answer', () => {
  it.each(['/docs', '/docs/swagger-ui-init.js', '/openapi.json', '/metrics', '/health/live', '/nowhere', TABLES])(
    'restrict what a browser does with %s',
    async (path) => {
      const { headers } = await app.client.request('GET', path);
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'referrer-policy': 'no-referrer',
        'content-security-policy': expect.stringMatching(/^default-src 'none'.*frame-ancestors 'none'/),
      });
    },
  );

  it('forbid to keep data of a workspace, whatever the answer is', async () => {
    const { client } = app;
    const sheet = await newSheet(client, ['x']);
    const stranger = app.clientWith('pl_wrong');
    const signedIn = await client.request('POST', '/console/session', { api_key: app.apiKey });
    const answers = [
      await client.request('GET', TABLES),
      await client.request('GET', `${TABLES}/${sheet.tableId}`),
      await client.request('POST', TABLES, { title: 'new' }),
      await client.request('POST', TABLES, { title: 7 }),
      await client.request('POST', '/api/public/v2/requests/search', {}),
      await client.request('POST', '/v1/traces', { resourceSpans: [] }),
      await client.request('GET', `${sheet.path}/export?format=csv`),
      await client.request('GET', `${sheet.path}/export?format=xlsx`),
      await client.request('GET', `${TABLES}/nothing`),
      await client.request('GET', '/prompt-templates'),
      await client.request('DELETE', `${TABLES}/${sheet.tableId}`),
      await client.request('GET', '/api/public/v2/nowhere'),
      await stranger.request('GET', TABLES),
      await stranger.request('POST', TABLES, { title: 'new' }),
      signedIn,
      await stranger.request('GET', '/console/session'),
      await stranger.request('DELETE', '/console/session'),
    ];
    expect(answers.map(({ headers }) => headers['cache-control'])).toEqual(answers.map(() => 'no-store'));
    const statuses = new Set(answers.map(({ status }) => status));
    expect([...statuses].toSorted()).toEqual([200, 201, 401, 404, 422]);
  });

  it.each(['/docs', '/docs/swagger-ui.css', '/openapi.json', '/openapi.yaml', '/console/'])(
    'let browsers keep %s, which is the same for everybody',
    async (path) => {
      const { status, headers } = await app.client.request('GET', path);
      expect([status, String(headers['cache-control'])]).toEqual([200, expect.not.stringContaining('no-store')]);
    },
  );

  it('let Swagger UI run its own scripts only, and no inline ones', async () => {
    const { headers, body } = await app.client.request('GET', '/docs');
    expect(headers['content-security-policy']).toContain("script-src 'self'");
    const scripts = [...String(body).matchAll(/<script([^>]*)>([^]*?)<\/script>/g)];
    expect(scripts.length).toBeGreaterThan(2);
    for (const [, attributes, text] of scripts) {
      expect(text!.trim()).toBe('');
      if (attributes!.includes('src=')) expect(attributes).not.toContain('//');
    }
  });
});

describe('/metrics', () => {
  const from = async (remoteAddress: string, headers: Record<string, string> = {}) =>
    (await app.app.inject({ url: '/metrics', remoteAddress, headers })).statusCode;

  it('is open to programs of the same machine and to holders of its token', async () => {
    for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1']) expect(await from(address)).toBe(200);
    expect(await from('192.0.2.1', { authorization: `Bearer ${METRICS_TOKEN}` })).toBe(200);
  });

  it('is closed to everybody else, also behind a proxy on the same machine', async () => {
    expect(await from('192.0.2.1')).toBe(401);
    expect(await from('127.0.0.1', { 'x-forwarded-for': '192.0.2.1' })).toBe(401);
    for (const authorization of ['Bearer wrong', METRICS_TOKEN, `Bearer ${METRICS_TOKEN}x`]) {
      expect(await from('192.0.2.1', { authorization })).toBe(401);
    }
    expect(await from('192.0.2.1', { 'x-api-key': app.apiKey })).toBe(401);
  });
});

describe('wrong keys', () => {
  const call = (remoteAddress: string, headers: Record<string, string>, body?: object) =>
    app.app.inject({
      method: body ? 'POST' : 'GET',
      url: body ? '/create-group' : TABLES,
      remoteAddress,
      headers,
      ...(body && { payload: body }),
    });
  const wrong = { 'x-api-key': `pl_${'w'.repeat(43)}` };

  it.each([
    ['in a header', '192.0.2.10', wrong, undefined],
    ['as bearer token', '192.0.2.11', { authorization: 'Bearer something' }, undefined],
    ['in a body', '192.0.2.12', {}, { api_key: `pl_${'w'.repeat(43)}` }],
  ])('%s are answered with 429 after some, while a right one still works', async (_, address, headers, body) => {
    for (let count = 0; count < 5; count++) expect((await call(address, headers, body)).statusCode).toBe(401);
    const refused = await call(address, headers, body);
    expect(refused.statusCode).toBe(429);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(refused.json<{ message: string }>().message).toContain('5 wrong API keys a minute (WRONG_KEYS_PER_MINUTE)');
    expect((await call(address, { 'x-api-key': app.apiKey })).statusCode).toBe(200);
    expect((await call(address, {}, { api_key: app.apiKey })).statusCode).toBe(200);
    expect((await call('192.0.2.99', headers, body)).statusCode).toBe(401);
  });

  it('are not those that are missing, nor those of routes that need none', async () => {
    for (let count = 0; count < 10; count++) {
      expect((await call('192.0.2.20', {})).statusCode).toBe(401);
      const answer = await app.app.inject({ url: '/health/live', remoteAddress: '192.0.2.20', headers: wrong });
      expect(answer.statusCode).toBe(200);
    }
  });
});

describe('a body of a stranger', () => {
  it.each([
    ['a long text of control characters beside a long integer', `["${'\\u0001'.repeat(300_000)}", 9007199254740993]`],
    ['a number with a million zeros', `1${'0'.repeat(1_000_000)}1.5`],
    ['many long integers after such a text', `["${'\\u0001'.repeat(1_000)}"${', 9007199254740993'.repeat(50_000)}]`],
  ])('that is %s keeps nobody waiting', async (_, extra) => {
    const body = `{"email": "sam@example.com", "password": 7, "extra": ${extra}}`;
    const answer = await app.app.inject({
      method: 'POST',
      url: '/console/sign-in',
      headers: { 'content-type': 'application/json' },
      payload: body,
    });
    expect(answer.statusCode).toBe(422);
  });
});

it('ends idle connections of an address that has too many, and serves new ones', async () => {
  const idle = await Promise.all(Array.from({ length: 60 }, () => RawConnection.open(url)));
  for (let count = 0; count < 10; count++) {
    const answer = await fetch(`${url}/health/live`, { headers: { connection: 'close' } });
    expect(answer.status).toBe(200);
  }
  await until(() => Promise.resolve(idle.filter(({ isOpen }) => isOpen).length <= 20));
  for (const connection of idle) connection.close();
});

it('listens on the loopback address by default', () => {
  const services = { DATABASE_URL: 'postgres://localhost/a', REDIS_URL: 'redis://localhost' };
  expect(loadConfig(services).host).toBe('127.0.0.1');
  expect(loadConfig({ ...services, HOST: '0.0.0.0' }).host).toBe('0.0.0.0');
});
