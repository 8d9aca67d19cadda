import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runDemo } from '../../src/embedded/demo/demo.js';
import type { Progress } from '../../src/embedded/progress.js';
import { every } from '../support/every.js';
import { clientFor } from '../support/examples.js';
import { type Document, type Operation, operationsOf } from '../support/operations.js';
import { JSON_TYPE } from '../support/otlp.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.own();
  await app.listen();
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

/** What is read comes first, and what is deleted last, the innermost before what it is in. */
function inOrder(operations: Operation[]): Operation[] {
  const rank = ({ method, path }: Operation) =>
    method === 'GET' ? 0 : method === 'DELETE' ? 1000 - path.split('/').length : path.endsWith('/close') ? 2 : 1;
  return operations.filter(({ path }) => !/\/operations\/.*\/events$/.test(path)).sort((a, b) => rank(a) - rank(b));
}

function urlOf({ path, parameters }: Operation): string {
  const example = (key: string) => parameters.find(({ name }) => name === key)!.schema.example;
  const filled = path.replace(/\{([^}]+)\}/g, (_, key: string) => encodeURIComponent(String(example(key))));
  const shown = parameters.filter(({ in: place, schema }) => place === 'query' && schema.example !== undefined);
  return `${filled}?${new URLSearchParams(shown.map(({ name, schema }) => [name, String(schema.example)])).toString()}`;
}

function bodyOf({ requestBody }: Operation): unknown {
  const { example, examples } = requestBody?.content['application/json'] ?? {};
  return Object.values(examples ?? {})[0]?.value ?? example;
}

/** Some refuse what would change a sheet while something is imported into it. */
async function untilEnded(answer: unknown): Promise<void> {
  const { status_url: url } = answer as { status_url?: string };
  if (!url) return;
  await until(async () => {
    const { operation } = (await app.client.get(url)) as { operation: { status: string } };
    return !['queued', 'running'].includes(operation.status);
  });
}

/** Example data have no people: members, passwords, links and sessions are of somebody. `people` calls these routes. */
const OF_PEOPLE =
  /\{(user_id|invitation_id|session_id)\}|^\/console\/(sign-in|invitation|password|session\/)|\/me\/api-keys/;

describe('the examples of the document', () => {
  it('can all be sent as they stand once there is example data', async () => {
    const { port } = app.app.getHttpServer().address() as AddressInfo;
    const said: string[] = [];
    const progress = { during: (_: string, work: Promise<unknown>) => work, say: (line: string) => said.push(line) };
    await runDemo(port, app.apiKey, progress as unknown as Progress, new AbortController().signal);
    expect(said).toEqual([expect.stringContaining('Added the prompt')]);

    const document = JSON.parse((await fetched('/openapi.json')).body) as Document;
    const operations = inOrder(operationsOf(document)).filter(({ path }) => !OF_PEOPLE.test(path));
    expect(operations.length).toBeGreaterThan(115);
    await every(operations, async (operation) => {
      const body = bodyOf(operation);
      const client = body === undefined ? clientFor(app, operation) : clientFor(app, operation).with(JSON_TYPE);
      const url = urlOf(operation);
      const answer = await client.request(operation.method, url, body && JSON.stringify(body));
      if (answer.status >= 300)
        throw new Error(`${operation.name} ${url} ${answer.status} ${JSON.stringify(answer.body)}`);
      await untilEnded(answer.body);
    });
  });
});
