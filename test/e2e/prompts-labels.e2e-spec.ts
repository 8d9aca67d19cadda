import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { every } from '../support/every.js';
import {
  clientOf,
  deletePrompt,
  labelsOf,
  promptUrl,
  type PublishedPrompt,
  publishPrompt,
  readPrompt,
} from '../support/prompts.js';
import { TestApp } from '../support/test-app.js';

interface Label {
  id: number;
  name: string;
  prompt_id: number;
  prompt_version_id: number;
  created_at: string;
}

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.start({ works: false });
  me = app.client;
});
afterAll(() => app.stop());

let one: PublishedPrompt;
let two: PublishedPrompt;
let count = 0;
/** Every test has a prompt with two versions. */
beforeEach(async () => {
  const name = `labelled ${count++}`;
  one = await publishPrompt(me, name);
  two = await publishPrompt(me, name);
});

const create = async (body: object, prompt = one.id) => (await me.post(`/prompts/${prompt}/label`, body)) as Label;
const refuse = (body: object, status: number, prompt: number | string = one.id) =>
  me.post(`/prompts/${prompt}/label`, body, status);
const move = async (label: Label, body: object) => (await me.patch(`/prompt-labels/${label.id}`, body)) as Label;
const prod = () => create({ name: 'prod', prompt_version_number: 1 });

describe('a release label', () => {
  it('is put on a version by number, by id or by both', async () => {
    expect(await prod()).toEqual({
      id: expect.any(Number),
      name: 'prod',
      prompt_id: one.id,
      prompt_version_id: one.prompt_version_id,
      prompt_version_number: 1,
      created_at: expect.stringMatching(/Z$/),
    });
    const byId = await create({ name: 'by id', prompt_version_id: two.prompt_version_id });
    expect(byId.prompt_version_id).toBe(two.prompt_version_id);
    await create({ name: 'by both', prompt_version_number: 2, prompt_version_id: two.prompt_version_id });
    await create({ name: 'by one', prompt_version_number: 2, prompt_version_id: null });
    expect(await labelsOf(me, one.id)).toEqual({ prod: 1, 'by id': 2, 'by both': 2, 'by one': 2 });
    expect((await readPrompt(me, one.id, '?label=prod')).version).toBe(1);
  });

  it('is listed with its version, by the name or the id of the prompt', async () => {
    expect(await me.get(`${promptUrl(one.id)}/labels`)).toEqual({ release_labels: [] });
    const label = await create({ name: 'prod', prompt_version_number: 2 });
    const expected = {
      release_labels: [
        {
          prompt_version_id: two.prompt_version_id,
          prompt_version_number: 2,
          release_label: 'prod',
          release_label_id: label.id,
        },
      ],
    };
    for (const identifier of [one.id, one.prompt_name]) {
      expect(await me.get(`${promptUrl(identifier)}/labels`)).toEqual(expected);
    }
    expect(await me.get(`${promptUrl('no such prompt')}/labels`, 404)).toMatchObject({ error: 'prompt_not_found' });
  });

  it('has a name of 1 to 255 characters without blanks around it, and letter case counts', async () => {
    expect((await create({ name: ' prod ', prompt_version_number: 1 })).name).toBe('prod');
    await create({ name: 'Prod', prompt_version_number: 2 });
    await create({ name: '🎉'.repeat(255), prompt_version_number: 1 });
    expect(await labelsOf(me, one.id)).toMatchObject({ prod: 1, Prod: 2 });
    await every(['', ' ', 'x'.repeat(256), 7, null, undefined], async (name) => {
      const { detail } = (await refuse({ name, prompt_version_number: 1 }, 422)) as { detail: object[] };
      expect(detail).toMatchObject([{ loc: ['body', 'name'] }]);
    });
  });

  it('is found in other code points, unless another label is spelled exactly so', async () => {
    const [composed, decomposed] = ['caf\u00e9', 'cafe\u0301'];
    const versionAt = async (label: string) =>
      (await readPrompt(me, one.id, `?label=${encodeURIComponent(label)}`)).version;
    await create({ name: composed, prompt_version_number: 1 });
    expect(await versionAt(decomposed)).toBe(1);
    await create({ name: decomposed, prompt_version_number: 2 });
    expect([await versionAt(composed), await versionAt(decomposed)]).toEqual([1, 2]);
    const listed = await me.get(`/prompt-templates?label=${encodeURIComponent(composed)}`);
    expect(listed).toMatchObject({ total: 1, items: [{ id: one.id, version: 1 }] });
  });

  it('exists once per prompt: a second one of its name is refused', async () => {
    await prod();
    for (const name of ['prod', ' prod ']) {
      for (const prompt_version_number of [1, 2]) {
        const answer = await refuse({ name, prompt_version_number }, 409);
        expect(answer).toMatchObject({ success: false, error: 'release_label_taken', message: expect.any(String) });
      }
    }
    expect(await labelsOf(me, one.id)).toEqual({ prod: 1 });
    const other = await publishPrompt(me, `${one.prompt_name} other`);
    await create({ name: 'prod', prompt_version_number: 1 }, other.id);
  });

  it('must be put on a version of a prompt of the workspace', async () => {
    const other = await publishPrompt(me, `${one.prompt_name} other`);
    const theirs = await publishPrompt(await app.stranger(), 'theirs');
    for (const body of [{ prompt_version_number: 3 }, { prompt_version_id: other.prompt_version_id }]) {
      const answer = await refuse({ name: 'prod', ...body }, 404);
      expect(answer).toMatchObject({ success: false, error: 'prompt_version_not_found' });
    }
    for (const prompt of [theirs.id, 2 ** 31 - 1]) {
      const answer = await refuse({ name: 'prod', prompt_version_number: 1 }, 404, prompt);
      expect(answer).toMatchObject({ success: false, error: 'prompt_not_found' });
    }
    for (const prompt of [0, 'x', one.prompt_name, 2 ** 31]) {
      await refuse({ name: 'prod', prompt_version_number: 1 }, 422, encodeURIComponent(prompt));
    }
    expect(await labelsOf(me, one.id)).toEqual({});
  });

  it('needs one version: none, or two that differ, is 422, for putting as for moving', async () => {
    const label = await prod();
    const bodies = [
      {},
      { prompt_version_number: null, prompt_version_id: null },
      { prompt_version_number: 1, prompt_version_id: two.prompt_version_id },
      { prompt_version_number: 2, prompt_version_id: one.prompt_version_id },
      { prompt_version_number: 0 },
      { prompt_version_number: '1' },
    ];
    await every(bodies, async (body) => {
      expect(await refuse({ name: 'new', ...body }, 422)).toMatchObject({
        detail: [{ loc: ['body', expect.any(String)] }],
      });
      const moved = await me.patch(`/prompt-labels/${label.id}`, body, 422);
      expect(moved).toMatchObject({ detail: [{ loc: ['body', expect.any(String)] }] });
    });
    expect(await labelsOf(me, one.id)).toEqual({ prod: 1 });
  });
});

describe('moving a release label', () => {
  it('puts it on another version of its prompt', async () => {
    const label = await prod();
    const moved = await move(label, { prompt_version_number: 2 });
    expect(moved).toEqual({ ...label, prompt_version_id: two.prompt_version_id, prompt_version_number: 2 });
    expect((await readPrompt(me, one.id, '?label=prod')).version).toBe(2);
    expect(await move(label, { prompt_version_id: one.prompt_version_id })).toEqual(label);
    expect(await move(label, { prompt_version_number: 1 })).toEqual(label);
    expect(await labelsOf(me, one.id)).toEqual({ prod: 1 });
  });

  it('finds neither foreign labels nor foreign versions', async () => {
    const label = await prod();
    const other = await publishPrompt(me, `${one.prompt_name} other`);
    const stranger = await app.stranger();
    for (const body of [{ prompt_version_number: 3 }, { prompt_version_id: other.prompt_version_id }]) {
      const answer = await me.patch(`/prompt-labels/${label.id}`, body, 404);
      expect(answer).toMatchObject({ error: 'prompt_version_not_found' });
    }
    const target = { prompt_version_number: 2 };
    expect(await stranger.patch(`/prompt-labels/${label.id}`, target, 404)).toMatchObject({
      success: false,
      error: 'release_label_not_found',
    });
    await me.patch(`/prompt-labels/${2 ** 31 - 1}`, target, 404);
    for (const id of ['0', 'x', 'prod']) await me.patch(`/prompt-labels/${id}`, target, 422);
    expect(await labelsOf(me, one.id)).toEqual({ prod: 1 });
  });
});

describe('deleting a release label', () => {
  it('answers 204 without a body; the version stays', async () => {
    const label = await prod();
    const answer = await me.request('DELETE', `/prompt-labels/${label.id}`);
    expect([answer.status, answer.bytes.length]).toEqual([204, 0]);
    expect(await labelsOf(me, one.id)).toEqual({});
    await me.get(`${promptUrl(one.id)}?label=prod`, 404);
    expect((await readPrompt(me, one.id, '?version=1')).version).toBe(1);
    await prod();
  });

  it('is 404 for deleted labels and for those of another workspace', async () => {
    const label = await prod();
    const stranger = await app.stranger();
    await stranger.delete(`/prompt-labels/${label.id}`, 404);
    await me.delete(`/prompt-labels/${label.id}`, 204);
    const refusal = { success: false, error: 'release_label_not_found' };
    expect(await me.delete(`/prompt-labels/${label.id}`, 404)).toMatchObject(refusal);
    expect(await me.patch(`/prompt-labels/${label.id}`, { prompt_version_number: 1 }, 404)).toMatchObject(refusal);
    await me.delete('/prompt-labels/x', 422);
  });
});

describe('the labels of a deleted prompt', () => {
  it('are gone, also for the prompt that gets its name', async () => {
    const label = await prod();
    await deletePrompt(me, one.id);
    await me.patch(`/prompt-labels/${label.id}`, { prompt_version_number: 2 }, 404);
    await me.delete(`/prompt-labels/${label.id}`, 404);
    await refuse({ name: 'new', prompt_version_number: 1 }, 404);
    const fresh = await publishPrompt(me, one.prompt_name);
    expect(await labelsOf(me, one.prompt_name)).toEqual({});
    expect((await create({ name: 'prod', prompt_version_number: 1 }, fresh.id)).id).not.toBe(label.id);
  });
});

describe('who may deploy', () => {
  it.each([
    ['admin', true],
    ['member', true],
    ['publisher', true],
    ['contributor', false],
    ['developer', false],
    ['viewer', false],
  ])('depends on the role: %s', async (role, may) => {
    const client = await clientOf(app, one.workspace_id, { role });
    const label = await prod();
    const target = { prompt_version_number: 2 };
    const attempts = [
      ['POST', `/prompts/${one.id}/label`, { name: 'new', ...target }, 200],
      ['PATCH', `/prompt-labels/${label.id}`, target, 200],
      ['DELETE', `/prompt-labels/${label.id}`, undefined, 204],
    ] as const;
    for (const [method, url, body, status] of attempts) {
      const answer = await client.request(method, url, body);
      expect([method, answer.status]).toEqual([method, may ? status : 403]);
      if (!may) {
        const message = expect.stringContaining('PROMPT_DEPLOY') as string;
        expect(answer.body).toEqual({ success: false, error: 'permission_missing', message });
      }
    }
    expect(await labelsOf(me, one.id)).toEqual(may ? { new: 2 } : { prod: 1 });
    // A missing label or prompt is reported before a missing permission.
    await client.delete(`/prompt-labels/${2 ** 31 - 1}`, 404);
    await client.post(`/prompts/${2 ** 31 - 1}/label`, { name: 'new', ...target }, 404);
  });
});

describe('requests at once', () => {
  it('create a label once', async () => {
    for (let round = 0; round < 10; round++) {
      const body = { name: `race ${round}`, prompt_version_number: 1 };
      const answers = await Promise.all([1, 2, 3].map(() => me.request('POST', `/prompts/${one.id}/label`, body)));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    }
    expect(Object.keys(await labelsOf(me, one.id))).toHaveLength(10);
  });

  it('that move and delete a label end in one of the two orders', async () => {
    for (let round = 0; round < 10; round++) {
      const label = await create({ name: 'raced', prompt_version_number: 1 });
      const [moved, deleted] = await Promise.all([
        me.request('PATCH', `/prompt-labels/${label.id}`, { prompt_version_number: 2 }),
        me.request('DELETE', `/prompt-labels/${label.id}`),
      ]);
      expect([200, 404]).toContain(moved.status);
      expect(deleted.status).toBe(204);
      expect(await labelsOf(me, one.id)).toEqual({});
    }
  });
});
