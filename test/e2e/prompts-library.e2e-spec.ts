import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { clientOf, publishPrompt, readPrompt, textsOf } from '../support/prompts.js';
import { TestApp } from '../support/test-app.js';

const PUBLISH = '/library-publish-prompt-template';
const FORMAT = { template_format: 'f-string', validate_template: true, _type: 'prompt' };

let app: TestApp;
let me: Client;
/** Sends no header: the key is in the body. */
let anyone: Client;
beforeAll(async () => {
  app = await TestApp.start({ works: false });
  me = await app.stranger();
  anyone = app.clientWith(null);
});
afterAll(() => app.stop());

interface LibraryPrompt {
  version: number;
  prompt_template: object;
}

/** Publishes as older clients do; gives the id of the prompt. */
async function publish(prompt_name: string, prompt_template: object, more: object = {}): Promise<number> {
  const body = { prompt_name, prompt_template, commit_message: null, tags: [], metadata: null, ...more };
  const answer = (await anyone.post(PUBLISH, { ...body, api_key: me.apiKey })) as { success: true; id: number };
  expect(answer).toEqual({ success: true, id: expect.any(Number) });
  return answer.id;
}

/** Reads as the client for JavaScript does, which sends empty parameters for those that it has no value for. */
async function read(prompt_name: string, { version = '', label = '' } = {}): Promise<LibraryPrompt> {
  const query = new URLSearchParams({ prompt_name, version, label });
  return (await me.get(`/library-get-prompt-template?${query.toString()}`)) as LibraryPrompt;
}

describe('an older client', () => {
  it('publishes a text with the key in the body and reads it back in the same format', async () => {
    const metadata = { model: { provider: 'openai', name: 'gpt-4o-mini' }, team: 'food' };
    const more = { commit_message: 'First', tags: ['food', 'food'], metadata };
    const id = await publish('recipe', { input_variables: ['food'], template: 'I like {food}' }, more);
    expect(await publish('recipe', { template: 'I love {{ food }}', template_format: 'jinja2' })).toBe(id);
    await me.post(`/prompts/${id}/label`, { name: 'prod', prompt_version_number: 1 });
    const first = {
      id,
      prompt_name: 'recipe',
      version: 1,
      prompt_template: { input_variables: ['food'], template: 'I like {food}', ...FORMAT },
      metadata: { team: 'food', model: expect.objectContaining({ provider: 'openai', name: 'gpt-4o-mini' }) as object },
      commit_message: 'First',
      tags: ['food'],
    };
    expect(await read('recipe', { version: '1' })).toEqual(first);
    expect(await read('recipe', { version: '2', label: 'prod' })).toEqual(first);
    expect(await read('recipe')).toMatchObject({
      version: 2,
      prompt_template: { template: 'I love {{ food }}', template_format: 'jinja2', input_variables: ['food'] },
      metadata: null,
    });
    expect(textsOf(await readPrompt(me, 'recipe', '?version=1'))).toEqual(['I like {food}']);
  });

  it('publishes a chat, and publishes it again as it was read', async () => {
    const functions = [{ name: 'weather', description: '', strict: false, parameters: { type: 'object' } }];
    const call = { name: 'weather', arguments: '{}' };
    const template = {
      input_variables: ['kind', 'question'],
      messages: [
        { role: 'system', prompt: text('You know {kind}.', ['kind']), additional_kwargs: {} },
        { role: 'user', prompt: text('{question}', ['question']), additional_kwargs: {}, name: 'ada' },
        { role: 'assistant', prompt: text('', []), additional_kwargs: { function_call: call } },
      ],
      functions,
      function_call: 'auto',
      _type: 'chat_promptlayer_langchain',
    };
    await publish('assistant', template);
    const { prompt_template: shown } = await read('assistant');
    expect(shown).toEqual(template);
    await publish('assistant', shown);
    expect(await read('assistant')).toMatchObject({ version: 2, prompt_template: template });
    const stored = await readPrompt(me, 'assistant', '?version=1');
    expect(stored.prompt_template).toMatchObject({ type: 'chat', functions, messages: [{}, { name: 'ada' }, {}] });
  });

  it('takes a name of digits for a name, and prompts of the registry as they are', async () => {
    const { id } = await publishPrompt(me, 'other', { text: 'Other' });
    await publish(String(id), { type: 'completion', content: [{ type: 'text', text: 'Digits' }] });
    expect(await read(String(id))).toMatchObject({ prompt_template: { template: 'Digits' } });
  });

  it('gets the errors of its request', async () => {
    const refusal = async (prompt_template: unknown, status = 422, more: object = {}) =>
      ((await me.post(PUBLISH, { prompt_name: 'wrong', prompt_template, ...more }, status)) as { detail: unknown[] })
        .detail;
    const at = (...loc: (string | number)[]) => expect.objectContaining({ loc: ['body', 'prompt_template', ...loc] });
    expect(await refusal({})).toEqual([at('template')]);
    expect(await refusal({ messages: [{ role: 'user', prompt: {} }] })).toEqual([
      at('messages', 0, 'prompt', 'template'),
    ]);
    expect(await refusal({ messages: [{ role: 'nobody', prompt: text('', []) }] })).toEqual([
      at('messages', 0, 'role'),
    ]);
    expect(await refusal('text')).toEqual([at()]);
    await refusal({ template: 'x' }, 422, { commit_message: 'x'.repeat(73) });
    await me.get('/library-get-prompt-template?prompt_name=wrong', 404);
    await publishPrompt(me, 'seen', { message: '{x}', template: pictureChat() });
    const answer = await me.get('/library-get-prompt-template?prompt_name=seen', 400);
    expect(answer).toMatchObject({
      error: 'prompt_not_in_library_format',
      message: expect.stringContaining('image_url'),
    });
    const { workspace } = (await me.get('/api/public/v2/me')) as { workspace: { id: number } };
    const viewer = await clientOf(app, workspace.id, { role: 'viewer' });
    expect(await viewer.post(PUBLISH, { prompt_name: 'mine', prompt_template: { template: 'x' } }, 403)).toMatchObject({
      error: 'permission_missing',
    });
  });
});

const text = (template: string, input_variables: string[]) => ({ input_variables, template, ...FORMAT });

function pictureChat(): object {
  const content = [{ type: 'image_url', image_url: { url: 'https://example.com/a.png' } }];
  return { type: 'chat', messages: [{ role: 'user', content }] };
}
