import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import {
  deletePrompt,
  promptBody,
  PROMPTS,
  promptUrl,
  PUBLISH,
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

const publish = (name: string, text: string, labels?: string[]) => publishPrompt(me, name, { text, labels });
const refuse = async (name: string, text: string, labels?: string[]) =>
  (await me.post(PUBLISH, promptBody(name, { text, labels }), 422)) as { detail: { msg: string }[] };
const textOf = async (name: string) => textsOf(await readPrompt(me, name))[0];

describe('snippets that would contain each other', () => {
  it('are refused: a prompt in itself', async () => {
    await refuse('self', '@@@self@@@');
    await me.get(promptUrl('self'), 404);
    await publish('self', 'x', ['prod']);
    await refuse('self', 'a @@@self@@@');
    await refuse('self', 'a @@@self@version_number:2@@@');
    await refuse('self', 'a @@@self@label:prod@@@', ['prod']);
    expect(await textOf('self')).toBe('x');
  });

  it('are no circle when a version contains an older one of the same prompt', async () => {
    await publish('older', 'one', ['prod']);
    await publish('older', 'two @@@older@version_number:1@@@');
    expect(await textOf('older')).toBe('two one');
    await publish('older', 'three @@@older@label:prod@@@');
    expect(await textOf('older')).toBe('three one');
  });

  it('are refused over any distance, with the way they go', async () => {
    await publish('a', 'a');
    await publish('b', '@@@a@@@');
    await publish('c', '@@@b@@@');
    const { detail } = await refuse('a', '@@@c@@@');
    for (const name of ['a', 'b', 'c']) expect(detail[0]!.msg).toContain(name);
    expect(await textOf('c')).toBe('a');
    await publish('a', 'no reference');
    expect(await textOf('c')).toBe('no reference');
  });

  it('are refused in patches', async () => {
    await publish('patch a', 'a');
    await publish('patch b', '@@@patch a@@@');
    const content = [{ type: 'text', text: '@@@patch b@@@' }];
    await me.patch(promptUrl('patch a', PUBLISH), { content }, 422);
    expect(await textOf('patch b')).toBe('a');
  });

  it('are refused when a label is moved so that they would', async () => {
    const { id } = await publish('labelled', 'one', ['prod']);
    await publish('by label', '@@@labelled@label:prod@@@');
    await publish('labelled', 'two @@@by label@@@');
    expect(await textOf('labelled')).toBe('two one');
    const { release_labels: labels } = (await me.get(`${PROMPTS}/${id}/labels`)) as {
      release_labels: { release_label_id: number }[];
    };
    const url = `/prompt-labels/${labels[0]!.release_label_id}`;
    const refused = await me.patch(url, { prompt_version_number: 2 }, 422);
    expect(refused).toMatchObject({ detail: [{ msg: expect.stringContaining('by label') as string }] });
    await refuse('labelled', '@@@by label@@@', ['prod']);
    expect(await textOf('labelled')).toBe('two one');
    await me.delete(url, 204);
    await me.post(`/prompts/${id}/label`, { name: 'prod', prompt_version_number: 2 }, 422);
    await me.post(`/prompts/${id}/label`, { name: 'prod', prompt_version_number: 1 });
  });

  it('are refused when a deleted prompt comes back so that they would', async () => {
    const { id } = await publish('returning', 'x');
    await publish('waiting', '@@@returning@@@');
    await deletePrompt(me, id);
    await refuse('returning', '@@@waiting@@@');
    await publish('returning', 'fine');
    expect(await textOf('waiting')).toBe('fine');
  });

  it('are refused when a prompt gets the name of a deleted one so that they would', async () => {
    const { id } = await publish('old place', 'x');
    await publish('pointing', '@@@old place@@@');
    await deletePrompt(me, id);
    const url = `${PROMPTS}/by-external-id/names/circle`;
    await me.put(url, promptBody('newcomer', { text: '@@@pointing@@@' }), 201);
    await me.put(url, promptBody('old place', { text: '@@@pointing@@@' }), 422);
    await me.get(promptUrl('old place'), 404);
    await me.put(url, promptBody('old place', { text: 'fine' }), 200);
    expect(await textOf('pointing')).toBe('fine');
  });
});

describe('prompts that begin to contain each other at the same time', () => {
  it('do not both succeed, and reads never hang', async () => {
    for (let round = 0; round < 10; round++) {
      const names = ['x', 'y', 'z'].map((name) => `${name}${round}`);
      for (const name of names) await publish(name, 'start', ['prod']);
      const requests = names.map((name, index) => {
        const text = `@@@${names[(index + 1) % names.length]}@@@`;
        return me.request('POST', PUBLISH, promptBody(name, { text, labels: ['prod'] }));
      });
      const statuses = (await Promise.all(requests)).map(({ status }) => status).sort();
      expect(statuses).toEqual([201, 201, 422]);
      for (const name of names) expect(await textOf(name)).toBe('start');
    }
  });

  it('do not both succeed when one of them moves a label', async () => {
    for (let round = 0; round < 10; round++) {
      const [one, two] = [`label one ${round}`, `label two ${round}`];
      const { id } = await publish(one, 'start', ['prod']);
      await publish(two, 'start');
      await publish(one, `@@@${two}@@@`);
      const { release_labels: labels } = (await me.get(`${PROMPTS}/${id}/labels`)) as {
        release_labels: { release_label_id: number }[];
      };
      const answers = await Promise.all([
        me.request('PATCH', `/prompt-labels/${labels[0]!.release_label_id}`, { prompt_version_number: 2 }),
        me.request('POST', PUBLISH, promptBody(two, { text: `@@@${one}@label:prod@@@` })),
      ]);
      expect(answers.map(({ status }) => status).filter((status) => status === 422)).toHaveLength(1);
      for (const name of [one, two]) expect(await textOf(name)).toBe('start');
    }
  });
});

describe('snippets that multiply', () => {
  const TEN = 10;

  it('beyond all bounds are refused quickly, when they are published and when they are read', async () => {
    await publish('laugh 0', 'ha'.repeat(50));
    let refused = 0;
    for (let level = 1; level <= 12; level++) {
      const text = `@@@laugh ${level - 1}@@@`.repeat(TEN);
      const { status } = await me.request('POST', PUBLISH, promptBody(`laugh ${level}`, { text }));
      if (status === 201) continue;
      refused = level;
      expect([400, 422]).toContain(status);
      break;
    }
    expect(refused).toBeGreaterThan(2);
    await me.get(promptUrl(`laugh ${refused}`), 404);
    // A snippet further down that grows later makes those above too large to be read.
    const largest = `laugh ${refused - 1}`;
    await publish('laugh 0', 'ha'.repeat(50_000));
    expect(await me.get(promptUrl(largest), 400)).toMatchObject({ success: false, error: 'prompt_too_large' });
    expect(await me.post(promptUrl(largest), {}, 400)).toMatchObject({ error: 'prompt_too_large' });
    expect(await readPrompt(me, largest, '?resolve_snippets=false')).toMatchObject({ version: 1 });
  });

  it('without saying anything are read as well', async () => {
    await publish('quiet 0', '');
    for (let level = 1; level <= 40; level++) {
      await publish(`quiet ${level}`, `@@@quiet ${level - 1}@@@@@@quiet ${level - 1}@version_number:1@@@`);
    }
    expect(await textOf('quiet 40')).toBe('');
  });

  it('in a long chain still end', async () => {
    await publish('chain 0', 'end');
    for (let level = 1; level <= 150; level++) await publish(`chain ${level}`, `@@@chain ${level - 1}@@@`);
    expect(await textOf('chain 150')).toBe('end');
    expect((await readPrompt(me, 'chain 150')).snippets).toHaveLength(150);
    await refuse('chain 0', '@@@chain 150@@@');
  });
});
