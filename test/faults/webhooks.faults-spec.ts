import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ApiClient } from '../support/api-client.js';
import { atDepth } from '../support/depth.js';
import { promptBody } from '../support/prompts.js';
import type { Installation } from '../support/server-processes.js';
import { until } from '../support/until.js';
import { type Delivery, Receiver, webhooksUrl } from '../support/webhooks.js';
import { inTheMiddle, OneWorker, startFaultInstallation } from './fault-installation.js';

const EVENTS = 120;
const KILLS = atDepth(1, 2);
/** Sent at the same time, and not yet recorded when a worker dies. */
const IN_FLIGHT = 5;

let server: Installation;
let client: ApiClient;
let receiver: Receiver;
const worker = new OneWorker(() => server);

beforeAll(async () => {
  receiver = await Receiver.start((response) => setTimeout(() => response.end('ok'), 10));
  ({ server, client } = await startFaultInstallation({
    OUTBOUND_ALLOW_PRIVATE: 'on',
    SECRETS_KEY: Buffer.alloc(32, 1).toString('base64'),
  }));
});
afterAll(async () => {
  await server.close();
  await receiver.stop();
});

it('sends every event although the worker is killed in the middle again and again, and repeats only what it was sending', async () => {
  const { webhook } = await client.post<{ webhook: { id: number } }>(webhooksUrl(1), { url: receiver.url });
  for (let index = 0; index < EVENTS; index++) {
    await client.post('/rest/prompt-templates', promptBody(`prompt ${index}`));
  }
  let sent = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    const current = await worker.running();
    sent = await inTheMiddle(() => progress(), sent);
    await current.kill();
  }
  const last = await worker.running();
  const pending = `${webhooksUrl(1)}/${webhook.id}/deliveries?status=pending`;
  const delivered = `${webhooksUrl(1)}/${webhook.id}/deliveries?status=delivered`;
  await until(async () => {
    const [waiting, done] = await Promise.all([count(pending), count(delivered)]);
    return waiting === 0 && done > 0;
  });
  await last.stop();

  const ids = receiver.requests.map(({ headers }) => headers['webhook-id']);
  expect(new Set(ids).size).toBe(EVENTS);
  expect(ids.length).toBeLessThanOrEqual(EVENTS + KILLS * IN_FLIGHT);
  const byId = new Map(receiver.requests.map(({ headers, body }) => [headers['webhook-id'], body]));
  for (const { headers, body } of receiver.requests) expect(body).toBe(byId.get(headers['webhook-id']));
});

/** Lets the event loop turn between two counts. Otherwise the receiver would get no requests. */
async function progress(): Promise<{ completed: number; total: number }> {
  await new Promise((resolve) => setImmediate(resolve));
  return { completed: new Set(receiver.requests.map(({ headers }) => headers['webhook-id'])).size, total: EVENTS };
}

async function count(path: string): Promise<number> {
  return (await client.get<{ data: Delivery[] }>(path)).data.length;
}
