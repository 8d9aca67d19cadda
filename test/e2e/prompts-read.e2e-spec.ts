import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { every } from '../support/every.js';
import {
  deletePrompt,
  promptUrl,
  PROMPTS,
  publishPrompt,
  type PublishedPrompt,
  readPrompt,
  type ReadPrompt,
  textsOf,
} from '../support/prompts.js';
import { TestApp } from '../support/test-app.js';

const PREFIXES = [PROMPTS, '/v1/prompt-templates'];

let app: TestApp;
let me: Client;
let first: PublishedPrompt;
beforeAll(async () => {
  app = await TestApp.start({ works: false });
  me = app.client;
  await publishPrompt(me, 'header', { text: 'Header {h}', isSnippet: true });
  const model = { provider: 'openai', name: 'gpt-4o-mini', parameters: { temperature: 0.5 } };
  first = await publishPrompt(me, 'read', {
    message: '@@@header@@@ one {a}',
    model,
    labels: ['prod'],
    tags: ['t'],
    version: { commit_message: 'first' },
  });
  await publishPrompt(me, 'read', { message: 'two {a}', model });
  await publishPrompt(me, 'read', { message: 'three {a}', model });
});
afterAll(() => app.stop());

describe.each(PREFIXES)('reading a prompt below %s', (prefix) => {
  const read = async (query = '', identifier: string | number = 'read') =>
    (await me.get(promptUrl(identifier, prefix) + query)) as ReadPrompt & { success: boolean };
  const refuse = (query: string, status: number, identifier: string | number = 'read') =>
    me.get(promptUrl(identifier, prefix) + query, status);

  it('gives the version with everything that is known about it', async () => {
    expect(await read('?version=1&resolve_snippets=false')).toEqual({
      success: true,
      id: first.id,
      prompt_name: 'read',
      version: 1,
      prompt_version_id: first.prompt_version_id,
      workspace_id: first.workspace_id,
      prompt_template: first.prompt_template,
      metadata: first.metadata,
      commit_message: 'first',
      tags: ['t'],
      is_snippet: false,
      folder_id: null,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      llm_kwargs: null,
      snippets: [],
    });
  });

  it('finds it by id as by name', async () => {
    expect(await read('', first.id)).toEqual(await read());
    await refuse('', 404, 'READ');
  });

  it('gives the latest version, or the one that a number or a label names', async () => {
    const versions: [query: string, version: number][] = [
      ['', 3],
      ['?version=1', 1],
      ['?version=2', 2],
      ['?label=prod', 1],
    ];
    await every(versions, async ([query, version]) => {
      expect([query, (await read(query)).version]).toEqual([query, version]);
    });
  });

  it('refuses version and label together, and what cannot be a version', async () => {
    expect(await refuse('?version=1&label=prod', 422)).toEqual({
      message: expect.any(String),
      detail: [{ loc: ['query', expect.any(String)], msg: expect.any(String), type: expect.any(String) }],
    });
    await every(['0', '-1', 'x', '1.5', '', '2147483648'], async (version) => {
      const { detail } = (await refuse(`?version=${version}`, 422)) as { detail: { loc: unknown }[] };
      expect(detail[0]!.loc).toEqual(['query', 'version']);
    });
    for (const flag of ['resolve_snippets', 'include_llm_kwargs']) await refuse(`?${flag}=maybe`, 422);
  });

  it('is 404 in the standard shape when there is no such prompt, version or label', async () => {
    const cases: [query: string, identifier: string | number, error: string][] = [
      ['', 'nothing', 'prompt_not_found'],
      ['', 2 ** 31 - 1, 'prompt_not_found'],
      ['?version=4', 'read', 'prompt_version_not_found'],
      ['?label=Prod', 'read', 'prompt_label_not_found'],
    ];
    await every(cases, async ([query, identifier, error]) => {
      expect(await refuse(query, 404, identifier)).toEqual({ success: false, error, message: expect.any(String) });
    });
  });

  it('never fills in variables, whatever is asked for', async () => {
    for (const query of ['?skip_input_variable_rendering=false', '?include_llm_kwargs=true&a=b']) {
      expect(textsOf(await read(`${query}&version=2`))).toEqual(['two {a}']);
    }
    const { llm_kwargs: kwargs } = await read('?include_llm_kwargs=true&version=2');
    expect(JSON.stringify(kwargs)).toContain('two {a}');
  });

  it('resolves snippets by default', async () => {
    for (const query of ['', '&resolve_snippets=true', '&resolve_snippets=True', '&resolve_snippets=1']) {
      const answer = await read(`?version=1${query}`);
      expect(textsOf(answer)).toEqual(['Header {h} one {a}']);
      expect(answer.snippets).toEqual([{ prompt_name: 'header', version: 1, label: null }]);
    }
    for (const off of ['false', 'False', '0']) {
      const answer = await read(`?version=1&resolve_snippets=${off}`);
      expect([textsOf(answer), answer.snippets]).toEqual([['@@@header@@@ one {a}'], []]);
    }
  });

  it('adds the arguments for the model on request, when there is a model', async () => {
    expect((await read('?version=2')).llm_kwargs).toBeNull();
    expect((await read('?version=1&include_llm_kwargs=true')).llm_kwargs).toEqual({
      model: 'gpt-4o-mini',
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Header {h} one {a}' }] }],
      temperature: 0.5,
    });
    await publishPrompt(me, 'no model', { model: null });
    expect((await read('?include_llm_kwargs=true', 'no model')).llm_kwargs).toBeNull();
    await publishPrompt(me, 'no model', { model: null, version: { metadata: { owner: 'me' } } });
    expect((await read('?include_llm_kwargs=true', 'no model')).llm_kwargs).toBeNull();
  });

  it('does not find prompts of other workspaces, by id or by name', async () => {
    const stranger = await app.stranger();
    for (const identifier of ['read', first.id]) await stranger.get(promptUrl(identifier, prefix), 404);
    await stranger.get(`${promptUrl('read', prefix)}?version=1`, 404);
  });

  it('does not find deleted prompts', async () => {
    const { id } = await publishPrompt(me, 'gone', { labels: ['prod'] });
    await deletePrompt(me, id);
    for (const identifier of ['gone', id]) {
      for (const query of ['', '?version=1', '?label=prod']) {
        expect(await refuse(query, 404, identifier)).toMatchObject({ error: 'prompt_not_found' });
      }
    }
    await me.post(promptUrl('gone'), undefined, 404);
    await me.patch(promptUrl('gone', '/rest/prompt-templates'), {}, 404);
    await me.get(`${promptUrl('gone')}/labels`, 404);
    await me.get(`${promptUrl('gone')}/snippet-usage`, 404);
  });
});

describe('what was published', () => {
  it('is read at once, with or without a cache', async () => {
    const fresh = me.with({ 'cache-control': 'no-cache' });
    for (let version = 1; version <= 5; version++) {
      await publishPrompt(me, 'fresh', { message: `message ${version}`, labels: ['prod'] });
      for (const client of [me, fresh]) {
        for (const query of ['', '?label=prod']) {
          expect(textsOf(await readPrompt(client, 'fresh', query))).toEqual([`message ${version}`]);
        }
      }
    }
  });
});
