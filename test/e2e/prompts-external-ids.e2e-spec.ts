import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { every } from '../support/every.js';
import {
  clientOf,
  deletePrompt,
  labelsOf,
  promptBody,
  type PromptOptions,
  PROMPTS,
  promptUrl,
  PUBLISH,
  type PublishedPrompt,
  publishPrompt,
  readPrompt,
} from '../support/prompts.js';
import { TestApp } from '../support/test-app.js';

const FOLDERS = '/api/public/v2/folders';

interface Pair {
  source: string;
  external_id: string;
}

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.start({ works: false });
  me = app.client;
});
afterAll(() => app.stop());

const pairOf = (external_id: string, source = 'crm'): Pair => ({ source, external_id });
const urlOf = (external_id: string, source = 'crm') =>
  `${PROMPTS}/by-external-id/${encodeURIComponent(source)}/${encodeURIComponent(external_id)}`;
const upsert = async (external_id: string, name: string, status: number, options: PromptOptions = {}) =>
  (await me.put(urlOf(external_id), promptBody(name, options), status)) as PublishedPrompt;
const attached = async (id: number) =>
  ((await me.get(`${PROMPTS}/${id}/external-ids`)) as { external_ids: Pair[] }).external_ids;
const brief = (message: string | RegExp) => ({ success: false, message: expect.stringMatching(message) as string });

describe('publishing by external id', () => {
  it('creates the prompt, then adds versions to it', async () => {
    const created = await upsert('new', 'upserted', 201, { labels: ['prod'], tags: ['t'] });
    expect(created).toMatchObject({ version_number: 1, prompt_name: 'upserted', external_ids: [pairOf('new')] });
    const updated = await upsert('new', 'upserted', 200, { message: 'changed', labels: ['prod'] });
    expect(updated).toMatchObject({ id: created.id, version_number: 2, tags: ['t'], release_labels: ['prod'] });
    expect(await labelsOf(me, 'upserted')).toEqual({ prod: 2 });
    expect(await attached(created.id)).toEqual([pairOf('new')]);
  });

  it('adds a version to the prompt of the name when the external id is free', async () => {
    const { id } = await publishPrompt(me, 'was there', { externalIds: [pairOf('older')] });
    expect(await upsert('newer', 'was there', 200)).toMatchObject({ id, version_number: 2 });
    expect(await attached(id)).toEqual([pairOf('older'), pairOf('newer')]);
  });

  it('renames the prompt that has the external id', async () => {
    const { id } = await upsert('renamed', 'old name', 201);
    expect(await upsert('renamed', 'new name', 200)).toMatchObject({ id, prompt_name: 'new name', version_number: 2 });
    await me.get(promptUrl('old name'), 404);
    expect((await readPrompt(me, 'new name', '?version=1')).id).toBe(id);
    const reused = await publishPrompt(me, 'old name');
    expect(reused.id).not.toBe(id);
  });

  it('is refused when another prompt has the name, and changes nothing', async () => {
    await publishPrompt(me, 'taken name');
    await upsert('unlucky', 'own name', 201);
    const options = { labels: ['prod'], tags: ['t'] };
    expect(await upsert('unlucky', 'taken name', 409, options)).toEqual(brief(/taken name/));
    expect(await readPrompt(me, 'own name')).toMatchObject({ version: 1, tags: [] });
    expect(await labelsOf(me, 'own name')).toEqual({});
    expect((await readPrompt(me, 'taken name')).version).toBe(1);
  });

  it('is refused when something else has the external id', async () => {
    await me.post(FOLDERS, { name: 'Holder', external_ids: [pairOf('of a folder')] }, 201);
    expect(await upsert('of a folder', 'never', 409)).toEqual(brief(/crm\/of a folder/));
    await me.get(promptUrl('never'), 404);
  });

  it('attaches the external ids of the body as well, or nothing at all', async () => {
    const externalIds = [pairOf('more 1'), pairOf('more 0'), pairOf('more 1')];
    const created = await upsert('more 0', 'more', 201, { externalIds });
    expect(created.external_ids).toEqual([pairOf('more 0'), pairOf('more 1')]);
    await publishPrompt(me, 'holds it', { externalIds: [pairOf('held')] });
    const refused = { externalIds: [pairOf('free'), pairOf('held')], labels: ['prod'] };
    expect(await upsert('unused', 'more', 409, refused)).toEqual(brief(/crm\/held/));
    expect(await upsert('more 0', 'other name', 409, refused)).toEqual(brief(/crm\/held/));
    expect(await attached(created.id)).toEqual(created.external_ids);
    expect((await readPrompt(me, 'more')).version).toBe(1);
    await publishPrompt(me, 'free again', { externalIds: [pairOf('free'), pairOf('unused')] });
  });

  it('checks the body and the address', async () => {
    await me.put(urlOf('bad body'), {}, 422);
    await me.put(urlOf('bad body'), { ...promptBody('bad body'), external_ids: [{ source: 'x' }] }, 422);
    await me.put(urlOf('x', 's'.repeat(129)), promptBody('bad body'), 422);
    await me.put(urlOf('x'.repeat(513)), promptBody('bad body'), 422);
    expect(await me.put(urlOf('bad folder'), promptBody('bad body', { folderId: 2 ** 31 - 1 }), 404)).toEqual(
      brief(/[Ff]older/),
    );
    await me.get(promptUrl('bad body'), 404);
  });

  it('words every refusal briefly', async () => {
    const viewer = await clientOf(app, (await publishPrompt(me, 'brief')).workspace_id, { role: 'viewer' });
    expect(await viewer.put(urlOf('brief'), promptBody('brief'), 403)).toEqual(brief(/PROMPT_EDIT/));
    expect(await app.clientWith(null).put(urlOf('brief'), promptBody('brief'), 401)).toEqual(brief(/./));
    const other = promptBody('brief') as { prompt_template: object };
    const foreign = { ...other, prompt_template: { ...other.prompt_template, workspace_id: 2 ** 31 - 1 } };
    expect(await me.put(urlOf('brief'), foreign, 403)).toEqual(brief(/./));
  });

  it('takes external ids of any characters', async () => {
    await every(['a/b', '100%', '%2F', 'a+b', 'ü 🎉', '?x#y', '漢'.repeat(512)], async (text) => {
      const name = `by ${text}`.slice(0, 100);
      const url = urlOf(text, `s${text}`.slice(0, 128));
      const first = (await me.put(url, promptBody(name), 201)) as PublishedPrompt;
      expect(first.external_ids).toEqual([pairOf(text, `s${text}`.slice(0, 128))]);
      expect(await me.put(url, promptBody(name), 200)).toMatchObject({ id: first.id, version_number: 2 });
    });
  });

  it('keeps to the workspace', async () => {
    const stranger = await app.stranger();
    const mine = await upsert('in both', 'in both', 201);
    const theirs = (await stranger.put(urlOf('in both'), promptBody('in both'), 201)) as PublishedPrompt;
    expect(theirs.id).not.toBe(mine.id);
  });
});

describe('publications at once', () => {
  it('by one external id make one prompt, whatever they call it', async () => {
    for (let round = 0; round < 5; round++) {
      const requests = Array.from({ length: 10 }, (_, index) =>
        me.request('PUT', urlOf(`race ${round}`), promptBody(`race ${round} ${index % 2}`)),
      );
      const answers = await Promise.all(requests);
      expect(answers.map(({ status }) => status).sort()).toEqual([...Array<number>(9).fill(200), 201]);
      const published = answers.map(({ body }) => body as PublishedPrompt);
      expect(new Set(published.map(({ id }) => id)).size).toBe(1);
      const versions = published.map(({ version_number }) => version_number).sort((a, b) => a - b);
      expect(versions).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
      expect(await attached(published[0]!.id)).toEqual([pairOf(`race ${round}`)]);
    }
  });

  it('with one external id inline give it to one prompt', async () => {
    for (let round = 0; round < 5; round++) {
      const externalIds = [pairOf(`inline ${round}`)];
      const answers = await Promise.all(
        [0, 1, 2].map((index) => me.request('POST', PUBLISH, promptBody(`inline ${round} ${index}`, { externalIds }))),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
      expect(await me.get(`${PROMPTS}?name=inline ${round}`.replace(' ', '%20'))).toMatchObject({ total: 1 });
    }
  });

  it('that swap two names end without a deadlock', async () => {
    await upsert('swap a', 'swap a', 201);
    await upsert('swap b', 'swap b', 201);
    const answers = await Promise.all([
      me.request('PUT', urlOf('swap a'), promptBody('swap b')),
      me.request('PUT', urlOf('swap b'), promptBody('swap a')),
    ]);
    for (const { status } of answers) expect([200, 409]).toContain(status);
  });
});

describe('the external ids of a prompt', () => {
  it('are attached, listed and detached by id', async () => {
    const { id } = await publishPrompt(me, 'attached');
    const url = `${PROMPTS}/${id}/external-ids`;
    const pair = pairOf('a/1');
    for (let time = 0; time < 2; time++) {
      expect(await me.post(url, pair, 201)).toEqual({ success: true, external_id: pair });
    }
    expect((await readPrompt(me, 'attached')).id).toBe(id);
    expect(await attached(id)).toEqual([pair]);
    expect(await upsert('a/1', 'attached', 200)).toMatchObject({ id, version_number: 2 });
    const other = await publishPrompt(me, 'attached elsewhere');
    expect(await me.post(`${PROMPTS}/${other.id}/external-ids`, pair, 409)).toEqual(brief(/crm\/a\/1/));
    expect(await me.delete(`${url}/crm/a%2F1`)).toEqual({ success: true });
    expect(await attached(id)).toEqual([]);
    await me.post(`${PROMPTS}/${other.id}/external-ids`, pair, 201);
  });

  it('can be changed by those who may edit prompts', async () => {
    const { id, workspace_id: workspace } = await publishPrompt(me, 'guarded', { externalIds: [pairOf('guarded')] });
    const url = `${PROMPTS}/${id}/external-ids`;
    for (const role of ['viewer', 'publisher']) {
      const client = await clientOf(app, workspace, { role });
      expect(await client.post(url, pairOf('x'), 403)).toEqual(brief(/PROMPT_EDIT/));
      expect(await client.delete(`${url}/crm/guarded`, 403)).toEqual(brief(/PROMPT_EDIT/));
    }
    await (await clientOf(app, workspace, { role: 'contributor' })).post(url, pairOf('allowed'), 201);
  });

  it('become free when the prompt is deleted', async () => {
    const { id } = await upsert('freed', 'freed', 201, { externalIds: [pairOf('freed too')] });
    await deletePrompt(me, id);
    for (const url of [`${PROMPTS}/${id}/external-ids`, `${PROMPTS}/${id}/external-ids/crm/freed`]) {
      const method = url.endsWith('freed') ? 'DELETE' : 'GET';
      expect((await me.request(method, url)).status).toBe(404);
    }
    await me.post(`${PROMPTS}/${id}/external-ids`, pairOf('x'), 404);
    await me.post(FOLDERS, { name: 'Takes it', external_ids: [pairOf('freed too')] }, 201);
    const fresh = await upsert('freed', 'freed', 201);
    expect(fresh.id).not.toBe(id);
    expect(fresh).toMatchObject({ version_number: 1, external_ids: [pairOf('freed')] });
  });
});
