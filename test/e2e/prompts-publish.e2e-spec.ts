import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { every } from '../support/every.js';
import {
  deletePrompt,
  labelsOf,
  patchPrompt,
  promptBody,
  type PromptOptions,
  PROMPTS,
  promptUrl,
  PUBLISH,
  publishPrompt,
  readPrompt,
} from '../support/prompts.js';
import { TestApp } from '../support/test-app.js';

const FOLDERS = '/api/public/v2/folders';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.start({ works: false });
  me = app.client;
});
afterAll(() => app.stop());

type Body = { prompt_template: object; prompt_version: object };
/** A body with further fields in its first half, and one with further fields in its second. */
const withHead = (name: string, more: object, options: PromptOptions = {}) => {
  const body = promptBody(name, options) as Body;
  return { ...body, prompt_template: { ...body.prompt_template, ...more } };
};
const publishWith = (name: string, version: object, status = 201) =>
  me.post(PUBLISH, promptBody(name, { version }), status);

async function newFolder(name: string): Promise<number> {
  return ((await me.post(FOLDERS, { name }, 201)) as { folder: { id: number } }).folder.id;
}

describe('publishing the first version', () => {
  it('answers with everything that was stored, defaults included', async () => {
    const published = await publishPrompt(me, 'first');
    expect(published).toEqual({
      id: expect.any(Number),
      prompt_name: 'first',
      version_number: 1,
      prompt_version_id: expect.any(Number),
      prompt_template: {
        type: 'chat',
        messages: [
          {
            role: 'user',
            content: [{ type: 'text', text: 'Hello {name}!', id: null, annotations: null, thought_signature: null }],
            input_variables: ['name'],
            template_format: 'f-string',
            name: null,
            raw_request_display_role: '',
            dataset_examples: [],
          },
        ],
        functions: null,
        tools: null,
        function_call: null,
        tool_choice: null,
        input_variables: ['name'],
        dataset_examples: [],
      },
      metadata: {
        model: {
          provider: 'openai',
          name: 'gpt-4o-mini',
          model_config_display_name: null,
          base_model: null,
          parameters: {},
          display_params: {},
          api_type: 'chat-completions',
        },
      },
      commit_message: null,
      tags: [],
      release_labels: null,
      external_ids: [],
      workspace_id: expect.any(Number),
      folder_id: null,
    });
  });

  it('fills in the defaults of a completion prompt, too', async () => {
    const { prompt_template: template, metadata } = await publishPrompt(me, 'completion', {
      text: 'a {b}',
      model: null,
    });
    expect(template).toEqual({
      type: 'completion',
      content: [{ type: 'text', text: 'a {b}', id: null, annotations: null, thought_signature: null }],
      input_variables: ['b'],
      template_format: 'f-string',
    });
    expect(metadata).toBeNull();
  });

  it('takes the flat body of the clients: one object for both halves, with nulls and keys of the other half', async () => {
    const { prompt_template: head, prompt_version: version } = promptBody('flat') as Body;
    const flat = {
      ...head,
      ...version,
      prompt_name: 'flat',
      tags: null,
      folder_id: null,
      workspace_id: null,
      is_snippet: null,
      commit_message: null,
      provider_base_url_name: 'no such base url',
      inference_client_name: null,
      provider_id: null,
      report_id: null,
      release_labels: null,
      colour: 'red',
      api_key: 'pl_ignored',
    };
    const body = { prompt_template: flat, prompt_version: flat, release_labels: null, external_ids: null };
    const published = await me.post(PUBLISH, { ...body, snippet_overrides: null, colour: 'red' }, 201);
    expect(published).toMatchObject({ prompt_name: 'flat', version_number: 1, tags: [], release_labels: null });
  });
});

describe('publishing again under a name', () => {
  it('adds versions 2, 3 … to the same prompt, also when nothing differs', async () => {
    const published = [];
    for (let n = 0; n < 3; n++) published.push(await publishPrompt(me, 'again'));
    expect(published.map(({ version_number }) => version_number)).toEqual([1, 2, 3]);
    expect(new Set(published.map(({ id }) => id)).size).toBe(1);
    expect(new Set(published.map(({ prompt_version_id: id }) => id)).size).toBe(3);
  });

  it('keeps what older versions say', async () => {
    await publishPrompt(me, 'kept', { message: 'old', version: { commit_message: 'one' } });
    await publishPrompt(me, 'kept', { text: 'new', version: { commit_message: 'two' } });
    const [old, latest] = [await readPrompt(me, 'kept', '?version=1'), await readPrompt(me, 'kept')];
    expect([old.prompt_template.type, old.commit_message]).toEqual(['chat', 'one']);
    expect([latest.prompt_template.type, latest.commit_message]).toEqual(['completion', 'two']);
  });

  it('distinguishes names by letter case', async () => {
    const [one, other] = [await publishPrompt(me, 'Case'), await publishPrompt(me, 'case')];
    expect(one.id).not.toBe(other.id);
  });

  it('replaces the tags with those that are sent, and keeps them when none are', async () => {
    const tags = async (options: PromptOptions) => (await publishPrompt(me, 'tagged', options)).tags;
    expect(await tags({ tags: ['b', 'a', 'b'] })).toEqual(['b', 'a']);
    expect(await tags({})).toEqual(['b', 'a']);
    expect(await tags({ tags: [] })).toEqual(['b', 'a']);
    expect(await tags({ tags: ['c'] })).toEqual(['c']);
    expect((await readPrompt(me, 'tagged')).tags).toEqual(['c']);
  });

  it('starts a new prompt when the one of that name was deleted', async () => {
    const old = await publishPrompt(me, 'deleted');
    await deletePrompt(me, old.id);
    const fresh = await publishPrompt(me, 'deleted');
    expect(fresh.version_number).toBe(1);
    expect(fresh.id).not.toBe(old.id);
  });
});

describe('the folder of a published prompt', () => {
  it('is set when it is created, kept without folder_id and changed by another one', async () => {
    const [one, two] = [await newFolder('one'), await newFolder('two')];
    const folderOf = async (folderId?: number) => (await publishPrompt(me, 'placed', { folderId })).folder_id;
    expect(await folderOf(one)).toBe(one);
    expect(await folderOf()).toBe(one);
    expect(await folderOf(two)).toBe(two);
  });

  it('must exist in the workspace', async () => {
    const stranger = await app.stranger();
    const { folder } = (await stranger.post(FOLDERS, { name: 'theirs' }, 201)) as { folder: { id: number } };
    for (const folderId of [folder.id, 2 ** 31 - 1]) {
      const answer = await me.post(PUBLISH, promptBody('homeless', { folderId }), 404);
      expect(answer).toMatchObject({ success: false, error: 'folder_not_found', message: expect.any(String) });
    }
    await me.get(promptUrl('homeless'), 404);
    for (const folder_id of [0, -1, 'x', 1.5]) await me.post(PUBLISH, withHead('homeless', { folder_id }), 422);
  });
});

describe('a snippet', () => {
  it('is set by the first version', async () => {
    const isSnippet = async (name: string) => (await readPrompt(me, name)).is_snippet;
    await publishPrompt(me, 'snippet', { text: 'x', isSnippet: true });
    await publishPrompt(me, 'snippet', { text: 'y', isSnippet: false });
    expect(await isSnippet('snippet')).toBe(true);
    await publishPrompt(me, 'no snippet', { text: 'x' });
    await publishPrompt(me, 'no snippet', { text: 'y', isSnippet: true });
    expect(await isSnippet('no snippet')).toBe(false);
  });

  it('cannot be a chat', async () => {
    const loc = ['body', 'prompt_version', 'prompt_template', 'type'];
    const refused = {
      message: expect.any(String),
      detail: [{ loc, msg: expect.any(String), type: expect.any(String) }],
    };
    expect(await me.post(PUBLISH, promptBody('chat snippet', { isSnippet: true }), 422)).toEqual(refused);
    await publishPrompt(me, 'became chat', { text: 'x', isSnippet: true });
    expect(await me.post(PUBLISH, promptBody('became chat'), 422)).toEqual(refused);
    expect((await readPrompt(me, 'became chat')).version).toBe(1);
  });
});

describe('release labels that are published', () => {
  it('are put on the new version, moved from the old one and echoed', async () => {
    const one = await publishPrompt(me, 'labelled', { labels: ['prod', ' staging ', 'prod'] });
    expect(one.release_labels).toEqual(['prod', 'staging']);
    await publishPrompt(me, 'labelled', { labels: ['prod', 'new'] });
    expect(await labelsOf(me, 'labelled')).toEqual({ prod: 2, new: 2, staging: 1 });
  });

  it('are null in the answer when none are sent', async () => {
    expect((await publishPrompt(me, 'unlabelled')).release_labels).toBeNull();
    const body = { ...promptBody('unlabelled'), release_labels: null };
    expect(await me.post(PUBLISH, body, 201)).toMatchObject({ release_labels: null });
    expect(await labelsOf(me, 'unlabelled')).toEqual({});
  });

  it('must be texts of 1 to 255 characters', async () => {
    await publishPrompt(me, 'long label', { labels: ['🎉'.repeat(255)] });
    for (const label of ['', ' ', 'x'.repeat(256), 7, null]) {
      const body = { ...promptBody('bad label'), release_labels: ['fine', label] };
      expect(await me.post(PUBLISH, body, 422)).toMatchObject({ detail: [{ loc: ['body', 'release_labels', 1] }] });
    }
  });
});

describe('external ids that are published', () => {
  const pair = (external_id: string) => ({ source: 'crm', external_id });

  it('are attached once each, to the prompt and not to its version', async () => {
    const first = await publishPrompt(me, 'known', { externalIds: [pair('k1'), pair('k1')] });
    expect(first.external_ids).toEqual([pair('k1')]);
    const second = await publishPrompt(me, 'known', { externalIds: [pair('k2'), pair('k1')] });
    expect(second.external_ids).toEqual([pair('k1'), pair('k2')]);
    expect(await me.get(`${PROMPTS}/${first.id}/external-ids`)).toMatchObject({ external_ids: second.external_ids });
  });

  it('are rejected when another entity has them, and nothing of the publication is stored', async () => {
    await publishPrompt(me, 'owner', { externalIds: [pair('taken')] });
    const options = { externalIds: [pair('free'), pair('taken')], labels: ['prod'] };
    const refusal = { success: false, message: expect.stringContaining('crm/taken') as string };
    expect(await me.post(PUBLISH, promptBody('late', options), 409)).toEqual(refusal);
    await me.get(promptUrl('late'), 404);
    await publishPrompt(me, 'earlier', { externalIds: [pair('free')] });
    expect(await me.post(PUBLISH, promptBody('earlier', options), 409)).toEqual(refusal);
    expect((await readPrompt(me, 'earlier')).version).toBe(1);
    expect(await labelsOf(me, 'earlier')).toEqual({});
  });

  it('may hold nothing but source and external_id', async () => {
    const body = { ...promptBody('extra'), external_ids: [{ ...pair('x'), colour: 'red' }] };
    const loc = ['body', 'external_ids', 0, 'colour'];
    expect(await me.post(PUBLISH, body, 422)).toMatchObject({ detail: [{ loc, type: 'extra_forbidden' }] });
  });
});

describe('a version', () => {
  it('carries a commit message of up to 72 characters', async () => {
    for (const message of ['🎉'.repeat(72), '', null]) {
      expect(await publishWith('commits', { commit_message: message })).toMatchObject({ commit_message: message });
    }
    const refused = await publishWith('commits', { commit_message: 'x'.repeat(73) }, 422);
    const loc = ['body', 'prompt_version', 'commit_message'];
    expect(refused).toMatchObject({ detail: [{ loc, type: expect.any(String) }] });
    expect(await patchPrompt(me, 'commits', {})).toMatchObject({ commit_message: null, version_number: 4 });
  });

  it('keeps a provider id, and ignores unknown names of base URLs', async () => {
    await publishWith('custom', { provider_base_url_name: 'none', inference_client_name: 'none', provider_id: 7 });
    expect(await me.post(promptUrl('custom'))).toMatchObject({ provider_id: 7, provider_base_url: null });
  });

  it('keeps the metadata it came with, model or not', async () => {
    const model = {
      provider: 'anthropic',
      name: 'claude',
      model_config_display_name: 'Mine',
      base_model: 'base',
      parameters: { temperature: 0.5, stop: ['a'] },
      display_params: { temperature: 'half' },
      api_type: null,
      colour: 'red',
    };
    const metadata = { model, owner: { team: 'support' } };
    expect(await publishWith('meta', { metadata })).toMatchObject({ metadata });
    expect((await readPrompt(me, 'meta')).metadata).toEqual(metadata);
    const plain = { owner: 'me' };
    expect(await publishWith('meta', { metadata: plain })).toMatchObject({ metadata: { ...plain, model: null } });
  });

  it('is not stored when its evaluation does not exist', async () => {
    expect(await publishWith('evaluated', { report_id: 1 }, 404)).toMatchObject({
      success: false,
      error: 'report_not_found',
    });
    await me.get(promptUrl('evaluated'), 404);
  });

  it('writes the names of api types with a hyphen, and never leaves them out for openai', async () => {
    const cases: [provider: string, given: string | null, shown: string | null][] = [
      ['openai', null, 'chat-completions'],
      ['openai.azure', null, 'chat-completions'],
      ['openai', 'chat.completions', 'chat-completions'],
      ['openai', 'responses', 'responses'],
      ['openrouter', 'images', 'images'],
      ['anthropic', null, null],
    ];
    await every(cases, async ([provider, given, shown]) => {
      const published = await publishPrompt(me, 'typed', { model: { provider, name: 'm', api_type: given } });
      const [raw, rendered] = [await readPrompt(me, 'typed'), await me.post(promptUrl('typed'))];
      const seen = [published, raw, rendered].map((answer) => (answer as typeof raw).metadata?.model?.api_type);
      expect([provider, given, ...seen]).toEqual([provider, given, shown, shown, shown]);
    });
  });
});

describe('a publication that does not fit', () => {
  const head = ['body', 'prompt_template'];
  const version = ['body', 'prompt_version'];
  const fine = promptBody('unfit') as Body;
  const cases: [what: string, body: unknown, loc: (string | number)[]][] = [
    ['no body', {}, head],
    ['no version', { prompt_template: { prompt_name: 'unfit' } }, version],
    ['no name', { ...fine, prompt_template: {} }, [...head, 'prompt_name']],
    ['a name that is no text', { ...fine, prompt_template: { prompt_name: 7 } }, [...head, 'prompt_name']],
    ['tags that are no list', withHead('unfit', { tags: 'a' }), [...head, 'tags']],
    ['a tag that is no text', withHead('unfit', { tags: ['a', 7] }), [...head, 'tags', 1]],
    ['an is_snippet that is no boolean', withHead('unfit', { is_snippet: 'yes' }), [...head, 'is_snippet']],
    ['no content', { ...fine, prompt_version: {} }, [...version, 'prompt_template']],
    [
      'a long name of a base URL',
      promptBody('unfit', { version: { provider_base_url_name: 'x'.repeat(256) } }),
      [...version, 'provider_base_url_name'],
    ],
    [
      'a model without provider',
      promptBody('unfit', { model: { name: 'm' } }),
      [...version, 'metadata', 'model', 'provider'],
    ],
    [
      'a display name that is too long',
      promptBody('unfit', {
        model: { provider: 'p', name: 'm', model_config_display_name: 'x'.repeat(256) },
      }),
      [...version, 'metadata', 'model', 'model_config_display_name'],
    ],
    [
      'a base model that is too long',
      promptBody('unfit', { model: { provider: 'p', name: 'm', base_model: 'x'.repeat(101) } }),
      [...version, 'metadata', 'model', 'base_model'],
    ],
    ['overrides that are no texts', { ...fine, snippet_overrides: { a: 7 } }, ['body', 'snippet_overrides', 'a']],
    ['labels that are no list', { ...fine, release_labels: 'prod' }, ['body', 'release_labels']],
  ];

  it.each(cases)('is 422 with its path: %s', async (_, body, loc) => {
    const answer = (await me.post(PUBLISH, body, 422)) as { detail: object[] };
    expect(answer.detail).toContainEqual({ loc, msg: expect.any(String), type: expect.any(String) });
    await me.get(promptUrl('unfit'), 404);
  });
});
