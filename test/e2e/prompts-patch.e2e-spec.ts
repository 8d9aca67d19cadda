import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { every } from '../support/every.js';
import {
  labelsOf,
  patchPrompt,
  promptUrl,
  PUBLISH,
  type PublishedPrompt,
  publishPrompt,
  readPrompt,
  textsOf,
} from '../support/prompts.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.start({ works: false });
  me = app.client;
});
afterAll(() => app.stop());

const message = (text: string, role = 'user') => ({ role, content: [{ type: 'text', text }] });
const tool = (name: string) => ({
  type: 'function',
  function: { name, description: '', strict: false, parameters: { type: 'object', properties: {} } },
});
const fn = (name: string) => tool(name).function;
const PARAMETERS = { temperature: 0.5, top_p: 1, stop: ['a'], logit_bias: { '1': 2 } };

let name: string;
let count = 0;
/** Every test has a chat with three messages, two tools, two functions and a model. */
beforeEach(async () => {
  name = `patched ${count++}`;
  await publishPrompt(me, name, {
    template: {
      type: 'chat',
      messages: [message('zero', 'system'), message('one {a}'), message('two', 'assistant')],
      tools: [tool('t0'), tool('t1')],
      functions: [fn('f0'), fn('f1')],
      tool_choice: 'auto',
      function_call: 'auto',
    },
    model: { provider: 'openai', name: 'gpt-4o-mini', parameters: PARAMETERS },
    tags: ['kept'],
    labels: ['prod'],
    version: { commit_message: 'of the first version', provider_id: 7 },
  });
});

const patch = (body: object) => patchPrompt(me, name, body);
const refuse = (body: object, status: number, of = name) => me.patch(promptUrl(of, PUBLISH), body, status);
const chat = ({ prompt_template }: PublishedPrompt) => prompt_template as unknown as Record<string, unknown[] | null>;
const parameters = ({ metadata }: PublishedPrompt) => metadata!.model!.parameters;
/** Publishes a completion prompt and returns its name. */
async function completion(): Promise<string> {
  const content = ['zero', 'one'].map((text) => ({ type: 'text', text }));
  await publishPrompt(me, `${name} completion`, { template: { type: 'completion', content } });
  return `${name} completion`;
}

describe('a patch', () => {
  it('without fields publishes the same content once more, without its commit message and labels', async () => {
    const before = await readPrompt(me, name);
    const published = await patch({});
    expect(published).toMatchObject({
      id: before.id,
      version_number: 2,
      prompt_template: before.prompt_template,
      metadata: before.metadata,
      tags: ['kept'],
      commit_message: null,
      release_labels: null,
      external_ids: [],
    });
    expect(await readPrompt(me, name)).toMatchObject({ version: 2, prompt_template: before.prompt_template });
    expect(await labelsOf(me, name)).toEqual({ prod: 1 });
    expect(await me.post(promptUrl(name))).toMatchObject({ provider_id: 7 });
  });

  it('leaves the version it starts from as it was', async () => {
    const before = await readPrompt(me, name);
    await patch({ messages: [message('new')], model_parameters: { temperature: 1 } });
    expect(await readPrompt(me, name, '?version=1')).toEqual(before);
  });

  it('replaces single messages by their index and finds the variables again', async () => {
    const published = await patch({
      messages: { '1': message('changed {b}'), '2': { role: 'placeholder', name: 'p' } },
    });
    expect(textsOf(published)).toEqual(['zero', 'changed {b}', '']);
    expect(published.prompt_template.messages!.map(({ role }) => role)).toEqual(['system', 'user', 'placeholder']);
    expect(published.prompt_template.input_variables).toEqual(['b', 'p']);
    expect(published.prompt_template.messages![1]).toMatchObject({
      template_format: 'f-string',
      raw_request_display_role: '',
    });
  });

  it('replaces all messages with a list', async () => {
    expect(textsOf(await patch({ messages: [message('only')] }))).toEqual(['only']);
    expect(textsOf(await patch({ messages: [] }))).toEqual([]);
  });

  it.each([
    ['tools', [tool('t0'), tool('t1')], tool('new')],
    ['functions', [fn('f0'), fn('f1')], fn('new')],
  ])('replaces, keeps and removes %s', async (field, [zero, one], fresh) => {
    expect(chat(await patch({ [field]: { '1': fresh } }))[field]).toEqual([zero, fresh]);
    expect(chat(await patch({ commit_message: 'absent' }))[field]).toEqual([zero, fresh]);
    expect(chat(await patch({ [field]: [one] }))[field]).toEqual([one]);
    expect(chat(await patch({ [field]: null }))[field]).toBeNull();
    expect(await refuse({ [field]: { '0': fresh } }, 400)).toMatchObject({ error: 'prompt_patch_index_invalid' });
  });

  it.each([
    ['tool_choice', ['required', { type: 'function', function: { name: 't0' } }]],
    ['function_call', ['none', { name: 'f0' }]],
  ])('replaces, keeps and removes %s', async (field, values) => {
    for (const value of values) {
      expect(chat(await patch({ [field]: value }))[field]).toEqual(value);
      expect(chat(await patch({}))[field]).toEqual(value);
    }
    expect(chat(await patch({ [field]: null }))[field]).toBeNull();
  });

  it('replaces parts of a completion prompt by their index, or all of them', async () => {
    const other = await completion();
    const part = (text: string) => ({ type: 'text', text });
    expect(textsOf(await patchPrompt(me, other, { content: { '1': part(' changed {x}') } }))).toEqual([
      'zero changed {x}',
    ]);
    const published = await patchPrompt(me, other, { content: [part('all')] });
    expect(textsOf(published)).toEqual(['all']);
    expect(published.prompt_template.input_variables).toEqual([]);
  });

  it('lays parameters over those of the model, one level deep', async () => {
    const published = await patch({ model_parameters: { temperature: null, stop: ['b'], logit_bias: {}, seed: 1 } });
    expect(parameters(published)).toEqual({ temperature: null, top_p: 1, stop: ['b'], logit_bias: {}, seed: 1 });
    expect(published.metadata!.model).toMatchObject({ provider: 'openai', name: 'gpt-4o-mini' });
    expect(parameters(await patch({ model_parameters: {} }))).toEqual(parameters(published));
    expect(parameters(await patch({ model_parameters: null }))).toEqual(parameters(published));
  });

  it('removes parameters of the model by their names', async () => {
    const published = await patch({ model_parameters: { seed: 1 }, removed_model_parameters: ['temperature', 'x'] });
    const { temperature: _removed, ...kept } = PARAMETERS;
    expect(parameters(published)).toEqual({ ...kept, seed: 1 });
    expect(parameters(await patch({ removed_model_parameters: null }))).toEqual(parameters(published));
  });

  it('sets and removes the response format', async () => {
    const format = { type: 'json_schema', json_schema: { name: 'x', schema: {} } };
    expect(parameters(await patch({ response_format: format }))).toEqual({ ...PARAMETERS, response_format: format });
    expect(parameters(await patch({ response_format: { type: 'text' }, model_parameters: { top_p: 0 } }))).toEqual({
      ...PARAMETERS,
      top_p: 0,
      response_format: { type: 'text' },
    });
    expect(parameters(await patch({}))).toHaveProperty('response_format');
    expect(parameters(await patch({ response_format: null }))).toEqual({ ...PARAMETERS, top_p: 0 });
  });

  it('carries a commit message and labels of its own', async () => {
    const published = await patch({ commit_message: 'shorter', release_labels: ['prod', 'new'] });
    expect(published).toMatchObject({ commit_message: 'shorter', release_labels: ['prod', 'new'] });
    expect(await labelsOf(me, name)).toEqual({ prod: 2, new: 2 });
    await refuse({ commit_message: 'x'.repeat(73) }, 422);
  });
});

describe('the version a patch starts from', () => {
  it('is the latest, or the one that a number or a label names', async () => {
    await patch({ messages: { '0': message('second', 'system') } });
    const first = async (body: object) => textsOf(await patch({ ...body, messages: { '2': message('x') } }))[0];
    expect(await first({ version: 1 })).toBe('zero');
    expect(await first({ version: 2 })).toBe('second');
    expect(await first({ label: 'prod' })).toBe('zero');
    expect(await first({ version: 2, label: null })).toBe('second');
    expect(await first({})).toBe('second');
    expect((await readPrompt(me, name)).version).toBe(7);
  });

  it('must exist', async () => {
    expect(await refuse({ version: 2 }, 404)).toMatchObject({ success: false, error: 'prompt_version_not_found' });
    expect(await refuse({ label: 'none' }, 404)).toMatchObject({ success: false, error: 'prompt_label_not_found' });
    expect(await refuse({}, 404, 'no such prompt')).toMatchObject({ success: false, error: 'prompt_not_found' });
  });

  it('is named by number or by label, not by both', async () => {
    expect(await refuse({ version: 1, label: 'prod' }, 400)).toMatchObject({
      success: false,
      message: expect.any(String),
    });
    await every([0, -1, 1.5, '1', true], async (version) => void (await refuse({ version }, 422)));
  });
});

describe('a patch that does not fit the version', () => {
  it('because an index is none of its indexes is 400', async () => {
    const fields: [field: string, item: object][] = [
      ['messages', message('x')],
      ['tools', tool('x')],
      ['functions', fn('x')],
    ];
    const indexes = ['-1', '3', '5', 'x', '', ' 1', '1.0', '1e0', '0x1', '9'.repeat(30), '__proto__'];
    const cases = fields.flatMap(([field, item]) =>
      indexes.map((index) => ({ field, body: `{"${index}":${JSON.stringify(item)}}` })),
    );
    await every(cases, async ({ field, body }) => {
      const answer = await refuse({ [field]: JSON.parse(body) as object }, 400);
      expect(answer).toMatchObject({ success: false, message: expect.any(String) });
    });
    await refuse({ messages: { '0': message('fine'), '3': message('not') } }, 400);
    expect((await readPrompt(me, name)).version).toBe(1);
  });

  it('because it is of the other type is 400', async () => {
    const other = await completion();
    await refuse({ content: [] }, 400);
    for (const field of ['messages', 'tools', 'functions', 'tool_choice', 'function_call']) {
      const answer = await refuse({ [field]: field === 'messages' ? [] : null }, 400, other);
      expect(answer).toMatchObject({ error: 'prompt_patch_type_mismatch' });
    }
    await refuse({ content: { '2': { type: 'text', text: 'x' } } }, 400, other);
  });

  it('because it has no model is 400', async () => {
    await publishPrompt(me, `${name} plain`, { model: null });
    for (const body of [{ model_parameters: { seed: 1 } }, { response_format: { type: 'text' } }]) {
      expect(await refuse(body, 400, `${name} plain`)).toMatchObject({ success: false });
    }
    await patchPrompt(me, `${name} plain`, { commit_message: 'fine' });
  });

  it('because the response format is sent twice is 400', async () => {
    for (const response_format of [{ type: 'text' }, null]) {
      await refuse({ response_format, model_parameters: { response_format: { type: 'text' } } }, 400);
    }
    expect(parameters(await patch({ model_parameters: { response_format: { type: 'text' } } }))).toHaveProperty(
      'response_format',
    );
  });

  it('because its content is malformed is 422, with the path', async () => {
    const cases: [body: object, loc: (string | number)[]][] = [
      [{ messages: { '1': { role: 'critic', content: [] } } }, ['body', 'messages', 1, 'role']],
      [{ messages: [message('x'), { role: 'user' }] }, ['body', 'messages', 1, 'content']],
      [{ messages: { '0': null } }, ['body', 'messages', 0]],
      [{ tools: [{ type: 'hammer' }] }, ['body', 'tools', 0, 'type']],
      [{ functions: { '1': {} } }, ['body', 'functions', 1, 'name']],
      [{ messages: 'all' }, ['body', 'messages']],
      [{ tools: 7 }, ['body', 'tools']],
      [{ tool_choice: 7 }, ['body', 'tool_choice']],
      [{ function_call: [] }, ['body', 'function_call']],
      [{ model_parameters: [] }, ['body', 'model_parameters']],
      [{ removed_model_parameters: [7] }, ['body', 'removed_model_parameters']],
      [{ model: null }, ['body', 'model']],
      [{ model: { provider: 'openai' } }, ['body', 'model', 'name']],
      [{ model: { provider: '', name: 'x' } }, ['body', 'model', 'provider']],
      [{ model: { provider: 'openai', name: 'x', parameters: {} } }, ['body', 'model', 'parameters']],
      [{ response_format: 'json' }, ['body', 'response_format']],
      [{ release_labels: [''] }, ['body', 'release_labels', 0]],
    ];
    await every(cases, async ([body, loc]) => {
      const { detail } = (await refuse(body, 422)) as { detail: object[] };
      expect(detail).toContainEqual({ loc, msg: expect.any(String), type: expect.any(String) });
    });
    expect((await readPrompt(me, name)).version).toBe(1);
  });

  it('because a parameter is set and removed is refused', async () => {
    await refuse({ model_parameters: { seed: 1 }, removed_model_parameters: ['seed'] }, 400);
  });

  it('because messages or content cannot be removed is refused', async () => {
    await refuse({ messages: null }, 400);
    await refuse({ content: null }, 400, await completion());
  });
});

describe('a patch of the model', () => {
  const modelOf = ({ metadata }: PublishedPrompt) => metadata!.model;

  it('keeps the parameters, and takes those of the patch', async () => {
    const model = { provider: 'anthropic', name: 'claude-sonnet-4-5' };
    expect(modelOf(await patch({ model }))).toMatchObject({ ...model, parameters: PARAMETERS });
    const changed = await patch({ model: { provider: 'openai', name: 'gpt-4.1' }, model_parameters: { top_p: 0.5 } });
    expect(modelOf(changed)).toMatchObject({ name: 'gpt-4.1', parameters: { ...PARAMETERS, top_p: 0.5 } });
  });

  it('keeps the API type of the provider, and takes the usual one of another provider', async () => {
    const model = { provider: 'openai', name: 'gpt-4o', api_type: 'responses' };
    await publishPrompt(me, name, { template: { type: 'chat', messages: [message('zero')] }, model });
    const patched = await patch({ model: { provider: 'OpenAI', name: 'gpt-4.1' } });
    expect(modelOf(patched)).toMatchObject({ name: 'gpt-4.1', api_type: 'responses' });
    for (const provider of [undefined, 'openai', ' OPENAI']) {
      const rendered = (await me.post(promptUrl(name), { provider })) as object;
      expect(rendered, provider).toMatchObject({ llm_kwargs: { input: expect.any(Array) } });
    }
    const moved = await patch({ model: { provider: 'openai.azure', name: 'gpt-4.1' } });
    expect(modelOf(moved)).toMatchObject({ provider: 'openai.azure', api_type: 'chat-completions' });
    expect(modelOf(await patch({ model: { provider: 'anthropic', name: 'claude' } }))).toMatchObject({
      api_type: null,
    });
  });

  it('gives a version without a model one, with its parameters', async () => {
    await publishPrompt(me, name, { template: { type: 'chat', messages: [message('zero')] }, model: null });
    await refuse({ model_parameters: { seed: 1 } }, 400);
    const model = { provider: 'tracesheet', name: 'echo' };
    expect(modelOf(await patch({ model, model_parameters: { seed: 1 } }))).toMatchObject({
      ...model,
      api_type: null,
      parameters: { seed: 1 },
    });
  });
});

describe('patches at once', () => {
  it('get a version each', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => patch({ commit_message: `patch ${index}` })),
    );
    const versions = answers.map(({ version_number }) => version_number).sort((a, b) => a - b);
    expect(versions).toEqual(Array.from({ length: 20 }, (_, index) => index + 2));
  });

  it('to the latest version keep the changes of each other', async () => {
    const texts = Array.from({ length: 8 }, (_, index) => `changed ${index}`);
    await publishPrompt(me, name, { template: { type: 'chat', messages: texts.map(() => message('as it was')) } });
    await Promise.all(texts.map((text, index) => patch({ messages: { [index]: message(text) } })));
    expect(textsOf(await readPrompt(me, name))).toEqual(texts);
  });
});
