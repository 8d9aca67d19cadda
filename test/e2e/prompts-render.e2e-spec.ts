import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { every } from '../support/every.js';
import {
  promptUrl,
  publishPrompt,
  type PublishedPrompt,
  readPrompt,
  renderPrompt,
  type ReadPrompt,
  textsOf,
} from '../support/prompts.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let me: Client;
let first: PublishedPrompt;
beforeAll(async () => {
  app = await TestApp.start({ works: false });
  me = app.client;
  const model = { provider: 'openai', name: 'gpt-4o-mini', parameters: { temperature: 0.5, seed: 7 } };
  const options = { model, tags: ['t'], version: { commit_message: 'first' } };
  first = await publishPrompt(me, 'greeting', { ...options, message: 'One {name}', labels: ['prod'] });
  await publishPrompt(me, 'greeting', { model, message: 'Two {name}' });
  await publishPrompt(me, 'plain', { model: null });
});
afterAll(() => app.stop());

const userMessage = (text: string) => ({ role: 'user', content: [{ type: 'text', text }] });
const model = ({ metadata }: ReadPrompt) => metadata!.model!;

describe('getting a prompt ready', () => {
  it('answers with the rendered version and everything that is known about it', async () => {
    const answer = await renderPrompt(me, 'greeting', { version: 1, input_variables: { name: 'Ada' } });
    const [message] = first.prompt_template.messages!;
    expect(answer).toEqual({
      id: first.id,
      prompt_name: 'greeting',
      version: 1,
      prompt_version_id: first.prompt_version_id,
      workspace_id: first.workspace_id,
      prompt_template: {
        ...first.prompt_template,
        messages: [{ ...message, content: [{ ...message!.content[0], text: 'One Ada' }] }],
      },
      metadata: first.metadata,
      commit_message: 'first',
      tags: ['t'],
      is_snippet: false,
      folder_id: null,
      created_at: expect.any(String),
      llm_kwargs: { model: 'gpt-4o-mini', messages: [userMessage('One Ada')], temperature: 0.5, seed: 7 },
      snippets: [],
      warning: null,
      provider_base_url: null,
      provider_id: null,
      custom_provider: null,
      request_id: expect.stringMatching(/\S/),
    });
  });

  it('takes the latest version, or the one that is asked for; the label counts more than the number', async () => {
    const cases: [body: object, version: number][] = [
      [{}, 2],
      [{ version: null, label: null }, 2],
      [{ version: 1 }, 1],
      [{ label: 'prod' }, 1],
      [{ version: 2, label: 'prod' }, 1],
      [{ version: 99, label: 'prod' }, 1],
      [{ version: 2, label: null }, 2],
    ];
    await every(cases, async ([body, version]) => {
      expect([body, (await renderPrompt(me, 'greeting', body)).version]).toEqual([body, version]);
    });
  });

  it('is 404 when there is no such prompt, version or label', async () => {
    const refuse = (body: object, identifier = 'greeting') => me.post(promptUrl(identifier), body, 404);
    expect(await refuse({}, 'nothing')).toMatchObject({ success: false, error: 'prompt_not_found' });
    expect(await refuse({ version: 3 })).toMatchObject({ success: false, error: 'prompt_version_not_found' });
    expect(await refuse({ version: 1, label: 'none' })).toMatchObject({ error: 'prompt_label_not_found' });
  });

  it('needs no body, however its absence is written', async () => {
    const json = me.with({ 'content-type': 'application/json' });
    const bodies: [client: Client, payload: unknown][] = [
      [me, undefined],
      [json, undefined],
      [json, ''],
      [json, 'null'],
      [json, '{}'],
      [me, {}],
    ];
    await every(bodies, async ([client, payload]) => {
      const { status, body } = await client.request('POST', promptUrl('greeting'), payload);
      expect([payload, status, (body as ReadPrompt).version]).toEqual([payload, 200, 2]);
    });
  });

  it('takes null for every field and ignores fields it does not know', async () => {
    const fields = ['version', 'label', 'workspace_id', 'provider', 'model', 'input_variables', 'metadata_filters'];
    const more = ['model_parameter_overrides', 'skip_input_variable_rendering', 'api_key', 'colour'];
    const body = Object.fromEntries([...fields, ...more].map((name) => [name, null]));
    expect((await renderPrompt(me, 'greeting', body)).version).toBe(2);
    expect((await renderPrompt(me, 'greeting', { api_key: 'pl_x', colour: 'red' })).version).toBe(2);
  });

  it('refuses fields of the wrong type with 422', async () => {
    const wrong: [field: string, value: unknown][] = [
      ['version', 0],
      ['version', '1'],
      ['label', 7],
      ['workspace_id', 'mine'],
      ['provider', {}],
      ['model', 7],
      ['input_variables', ['Ada']],
      ['input_variables', 'Ada'],
      ['metadata_filters', []],
      ['model_parameter_overrides', 7],
      ['skip_input_variable_rendering', 'yes'],
    ];
    await every(wrong, async ([field, value]) => {
      const answer = await me.post(promptUrl('greeting'), { [field]: value }, 422);
      expect(answer).toMatchObject({ detail: [{ loc: ['body', field] }] });
    });
    await me.post(promptUrl('greeting'), [], 422);
  });

  it('is possible in the workspace of the key only', async () => {
    const { workspace_id: theirs } = await publishPrompt(await app.stranger(), 'greeting');
    expect((await renderPrompt(me, 'greeting', { workspace_id: first.workspace_id })).id).toBe(first.id);
    const answer = await me.post(promptUrl('greeting'), { workspace_id: theirs }, 403);
    expect(answer).toMatchObject({ success: false, message: expect.any(String) });
  });

  it('ignores metadata filters while there are no A/B releases', async () => {
    const metadata_filters = { user: 'ada', tier: 'gold' };
    expect((await renderPrompt(me, 'greeting', { label: 'prod', metadata_filters })).version).toBe(1);
  });
});

describe('the model of a rendered prompt', () => {
  it('is that of the version, with its parameters spread over the arguments', async () => {
    const parameters = { temperature: 1, model: 'pinned', custom: { a: [1] } };
    await publishPrompt(me, 'pinned', { model: { provider: 'openai', name: 'gpt-4o-mini', parameters } });
    const { llm_kwargs: kwargs } = await renderPrompt(me, 'pinned', { input_variables: { name: 'Ada' } });
    expect(kwargs).toEqual({ messages: [userMessage('Hello Ada!')], ...parameters });
  });

  it('may be another one; the metadata then say so', async () => {
    const body = { model: 'gpt-4.1', input_variables: { name: 'Ada' } };
    const answer = await renderPrompt(me, 'greeting', body);
    expect(answer.llm_kwargs).toMatchObject({ model: 'gpt-4.1', temperature: 0.5, seed: 7 });
    expect(model(answer)).toMatchObject({ provider: 'openai', name: 'gpt-4.1', api_type: 'chat-completions' });
    expect(model(await readPrompt(me, 'greeting')).name).toBe('gpt-4o-mini');
  });

  it('may be of another provider, whose arguments then come', async () => {
    const body = { provider: 'anthropic', model: 'claude-x', input_variables: { name: 'Ada' } };
    const answer = await renderPrompt(me, 'greeting', body);
    expect(answer.llm_kwargs).toMatchObject({
      model: 'claude-x',
      max_tokens: expect.any(Number),
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Two Ada' }] }],
      temperature: 0.5,
    });
    expect(answer.llm_kwargs).not.toHaveProperty('seed');
    expect(model(answer)).toMatchObject({ provider: 'anthropic', name: 'claude-x' });
  });

  it('may be of any provider', async () => {
    const providers = ['openai', 'anthropic', 'google', 'vertexai', 'mistral', 'cohere', 'huggingface', 'openrouter'];
    const others = ['openai.azure', 'amazon.bedrock', 'anthropic.bedrock', 'my-own'];
    await every([...providers, ...others], async (provider) => {
      const answer = await renderPrompt(me, 'greeting', { provider, model: 'm', input_variables: { name: 'Ada' } });
      expect(JSON.stringify(answer.llm_kwargs)).toContain('Two Ada');
      expect(model(answer)).toMatchObject({ provider, name: 'm' });
      if (provider.startsWith('openai')) expect(model(answer).api_type).toBe('chat-completions');
    });
  });

  it('has parameters that the request lays over, spelt as its provider does', async () => {
    const overrides = { temperature: 0, maxOutputTokens: 50, topP: 0.9, unheard_of: true };
    const ask = async (provider: string) =>
      renderPrompt(me, 'greeting', { provider, model: 'm', model_parameter_overrides: overrides });
    const openai = await ask('openai');
    expect(openai.llm_kwargs).toMatchObject({
      temperature: 0,
      max_completion_tokens: 50,
      top_p: 0.9,
      seed: 7,
      unheard_of: true,
    });
    expect(openai.llm_kwargs).not.toHaveProperty('maxOutputTokens');
    expect(model(openai).parameters).toMatchObject({ temperature: 0, max_completion_tokens: 50 });
    expect((await ask('anthropic')).llm_kwargs).toMatchObject({ temperature: 0, max_tokens: 50, top_p: 0.9 });
    expect(model(await readPrompt(me, 'greeting')).parameters).toEqual({ temperature: 0.5, seed: 7 });
  });

  it('is unknown without one in the version and without a provider in the request: no arguments', async () => {
    for (const body of [{}, { model: 'gpt-4.1' }, { model_parameter_overrides: { seed: 1 } }]) {
      const answer = await renderPrompt(me, 'plain', { ...body, input_variables: { name: 'Ada' } });
      expect([answer.llm_kwargs, answer.metadata, textsOf(answer)]).toEqual([null, null, ['Hello Ada!']]);
    }
  });

  it('is left out of the arguments when the request names only a provider', async () => {
    const variables = { input_variables: { name: 'Ada' } };
    const openai = await renderPrompt(me, 'plain', { provider: 'openai', ...variables });
    expect(openai.llm_kwargs).toEqual({ messages: [userMessage('Hello Ada!')] });
    const anthropic = await renderPrompt(me, 'plain', { provider: 'anthropic', ...variables });
    expect(anthropic.llm_kwargs).not.toHaveProperty('model');
    const named = await renderPrompt(me, 'plain', { provider: 'openai', model: 'gpt-4.1', ...variables });
    expect(named.llm_kwargs).toEqual({ model: 'gpt-4.1', messages: [userMessage('Hello Ada!')] });
  });

  it('gets no empty lists and no nulls', async () => {
    const template = { type: 'chat', messages: [userMessage('Hi')], tools: [], functions: [], function_call: 'none' };
    await publishPrompt(me, 'bare', { template });
    expect((await renderPrompt(me, 'bare')).llm_kwargs).toEqual({
      model: 'gpt-4o-mini',
      messages: [userMessage('Hi')],
    });
  });
});

describe('a format text that cannot be filled in', () => {
  it.each([
    'Example: {"a": {"b": 1}} for {name}',
    'Return {"name": "{name}"}',
    'can be empty {} for {name}',
    '{name} and {name:d}',
  ])('is left as it is, with a warning and its variables: %s', async (message) => {
    const { id, prompt_template: published } = await publishPrompt(me, `Braces ${message}`, { message });
    expect(published).toMatchObject({ input_variables: ['name'], messages: [{ input_variables: ['name'] }] });
    const rendered = await renderPrompt(me, id, { input_variables: { name: 'Ada' } });
    expect(textsOf(rendered)).toEqual([message]);
    expect(rendered.warning).toMatch(/^The text in message index 0 was left as it is: /);
    expect(rendered.prompt_template.input_variables).toEqual(['name']);
    // No variables were given.
    const skipped = { input_variables: { name: 'Ada' }, skip_input_variable_rendering: true };
    expect((await renderPrompt(me, id, skipped)).warning).toBeNull();
  });

  it('is no reason for a warning when it holds no variables, or when all is well', async () => {
    for (const message of ['Return {"a": {"b": 1}}', 'Return {{"name": "{name}"}}']) {
      const { id } = await publishPrompt(me, `Well ${message}`, { message });
      expect((await renderPrompt(me, id, { input_variables: { name: 'Ada' } })).warning).toBeNull();
    }
  });
});
