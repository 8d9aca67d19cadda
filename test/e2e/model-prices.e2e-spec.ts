import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApp } from '../../src/app.js';
import { PACKAGE } from '../../src/requests/pricing/price-file.js';
import { bulkSpan, loggedCall, storeBulk } from '../support/bulk.js';
import { Client } from '../support/client.js';
import { logCall } from '../support/otlp.js';
import { TestApp } from '../support/test-app.js';
import { readLog } from '../support/tracking.js';
import { until } from '../support/until.js';

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.own({ works: false });
});
afterAll(() => app.stop());

interface Prices {
  model_prices: Record<string, unknown>[];
}

/** A customer with the path of its prices. */
async function customer(): Promise<{ me: Client; id: number; path: string }> {
  const me = await app.stranger();
  const { workspaces } = (await app.operator().get('/api/admin/v1/workspaces')) as { workspaces: { id: number }[] };
  const id = workspaces.at(-1)!.id;
  return { me, id, path: `/api/admin/v1/workspaces/${id}/model-prices` };
}

const OURS = { provider: 'ollama', model: 'our-model' };
/** A dollar for each token. */
const RATES = { input: 1_000_000, output: 1_000_000 };

const call = (me: Client, model = 'our-model') =>
  logCall(me, { provider: 'ollama', model, inputTokens: 3, outputTokens: 2 });
const priceOf = async (me: Client, id: number) => {
  const { price, priced } = await readLog(me, id);
  return priced ? price : null;
};

const now = () => ({ request_start_time: Date.now(), request_end_time: Date.now() });

describe('the prices of a workspace', () => {
  it('are as they were set, in the order of their names, until they are deleted', async () => {
    const { me, path } = await customer();
    expect(await me.get(path)).toMatchObject({ public_prices: { source: PACKAGE.source }, model_prices: [] });
    await me.put(path, { ...OURS, ...RATES });
    const body = { provider: ' OpenAI ', model: 'GPT-4o', cached_input: 0.5, cache_write: null };
    expect(await me.put(path, body)).toMatchObject({
      model_price: { provider: 'openai', model: 'gpt-4o', input: null, cached_input: 0.5, has_public_price: true },
    });
    await me.put(path, { ...OURS, input: 0, cache_write: 0.25 });
    const ours = { ...OURS, input: 0, output: null, cached_input: null, cache_write: 0.25, has_public_price: false };
    expect(await app.operator().get(path)).toMatchObject({ model_prices: [ours, { model: 'gpt-4o' }] });

    await me.delete(`${path}?provider=OLLAMA&model=our-model`);
    expect(((await me.get(path)) as Prices).model_prices).toMatchObject([{ model: 'gpt-4o' }]);
    await me.delete(`${path}?provider=ollama&model=our-model`, 404);
  });

  it('leave a trail when they change', async () => {
    const { me, id, path } = await customer();
    await me.put(path, { ...OURS, input: 1 });
    await me.put(path, { ...OURS, input: 2 });
    await me.delete(`${path}?provider=ollama&model=our-model`);
    const entries = await app.sql(
      `SELECT action, entity_id, details FROM audit_entries WHERE workspace_id = $1 AND action LIKE 'model_price.%' ORDER BY id`,
      [id],
    );
    const entity_id = 'ollama/our-model';
    expect(entries).toMatchObject([
      { action: 'model_price.set', entity_id, details: { from: null, to: { input: 1 } } },
      { action: 'model_price.set', entity_id, details: { from: { input: 1 }, to: { input: 2 } } },
      { action: 'model_price.delete', entity_id, details: { from: { input: 2 } } },
    ]);
  });

  it('are refused when they are no rates of a model, and to keys without ADMIN', async () => {
    const { me, path } = await customer();
    const bad = [
      OURS,
      { ...OURS, input: -1 },
      { ...OURS, output: 1e7 },
      { ...OURS, input: '1' },
      { ...OURS, input: 1, provider: ' ' },
      { ...OURS, input: 1, model: 'x'.repeat(201) },
      { provider: 'ollama', input: 1 },
    ];
    for (const body of bad) await me.put(path, body, 422);
    // JSON knows no infinity, but numbers that become it.
    await me
      .with({ 'content-type': 'application/json' })
      .request('PUT', path, '{"provider": "ollama", "model": "m", "input": 1e999}')
      .then(({ status }) => expect(status).toBe(422));
    await me.delete(path, 422);
    const issued = await me.post(path.replace(/model-prices$/, 'api-keys'), { role: 'member' }, 201);
    const member = app.clientWith((issued as { secret: string }).secret);
    await member.get(path, 403);
    await member.put(path, { ...OURS, ...RATES }, 403);
    await member.delete(`${path}?provider=ollama&model=our-model`, 403);
  });

  it('are not more than five hundred', async () => {
    const { me, id, path } = await customer();
    await app.sql(
      `INSERT INTO model_prices (workspace_id, provider, model, input, revision)
       SELECT $1, 'ollama', 'm' || n, 1, nextval('model_price_revisions') FROM generate_series(1, 500) AS n`,
      [id],
    );
    await me.put(path, { ...OURS, input: 1 }, 409);
    await me.put(path, { provider: 'ollama', model: 'm7', input: 2 });
    await me.delete(`${path}?provider=ollama&model=m8`);
    await me.put(path, { ...OURS, input: 1 });
  });
});

describe('a call', () => {
  it('is priced at once, however it is reported', async () => {
    const { me, path } = await customer();
    const before = await call(me);
    await me.put(path, { ...OURS, ...RATES });

    const [bulk] = (
      await storeBulk(me, [
        bulkSpan({ log_request: loggedCall({ ...OURS, input_tokens: 3, output_tokens: 2, ...now() }) }),
      ])
    ).request_logs!;
    const logged = (await me.post(
      '/log-request',
      loggedCall({ ...OURS, input_tokens: 3, output_tokens: 2, ...now() }),
      201,
    )) as { id: number };
    const tracked = (await me.post('/track-request', {
      provider_type: 'ollama',
      function_name: 'chat',
      kwargs: { model: 'our-model', messages: [{ role: 'user', content: 'Hi' }] },
      request_response: {
        choices: [{ message: { role: 'assistant', content: 'Hello' } }],
        usage: { prompt_tokens: 3, completion_tokens: 2 },
      },
      ...now(),
    })) as { request_id: number };
    for (const id of [await call(me), bulk!.id, logged.id, tracked.request_id]) expect(await priceOf(me, id)).toBe(5);

    expect(await priceOf(me, before)).toBeNull();
    await me.delete(`${path}?provider=ollama&model=our-model`);
    expect(await priceOf(me, await call(me))).toBeNull();
  });

  it('costs what its service tier and its searches cost', async () => {
    const { me } = await customer();
    const track = async (provider: string, name: string, model: string, response: object) => {
      const body = {
        provider_type: provider,
        function_name: name,
        kwargs: { model, messages: [{ role: 'user', content: 'Hi' }], max_tokens: 10 },
        request_response: response,
        ...now(),
      };
      return priceOf(me, ((await me.post('/track-request', body)) as { request_id: number }).request_id);
    };
    const choices = [{ message: { role: 'assistant', content: 'Hello' } }];
    const openAi = (service_tier: string) =>
      track('openai', 'openai.chat.completions.create', 'gpt-5', {
        choices,
        service_tier,
        usage: { prompt_tokens: 1_000_000, completion_tokens: 0 },
      });
    expect([await openAi('flex'), await openAi('priority'), await openAi('default')]).toEqual([0.625, null, 1.25]);
    const usage = { input_tokens: 1000, output_tokens: 100, server_tool_use: { web_search_requests: 3 } };
    const answer = { type: 'message', role: 'assistant', content: [{ type: 'text', text: 'Hello' }], usage };
    expect(await track('anthropic', 'anthropic.messages.create', 'claude-sonnet-4-5', answer)).toBeCloseTo(0.0345, 9);
  });

  it('is not priced by rates of another workspace', async () => {
    const [first, second] = [await customer(), await customer()];
    await first.me.put(first.path, { ...OURS, ...RATES });
    expect(await priceOf(second.me, await call(second.me))).toBeNull();
    await second.me.get(first.path, 404);
  });

  it('costs the amount that its source reports, also where a price is set', async () => {
    const { me, path } = await customer();
    await me.put(path, { ...OURS, ...RATES });
    const { id } = (await me.post('/log-request', loggedCall({ ...OURS, price: 0.25, ...now() }), 201)) as {
      id: number;
    };
    expect(await priceOf(me, id)).toBe(0.25);
  });

  it('is priced by other processes within seconds, also when a price goes', async () => {
    const { me, path } = await customer();
    const other = await createApp({ config: app.config, works: false });
    await other.init();
    await other.getHttpAdapter().getInstance().ready();
    try {
      const elsewhere = new Client(other, app.contract, me.apiKey);
      await me.put(path, { ...OURS, ...RATES });
      await until(async () => (await priceOf(me, await call(elsewhere))) === 5);
      await me.put(path, { ...OURS, ...RATES, output: 0 });
      await until(async () => (await priceOf(me, await call(elsewhere))) === 3);
      await me.delete(`${path}?provider=ollama&model=our-model`);
      await until(async () => (await priceOf(me, await call(elsewhere))) === null);
    } finally {
      await other.close();
    }
  });
});
