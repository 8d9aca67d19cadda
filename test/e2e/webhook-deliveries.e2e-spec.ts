import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { clientOf, deletePrompt, publishPrompt } from '../support/prompts.js';
import { sweepUntil } from '../support/sweeps.js';
import { TestApp } from '../support/test-app.js';
import {
  createWebhook,
  Customers,
  type Delivery,
  deliveriesOf,
  deliveryPage,
  IMPATIENT,
  namesIn,
  settled,
  signatureOf,
  type Subscribed,
  type Treatment,
  untilNews,
  webhookUrl,
} from '../support/webhooks.js';

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start({ env: IMPATIENT });
});
afterAll(() => app.stop());

const customers = new Customers(() => app);
afterEach(() => customers.stopReceivers());

describe('a delivery', () => {
  it('contains the event, its user and its time, with a signature over the exact bytes', async () => {
    const { id } = await customers.newWorkspace();
    const key = { role: 'admin', name: 'Sam’s key', owner_email: 'sam@example.com' };
    const me = await clientOf(app, id, key);
    const receiver = await customers.receive();
    const { webhook, secret } = await createWebhook(me, id, { url: receiver.url });
    const prompt = await publishPrompt(me, 'Grüße 🎉');
    const [delivery] = await settled(app, { me, webhook }, 1);

    const [{ headers, body }] = receiver.requests as [(typeof receiver.requests)[0]];
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'x-promptlayer-signature': signatureOf(body, secret),
      'webhook-id': String(delivery!.id),
      'content-length': String(Buffer.byteLength(body)),
    });
    const { created_by: user } = ((await me.get(webhookUrl(webhook))) as { webhook: { created_by: number } }).webhook;
    const { timestamp } = receiver.payloads[0] as { timestamp: string };
    expect(body).toBe(
      `{"details": {"prompt_template_id": ${prompt.id}, "prompt_template_name": "Gr\\u00fc\\u00dfe \\ud83c\\udf89", ` +
        '"prompt_template_version_number": 1}, "event_type": "prompt_template_version_created", ' +
        `"timestamp": "${timestamp}", "user_email": "sam@example.com", "user_id": ${user}, ` +
        `"user_name": "Sam\\u2019s key", "workspace_id": ${id}}`,
    );
    expect(new Date(timestamp).toISOString()).toBe(timestamp);
    expect(delivery).toMatchObject({
      event_type: 'prompt_template_version_created',
      status: 'delivered',
      attempts: 1,
      next_attempt_at: null,
      response_status: 200,
      response_body: 'thanks',
      error: null,
    });
  });

  it('goes to every webhook of its workspace once, and to no other', async () => {
    const first = await customers.subscribe();
    const second = await customers.receive();
    const { webhook } = await createWebhook(first.me, first.id, { url: second.url });
    const other = await customers.subscribe();
    for (const name of ['a', 'b', 'c']) await publishPrompt(first.me, name);
    await settled(app, first, 3);
    await settled(app, { me: first.me, webhook }, 3);
    await untilNews(app, other, 'theirs');
    expect(namesIn(first.receiver).sort()).toEqual(['a', 'b', 'c']);
    expect(namesIn(second).sort()).toEqual(['a', 'b', 'c']);
    expect(namesIn(other.receiver)).toEqual(['theirs']);
  });

  it('is made only for the types that were asked for', async () => {
    const all = await customers.subscribe();
    const receiver = await customers.receive();
    const { webhook } = await createWebhook(all.me, all.id, {
      url: receiver.url,
      event_types: ['prompt_template_deleted'],
    });
    const prompt = await publishPrompt(all.me, 'short-lived', { labels: ['prod'] });
    await deletePrompt(all.me, prompt.id);
    await settled(app, { me: all.me, webhook }, 1);
    expect(receiver.payloads.map(({ event_type: type }) => type)).toEqual(['prompt_template_deleted']);
    const types = (await settled(app, all, 3)).map(({ event_type: type }) => type);
    expect(types.sort()).toEqual([
      'prompt_template_deleted',
      'prompt_template_label_created',
      'prompt_template_version_created',
    ]);
  });

  it('is not made for what happened before the webhook was there or while it was off', async () => {
    const subscribed = await customers.subscribe();
    const { me, webhook, receiver } = subscribed;
    await app.sql(
      `INSERT INTO outbox_events (workspace_id, request_id, type, details, occurred_at)
       VALUES ($1, 'early', 'prompt_template_deleted', '{"prompt_template_name": "before"}', now() - interval '1 minute')`,
      [subscribed.id],
    );
    await me.patch(webhookUrl(webhook), { enabled: false });
    await publishPrompt(me, 'unheard');
    const [row] = await app.sql('SELECT max(id) AS id FROM outbox_events');
    const handedOn = `SELECT FROM event_positions p JOIN outbox_events e USING (workspace_id)
                       WHERE p.consumer = 'webhooks' AND e.id = $1 AND e.xid < p.seen_xmax AND e.xid <> ALL (p.seen_open)`;
    await sweepUntil(app, ['events'], async () => (await app.sql(handedOn, [(row as { id: string }).id])).length === 1);
    await me.patch(webhookUrl(webhook), { enabled: true });
    await untilNews(app, subscribed, 'heard');
    expect(namesIn(receiver)).toEqual(['heard']);
  });

  it('waits while its webhook is off', async () => {
    const subscribed = await customers.subscribe();
    const { me, webhook, receiver } = subscribed;
    await publishPrompt(me, 'twice');
    const [delivery] = await settled(app, subscribed, 1);
    await me.patch(webhookUrl(webhook), { enabled: false });
    await me.post(`${webhookUrl(webhook)}/deliveries/${delivery!.id}/redeliver`, undefined, 202);
    await untilNews(app, await customers.subscribe(), 'somewhere else');
    expect(await deliveriesOf(me, webhook)).toMatchObject([{ status: 'pending', attempts: 0 }]);
    expect(receiver.requests).toHaveLength(1);
    await me.patch(webhookUrl(webhook), { enabled: true });
    await settled(app, subscribed, 1);
    expect(namesIn(receiver)).toEqual(['twice', 'twice']);
  });

  it('is signed with the new secret as soon as it was replaced', async () => {
    const subscribed = await customers.subscribe();
    const { me, webhook, receiver } = subscribed;
    const rotated = (await me.post(`${webhookUrl(webhook)}/secret`, undefined, 201)) as { secret: string };
    await untilNews(app, subscribed, 'signed anew');
    const { headers, body } = receiver.requests[0]!;
    expect(headers['x-promptlayer-signature']).toBe(signatureOf(body, rotated.secret));
    expect(headers['x-promptlayer-signature']).not.toBe(signatureOf(body, subscribed.secret));
  });
});

describe('a delivery that fails', () => {
  it.each<[string, Treatment, Partial<Delivery>]>([
    [
      'answers 500',
      (response) => response.writeHead(500).end('oh no'),
      { response_status: 500, response_body: 'oh no' },
    ],
    ['redirects', (response) => response.writeHead(302, { location: '/x' }).end(), { response_status: 302 }],
    [
      'hangs up',
      (response) => void response.socket!.destroy(),
      { response_status: null, error: expect.stringContaining('ECONNRESET') as never },
    ],
  ])('because the receiver %s is tried again with the same bytes until it succeeds', async (_, fail, seen) => {
    const { subscribed, delivery } = await failTwice(app, customers, fail);
    expect(delivery.attempts).toBe(3);
    await expectNextFailure(app, subscribed, fail, { error: expect.any(String) as never, ...seen });
  });

  it('is given up after eight tries, and can be sent again by hand', async () => {
    const subscribed = await customers.subscribe((response) => response.writeHead(503).end('closed'));
    const { me, webhook, receiver } = subscribed;
    await publishPrompt(me, 'unwanted');
    const [failed] = await settled(app, subscribed, 1);
    expect(failed).toMatchObject({
      status: 'failed',
      attempts: 8,
      next_attempt_at: null,
      response_status: 503,
      response_body: 'closed',
      error: 'The receiver answered 503.',
    });
    expect(receiver.requests).toHaveLength(8);
    expect(await deliveriesOf(me, webhook, '&status=failed')).toHaveLength(1);

    receiver.treat = (response) => response.end('open again');
    const answer = await me.post(`${webhookUrl(webhook)}/deliveries/${failed!.id}/redeliver`, undefined, 202);
    expect(answer).toMatchObject({ delivery: { id: failed!.id, status: 'pending', attempts: 0 } });
    expect(await settled(app, subscribed, 1)).toMatchObject([
      { status: 'delivered', attempts: 1, response_body: 'open again' },
    ]);
    expect(receiver.requests[8]).toEqual({ ...receiver.requests[0], headers: expect.anything() });
    await me.post(`${webhookUrl(webhook)}/deliveries/999999999/redeliver`, undefined, 404);
  });

  it('because nobody listens says so', async () => {
    const subscribed = await customers.subscribe();
    await customers.stopReceivers();
    await publishPrompt(subscribed.me, 'to nobody');
    expect(await settled(app, subscribed, 1)).toMatchObject([
      { status: 'failed', attempts: 8, response_status: null, error: 'The connection failed (ECONNREFUSED).' },
    ]);
  });

  it('does not hold up other webhooks', async () => {
    const dead = await customers.subscribe(() => undefined);
    for (let index = 0; index < 20; index++) await publishPrompt(dead.me, `stuck ${index}`);
    const healthy = await customers.subscribe();
    await untilNews(app, healthy, 'quick');
    expect(await deliveriesOf(dead.me, dead.webhook, '&status=pending')).toHaveLength(20);
    await dead.me.delete(webhookUrl(dead.webhook));
  });

  it('keeps the first KB of a huge answer and counts it as one', async () => {
    const subscribed = await customers.subscribe((response) => {
      response.write('\u0000ü'.repeat(300));
      response.end('x'.repeat(5_000_000));
    });
    await publishPrompt(subscribed.me, 'loud');
    const [delivery] = await settled(app, subscribed, 1);
    expect(delivery).toMatchObject({ status: 'delivered', attempts: 1 });
    expect(delivery!.response_body).toBe('\uFFFDü'.repeat(300) + 'x'.repeat(124));
  });
});

describe('a delivery whose receiver takes too long', () => {
  let hurried: TestApp;
  beforeAll(async () => {
    hurried = await TestApp.start({ env: { ...IMPATIENT, WEBHOOK_TIMEOUT_MS: '400' } });
  });
  afterAll(() => hurried.stop());
  const others = new Customers(() => hurried);
  afterEach(() => others.stopReceivers());

  it.each<[string, Treatment]>([
    ['does not answer', () => undefined],
    ['does not end its answer', (response) => void response.writeHead(200).write('x')],
  ])('because it %s is tried again with the same bytes until it succeeds', async (_, fail) => {
    const { subscribed, delivery } = await failTwice(hurried, others, fail);
    // On a busy machine an answer may be late as well.
    expect(delivery.attempts).toBeGreaterThanOrEqual(3);
    await expectNextFailure(hurried, subscribed, fail, { error: expect.any(String) as never, response_status: null });
  });
});

/** Sends a prompt to a receiver that fails twice and then succeeds. */
async function failTwice(
  server: TestApp,
  among: Customers,
  fail: Treatment,
): Promise<{ subscribed: Subscribed; delivery: Delivery }> {
  const subscribed = await among.subscribe((response, count) =>
    count <= 2 ? fail(response, count) : response.end('at last'),
  );
  await publishPrompt(subscribed.me, 'again');
  const [delivery] = await settled(server, subscribed, 1);
  const success = { status: 'delivered', response_status: 200, response_body: 'at last', error: null };
  expect(delivery).toMatchObject(success);
  const { requests } = subscribed.receiver;
  expect(requests).toHaveLength(delivery!.attempts);
  expect(new Set(requests.map(({ body }) => body)).size).toBe(1);
  expect(new Set(requests.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([String(delivery!.id)]));
  return { subscribed, delivery: delivery! };
}

/** Sends the only delivery again while the receiver fails. */
async function expectNextFailure(
  server: TestApp,
  { me, webhook, receiver }: Subscribed,
  fail: Treatment,
  seen: Partial<Delivery>,
): Promise<void> {
  receiver.treat = fail;
  const [{ id }] = (await deliveriesOf(me, webhook)) as [Delivery];
  await me.post(`${webhookUrl(webhook)}/deliveries/${id}/redeliver`, undefined, 202);
  await sweepUntil(server, ['webhooks'], async () => (await deliveriesOf(me, webhook))[0]!.error !== null);
  expect((await deliveriesOf(me, webhook))[0]).toMatchObject(seen);
}

describe('the log of deliveries', () => {
  it('is read page by page in both orders, and by state', async () => {
    const subscribed = await customers.subscribe();
    const { me, webhook } = subscribed;
    for (let index = 0; index < 5; index++) await publishPrompt(me, `prompt ${index}`);
    const all = await settled(app, subscribed, 5);
    const first = await deliveryPage(me, webhook, 'limit=2&order=asc&status=delivered');
    expect(first.data).toEqual(all.toReversed().slice(0, 2));
    const cursor = encodeURIComponent(first.next_cursor!);
    const second = await deliveryPage(me, webhook, `limit=2&order=asc&status=delivered&cursor=${cursor}`);
    expect(second.data).toEqual(all.toReversed().slice(2, 4));
    expect((await deliveryPage(me, webhook, 'status=failed')).data).toEqual([]);
    const misused = await me.get(`${webhookUrl(webhook)}/deliveries?cursor=${cursor}`, 400);
    expect(misused).toMatchObject({ error: 'cursor_invalid' });
  });

  it('goes with the events', async () => {
    const subscribed = await customers.subscribe();
    await publishPrompt(subscribed.me, 'old');
    await settled(app, subscribed, 1);
    await app.sql(`UPDATE outbox_events SET occurred_at = now() - interval '31 days' WHERE workspace_id = $1`, [
      subscribed.id,
    ]);
    await app.sweep('event-expiry');
    expect(await deliveriesOf(subscribed.me, subscribed.webhook)).toEqual([]);
  });
});

describe('the deliveries of a whole workspace', () => {
  it('are one list over all webhooks, newest first, page by page, and of nobody else', async () => {
    const first = await customers.subscribe();
    const { me, id, receiver } = first;
    const { webhook: second } = await createWebhook(me, id, { url: receiver.url, name: 'Second' });
    await publishPrompt(me, 'seen by both');
    await settled(app, first, 1);
    await settled(app, { me, webhook: second }, 1);
    const url = `/api/admin/v1/workspaces/${id}/webhook-deliveries`;
    interface Listed {
      data: (Delivery & { webhook_id: number })[];
      next_cursor: string | null;
    }
    const page = (await me.get(`${url}?limit=1`)) as Listed;
    const rest = (await me.get(`${url}?limit=1&cursor=${page.next_cursor}`)) as Listed;
    const listed = [...page.data, ...rest.data];
    expect(rest.next_cursor).toBeNull();
    expect(new Set(listed.map((delivery) => delivery.webhook_id))).toEqual(new Set([first.webhook.id, second.id]));
    expect(listed[0]!.id).toBeGreaterThan(listed[1]!.id);
    const [own] = await deliveriesOf(me, second);
    expect(listed.find((delivery) => delivery.webhook_id === second.id)).toEqual({ ...own, webhook_id: second.id });
    expect(((await me.get(`${url}?status=failed`)) as Listed).data).toEqual([]);
    await me.get(`${url}?status=lost`, 422);
    await me.get(`${url}?cursor=nonsense`, 400);
    await (await app.stranger()).get(url, 404);
    await (await clientOf(app, id, { role: 'member' })).get(url, 403);
  });
});
