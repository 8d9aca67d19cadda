import type { ServerResponse } from 'node:http';
import { getQueueToken } from '@nestjs/bull';
import type { Queue } from 'bull';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createApp } from '../../src/app.js';
import { publishPrompt } from '../support/prompts.js';
import { sweeperOf, sweepUntil } from '../support/sweeps.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';
import {
  createWebhook,
  Customers,
  deliveriesOf,
  IMPATIENT,
  namesIn,
  NEWS,
  settled,
  untilNews,
} from '../support/webhooks.js';

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start({ env: IMPATIENT });
});
afterAll(() => app.stop());

const customers = new Customers(() => app);
afterEach(() => customers.stopReceivers());

/** A consumer gets up to 200 events at a time. */
const MORE_THAN_A_PORTION = 210;
const INSERT_EVENTS = `
  INSERT INTO outbox_events (workspace_id, request_id, type, details)
  SELECT $1, 'many', 'prompt_template_deleted', jsonb_build_object('prompt_template_name', n::text)
    FROM generate_series(1, $2::int) n`;

describe('news', () => {
  it('are sent right after the commit, without waiting for a sweep', async () => {
    const { me, receiver } = await customers.subscribe();
    for (const name of ['first', 'second']) {
      await publishPrompt(me, name);
      await until(() => Promise.resolve(namesIn(receiver).includes(name)));
    }
  });

  it('are delivered for one workspace while those of another cannot be', async () => {
    const [stuck, other] = [await customers.subscribe(), await customers.subscribe()];
    await app.sql(`
      CREATE FUNCTION refuse_delivery() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'not here'; END $$`);
    await app.sql(`CREATE TRIGGER refuse BEFORE INSERT ON webhook_deliveries FOR EACH ROW
      WHEN (NEW.workspace_id = ${stuck.id}) EXECUTE FUNCTION refuse_delivery()`);
    await publishPrompt(stuck.me, 'stuck');
    await app.sql(INSERT_EVENTS, [stuck.id, MORE_THAN_A_PORTION]);
    await untilNews(app, other, 'free');
    expect(await deliveriesOf(stuck.me, stuck.webhook)).toEqual([]);
    await app.sql('DROP TRIGGER refuse ON webhook_deliveries');
    await app.sql('DROP FUNCTION refuse_delivery');
    await settled(app, stuck, MORE_THAN_A_PORTION + 1);
  });

  it('are delivered in batches, each to all subscribers', async () => {
    const first = await customers.subscribe();
    const second = { ...first, ...(await createWebhook(first.me, first.id, { url: first.receiver.url })) };
    await app.sql(INSERT_EVENTS, [first.id, MORE_THAN_A_PORTION]);
    for (const subscribed of [first, second]) await settled(app, subscribed, MORE_THAN_A_PORTION);
    expect(new Set(namesIn(first.receiver)).size).toBe(MORE_THAN_A_PORTION);
  });

  it('reach others while many receivers of one workspace do not answer, and leave no heap of jobs', async () => {
    const patient = await TestApp.start({ env: { ...IMPATIENT, WEBHOOK_TIMEOUT_MS: '60000' } });
    const here = new Customers(() => patient);
    try {
      const slow = await here.subscribe(() => undefined);
      for (let more = 0; more < 19; more++) await createWebhook(slow.me, slow.id, { url: slow.receiver.url });
      const other = await here.subscribe();
      await publishPrompt(slow.me, 'slowly');
      await sweepUntil(patient, NEWS, () => Promise.resolve(slow.receiver.requests.length > 0));
      await untilNews(patient, other, 'quickly');
      expect(slow.receiver.requests.length).toBeLessThanOrEqual(4);
      const queue = patient.app.get<Queue>(getQueueToken('webhooks'));
      for (let sweeps = 0; sweeps < 50; sweeps++) await patient.sweep('webhooks');
      // Limit: the deliveries that a worker makes at once, for the news and for the sweep, and one for the other
      // webhook. A job that has just ended is counted for a moment longer. A larger number would stay, because the
      // receivers do not answer.
      await until(async () => {
        const { waiting, delayed, active } = await queue.getJobCounts();
        return waiting + delayed + active <= 33;
      });
      expect(slow.receiver.requests.length).toBeLessThanOrEqual(4);
    } finally {
      await here.stopReceivers();
      await patient.stop();
    }
  });
});

describe('several workers', () => {
  it('send everything once between them', async () => {
    const patient = await TestApp.own({ env: IMPATIENT });
    const others = await Promise.all([1, 2].map(() => createApp({ config: patient.config, works: true })));
    await Promise.all(others.map((other) => other.init()));
    try {
      const subscribed = await new Customers(() => patient).subscribe();
      const expected = Array.from({ length: 60 }, (_, index) => `prompt ${index}`);
      const workers = [patient, ...others.map(sweeperOf)];
      for (let from = 0; from < 60; from += 10) {
        const publishing = expected.slice(from, from + 10).map((name) => publishPrompt(subscribed.me, name));
        const sweeping = workers.flatMap((worker) => NEWS.map((name) => worker.sweep(name)));
        await Promise.all([...publishing, ...sweeping]);
      }
      await Promise.all(workers.map((worker) => settled(worker, subscribed, 60)));
      expect(namesIn(subscribed.receiver).sort()).toEqual(expected.toSorted());
      await subscribed.receiver.stop();
    } finally {
      await Promise.all(others.map((other) => other.close()));
      await patient.stop();
    }
  });

  it('skip events that are not committed yet, and deliver them later', async () => {
    const subscribed = await customers.subscribe();
    await app.inTransaction(async (sql) => {
      await sql(
        `INSERT INTO outbox_events (workspace_id, request_id, type, details)
         VALUES ($1, 'late', 'prompt_template_deleted', '{"prompt_template_name": "late"}')`,
        [subscribed.id],
      );
      await untilNews(app, subscribed, 'early');
    });
    await settled(app, subscribed, 2);
    expect(namesIn(subscribed.receiver)).toEqual(['early', 'late']);
    expect(subscribed.receiver.payloads[1]).toMatchObject({ user_id: null, user_name: null, user_email: null });
  });
});

describe('a worker', () => {
  it('does not call private addresses that were allowed once', async () => {
    const subscribed = await customers.subscribe();
    const strict = await TestApp.start({ env: { ...IMPATIENT, OUTBOUND_ALLOW_PRIVATE: 'off' } });
    try {
      const { webhook } = await createWebhook(strict.client, 1, { url: 'https://hooks.invalid/' });
      await strict.sql('UPDATE webhooks SET url = $1', [subscribed.receiver.url]);
      await publishPrompt(strict.client, 'secretive');
      const [delivery] = await settled(strict, { me: strict.client, webhook }, 1);
      expect(delivery).toMatchObject({
        status: 'failed',
        error: expect.stringContaining('not on the public internet'),
        response_status: null,
      });
      expect(subscribed.receiver.requests).toEqual([]);
    } finally {
      await strict.stop();
    }
  });

  it('keeps what it sends for itself while a receiver takes longer than a lease', async () => {
    const leaseMs = 1000;
    const env = { ...IMPATIENT, LEASE_MS: String(leaseMs) };
    const quick = await TestApp.start({ env });
    try {
      const held: ServerResponse[] = [];
      const slow = await new Customers(() => quick).subscribe((response) => void held.push(response));
      const leaseEnd = async () => {
        const [row] = await quick.sql('SELECT lease_until FROM webhooks WHERE id = $1', [slow.webhook.id]);
        return (row as { lease_until: Date }).lease_until.getTime();
      };
      await publishPrompt(slow.me, 'slowly');
      await until(() => Promise.resolve(held.length > 0));
      const first = await leaseEnd();
      await until(async () => (await leaseEnd()) > first + 2 * leaseMs);
      held.forEach((response) => response.end());
      await settled(quick, slow, 1);
      expect(slow.receiver.requests).toHaveLength(1);
      await slow.receiver.stop();
    } finally {
      await quick.stop();
    }
  });

  it('takes up what a dead one has left', async () => {
    const subscribed = await customers.subscribe();
    await app.sql(`UPDATE webhooks SET lease_until = now() + interval '1 second', claims = claims + 1 WHERE id = $1`, [
      subscribed.webhook.id,
    ]);
    await untilNews(app, subscribed, 'inherited');
    const [row] = await app.sql('SELECT claims FROM webhooks WHERE id = $1', [subscribed.webhook.id]);
    expect((row as { claims: number }).claims).toBeGreaterThan(1);
  });

  it('without the right key sends nothing and gives nothing up', async () => {
    // Between two tries it waits for as long as between two sweeps.
    const restless = await TestApp.start({ env: { ...IMPATIENT, SWEEP_INTERVAL_MS: '100' } });
    try {
      const { me, webhook, receiver } = await new Customers(() => restless).subscribe();
      const read = async () =>
        (await restless.sql('SELECT secret, claims FROM webhooks WHERE id = $1', [webhook.id]))[0] as {
          secret: Buffer;
          claims: number;
        };
      const write = (secret: Buffer) =>
        restless.sql('UPDATE webhooks SET secret = $2 WHERE id = $1', [webhook.id, secret]);
      const { secret } = await read();
      await write(Buffer.from('other'));
      await publishPrompt(me, 'patient');
      await until(async () => (await read()).claims > 2);
      expect(await deliveriesOf(me, webhook)).toMatchObject([{ status: 'pending', attempts: 0 }]);
      expect(receiver.requests).toEqual([]);
      await write(secret);
      expect(await settled(restless, { me, webhook }, 1)).toMatchObject([{ status: 'delivered', attempts: 1 }]);
      await receiver.stop();
    } finally {
      await restless.stop();
    }
  });
});
