import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { every } from '../support/every.js';
import {
  clientOf,
  labelsOf,
  patchPrompt,
  promptBody,
  type PromptOptions,
  PROMPTS,
  promptUrl,
  type PublishedPrompt,
  PUBLISH,
  publishPrompt,
  readPrompt,
} from '../support/prompts.js';
import { TestApp } from '../support/test-app.js';

const ENTITIES = '/api/public/v2/folders/entities';

let app: TestApp;
let me: Client;
let workspace: number;
const withRole = (role: string) => clientOf(app, workspace, { role });
beforeAll(async () => {
  app = await TestApp.start({ works: false });
  me = app.client;
  ({ workspace_id: workspace } = await publishPrompt(me, 'existing', { labels: ['prod'] }));
});
afterAll(() => app.stop());

const refusal = (permission: string) => ({
  success: false,
  error: 'permission_missing',
  message: expect.stringContaining(permission) as string,
});

describe('who may publish', () => {
  const ROLES: [role: string, may: { create: boolean; edit: boolean; deploy: boolean }][] = [
    ['admin', { create: true, edit: true, deploy: true }],
    ['member', { create: true, edit: true, deploy: true }],
    ['contributor', { create: true, edit: true, deploy: false }],
    ['publisher', { create: false, edit: false, deploy: true }],
    ['approver', { create: false, edit: false, deploy: false }],
    ['developer', { create: false, edit: false, deploy: false }],
    ['viewer', { create: false, edit: false, deploy: false }],
  ];

  it.each(ROLES)('depends on the role: %s', async (role, may) => {
    const client = await withRole(role);
    const name = `by ${role}`;
    const attempt = async (permitted: boolean, target: string, permission: string, options: PromptOptions = {}) => {
      const answer = await client.request('POST', PUBLISH, promptBody(target, options));
      expect([target, answer.status]).toEqual([target, permitted ? 201 : 403]);
      if (!permitted) expect(answer.body).toEqual(refusal(permission));
    };
    await attempt(may.create, name, 'PROMPT_CREATE');
    await me.get(promptUrl(name), may.create ? 200 : 404);
    await attempt(may.edit, 'existing', 'PROMPT_EDIT');
    const missing = (other: string) => (may.create || may.edit ? 'PROMPT_DEPLOY' : other);
    const labels = { labels: ['canary'] };
    await attempt(may.create && may.deploy, `${name} labelled`, missing('PROMPT_CREATE'), labels);
    await me.get(promptUrl(`${name} labelled`), may.create && may.deploy ? 200 : 404);
    await attempt(may.edit && may.deploy, 'existing', missing('PROMPT_EDIT'), labels);
  });

  it.each(ROLES)('depends on the role for patches, too: %s', async (role, may) => {
    const client = await withRole(role);
    const attempt = async (permitted: boolean, body: object, permission: string) => {
      const { version } = await readPrompt(me, 'existing');
      const answer = await client.request('PATCH', promptUrl('existing', PUBLISH), body);
      expect(answer.status).toBe(permitted ? 201 : 403);
      if (!permitted) expect(answer.body).toEqual(refusal(permission));
      expect((await readPrompt(me, 'existing')).version).toBe(permitted ? version + 1 : version);
    };
    await attempt(may.edit, {}, 'PROMPT_EDIT');
    const permission = may.edit ? 'PROMPT_DEPLOY' : 'PROMPT_EDIT';
    await attempt(may.edit && may.deploy, { release_labels: ['canary'] }, permission);
    // A missing prompt is reported before a missing permission, and conflicts with the version after it.
    await client.patch(promptUrl('no such prompt', PUBLISH), {}, 404);
    await client.patch(promptUrl('existing', PUBLISH), { content: [] }, may.edit ? 400 : 403);
    const ambiguous = { version: 1, label: 'prod' };
    await client.patch(promptUrl('no such prompt', PUBLISH), ambiguous, 404);
    await client.patch(promptUrl('existing', PUBLISH), ambiguous, may.edit ? 400 : 403);
  });

  it.each(ROLES)('depends on the role for upserts, too: %s', async (role, may) => {
    const client = await withRole(role);
    const url = `${PROMPTS}/by-external-id/roles/${role}`;
    const answer = await client.request('PUT', url, promptBody(`upsert by ${role}`));
    expect(answer.status).toBe(may.create ? 201 : 403);
    await me.put(url, promptBody(`upsert by ${role}`), may.create ? 200 : 201);
    const again = await client.request('PUT', url, promptBody(`upsert by ${role}`));
    expect(again.status).toBe(may.edit ? 200 : 403);
    if (!may.edit) expect(again.body).toMatchObject({ message: expect.stringContaining('PROMPT_EDIT') as string });
  });

  it.each(ROLES)('is not asked of those who read: %s', async (role) => {
    const client = await withRole(role);
    await readPrompt(client, 'existing');
    await client.get(PROMPTS);
    await client.post(promptUrl('existing'));
    expect(await labelsOf(client, 'existing')).toMatchObject({ prod: 1 });
    await client.get(`${promptUrl('existing')}/snippet-usage`);
  });

  it('needs a key, for reads as well', async () => {
    const nobody = app.clientWith(null);
    const routes = [
      ['GET', PROMPTS],
      ['GET', '/v1/prompt-templates'],
      ['GET', promptUrl('existing')],
      ['POST', promptUrl('existing')],
      ['GET', `${promptUrl('existing')}/labels`],
      ['GET', `${promptUrl('existing')}/snippet-usage`],
      ['POST', PUBLISH],
      ['PATCH', promptUrl('existing', PUBLISH)],
      ['PUT', `${PROMPTS}/by-external-id/a/b`],
      ['POST', '/prompts/1/label'],
      ['PATCH', '/prompt-labels/1'],
      ['DELETE', '/prompt-labels/1'],
    ] as const;
    await every(routes, async ([method, url]) => {
      const payload = method === 'GET' || method === 'DELETE' ? undefined : {};
      expect([method, url, (await nobody.request(method, url, payload)).status]).toEqual([method, url, 401]);
    });
  });

  it('may not always delete: that takes a permission of its own', async () => {
    const { id } = await publishPrompt(me, 'protected');
    const entities = [{ id, type: 'PROMPT' }];
    for (const role of ['publisher', 'viewer']) {
      expect(await (await withRole(role)).delete(ENTITIES, 403, { entities })).toEqual(refusal('PROMPT_DELETE'));
    }
    await (await withRole('contributor')).delete(ENTITIES, 200, { entities });
    await me.get(promptUrl('protected'), 404);
  });
});

describe('the workspace of a publication', () => {
  const publishIn = async (workspace_id: number | null, status: number) => {
    const body = promptBody('placed') as { prompt_template: object };
    return me.post(PUBLISH, { ...body, prompt_template: { ...body.prompt_template, workspace_id } }, status);
  };

  it('is that of the key, and naming another one is refused', async () => {
    const theirs = (await publishPrompt(await app.stranger(), 'placed')).workspace_id;
    for (const other of [theirs, 2 ** 31 - 1]) {
      expect(await publishIn(other, 403)).toMatchObject({ success: false, message: expect.any(String) });
    }
    await me.get(promptUrl('placed'), 404);
    expect(await publishIn(workspace, 201)).toMatchObject({ workspace_id: workspace, version_number: 1 });
    expect(await publishIn(null, 201)).toMatchObject({ workspace_id: workspace, version_number: 2 });
  });

  it('shares no names with others', async () => {
    const stranger = await app.stranger();
    const mine = await publishPrompt(me, 'shared name');
    const theirs = await publishPrompt(stranger, 'shared name');
    expect(theirs).toMatchObject({ version_number: 1 });
    expect(theirs.id).not.toBe(mine.id);
    await stranger.patch(promptUrl(mine.id, PUBLISH), {}, 404);
    await stranger.post(promptUrl(mine.id), undefined, 404);
  });
});

describe('publications at once', () => {
  it('under one new name create one prompt with versions without gaps', async () => {
    const numbers = Array.from({ length: 20 }, (_, index) => index + 1);
    const published = await Promise.all(
      numbers.map((n) => publishPrompt(me, 'first of all', { message: `message ${n}` })),
    );
    expect(published.map(({ version_number }) => version_number).sort((a, b) => a - b)).toEqual(numbers);
    expect(new Set(published.map(({ id }) => id)).size).toBe(1);
    // Each version says what its own publisher sent.
    for (const { version_number: version, prompt_template: template } of published) {
      expect((await readPrompt(me, 'first of all', `?version=${version}`)).prompt_template).toEqual(template);
    }
    expect(await me.get(`${PROMPTS}?name=first%20of%20all`)).toMatchObject({ total: 1, items: [{ version: 20 }] });
  });

  it('that move one label leave it on one of their versions', async () => {
    await Promise.all(Array.from({ length: 10 }, () => publishPrompt(me, 'label race', { labels: ['prod', 'live'] })));
    const { prod, live } = await labelsOf(me, 'label race');
    // Publications take turns, so the last one has both.
    expect([prod, live]).toEqual([10, 10]);
  });

  it('and patches of one prompt take turns', async () => {
    await publishPrompt(me, 'mixed');
    const publish = (): Promise<PublishedPrompt> => publishPrompt(me, 'mixed');
    const patch = () => patchPrompt(me, 'mixed', { commit_message: 'patched' });
    const upsert = async () =>
      (await me.put(`${PROMPTS}/by-external-id/race/mixed`, promptBody('mixed'))) as PublishedPrompt;
    const turns = Array.from({ length: 8 }, () => [publish(), patch(), upsert()]).flat();
    const versions = (await Promise.all(turns)).map(({ version_number }) => version_number);
    expect(versions.sort((a, b) => a - b)).toEqual(Array.from({ length: 24 }, (_, index) => index + 2));
  });

  it('with a deletion of the prompt end in one of the two orders', async () => {
    for (let round = 0; round < 10; round++) {
      const name = `deleted meanwhile ${round}`;
      const { id } = await publishPrompt(me, name);
      const [published] = await Promise.all([
        publishPrompt(me, name, { labels: ['prod'] }),
        me.delete(ENTITIES, 200, { entities: [{ id, type: 'PROMPT' }] }),
      ]);
      const left = await me.request('GET', promptUrl(name));
      if (published.id === id) expect([left.status, published.version_number]).toEqual([404, 2]);
      else expect([left.status, published.version_number]).toEqual([200, 1]);
    }
  });
});

describe('an Idempotency-Key', () => {
  it('makes a repeated publication give the first answer', async () => {
    const careful = me.with({ 'idempotency-key': 'publish-once' });
    const first = await publishPrompt(careful, 'once', { labels: ['prod'] });
    expect(await publishPrompt(careful, 'once', { labels: ['prod'] })).toEqual(first);
    expect((await readPrompt(me, 'once')).version).toBe(1);
    expect(await careful.post(PUBLISH, promptBody('something else'), 400)).toMatchObject({
      error: 'idempotency_key_reused',
    });
  });

  it('does not store a rejection: the corrected request is published', async () => {
    const careful = me.with({ 'idempotency-key': 'mended' });
    await careful.post(PUBLISH, promptBody('mended', { text: '@@@missing snippet@@@' }), 422);
    await publishPrompt(me, 'missing snippet', { text: 'found' });
    expect(await publishPrompt(careful, 'mended', { text: '@@@missing snippet@@@' })).toMatchObject({
      version_number: 1,
    });
  });
});
