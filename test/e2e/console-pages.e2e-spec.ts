import { readdirSync, readFileSync } from 'node:fs';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TABLES } from '../support/factories.js';
import { send, span } from '../support/otlp.js';
import { TestApp } from '../support/test-app.js';

const HTML = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const script = readdirSync('dist/console/assets').find((name) => /^index-.*\.js$/.test(name))!;
const SCRIPT = `/console/assets/${script}`;

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start({ works: false });
});
afterAll(() => app.stop());

const get = (url: string, headers: Record<string, string> = {}) => app.app.inject({ url, headers });

describe('the page of the console', () => {
  it.each([
    '/console/',
    '/console/traces',
    '/console/traces/0af7651916cd43dd8448eb211c80319c?span=1',
    '/console/a/b.c',
  ])('is sent to browsers at %s, and revalidated every time', async (url) => {
    const { statusCode, headers, body } = await get(url, HTML);
    expect([statusCode, headers['cache-control']]).toEqual([200, 'no-cache']);
    expect(headers['content-type']).toMatch(/^text\/html/);
    expect(body).toContain('<title>Tracesheet</title>');
    expect(body).toContain(SCRIPT);
    expect(body).not.toMatch(/<style|style=|<script(?![^>]*src=)/);
  });

  it('redirects browsers that open the server, and no other clients', async () => {
    const { statusCode, headers } = await get('/', HTML);
    expect([statusCode, headers.location]).toEqual([302, '/console/']);
    expect((await get('/console', HTML)).headers.location).toBe('/console/');
    for (const accept of ['application/json', '*/*', '']) {
      const answer = await get('/', { accept });
      expect([answer.statusCode, answer.json()]).toMatchObject([404, { error: 'route_not_found' }]);
    }
  });

  it.each([
    ['/workspace/1/smart-tables/t-1?sheet=s-1', '/console/tables/t-1/s-1'],
    ['/workspace/1/smart-tables/t-1', '/console/tables/t-1'],
    ['/workspace/x/smart-tables/a%2F..%2Fb?sheet=%3F%23', '/console/tables/a%2F..%2Fb/%3F%23'],
  ])('is where %s leads', async (url, location) => {
    const { statusCode, headers } = await get(url, HTML);
    expect([statusCode, headers.location]).toEqual([302, location]);
  });

  it('restricts browsers to resources of this server', async () => {
    for (const url of ['/console/', SCRIPT, '/console/icon.svg', '/console/assets/missing.js']) {
      const { headers } = await get(url, HTML);
      expect(headers).toMatchObject({
        'content-security-policy':
          "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; " +
          "manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; " +
          "require-trusted-types-for 'script'; trusted-types 'none'",
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'permissions-policy': 'camera=(), microphone=(), geolocation=()',
      });
    }
    expect((await get('/consoles')).headers['content-security-policy']).not.toContain('script-src');
  });

  it('takes no other methods', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'] as const) {
      const { statusCode } = await app.app.inject({ method, url: '/console/traces' });
      expect([method, statusCode]).toEqual([method, 405]);
    }
    expect((await app.app.inject({ method: 'HEAD', url: '/console/', headers: HTML })).statusCode).toBe(200);
  });
});

describe('a file of the console', () => {
  it('is kept for a year, as its name changes with its content', async () => {
    const { statusCode, headers } = await get(SCRIPT);
    expect([statusCode, headers['cache-control']]).toEqual([200, 'public, max-age=31536000, immutable']);
    expect(headers['content-type']).toMatch(/javascript/);
  });

  it.each([
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ])('is sent as it was compressed at the build: %s', async (encoding, decompress) => {
    const { headers, rawPayload } = await get(SCRIPT, { 'accept-encoding': encoding });
    expect(headers).toMatchObject({ 'content-encoding': encoding, vary: expect.stringMatching(/accept-encoding/i) });
    expect(headers['content-type']).toMatch(/javascript/);
    expect(decompress(rawPayload)).toEqual(readFileSync(`dist/console/assets/${script}`));
  });

  it('is not sent again to a client that has it', async () => {
    const { headers } = await get('/console/', HTML);
    expect((await get('/console/', { ...HTML, 'if-none-match': String(headers.etag) })).statusCode).toBe(304);
  });

  it.each([
    '/console/assets/missing.js',
    '/console/assets/',
    '/console/assets',
    '/console/assets/index.js/more',
    '/console/assets/index.html',
    '/console/missing.svg',
    '/console/session/more',
  ])('that is missing is never the page: %s', async (url) => {
    const headers = url.includes('assets/') ? HTML : {};
    const { statusCode, body } = await get(url, headers);
    expect(statusCode).toBe(404);
    expect(JSON.parse(body)).toMatchObject({ success: false, error: 'route_not_found' });
  });

  it.each([
    '../package.json',
    '..%2f..%2fpackage.json',
    '%2e%2e/%2e%2e/package.json',
    'assets/../../../package.json',
    'assets/..%2f..%2f.console-built-from',
    'assets/%2e%2e%2fsrc/main.js',
    '..%5c..%5cpackage.json',
    'assets//etc/passwd',
    '/etc/passwd',
    '%2fetc%2fpasswd',
    '.console-built-from',
    'index.html%00.svg',
    'assets/%00',
    'assets/\u00e9',
    `assets/${'a'.repeat(1900)}`,
  ])('is never one from outside its folder: %s', async (name) => {
    const { statusCode, body } = await get(`/console/${name}`);
    expect([400, 403, 404]).toContain(statusCode);
    expect(body).not.toMatch(/"dependencies"|root:|createApp/);
    expect(JSON.parse(body)).toMatchObject({ success: false });
  });
});

describe('long answers', () => {
  const gzip = { 'accept-encoding': 'gzip, br' };
  const key = () => ({ 'x-api-key': app.apiKey });
  const id = '7'.repeat(32);
  beforeAll(async () => {
    const spans = Array.from({ length: 300 }, (_, index) => span({ traceId: id, name: `step ${index}` }));
    expect((await send(app.client, spans)).status).toBe(200);
  });

  it('are compressed for those who take that, whether they are built at once or while they are sent', async () => {
    for (const url of [`/api/public/v2/traces/${id}`, `/api/public/v2/traces/${id}?view=skeleton`, '/openapi.json']) {
      const plain = await get(url, key());
      const packed = await get(url, { ...key(), ...gzip });
      expect([url, plain.headers['content-encoding']]).toEqual([url, undefined]);
      expect([url, packed.headers['content-encoding']]).toEqual([url, 'gzip']);
      expect(String(packed.headers.vary)).toMatch(/accept-encoding/i);
      expect(gunzipSync(packed.rawPayload).toString()).toBe(plain.body);
      expect(packed.rawPayload.length).toBeLessThan(plain.rawPayload.length / 3);
    }
  });

  it.each(['identity', 'br', 'gzip;q=0', 'deflate, gzip;q=0.0'])('stay as they are for "%s"', async (encoding) => {
    const answer = await get(`/api/public/v2/traces/${id}`, { ...key(), 'accept-encoding': encoding });
    expect(answer.headers['content-encoding']).toBeUndefined();
    expect(answer.json()).toMatchObject({ success: true });
  });

  it('are the only ones: short ones are sent as they are', async () => {
    const { headers } = await get(TABLES, { ...key(), ...gzip });
    expect(headers['content-encoding']).toBeUndefined();
  });
});
