import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { FakeVendors } from '../support/fake-vendors.js';
import { between } from '../support/locks.js';
import { addCredential, CREDENTIALS, type ModelCredential } from '../support/model-credentials.js';
import { promptUrl, publishPrompt } from '../support/prompts.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let me: Client;
let vendors: FakeVendors;
beforeAll(async () => {
  vendors = await FakeVendors.start();
  app = await TestApp.start({ env: { OUTBOUND_ALLOW_PRIVATE: 'on' } });
  me = app.client;
});
afterAll(async () => {
  await app.stop();
  await vendors.stop();
});

const SECRET = 'sk-live-abcdefghijklmnop';
const read = async (id: number) =>
  ((await me.get(`${CREDENTIALS}/${id}`)) as { model_credential: ModelCredential }).model_credential;

describe('a model credential', () => {
  it('is added, read, changed and deleted, and its secret is never shown', async () => {
    const added = await addCredential(me, { provider: 'OpenAI', name: 'team a', secret: SECRET, max_concurrency: 3 });
    expect(added).toMatchObject({
      provider: 'openai',
      name: 'team a',
      last_4: 'mnop',
      base_url: null,
      max_concurrency: 3,
    });
    const list = await me.get(CREDENTIALS);
    expect(JSON.stringify([added, list, await read(added.id)])).not.toContain(SECRET);
    const [stored] = await app.sql('SELECT secret FROM model_credentials WHERE id = $1', [added.id]);
    expect((stored as { secret: Buffer }).secret.toString('latin1')).not.toContain(SECRET);

    await me.patch(`${CREDENTIALS}/${added.id}`, { name: 'team b', max_concurrency: null });
    expect(await read(added.id)).toMatchObject({ name: 'team b', last_4: 'mnop', max_concurrency: null });
    await me.patch(`${CREDENTIALS}/${added.id}`, { secret: 'sk-live-zyxwvutsrqpo' });
    expect((await read(added.id)).last_4).toBe('rqpo');
    await me.delete(`${CREDENTIALS}/${added.id}`);
    await me.get(`${CREDENTIALS}/${added.id}`, 404);
  });

  it('shows nothing of a short secret', async () => {
    const { id, last_4: lastFour } = await addCredential(me, { provider: 'openai', name: 'short', secret: 'abcdefg' });
    expect(lastFour).toBe('');
    await me.delete(`${CREDENTIALS}/${id}`);
  });

  it.each([
    ['a provider that needs a region', { provider: 'amazon.bedrock' }, 'options.region'],
    [
      'a region that leads elsewhere',
      { provider: 'amazon.bedrock', options: { region: 'x.example.com/' } },
      'options.region can have',
    ],
    [
      'a location that leads elsewhere',
      { provider: 'vertexai', options: { project: 'p', location: 'example.com/' } },
      'options.location can have',
    ],
    ['an option that nobody knows', { provider: 'openai', options: { colour: 'red' } }, 'no option "colour"'],
    ['an option that is no text', { provider: 'openai', options: { project: 1 } }, 'options.project should be a text'],
    ['no secret', { provider: 'openai', secret: '' }, 'needs a secret'],
    ['a server without an address', { provider: 'ollama' }, 'needs a base_url'],
    ['an address that is none', { provider: 'ollama', base_url: 'file:///etc' }, 'The base_url cannot be called.'],
  ])('is refused with %s', async (_, body, said) => {
    const given = { name: 'refused', secret: SECRET, ...body };
    const { message } = (await me.post(CREDENTIALS, given, 400)) as { message: string };
    expect(message).toContain(said);
  });

  it('sends no secret to another server than the one it was given for', async () => {
    const { id } = await addCredential(me, { provider: 'openai', name: 'moved', secret: SECRET });
    const change = (body: object, status?: number) => me.patch(`${CREDENTIALS}/${id}`, body, status);
    const elsewhere = { base_url: 'http://127.0.0.1:9/v1' };
    for (const more of [{}, { secret: null }]) {
      expect(await change({ ...elsewhere, ...more }, 400)).toMatchObject({ error: 'model_credential_secret_needed' });
    }
    expect(await read(id)).toMatchObject({ base_url: null, last_4: 'mnop' });
    await change({ ...elsewhere, secret: 'sk-live-zyxwvutsrqpo' });
    await change({ base_url: 'http://127.0.0.1:9/v2' });
    expect(await change({ base_url: null }, 400)).toMatchObject({ error: 'model_credential_secret_needed' });
    expect(await read(id)).toMatchObject({ base_url: 'http://127.0.0.1:9/v2', last_4: 'rqpo' });
    await me.delete(`${CREDENTIALS}/${id}`);
  });

  it('is compared with the address that it has when a change is made', async () => {
    const base_url = 'http://127.0.0.1:9/v1';
    const { id } = await addCredential(me, { provider: 'openai', name: 'raced', secret: SECRET, base_url });
    await between(
      app,
      (tx) => tx.query(`UPDATE model_credentials SET base_url = 'http://127.0.0.1:10/v1' WHERE id = $1`, [id]),
      () => me.patch(`${CREDENTIALS}/${id}`, { base_url: 'http://127.0.0.1:9/v2' }, 400),
      () => Promise.resolve(),
    );
    expect((await read(id)).base_url).toBe('http://127.0.0.1:10/v1');
    await me.delete(`${CREDENTIALS}/${id}`);
  });

  it('is refused when there is one of the same name', async () => {
    const { id } = await addCredential(me, { provider: 'mistral', name: 'one' });
    await me.post(CREDENTIALS, { provider: 'mistral', name: 'one', secret: SECRET }, 409);
    const other = await addCredential(me, { provider: 'mistral', name: 'two' });
    await me.patch(`${CREDENTIALS}/${other.id}`, { name: 'one' }, 409);
    for (const credential of [id, other.id]) await me.delete(`${CREDENTIALS}/${credential}`);
  });

  it('belongs to its workspace', async () => {
    const { id } = await addCredential(me, { provider: 'cohere', name: 'ours' });
    const stranger = await app.stranger();
    await stranger.get(`${CREDENTIALS}/${id}`, 404);
    await me.delete(`${CREDENTIALS}/${id}`);
  });

  it('is tested with a call, whose errors are explained', async () => {
    const { id } = await addCredential(me, { provider: 'openai', name: 'tested', base_url: `${vendors.url}/v1` });
    const test = (model = 'gpt-4.1-mini') => me.post(`${CREDENTIALS}/${id}/test`, { model }, 200);
    expect(await test()).toMatchObject({ works: true, message: 'gpt-4.1-mini answered.' });
    vendors.reply = () => ({ status: 404, message: 'There is no such model.' });
    expect(await test('gpt-0')).toMatchObject({
      works: false,
      message: 'openai answered 404: There is no such model.',
    });
    await me.patch(`${CREDENTIALS}/${id}`, { base_url: 'http://127.0.0.1:9/v1', secret: SECRET });
    const { message } = (await test()) as { message: string };
    expect(message).toContain('openai could not be reached');
    await me.delete(`${CREDENTIALS}/${id}`);
  });

  it('gives its endpoint to clients of a prompt that names it', async () => {
    const { id } = await addCredential(me, {
      provider: 'openai',
      name: 'house',
      base_url: 'https://llm.example.com/v1',
    });
    const model = { provider: 'openai', name: 'gpt-4.1', parameters: {} };
    await publishPrompt(me, 'housed', { model, version: { provider_base_url_name: 'house' } });
    const render = (body: object = {}) => me.post(promptUrl('housed'), body);
    expect(await render()).toMatchObject({
      provider_base_url: { id, name: 'house', provider: 'openai', url: 'https://llm.example.com/v1' },
    });
    expect(await render({ provider: 'anthropic', model: 'claude-sonnet-4' })).toMatchObject({
      provider_base_url: null,
    });
    await me.delete(`${CREDENTIALS}/${id}`);
    expect(await render()).toMatchObject({ provider_base_url: null });
  });
});
