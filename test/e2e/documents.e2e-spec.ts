import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runDemo } from '../../src/embedded/demo.js';
import type { Progress } from '../../src/embedded/progress.js';
import { every } from '../support/every.js';
import { type Document, operationsOf } from '../support/operations.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start();
  await app.app.listen(0, '127.0.0.1');
});
afterAll(() => app.stop());

const fetched = (url: string, headers: Record<string, string> = {}) => app.app.inject({ url, headers });

describe.each(['/openapi.json', '/docs/swagger-ui-init.js'])('%s', (url) => {
  it('is sent compressed to whoever takes that, and is the same text', async () => {
    const plain = await fetched(url);
    const packed = await fetched(url, { 'accept-encoding': 'br, gzip' });
    expect(packed.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'accept-encoding' });
    expect(gunzipSync(packed.rawPayload).toString()).toBe(plain.body);
    expect(packed.rawPayload.length).toBeLessThan(plain.rawPayload.length / 5);
    expect(plain.headers['content-encoding']).toBeUndefined();
  });

  it('is not sent again to whoever has it', async () => {
    const { headers } = await fetched(url);
    expect(headers['cache-control']).toBe('no-cache');
    const again = await fetched(url, { 'if-none-match': String(headers.etag), 'accept-encoding': 'gzip' });
    expect([again.statusCode, again.body]).toEqual([304, '']);
    expect((await fetched(url, { 'if-none-match': '"other"' })).statusCode).toBe(200);
  });
});

describe('the examples of the document', () => {
  /** The example data has none of these. */
  const MISSING = /\{(?:webhook_id|delivery_id|export_id|receipt_id|folder_id|group_id|source|external_id)\}/;

  it('can be read as they stand once there is example data', async () => {
    const { port } = app.app.getHttpServer().address() as AddressInfo;
    const said: string[] = [];
    const progress = { during: (_: string, work: Promise<unknown>) => work, say: (line: string) => said.push(line) };
    await runDemo(port, app.apiKey, progress as unknown as Progress, new AbortController().signal);
    expect(said).toEqual([expect.stringContaining('Added the prompt')]);

    const document = JSON.parse((await fetched('/openapi.json')).body) as Document;
    const reads = operationsOf(document).filter(
      ({ method, path }) => method === 'GET' && path.includes('{') && !MISSING.test(path) && !path.endsWith('/events'),
    );
    expect(reads.length).toBeGreaterThan(20);
    await every(reads, async ({ name, path, parameters }) => {
      const example = (key: string) => parameters.find((each) => each.name === key)?.schema.example;
      const url = path.replace(/\{([^}]+)\}/g, (_, key: string) => encodeURIComponent(String(example(key))));
      const { status } = await app.client.request('GET', url);
      if (status !== 200) throw new Error(`${name} ${url} ${status}`);
    });
  });
});
