import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.stop());

const MODELS = '/api/public/v2/models';

/** The path of the workspace of a client. */
async function homeOf(me: Client): Promise<string> {
  const { workspace } = (await me.get('/api/public/v2/me')) as { workspace: { id: number } };
  return `/api/admin/v1/workspaces/${workspace.id}`;
}

const addCredential = async (me: Client, body: object) =>
  me.post(`${await homeOf(me)}/model-credentials`, { name: 'default', secret: 'sk-test-0123456789', ...body }, 201);

interface Provider {
  provider: string;
  needs_credential: boolean;
  credentials: string[];
}

describe('the providers of models', () => {
  it('are listed with the fields of a credential, and with the names of existing ones', async () => {
    const me = await app.stranger();
    await addCredential(me, { provider: 'openai', name: 'spare' });
    await addCredential(me, { provider: 'openai', name: 'default' });
    await addCredential(me, { provider: 'house', base_url: 'https://models.example.com/v1' });
    const { model_providers: listed } = (await me.get('/api/public/v2/model-providers')) as {
      model_providers: Provider[];
    };
    const names = listed.map(({ provider }) => provider);
    expect(names).toEqual(names.toSorted());
    const find = (name: string) => listed.find(({ provider }) => provider === name);
    expect(find('openai')).toMatchObject({ needs_credential: true, can_chat: true, credentials: ['default', 'spare'] });
    expect(find('tracesheet')).toMatchObject({ needs_credential: false, credentials: [] });
    expect(find('house')).toMatchObject({ needs_base_url: true, credentials: ['default'] });
    expect(find('vertexai')).toMatchObject({
      options: expect.arrayContaining([expect.objectContaining({ name: 'project', required: true })]) as unknown,
    });
    expect(JSON.stringify(listed)).not.toContain('sk-');
  });

  it('are those of the own workspace', async () => {
    await addCredential(await app.stranger(), { provider: 'secret-house', base_url: 'https://models.example.com/v1' });
    const { model_providers: listed } = (await (await app.stranger()).get('/api/public/v2/model-providers')) as {
      model_providers: Provider[];
    };
    expect(listed.filter(({ credentials }) => credentials.length > 0)).toEqual([]);
    expect(listed.map(({ provider }) => provider)).not.toContain('secret-house');
  });
});

describe('the models of a provider', () => {
  const list = async (me: Client, query: string) =>
    ((await me.get(`${MODELS}?${query}`)) as { models: { model: string }[] }).models;

  it('are listed with their price today', async () => {
    const me = await app.stranger();
    const models = await list(me, 'provider=OpenAI&q=4.1-MINI');
    expect(models).toContainEqual({
      provider: 'openai',
      model: 'gpt-4.1-mini',
      input_per_million_usd: 0.4,
      output_per_million_usd: 1.6,
      context_window: expect.any(Number) as number,
      is_own_price: false,
    });
    expect(models.every(({ model }) => model.includes('4.1-mini'))).toBe(true);
    expect((await list(me, 'provider=openai.azure')).length).toBeGreaterThan(5);
    expect(await list(me, 'provider=openai&limit=2')).toHaveLength(2);
    expect(await list(me, 'provider=nobody')).toEqual([]);
    const everywhere = (await list(me, 'q=mini&limit=100')) as unknown as { provider: string }[];
    expect(new Set(everywhere.map(({ provider }) => provider)).size).toBeGreaterThan(1);
  });

  it('begin with those whose price the workspace has set, which count first', async () => {
    const me = await app.stranger();
    const prices = `${await homeOf(me)}/model-prices`;
    await me.put(prices, { provider: 'openai', model: 'gpt-4.1-mini', input: 9 });
    await me.put(prices, { provider: 'openai', model: 'in-house', input: 1, output: 2 });
    expect((await list(me, 'provider=openai')).slice(0, 2)).toMatchObject([
      { model: 'gpt-4.1-mini', input_per_million_usd: 9, output_per_million_usd: 1.6, is_own_price: true },
      { model: 'in-house', input_per_million_usd: 1, output_per_million_usd: 2, is_own_price: true },
    ]);
    const others = await list(await app.stranger(), 'provider=openai&limit=100');
    expect(others.filter(({ model }) => model === 'in-house')).toEqual([]);
    expect(others.filter(({ model }) => model === 'gpt-4.1-mini')).toHaveLength(1);
  });

  it.each(['provider=', 'limit=0', 'provider=openai&limit=101', 'provider=openai&other=1'])(
    'are refused with 422 for ?%s',
    async (query) => {
      const { status } = await (await app.stranger()).request('GET', `${MODELS}?${query}`);
      expect(status).toBe(422);
    },
  );
});
