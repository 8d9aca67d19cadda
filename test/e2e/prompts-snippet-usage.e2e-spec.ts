import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { deletePrompt, promptUrl, publishPrompt } from '../support/prompts.js';
import { TestApp } from '../support/test-app.js';

interface Usage {
  snippet_name: string;
  snippet_usage: { prompt_registry_id: number; prompt_name: string; version_numbers: number[] }[];
  total_prompts_using_snippet: number;
  label_usage: { prompt_registry_id: number; prompt_name: string; label_name: string }[];
  total_labels_using_snippet: number;
}

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.start({ works: false });
  me = app.client;
});
afterAll(() => app.stop());

const usage = async (name: string | number, query = '') =>
  (await me.get(`${promptUrl(name)}/snippet-usage${query}`)) as Usage;
const versions = async (name: string, query = '') =>
  Object.fromEntries((await usage(name, query)).snippet_usage.map((use) => [use.prompt_name, use.version_numbers]));
const labels = async (name: string, query = '') =>
  (await usage(name, query)).label_usage.map((use) => `${use.prompt_name} ${use.label_name}`);

describe('the usage of a snippet', () => {
  it('names the versions that refer to it and the labels on them', async () => {
    const snippet = await publishPrompt(me, 'shared', { text: 'x' });
    const one = await publishPrompt(me, 'one', { message: '@@@shared@@@', labels: ['prod'] });
    await publishPrompt(me, 'one', { message: 'not any more', labels: ['staging'] });
    await publishPrompt(me, 'one', { message: '@@@shared@@@ @@@shared@version_number:1@@@', labels: ['canary', 'b'] });
    const two = await publishPrompt(me, 'two', { text: '@@@shared@@@' });
    await publishPrompt(me, 'unrelated', { labels: ['prod'] });
    const expected = {
      success: true,
      message: expect.stringMatching(/./) as string,
      snippet_name: 'shared',
      snippet_usage: [
        { prompt_registry_id: one.id, prompt_name: 'one', version_numbers: [1, 3] },
        { prompt_registry_id: two.id, prompt_name: 'two', version_numbers: [1] },
      ],
      total_prompts_using_snippet: 2,
      label_usage: ['b', 'canary', 'prod'].map((label_name) => ({
        prompt_registry_id: one.id,
        prompt_name: 'one',
        label_name,
      })),
      total_labels_using_snippet: 3,
    };
    for (const identifier of ['shared', snippet.id]) expect(await usage(identifier)).toEqual(expected);
  });

  it('is empty for a prompt without references, and 404 without a prompt', async () => {
    await publishPrompt(me, 'lonely');
    expect(await usage('lonely')).toMatchObject({
      snippet_usage: [],
      total_prompts_using_snippet: 0,
      label_usage: [],
      total_labels_using_snippet: 0,
    });
    const missing = await me.get(`${promptUrl('nothing')}/snippet-usage`, 404);
    expect(missing).toMatchObject({ success: false, error: 'prompt_not_found' });
  });

  it('can be asked for one version: of those who mean that version at the moment', async () => {
    await publishPrompt(me, 'versioned', { text: 'one', labels: ['prod'] });
    await publishPrompt(me, 'versioned', { text: 'two' });
    await publishPrompt(me, 'latest', { message: '@@@versioned@@@', labels: ['live'] });
    await publishPrompt(me, 'numbered', { message: '@@@versioned@version_number:1@@@' });
    await publishPrompt(me, 'labelled', { message: '@@@versioned@label:prod@@@', labels: ['live'] });
    expect(await versions('versioned', '?prompt_version_number=1')).toEqual({ labelled: [1], numbered: [1] });
    expect(await versions('versioned', '?prompt_version_number=2')).toEqual({ latest: [1] });
    expect(await labels('versioned', '?prompt_version_number=1')).toEqual(['labelled live']);
    expect(await versions('versioned', '?prompt_version_number=3')).toEqual({});
    expect(await versions('versioned')).toEqual({ labelled: [1], latest: [1], numbered: [1] });
    await publishPrompt(me, 'versioned', { text: 'three', labels: ['prod'] });
    expect(await versions('versioned', '?prompt_version_number=3')).toEqual({ labelled: [1], latest: [1] });
    for (const number of ['0', 'x', '-1']) {
      await me.get(`${promptUrl('versioned')}/snippet-usage?prompt_version_number=${number}`, 422);
    }
  });

  it('leaves out prompts that were deleted', async () => {
    await publishPrompt(me, 'survivor', { text: 'x' });
    const { id } = await publishPrompt(me, 'deleted user', { message: '@@@survivor@@@', labels: ['prod'] });
    await publishPrompt(me, 'live user', { message: '@@@survivor@@@' });
    await deletePrompt(me, id);
    expect([await versions('survivor'), await labels('survivor')]).toEqual([{ 'live user': [1] }, []]);
  });

  it('keeps to the workspace', async () => {
    const { workspace_id: mine } = await publishPrompt(me, 'own', { text: 'x' });
    const stranger = await app.stranger();
    const { workspace_id: theirs } = await publishPrompt(stranger, 'own', { text: 'x' });
    await publishPrompt(stranger, 'their user', { message: '@@@own@@@' });
    expect(await versions('own', `?workspace_id=${mine}`)).toEqual({});
    const refused = await me.get(`${promptUrl('own')}/snippet-usage?workspace_id=${theirs}`, 403);
    expect(refused).toMatchObject({ success: false, message: expect.any(String) });
  });
});
