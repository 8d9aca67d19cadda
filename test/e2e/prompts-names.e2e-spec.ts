import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { every } from '../support/every.js';
import {
  deletePrompt,
  labelsOf,
  patchPrompt,
  promptBody,
  promptUrl,
  PROMPTS,
  PUBLISH,
  publishPrompt,
  readPrompt,
  renderPrompt,
} from '../support/prompts.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.start({ works: false });
  me = app.client;
});
afterAll(() => app.stop());

/** POSTs to a URL that is more than one segment long, which no path of the OpenAPI document stands for. */
async function renderAt(url: string): Promise<{ status: number; name?: string }> {
  const { statusCode: status, body } = await app.app.inject({
    method: 'POST',
    url,
    headers: { 'x-api-key': app.apiKey },
  });
  return { status, name: (JSON.parse(body) as { prompt_name?: string }).prompt_name };
}

const NAMES = [
  'feature/x',
  '/',
  '//a//',
  'a:b',
  'me@home',
  'a#b',
  'two words',
  ' blanks around ',
  'é漢',
  '🎉',
  'what?x=1&y',
  '100%',
  '%2F',
  '%252F',
  'a+b',
  'back\\slash',
  '"quoted"',
  "it's",
  'a/labels',
  'a/snippet-usage',
  'by-external-id/a/b',
  'line\nbreak',
  '{braces}',
  'constructor',
  '__proto__',
  'x'.repeat(512),
  '🎉'.repeat(512),
];

describe('a name', () => {
  it('with any characters is found by every route that takes names', async () => {
    await every(NAMES, async (name) => {
      const { prompt_name: stored, id } = await publishPrompt(me, name, { labels: ['prod'] });
      const found = [
        stored,
        (await readPrompt(me, name)).prompt_name,
        ((await me.get(promptUrl(name, '/v1/prompt-templates'))) as { prompt_name: string }).prompt_name,
        (await renderPrompt(me, name)).prompt_name,
        (await patchPrompt(me, name, { label: 'prod' })).prompt_name,
      ];
      expect(found).toEqual(Array.from({ length: 5 }, () => name));
      expect((await readPrompt(me, name)).id).toBe(id);
      expect(await labelsOf(me, name)).toEqual({ prod: 1 });
      expect(await me.get(`${promptUrl(name)}/snippet-usage`)).toMatchObject({ snippet_name: name });
    });
  });

  it('may be written into the URL of a POST as it is, slashes and all', async () => {
    const urls: [name: string, path: string][] = [
      ['team/greeting', 'team/greeting'],
      ['a/b/c d', 'a/b/c%20d'],
      ['a:b@c/d', 'a:b@c/d'],
      ['half/encoded/name', 'half%2Fencoded/name'],
      ['100%/sure', '100%25/sure'],
      ['team/labels', 'team/labels'],
      ['team/🎉', 'team/%F0%9F%8E%89'],
      ['7/snippet-usage', '7/snippet-usage'],
    ];
    await every(urls, async ([name, path]) => {
      await publishPrompt(me, name);
      expect(await renderAt(`${PROMPTS}/${path}`)).toEqual({ status: 200, name });
    });
    expect(await renderAt(`${PROMPTS}/no/such/name`)).toEqual({ status: 404, name: undefined });
  });

  it('may end like the address of external ids, which only ids have', async () => {
    await publishPrompt(me, 'team/external-ids');
    expect(await renderAt(`${PROMPTS}/team/external-ids`)).toEqual({ status: 200, name: 'team/external-ids' });
  });

  it('does not get in the way of the external ids of an id', async () => {
    const { id } = await publishPrompt(me, 'plain');
    await publishPrompt(me, `${id}/external-ids`);
    const pair = { source: 'crm', external_id: 'plain' };
    expect(await me.post(`${PROMPTS}/${id}/external-ids`, pair, 201)).toEqual({ success: true, external_id: pair });
  });

  it('has 1 to 512 characters that are not all blank', async () => {
    await every(['', ' ', '\n\t', 'x'.repeat(513), '🎉'.repeat(513), 7, null], async (name) => {
      const body = promptBody(name as string);
      const { detail } = (await me.post(PUBLISH, body, 422)) as { detail: object[] };
      const loc = ['body', 'prompt_template', 'prompt_name'];
      expect(detail).toEqual([{ loc, msg: expect.any(String), type: expect.any(String) }]);
    });
  });

  it('loses what cannot be stored, in bodies as in addresses', async () => {
    const stored = 'nul\uFFFD and half\uFFFD';
    expect((await publishPrompt(me, 'nul\u0000 and half\uD83C')).prompt_name).toBe(stored);
    expect((await readPrompt(me, stored)).prompt_name).toBe(stored);
    const address = `nul%00 and half${encodeURIComponent('\uFFFD')}`;
    expect(await me.get(`${PROMPTS}/${address.replaceAll(' ', '%20')}`)).toMatchObject({ prompt_name: stored });
    expect(await renderAt(`${PROMPTS}/${address.replaceAll(' ', '%20')}`)).toEqual({ status: 200, name: stored });
  });

  it('is refused in an address when it is too long or cannot be decoded', async () => {
    await me.get(promptUrl('x'.repeat(513)), 422);
    expect((await renderAt(`${PROMPTS}/${'x'.repeat(513)}`)).status).toBeOneOf([404, 422]);
    for (const path of ['%', '%E0%A4', '%ZZ']) expect((await renderAt(`${PROMPTS}/${path}`)).status).toBe(400);
    expect((await renderAt(`${PROMPTS}/`)).status).toBeOneOf([404, 422]);
  });
});

describe('a name of digits', () => {
  it('counts less than an id, and is a name when no prompt of the workspace has that id', async () => {
    const first = await publishPrompt(me, 'with an id');
    const digits = await publishPrompt(me, String(first.id));
    expect(await readPrompt(me, first.id)).toMatchObject({ id: first.id, prompt_name: 'with an id' });
    expect(await renderPrompt(me, first.id)).toMatchObject({ id: first.id });
    expect(await patchPrompt(me, first.id, {})).toMatchObject({ id: first.id, version_number: 2 });
    await deletePrompt(me, first.id);
    expect(await readPrompt(me, first.id)).toMatchObject({ id: digits.id, prompt_name: String(first.id) });
    expect(await renderPrompt(me, first.id)).toMatchObject({ id: digits.id });
    expect(await patchPrompt(me, first.id, {})).toMatchObject({ id: digits.id });
  });

  it('counts more than the id of a prompt of another workspace', async () => {
    const theirs = await publishPrompt(await app.stranger(), 'theirs');
    await me.get(promptUrl(theirs.id), 404);
    const mine = await publishPrompt(me, String(theirs.id));
    expect((await readPrompt(me, theirs.id)).id).toBe(mine.id);
  });

  it('may be larger than any id, and zeros in front make a difference', async () => {
    const { id } = await publishPrompt(me, 'numbered');
    await every(['0', `0${id}`, '2147483648', '99999999999999999999', '-1', '1.5', '1e3', '٣'], async (name) => {
      await me.get(promptUrl(name), 404);
      await publishPrompt(me, name);
      expect((await readPrompt(me, name)).prompt_name).toBe(name);
      expect((await renderPrompt(me, name)).prompt_name).toBe(name);
    });
  });
});
