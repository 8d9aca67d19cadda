import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { every } from '../support/every.js';
import {
  deletePrompt,
  promptBody,
  type PromptOptions,
  PROMPTS,
  promptUrl,
  PUBLISH,
  publishPrompt,
  readPrompt,
  renderPrompt,
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

const snippet = (name: string, text: string, options: PromptOptions = {}) =>
  publishPrompt(me, name, { ...options, text });
const used = (prompt_name: string, version: number, label: string | null = null) => ({ prompt_name, version, label });
const textOf = async (name: string) => textsOf(await readPrompt(me, name)).join('|');
const text = (content: string) => [{ type: 'text', text: content }];

describe('a reference to a snippet', () => {
  it('means its latest version, one of its versions, or the version that a label is on', async () => {
    await snippet('tone', 'v1', { labels: ['prod'] });
    await publishPrompt(me, 'user', { message: '@@@tone@@@ @@@tone@version_number:1@@@ @@@tone@label:prod@@@' });
    await snippet('tone', 'v2');
    const read = await readPrompt(me, 'user');
    expect(textsOf(read)).toEqual(['v2 v1 v1']);
    expect(read.snippets).toEqual([used('tone', 2), used('tone', 1), used('tone', 1, 'prod')]);
    const rendered = await renderPrompt(me, 'user');
    expect([textsOf(rendered), rendered.snippets, rendered.warning]).toEqual([['v2 v1 v1'], read.snippets, null]);
    expect(JSON.stringify(rendered.llm_kwargs)).toContain('v2 v1 v1');
    await snippet('tone', 'v3', { labels: ['prod'] });
    expect(await textOf('user')).toBe('v3 v1 v3');
  });

  it('is stored as it was published, and read like that on request', async () => {
    await snippet('stored snippet', 'x');
    const published = await publishPrompt(me, 'stored', { message: 'a @@@stored snippet@@@' });
    expect(textsOf(published)).toEqual(['a @@@stored snippet@@@']);
    expect(textsOf(await readPrompt(me, 'stored', '?resolve_snippets=false'))).toEqual(['a @@@stored snippet@@@']);
    const { items } = (await me.get(`${PROMPTS}?name=stored`)) as { items: Parameters<typeof textsOf>[0][] };
    expect(textsOf(items[0]!)).toEqual(['a @@@stored snippet@@@']);
  });

  it('is found wherever a prompt has text, and nowhere else', async () => {
    await snippet('part', 'P');
    const ref = '@@@part@@@';
    const messages = [
      { role: 'system', content: text(ref) },
      { role: 'user', content: [...text(`${ref}${ref}`), { type: 'image_url', image_url: { url: ref } }] },
      { role: 'assistant', content: text(ref), tool_calls: [{ id: 'c', function: { name: 'f', arguments: ref } }] },
      { role: 'tool', content: text(ref), tool_call_id: 'c' },
    ];
    await publishPrompt(me, 'everywhere', { template: { type: 'chat', messages } });
    const read = await readPrompt(me, 'everywhere');
    expect(textsOf(read)).toEqual(['P', 'PP', 'P', 'P']);
    expect(JSON.stringify(read).split(ref)).toHaveLength(3);
    await publishPrompt(me, 'completion user', { text: `${ref} and ${ref}` });
    expect(await textOf('completion user')).toBe('P and P');
  });

  it('may be nested in other snippets', async () => {
    await snippet('inner', 'inner');
    await snippet('middle', '[@@@inner@@@]');
    await snippet('outer', '<@@@middle@@@ @@@inner@version_number:1@@@>');
    await publishPrompt(me, 'nested', { message: '@@@outer@@@ @@@inner@@@' });
    const read = await readPrompt(me, 'nested');
    expect(textsOf(read)).toEqual(['<[inner] inner> inner']);
    expect(read.snippets).toHaveLength(3);
    expect(read.snippets).toEqual(
      expect.arrayContaining([used('outer', 1), used('middle', 1), used('inner', 1)]) as object[],
    );
    await snippet('inner', 'changed');
    expect(await textOf('nested')).toBe('<[changed] inner> changed');
  });

  it('takes names of many kinds, and their letter case counts', async () => {
    await every(['a/b', 'me@home', 'two words', 'ü🎉', 'a:b', 'x@label', '$&', "$1$'"], async (name) => {
      await snippet(name, `<${name}>`, { labels: ['prod'] });
      for (const suffix of ['', '@version_number:1', '@label:prod']) {
        await publishPrompt(me, 'names', { message: `@@@${name}${suffix}@@@` });
        expect(await textOf('names')).toBe(`<${name}>`);
      }
    });
    await me.post(PUBLISH, promptBody('names', { message: '@@@A/b@@@' }), 422);
  });

  it('does not change text that only looks like one', async () => {
    const texts = ['@@@', '@@@@', '@@@@@@', '@@ a @@', '@@@open', 'a@@@b\nc@@@d', 'me@example.com'];
    await every(texts, async (message) => {
      await publishPrompt(me, 'no reference', { message });
      expect(await textOf('no reference')).toBe(message);
    });
  });

  it('is filled in before the variables are', async () => {
    await snippet('with variables', 'Dear {name}, {a}');
    await publishPrompt(me, 'filled', { message: '@@@with variables@@@ {b}' });
    const variables = { name: '@@@with variables@@@', a: 'A', b: 'B' };
    const rendered = await renderPrompt(me, 'filled', { input_variables: variables });
    expect(textsOf(rendered)).toEqual(['Dear @@@with variables@@@, A B']);
  });

  it('brings the variables of the snippet', async () => {
    await snippet('deepest', '{deep} {own}');
    await snippet('deeper', '@@@deepest@@@ {name}');
    const messages = [
      { role: 'system', content: text('{own} @@@deeper@@@') },
      { role: 'user', content: text('{question}') },
    ];
    await publishPrompt(me, 'asks', { template: { type: 'chat', messages } });
    const { prompt_template: template } = await readPrompt(me, 'asks');
    expect(template.input_variables.toSorted()).toEqual(['deep', 'name', 'own', 'question']);
    expect(template.messages![0]!.input_variables.toSorted()).toEqual(['deep', 'name', 'own']);
    expect(template.messages![1]!.input_variables).toEqual(['question']);
    const rendered = await renderPrompt(me, 'asks', { input_variables: { own: 'O', question: 'Q' } });
    for (const name of ['deep', 'name']) expect(rendered.warning).toContain(`\`${name}\``);
  });
});

describe('a reference that leads nowhere', () => {
  it('is refused when it is published, with the names and an order to publish in', async () => {
    await publishPrompt(me, 'a chat');
    await snippet('has one version', 'x', { labels: ['prod'] });
    const message = [
      '@@@missing one@@@',
      '@@@missing two@label:prod@@@',
      '@@@a chat@@@',
      '@@@has one version@version_number:2@@@',
      '@@@has one version@version_number:x@@@',
      '@@@has one version@label:none@@@',
      '@@@has one version@@@',
    ];
    const body = promptBody('refers', { message: message.join(' '), labels: ['prod'] });
    const { detail } = (await me.post(PUBLISH, body, 422)) as { detail: { loc: unknown[]; msg: string }[] };
    expect(detail).toHaveLength(6);
    for (const { loc } of detail) expect(loc.slice(0, 3)).toEqual(['body', 'prompt_version', 'prompt_template']);
    const words = detail.map(({ msg }) => msg).join('\n');
    for (const name of ['missing one', 'missing two', 'a chat', 'has one version', 'order']) {
      expect(words).toContain(name);
    }
    await me.get(promptUrl('refers'), 404);
  });

  it('is refused in a short message when there are many, and as too many beyond 1,000', async () => {
    const text = (count: number) => Array.from({ length: count }, (_, index) => `@@@gone ${index}@@@`).join(' ');
    const refused = (await me.post(PUBLISH, promptBody('many gone', { message: text(1000) }), 422)) as {
      detail: { msg: string }[];
    };
    expect(refused.detail).toHaveLength(100);
    expect(refused.detail[99]!.msg).toContain('publish gone 0, gone 1, gone 2');
    expect(refused.detail[99]!.msg).toContain('gone 9 and 990 more first');
    expect(await me.post(PUBLISH, promptBody('many gone', { message: text(70_000) }), 400)).toMatchObject({
      error: 'prompt_snippets_excessive',
    });
  });

  it('is refused in patches and upserts as well', async () => {
    await publishPrompt(me, 'to patch');
    const messages = [{ role: 'user', content: text('@@@missing@@@') }];
    await me.patch(promptUrl('to patch', PUBLISH), { messages }, 422);
    await me.put(`${PROMPTS}/by-external-id/s/1`, promptBody('to patch', { message: '@@@missing@@@' }), 422);
    expect((await readPrompt(me, 'to patch')).version).toBe(1);
  });

  it('because the snippet is in another workspace is refused', async () => {
    await publishPrompt(await app.stranger(), 'theirs', { text: 'secret' });
    await me.post(PUBLISH, promptBody('spy', { message: '@@@theirs@@@' }), 422);
  });

  it('because the snippet was deleted keeps its text, with a warning', async () => {
    const { id } = await snippet('doomed', 'content');
    await publishPrompt(me, 'orphan', { message: '@@@doomed@@@ {a}' });
    await deletePrompt(me, id);
    const read = await readPrompt(me, 'orphan');
    expect([textsOf(read), read.snippets]).toEqual([['@@@doomed@@@ {a}'], []]);
    const rendered = await renderPrompt(me, 'orphan', { input_variables: { a: 'A' } });
    expect(textsOf(rendered)).toEqual(['@@@doomed@@@ A']);
    expect(rendered.warning).toContain('doomed');
    await me.post(PUBLISH, promptBody('orphan', { message: '@@@doomed@@@' }), 422);
    await snippet('doomed', 'back again');
    expect(await textOf('orphan')).toBe('back again {a}');
    expect((await renderPrompt(me, 'orphan', { input_variables: { a: 'A' } })).warning).toBeNull();
  });

  it('because its label was deleted keeps its text until the label is back', async () => {
    const { id } = await snippet('relabelled', 'content', { labels: ['prod'] });
    await publishPrompt(me, 'by label', { message: '@@@relabelled@label:prod@@@' });
    const { release_labels: labels } = (await me.get(`${PROMPTS}/${id}/labels`)) as {
      release_labels: { release_label_id: number }[];
    };
    await me.delete(`/prompt-labels/${labels[0]!.release_label_id}`, 204);
    expect(await textOf('by label')).toBe('@@@relabelled@label:prod@@@');
    await me.post(`/prompts/${id}/label`, { name: 'prod', prompt_version_number: 1 });
    expect(await textOf('by label')).toBe('content');
  });

  it('because the latest version became a chat keeps its text', async () => {
    await snippet('turns into chat', 'content');
    await publishPrompt(me, 'of a chat', {
      message: '@@@turns into chat@@@ @@@turns into chat@version_number:1@@@',
    });
    await publishPrompt(me, 'turns into chat');
    expect(await textOf('of a chat')).toBe('@@@turns into chat@@@ content');
    expect((await renderPrompt(me, 'of a chat')).warning).toContain('turns into chat');
  });

  it('does not arise from a new name of the snippet', async () => {
    const url = `${PROMPTS}/by-external-id/names/renamed`;
    await me.put(url, promptBody('before', { text: 'one' }), 201);
    await publishPrompt(me, 'faithful', { message: '@@@before@@@' });
    await me.put(url, promptBody('after', { text: 'two' }), 200);
    const read = await readPrompt(me, 'faithful');
    expect([textsOf(read), read.snippets]).toEqual([['two'], [used('after', 2)]]);
    await snippet('before', 'somebody else');
    expect(await textOf('faithful')).toBe('two');
  });
});

describe('snippet overrides', () => {
  const publishWith = (name: string, message: string, snippet_overrides: object | null) =>
    me.post(PUBLISH, { ...promptBody(name, { message }), snippet_overrides }, 201);

  it('replace the content of snippets in the version they are published with', async () => {
    await snippet('leaf', 'leaf');
    await snippet('branch', '(@@@leaf@@@)');
    const message = '@@@branch@@@ @@@leaf@version_number:1@@@';
    await publishWith('overriding', message, { leaf: 'LEAF', unused: 'x' });
    expect(await textOf('overriding')).toBe('(LEAF) LEAF');
    expect(await textOf('branch')).toBe('(leaf)');
    await publishWith('overriding', message, { branch: '{name}' });
    expect(await textOf('overriding')).toBe('{name} leaf');
    await publishWith('overriding', message, null);
    expect(await textOf('overriding')).toBe('(leaf) leaf');
    expect(textsOf(await readPrompt(me, 'overriding', '?version=1'))).toEqual(['(LEAF) LEAF']);
  });

  it('stay with the prompt when it is patched', async () => {
    await snippet('patched leaf', 'leaf');
    await publishWith('patched override', '@@@patched leaf@@@', { 'patched leaf': 'LEAF' });
    await me.patch(promptUrl('patched override', PUBLISH), { commit_message: 'same' }, 201);
    expect(await textOf('patched override')).toBe('LEAF');
  });
});
