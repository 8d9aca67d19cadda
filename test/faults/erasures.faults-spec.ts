import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ApiClient } from '../support/api-client.js';
import { envelope, llmSpan } from '../support/otlp.js';
import type { Installation } from '../support/server-processes.js';
import { until } from '../support/until.js';
import { OneWorker, startFaultInstallation } from './fault-installation.js';

const ERASURES = '/api/admin/v1/workspaces/1/erasures';
const TRACES = 3000;
const OTHERS = 100;
const SPANS_PER_REQUEST = 500;

let server: Installation;
let client: ApiClient;
const worker = new OneWorker(() => server);
beforeAll(async () => {
  ({ server, client } = await startFaultInstallation({
    SECRETS_KEY: Buffer.alloc(32, 1).toString('base64'),
  }));
  await say('user-to-erase', TRACES);
  await say('somebody-else', OTHERS);
});
afterAll(() => server.close());

async function say(user: string, count: number): Promise<void> {
  for (let from = 0; from < count; from += SPANS_PER_REQUEST) {
    const spans = Array.from({ length: Math.min(SPANS_PER_REQUEST, count - from) }, () =>
      llmSpan({ output: 'all work and no play '.repeat(20), more: { 'user.id': user } }),
    );
    await client.post('/v1/traces', envelope(spans));
  }
}

interface Erasure {
  id: string;
  status: string;
  counts: Record<string, number>;
}

const countOf = async (user: string) => {
  const filter_group = { filters: [{ field: 'metadata', operator: 'key_equals', nested_key: 'user_id', value: user }] };
  return (await client.post<{ total: number }>('/api/public/v2/requests/search', { filter_group })).total;
};

it('goes on after its worker was killed in the middle, and counts everything once', async () => {
  const first = await worker.running();
  const { erasure } = await client.post<{ erasure: Erasure }>(ERASURES, { user_id: 'user-to-erase' });
  const read = async () => (await client.get<{ erasure: Erasure }>(`${ERASURES}/${erasure.id}`)).erasure;
  // In the middle: some traces are gone, and others are not.
  await until(async () => ((await read()).counts.traces ?? 0) > 0);
  await first.kill();
  expect((await read()).counts.traces).toBeLessThan(TRACES);
  await worker.running();
  await until(async () => !['queued', 'running'].includes((await read()).status));
  expect(await read()).toMatchObject({
    status: 'completed',
    counts: { traces: TRACES, spans: TRACES, request_logs: TRACES, indexed_documents: expect.any(Number) },
  });
  expect([await countOf('user-to-erase'), await countOf('somebody-else')]).toEqual([0, OTHERS]);
});
