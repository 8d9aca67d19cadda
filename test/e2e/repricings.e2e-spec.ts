import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loggedCall } from '../support/bulk.js';
import type { Client } from '../support/client.js';
import { newWorkspace } from '../support/erasures.js';
import { every } from '../support/every.js';
import { llmSpan, send, span, spanId, traceId } from '../support/otlp.js';
import { TestApp } from '../support/test-app.js';
import { type ReadLog, readLog } from '../support/tracking.js';
import { until } from '../support/until.js';

interface Repricing {
  id: string;
  status: string;
  priced_count: number;
  left_count: number;
  cost: number;
}

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.stop());

const OURS = { provider: 'ollama', model: 'our-model' };
/** A dollar for each token. */
const RATES = { input: 1_000_000, output: 1_000_000 };

async function customer() {
  const { me, id } = await newWorkspace(app);
  const admin = `/api/admin/v1/workspaces/${id}`;
  const read = async (wanted: string) => {
    const { data } = (await me.get(`${admin}/repricings?limit=100`)) as { data: Repricing[] };
    return data.find((each) => each.id === wanted)!;
  };
  /** Begins one and waits for its end. */
  const reprice = async (body: object = {}) => {
    const { repricing } = (await me.post(`${admin}/repricings`, { ...OURS, ...body }, 202)) as { repricing: Repricing };
    return ended(() => read(repricing.id));
  };
  return { me, id, admin, read, reprice, setPrice: () => me.put(`${admin}/model-prices`, { ...OURS, ...RATES }) };
}

async function ended(read: () => Promise<Repricing>): Promise<Repricing> {
  await until(async () => (await read()).status === 'completed');
  return read();
}

/** A trace of two calls, the second with a model without a price. */
async function traceOfTwo(me: Client): Promise<string> {
  const id = traceId();
  const root = spanId();
  await send(me, [
    span({ traceId: id, spanId: root, name: 'answer' }),
    llmSpan({ ...OURS, inputTokens: 3, outputTokens: 2 }, { traceId: id, parentSpanId: root }),
    llmSpan({ provider: 'ollama', model: 'another' }, { traceId: id, parentSpanId: root }),
  ]);
  return id;
}

const readTrace = async (me: Client, id: string) =>
  (await me.get(`/api/public/v2/traces/${id}`)) as {
    trace: { total_cost_usd: number; unpriced_request_count: number };
    spans: { model: string | null; cost: number | null }[];
  };

const log = async (me: Client, fields: object) => {
  const times = { request_start_time: Date.now(), request_end_time: Date.now() };
  return ((await me.post('/log-request', loggedCall({ ...OURS, ...times, ...fields }), 201)) as { id: number }).id;
};

const priceOf = async (me: Client, id: number) => {
  const { price, priced, priced_by } = (await readLog(me, id)) as ReadLog & { priced_by: string | null };
  return priced ? [price, priced_by] : null;
};

describe('a price that is set later', () => {
  it('reaches stored calls, their spans, traces and sums, once, and nothing else', async () => {
    const { me, reprice, setPrice } = await customer();
    const other = await customer();
    const theirs = await log(other.me, { input_tokens: 1, output_tokens: 1 });
    const trace = await traceOfTwo(me);
    const old = await log(me, { input_tokens: 7, output_tokens: 0, request_start_time: 1_600_000_000_000 });
    const variant = await log(me, { model: 'OUR-model-2026-01-01', input_tokens: 4, output_tokens: 0 });
    const reported = await log(me, { input_tokens: 1, output_tokens: 1, price: 0.25 });
    await setPrice();
    await other.setPrice();

    const since = '2026-01-01';
    expect(await reprice({ dry_run: true })).toMatchObject({ priced_count: 3, left_count: 0, cost: 16 });
    expect(await priceOf(me, variant)).toBeNull();
    expect(await reprice({ since, provider: ' Ollama ' })).toMatchObject({ priced_count: 2, left_count: 0, cost: 9 });
    expect(await priceOf(me, variant)).toEqual([4, 'table']);
    expect(await priceOf(me, old)).toBeNull();
    expect(await priceOf(me, reported)).toEqual([0.25, 'reported']);
    expect(await priceOf(other.me, theirs)).toBeNull();
    const { trace: summed, spans } = await readTrace(me, trace);
    expect(summed).toMatchObject({ total_cost_usd: 5, unpriced_request_count: 1 });
    expect(spans.map(({ model, cost }) => [model, cost]).filter(([model]) => model)).toEqual(
      expect.arrayContaining([
        ['our-model', 5],
        ['another', null],
      ]),
    );
    const window = { start_time: '2020-01-01T00:00:00Z', buckets: 1 };
    const { buckets } = (await me.post('/api/public/v2/requests/histogram', window)) as { buckets: object[] };
    expect(buckets).toMatchObject([{ cost: 9.25, unpriced: 2 }]);
    expect(await reprice({ since })).toMatchObject({ priced_count: 0, left_count: 0, cost: 0 });
    expect(await reprice()).toMatchObject({ priced_count: 1, cost: 7 });
  });

  it('counts cached tokens once, and leaves calls of which that is not known', async () => {
    const { me, reprice, admin } = await customer();
    const call = (of: object, cached: string) =>
      llmSpan(
        { ...of, inputTokens: 10, outputTokens: 0 },
        {
          traceId: traceId(),
          attributes: [
            ...(llmSpan({ ...of, inputTokens: 10, outputTokens: 0 }).attributes as object[]),
            { key: 'gen_ai.usage.cache_read.input_tokens', value: { intValue: cached } },
          ],
        },
      );
    const claude = { provider: 'anthropic', model: 'house-claude' };
    await send(me, [call(OURS, '4'), call(claude, '4'), call(claude, '40')]);
    for (const of of [OURS, claude]) await me.put(`${admin}/model-prices`, { ...of, ...RATES });
    expect(await reprice()).toMatchObject({ priced_count: 1, left_count: 0, cost: 10 });
    expect(await reprice(claude)).toMatchObject({ priced_count: 1, left_count: 1, cost: 50 });
  });

  it('goes on where a worker was that died', async () => {
    const { me, id, admin, read, setPrice } = await customer();
    const logs = [];
    for (let at = 0; at < 3; at++) logs.push(await log(me, { input_tokens: 2, output_tokens: 0 }));
    await setPrice();
    await app.sql(
      `INSERT INTO repricings (workspace_id, id, provider, model, dry_run, status, position, priced_count, cost, attempts, claim, lease_until, request_id)
       VALUES ($1, gen_random_uuid(), 'ollama', 'our-model', false, 'running', $2, 1, 2, 1, gen_random_uuid(), now() - interval '1 hour', 'r')`,
      [id, logs[0]],
    );
    await app.sweep('repricings');
    const { data } = (await me.get(`${admin}/repricings`)) as { data: Repricing[] };
    expect(await ended(() => read(data[0]!.id))).toMatchObject({ priced_count: 3, cost: 6 });
    expect(await Promise.all(logs.map((each) => priceOf(me, each)))).toEqual([null, [2, 'table'], [2, 'table']]);
  });

  it('is refused without a price, for public models, while one is under way, and to keys without ADMIN', async () => {
    const { me, id, admin, setPrice } = await customer();
    const path = `${admin}/repricings`;
    await me.post(path, OURS, 404);
    const gpt = { provider: 'openai', model: 'gpt-4o' };
    await me.put(`${admin}/model-prices`, { ...gpt, input: 1 });
    expect(await me.post(path, gpt, 409)).toMatchObject({ error: 'repricing_of_public_model' });
    await setPrice();
    const bad = [
      {},
      { model: 'x' },
      { ...OURS, since: 'soon' },
      { ...OURS, since: '2026-W01-1' },
      { ...OURS, all: true },
    ];
    await every(bad, async (body) => void (await me.post(path, body, 422)));
    await me.get(`${path}?cursor=x`, 400);
    await app.sql(
      `INSERT INTO repricings (workspace_id, id, provider, model, dry_run, lease_until, request_id)
       VALUES ($1, gen_random_uuid(), 'ollama', 'our-model', false, now() + interval '1 hour', 'r')`,
      [id],
    );
    expect(await me.post(path, OURS, 409)).toMatchObject({ error: 'repricing_running' });
    const issued = (await me.post(`${admin}/api-keys`, { role: 'member' }, 201)) as { secret: string };
    const member = app.clientWith(issued.secret);
    await member.get(path, 403);
    await member.post(path, OURS, 403);
    await (await app.stranger()).get(path, 404);
  });
});
