import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createApp } from '../../src/app.js';
import { DeliveryWork } from '../../src/webhooks/delivery-work.js';
import { WorkRunner } from '../../src/platform/work/work-runner.js';
import { publishPrompt } from '../support/prompts.js';
import { untilQueuesAnswer, sweeperOf, sweepUntil } from '../support/sweeps.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';
import { Customers, deliveriesOf, IMPATIENT, NEWS, settled, type Subscribed, webhookUrl } from '../support/webhooks.js';

let app: TestApp;
beforeAll(async () => {
  // The timeout is long, so connections that are cut off here did not run into it. The tests start the workers.
  const env = { ...IMPATIENT, WEBHOOK_TIMEOUT_MS: '60000', SHUTDOWN_TIMEOUT_MS: '3000' };
  app = await TestApp.start({ env, works: false });
});
afterAll(() => app.stop());

const customers = new Customers(() => app);
afterEach(() => customers.stopReceivers());

async function startWorker() {
  const worker = await createApp({ config: app.config, works: true });
  await worker.init();
  await untilQueuesAnswer(worker);
  return worker;
}

type Worker = Awaited<ReturnType<typeof startWorker>>;

interface Silent extends Subscribed {
  /** Requests that wait for their answer. */
  open: Set<ServerResponse>;
}

/** A webhook whose receiver takes requests and does not answer. */
async function subscribeSilent(): Promise<Silent> {
  const open = new Set<ServerResponse>();
  const subscribed = await customers.subscribe((response) => {
    open.add(response);
    response.on('close', () => open.delete(response));
  });
  return { ...subscribed, open };
}

const has = (open: Set<ServerResponse>, count: number) => until(() => Promise.resolve(open.size === count));

/** Sweeps until this many deliveries of a worker are open. */
const calls = (worker: Worker, { open }: Silent, count: number) =>
  sweepUntil(sweeperOf(worker), NEWS, () => Promise.resolve(open.size === count));

async function isFree({ webhook }: Subscribed): Promise<boolean> {
  const [row] = await app.sql('SELECT lease_until <= now() AS free FROM webhooks WHERE id = $1', [webhook.id]);
  return (row as { free: boolean }).free;
}

it('a receiver that was given back is not held by a renewal that was on its way', async () => {
  const worker = await startWorker();
  const deliveries = worker.get(DeliveryWork);
  const subscribed = await customers.subscribe();
  const { id: workspaceId, webhook } = subscribed;
  await app.sql(`UPDATE webhooks SET claims = 1, lease_until = now() + interval '1 hour' WHERE id = $1`, [webhook.id]);
  const claim = { workspaceId, webhookId: webhook.id, claims: 1, claim: `${workspaceId}:${webhook.id}:1`, attempts: 0 };
  expect(await deliveries.renew([claim], 60_000)).toEqual(new Map([[claim.claim, 'held']]));
  await deliveries.giveBack(claim);
  expect(await deliveries.renew([claim], 60_000)).toEqual(new Map());
  expect(await isFree(subscribed)).toBe(true);
  await worker.close();
});

it('a receiver that a transaction has locked is still held, and renewed afterwards', async () => {
  const worker = await startWorker();
  const deliveries = worker.get(DeliveryWork);
  const { id: workspaceId, webhook } = await customers.subscribe();
  await app.sql('UPDATE webhooks SET claims = 1, lease_until = now() WHERE id = $1', [webhook.id]);
  const claim = { workspaceId, webhookId: webhook.id, claims: 1, claim: `${workspaceId}:${webhook.id}:1`, attempts: 0 };
  const held = new Map([[claim.claim, 'held']]);
  const isRenewed = async () =>
    (await app.sql(`SELECT FROM webhooks WHERE id = $1 AND lease_until > now()`, [webhook.id])).length > 0;
  await app.inTransaction(async (sql) => {
    await sql('SELECT FROM webhooks WHERE id = $1 FOR UPDATE', [webhook.id]);
    expect([await deliveries.renew([claim], 60_000), await isRenewed()]).toEqual([held, false]);
  });
  expect([await deliveries.renew([claim], 60_000), await isRenewed()]).toEqual([held, true]);
  await worker.close();
});

describe('a worker that stops', () => {
  it('gives back a receiver that does not answer, which counts as no try, and another worker delivers', async () => {
    const silent = await subscribeSilent();
    const first = await startWorker();
    await publishPrompt(silent.me, 'again');
    await calls(first, silent, 1);
    await first.close();
    expect(await isFree(silent)).toBe(true);
    expect(await deliveriesOf(silent.me, silent.webhook)).toMatchObject([{ status: 'pending', attempts: 0 }]);
    await has(silent.open, 0);

    silent.receiver.treat = (response) => response.end('thanks');
    const second = await startWorker();
    expect(await settled(sweeperOf(second), silent, 1)).toMatchObject([{ status: 'delivered', attempts: 1 }]);
    await second.close();
  });

  it('waits a little for an answer, and records it', async () => {
    const slow = await subscribeSilent();
    const worker = await startWorker();
    await app.withSettings({ shutdownTimeoutMs: 60_000 }, async () => {
      await publishPrompt(slow.me, 'just in time');
      await calls(worker, slow, 1);
      const closed = worker.close();
      await until(() => Promise.resolve(worker.get(WorkRunner).isStopping));
      slow.open.forEach((response) => response.end('thanks'));
      await closed;
    });
    expect(await deliveriesOf(slow.me, slow.webhook)).toMatchObject([{ status: 'delivered', attempts: 1 }]);
    expect(await isFree(slow)).toBe(true);
  });
});

describe('while deliveries are sent', () => {
  let worker: Worker;
  beforeAll(async () => {
    worker = await startWorker();
  });
  afterAll(() => worker.close());

  it('the requests of a webhook that is deleted are dropped', async () => {
    const silent = await subscribeSilent();
    await publishPrompt(silent.me, 'unwanted');
    await calls(worker, silent, 1);
    await silent.me.delete(webhookUrl(silent.webhook));
    await has(silent.open, 0);
    expect(silent.receiver.requests).toHaveLength(1);
  });

  it('the requests of a webhook that is switched off are dropped, and sent when it is on again', async () => {
    const silent = await subscribeSilent();
    await publishPrompt(silent.me, 'not now');
    await calls(worker, silent, 1);
    await silent.me.patch(webhookUrl(silent.webhook), { enabled: false });
    await has(silent.open, 0);
    await until(() => isFree(silent));
    expect(await deliveriesOf(silent.me, silent.webhook)).toMatchObject([{ status: 'pending', attempts: 0 }]);

    silent.receiver.treat = (response) => response.end('thanks');
    await silent.me.patch(webhookUrl(silent.webhook), { enabled: true });
    expect(await settled(sweeperOf(worker), silent, 1)).toMatchObject([{ status: 'delivered', attempts: 1 }]);
  });

  it('a locked webhook of one workspace delays no renewal of another, and loses no request itself', async () => {
    const [locked, other] = [await subscribeSilent(), await subscribeSilent()];
    for (const silent of [locked, other]) {
      await publishPrompt(silent.me, 'held');
      await calls(worker, silent, 1);
    }
    const leaseOf = async ({ webhook }: Silent) =>
      String(Object.values((await app.sql('SELECT lease_until::text FROM webhooks WHERE id = $1', [webhook.id]))[0]!));
    const renewed = async (silent: Silent) => {
      const before = await leaseOf(silent);
      await until(async () => (await leaseOf(silent)) !== before);
    };
    await app.inTransaction(async (sql) => {
      await sql('SELECT FROM webhooks WHERE id = $1 FOR UPDATE', [locked.webhook.id]);
      // A renewal that was on its way does not count.
      for (let times = 0; times < 3; times++) await renewed(other);
    });
    await renewed(locked);
    expect([locked, other].map(({ open, receiver }) => [open.size, receiver.requests.length])).toEqual([
      [1, 1],
      [1, 1],
    ]);
    for (const { open } of [locked, other]) open.forEach((response) => response.end('thanks'));
  });

  it('a new URL counts from the next batch on', async () => {
    const old = await subscribeSilent();
    const next = await customers.receive();
    await app.sql(
      `INSERT INTO outbox_events (workspace_id, request_id, type, details)
       SELECT $1, 'many', 'prompt_template_deleted', '{}' FROM generate_series(1, 12)`,
      [old.id],
    );
    await calls(worker, old, 5);
    await old.me.patch(webhookUrl(old.webhook), { url: next.url });
    old.open.forEach((response) => response.end('thanks'));
    await settled(sweeperOf(worker), old, 12);
    expect([old.receiver.requests.length, next.requests.length]).toEqual([5, 7]);
  });

  it('the receivers of one workspace that are called at the same time are few', async () => {
    const silent = await subscribeSilent();
    const issued = { url: silent.receiver.url };
    for (let more = 0; more < 9; more++)
      await silent.me.post(webhookUrl(silent.webhook).replace(/\/\d+$/, ''), issued, 201);
    await publishPrompt(silent.me, 'to ten');
    await calls(worker, silent, 4);
    const other = await customers.subscribe();
    await publishPrompt(other.me, 'quickly');
    await settled(sweeperOf(worker), other, 1);
    expect(silent.receiver.requests).toHaveLength(4);
  });
});
