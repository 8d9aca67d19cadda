import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { clientOf } from '../support/prompts.js';
import { type Collection, createSkills, filesOf, pullSkills, saveSkills, SKILLS, skillUrl } from '../support/skills.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.own({ works: false });
  me = app.client;
});
afterAll(() => app.stop());

const managed = (id: string) => `/api/admin/v1/workspaces/1/skill-collections/${id}`;
const brief = (message: string) => ({ success: false, message: expect.stringContaining(message) });

describe('a skill collection', () => {
  it('is created with a first version, and read by its id, its name and its root path', async () => {
    const external_ids = [{ source: 'git', external_id: 'repo-1' }];
    const { skill_collection: collection, version } = await createSkills(
      me,
      'Support Skills',
      { 'greet/SKILL.md': '# Greet', 'CLAUDE.md': 'Be kind.' },
      { provider: 'claude_code', commit_message: 'first', description: 'For support.', external_ids },
    );
    expect(collection).toMatchObject({
      workspace_id: 1,
      folder_id: null,
      name: 'Support Skills',
      root_path: 'support-skills',
      provider: 'claude_code',
      description: 'For support.',
      is_deleted: false,
      external_ids,
    });
    expect(version).toMatchObject({
      skill_collection_id: collection.id,
      number: 1,
      root_path_at_version: 'support-skills',
      file_paths: ['CLAUDE.md', 'greet/SKILL.md'],
      commit_message: 'first',
      release_label: null,
      archived: false,
    });
    const read = await pullSkills(me, collection.id);
    expect(read).toMatchObject({
      success: true,
      files: { '.claude/CLAUDE.md': 'Be kind.', '.claude/skills/greet/SKILL.md': '# Greet' },
      version: { number: 1 },
    });
    expect(await pullSkills(me, 'Support Skills')).toEqual(read);
    expect(await pullSkills(me, 'support-skills', '?format=json')).toEqual(read);
    expect(await pullSkills(me, collection.id.toUpperCase())).toEqual(read);
  });

  it('has no version while it has no files', async () => {
    const { skill_collection: collection, version } = await createSkills(me, 'empty');
    expect(version).toBeNull();
    expect(await pullSkills(me, 'empty')).toMatchObject({ version: null, files: {} });
    await me.get(`${skillUrl('empty')}?version=1`, 404);
    expect(await saveSkills(me, collection.id, { file_updates: filesOf({ 'a.md': 'x' }) })).toMatchObject({
      number: 1,
    });
  });

  it('gets a name and a root path of its own, also when many are created at once', async () => {
    const names = ['twin', 'twin', 'Twin', ' twin ', 'twin'];
    const created = await Promise.all(names.map((name) => createSkills(me, name)));
    const collections = created.map(({ skill_collection: collection }) => collection);
    expect(new Set(collections.map(({ name }) => name)).size).toBe(5);
    expect(new Set(collections.map(({ root_path }) => root_path)).size).toBe(5);
    expect(collections.map(({ name }) => name).sort()).toEqual(['Twin', 'twin', 'twin (2)', 'twin (3)', 'twin (4)']);
    const long = 'x'.repeat(255);
    await createSkills(me, long);
    const { skill_collection: second } = await createSkills(me, long);
    expect([second.name.length, second.name.endsWith(' (2)')]).toEqual([255, true]);
  });

  it('is found by its id before a name, and by a name before a root path', async () => {
    const { skill_collection: one } = await createSkills(me, 'Known By Path');
    const { skill_collection: two } = await createSkills(me, 'known-by-path');
    expect((await pullSkills(me, 'known-by-path')).skill_collection.id).toBe(two.id);
    const { skill_collection: three } = await createSkills(me, one.id);
    expect((await pullSkills(me, one.id)).skill_collection.id).toBe(one.id);
    await me.delete(managed(one.id));
    expect((await pullSkills(me, one.id)).skill_collection.id).toBe(three.id);
    // The routes that take ids alone do not mean a collection that is called like one.
    await me.delete(managed(one.id), 404);
    const { skill_collection: numeric } = await createSkills(me, '12345');
    expect((await pullSkills(me, '12345')).skill_collection.id).toBe(numeric.id);
    const { skill_collection: odd } = await createSkills(me, 'ü 日本 100%?#&');
    expect((await pullSkills(me, 'ü 日本 100%?#&')).skill_collection.id).toBe(odd.id);
    expect((await pullSkills(me, odd.root_path)).skill_collection.id).toBe(odd.id);
    expect(await me.get(skillUrl('nowhere'), 404)).toEqual(brief('nowhere'));
  });

  it('is renamed to a name of its own, and described', async () => {
    await createSkills(me, 'occupied');
    const { skill_collection: collection } = await createSkills(me, 'to be renamed', { 'a.md': '' });
    const rename = async (body: object) =>
      ((await me.patch(skillUrl(collection.id), body)) as { skill_collection: Collection }).skill_collection;
    expect(await rename({ name: 'occupied' })).toMatchObject({ name: 'occupied (2)', root_path: 'occupied-2' });
    expect(await rename({ name: 'Renamed' })).toMatchObject({ name: 'Renamed', root_path: 'renamed' });
    expect(await rename({ name: 'Renamed' })).toMatchObject({ name: 'Renamed' });
    expect(await rename({ name: null, description: 'New' })).toMatchObject({ name: 'Renamed', description: 'New' });
    expect(await rename({ description: '' })).toMatchObject({ description: null });
    expect(await rename({})).toMatchObject({ name: 'Renamed' });
    await me.get(skillUrl('to be renamed'), 404);
    const { version } = await pullSkills(me, 'renamed');
    expect(version!.root_path_at_version).toBe('to-be-renamed');
    expect(await saveSkills(me, 'renamed', { commit_message: 'x' })).toMatchObject({ root_path_at_version: 'renamed' });
  });

  it.each(['a/b', 'a\\b', '..', '.', 'a\0b', 'a\nb'])('cannot be called %j', async (name) => {
    expect(await me.post(SKILLS, { name }, 400)).toEqual(brief('name'));
    const { skill_collection: collection } = await createSkills(me, 'well called');
    expect(await me.patch(skillUrl(collection.id), { name }, 400)).toEqual(brief('name'));
  });

  it.each([
    [{}],
    [{ name: null }],
    [{ name: '' }],
    [{ name: ' ' }],
    [{ name: 7 }],
    [{ name: 'x'.repeat(256) }],
    [{ name: 'x', files: {} }],
    [{ name: 'x', files: ['a'] }],
    [{ name: 'x', files: [{}] }],
    [{ name: 'x', files: [{ path: 7 }] }],
    [{ name: 'x', files: [{ path: 'a', content: 7 }] }],
    [{ name: 'x', provider: 7 }],
    [{ name: 'x', folder_id: 'y' }],
    [{ name: 'x', external_ids: [{ source: 'a', external_id: 'b', more: 1 }] }],
  ])('is refused: %j', async (body) => {
    await me.post(SKILLS, body, 422);
  });

  it('is created whole or not at all', async () => {
    const external_ids = [{ source: 'git', external_id: 'taken' }];
    await createSkills(me, 'holder', {}, { external_ids });
    const files = filesOf({ 'a.md': 'x' });
    expect(await me.post(SKILLS, { name: 'second', files, external_ids }, 409)).toEqual(brief('git/taken'));
    expect(await me.post(SKILLS, { name: 'second', files, folder_id: 999_999 }, 404)).toEqual(brief('999999'));
    expect(await me.post(SKILLS, { name: 'second', files: filesOf({ '../a': '' }) }, 400)).toEqual(brief('../a'));
    expect(await me.post(SKILLS, { name: 'second', workspace_id: 999 }, 403)).toEqual(brief('workspace_id'));
    await me.get(skillUrl('second'), 404);
    await createSkills(me, 'second', {}, { workspace_id: 1 });
    await me.get(`${skillUrl('second')}?workspace_id=1`);
    await me.get(`${skillUrl('second')}?workspace_id=2`, 403);
    await me.get(`${SKILLS}?workspace_id=2`, 403);
  });

  it('is created once for one Idempotency-Key', async () => {
    const client = me.with({ 'idempotency-key': 'skills-once' });
    const first = await createSkills(client, 'once', { 'a.md': 'x' });
    expect(await createSkills(client, 'once', { 'a.md': 'x' })).toEqual(first);
  });
});

describe('the provider of a collection', () => {
  it.each([
    [{ '.claude/skills/a/SKILL.md': 'x' }, undefined, 'claude_code', ['a/SKILL.md']],
    [{ '.agents/AGENTS.md': 'x' }, undefined, 'openai', ['AGENTS.md']],
    [{ '.openclaw/workspace/skills/a/SKILL.md': 'x' }, undefined, 'openclaw', ['workspace/skills/a/SKILL.md']],
    [{ 'a/SKILL.md': 'x' }, undefined, null, ['a/SKILL.md']],
    [{ '.claude/a': 'x' }, 'universal', null, ['.claude/a']],
    [{ 'a/SKILL.md': 'x' }, 'codex', 'openai', ['a/SKILL.md']],
    [{ 'a/SKILL.md': 'x' }, 'claude', 'claude_code', ['a/SKILL.md']],
    [{ 'a/SKILL.md': 'x' }, null, null, ['a/SKILL.md']],
  ] as [Record<string, string>, string | null | undefined, string | null, string[]][])(
    'of %j, sent as %s, is %s',
    async (files, sent, provider, paths) => {
      const { skill_collection: collection, version } = await createSkills(me, 'whose', files, { provider: sent });
      expect([collection.provider, version!.provider, version!.file_paths]).toEqual([provider, provider, paths]);
    },
  );

  it.each(['vscode', '', 'constructor', 'x'.repeat(100)])('cannot be %s', async (provider) => {
    expect(await me.post(SKILLS, { name: 'x', provider }, 400)).toEqual(brief('provider'));
  });

  it('can change with a version, and versions remember theirs', async () => {
    const { skill_collection: collection } = await createSkills(me, 'changing', { '.claude/skills/a/SKILL.md': 'x' });
    expect(await saveSkills(me, collection.id, { provider: 'openai' })).toMatchObject({
      number: 2,
      provider: 'openai',
    });
    expect(Object.keys((await pullSkills(me, collection.id)).files)).toEqual(['.agents/skills/a/SKILL.md']);
    expect(Object.keys((await pullSkills(me, collection.id, '?version=1')).files)).toEqual([
      '.claude/skills/a/SKILL.md',
    ]);
    expect(await saveSkills(me, collection.id, { provider: 'universal' })).toMatchObject({ provider: null });
    expect((await pullSkills(me, collection.id)).skill_collection.provider).toBeNull();
    expect(await saveSkills(me, collection.id, { commit_message: 'kept' })).toMatchObject({ provider: null });
  });
});

describe('the list of collections', () => {
  it('shows the newest first, and can be sorted and filtered', async () => {
    const stranger = await app.stranger();
    const list = async (query = '') =>
      ((await stranger.get(SKILLS + query)) as { skill_collections: Collection[] }).skill_collections.map(
        ({ name }) => name,
      );
    for (const name of ['b', 'a', 'c'])
      await createSkills(stranger, name, {}, { external_ids: [{ source: 's', external_id: name }] });
    expect(await list()).toEqual(['c', 'a', 'b']);
    expect(await list('?sort_by=name&sort_order=asc')).toEqual(['a', 'b', 'c']);
    await saveSkills(stranger, 'b', { commit_message: 'x' });
    expect((await list('?sort_by=updated_at'))[0]).toBe('b');
    expect(await list('?external_source=s&external_id=a')).toEqual(['a']);
    expect(await list('?created_before=2000-01-01')).toEqual([]);
    await stranger.get(`${SKILLS}?external_id=a`, 422);
    expect(await me.get(SKILLS)).not.toMatchObject({ skill_collections: expect.arrayContaining([{ name: 'c' }]) });
    await me.get(skillUrl('c'), 404);
  });
});

describe('external ids of a collection', () => {
  it('are attached, listed and detached, and set free when it is deleted', async () => {
    const { skill_collection: collection } = await createSkills(me, 'with ids');
    const url = `${SKILLS}/${collection.id}/external-ids`;
    const pair = { source: 'git', external_id: 'a/b' };
    await me.post(url, pair, 201);
    expect(await me.get(url)).toEqual({ success: true, external_ids: [pair] });
    expect((await pullSkills(me, collection.id)).skill_collection).toMatchObject({ external_ids: [pair] });
    await me.delete(`${url}/git/a%2Fb`);
    await me.post(url, pair, 201);
    await me.delete(managed(collection.id));
    await me.get(url, 404);
    await createSkills(me, 'with freed ids', {}, { external_ids: [pair] });
  });
});

describe('the plan of a workspace', () => {
  it('limits its collections and their files', async () => {
    const operator = app.operator();
    const { workspace } = (await operator.post('/api/admin/v1/workspaces', { name: 'Small' }, 201)) as {
      workspace: { id: number; plan: string };
    };
    expect(workspace.plan).toBe('team');
    const url = `/api/admin/v1/workspaces/${workspace.id}`;
    const client = await clientOf(app, workspace.id, { role: 'admin' });
    const files = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, `${n}`] as const));
    expect(await operator.patch(url, { plan: 'free' })).toMatchObject({ workspace: { name: 'Small', plan: 'free' } });
    await operator.patch(url, { plan: 'gold' }, 422);
    await client.patch(url, { plan: 'team' }, 401);

    expect(await client.post(SKILLS, { name: 'x', files: filesOf(files(31)) }, 403)).toEqual(brief('30'));
    const { skill_collection: first } = await createSkills(client, 'first', files(30));
    expect(await client.post(SKILLS, { name: 'y' }, 403)).toEqual(brief('free'));
    expect(await client.post(`${skillUrl(first.id)}/versions`, { file_updates: filesOf({ more: '' }) }, 403)).toEqual(
      brief('31'),
    );
    await saveSkills(client, first.id, { deletes: ['f0'], file_updates: filesOf({ more: '' }) });

    await operator.patch(url, { plan: 'pro' });
    const answers = await Promise.all(
      ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => client.request('POST', SKILLS, { name })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, 201, 403, 403]);
    await saveSkills(client, first.id, { file_updates: filesOf(files(50)), deletes: ['more'] });
    await client.delete(`${url}/skill-collections/${first.id}`);
    await createSkills(client, 'in its place', files(50));

    await operator.patch(url, { plan: 'team', name: 'Larger' });
    await createSkills(client, 'large', files(100));
    expect(await client.post(SKILLS, { name: 'too large', files: filesOf(files(101)) }, 403)).toEqual(brief('100'));
  });

  it('never allows a file of more than 5 MiB', async () => {
    const content = 'x'.repeat(5 * 1024 * 1024);
    await createSkills(me, 'large file', { 'large.md': content });
    expect((await pullSkills(me, 'large file')).files['large.md']).toBe(content);
    expect(await me.post(SKILLS, { name: 'y', files: filesOf({ 'large.md': `${content}x` }) }, 400)).toEqual(
      brief('large.md'),
    );
    expect(await me.post(SKILLS, { name: 'y', files: filesOf({ 'large.md': `${content.slice(1)}ü` }) }, 400)).toEqual(
      brief('large.md'),
    );
  });
});

describe('what a key may do with collections', () => {
  const ROLES: [role: string, edit: boolean, deploy: boolean][] = [
    ['member', true, true],
    ['contributor', true, false],
    ['publisher', false, true],
    ['viewer', false, false],
  ];
  it.each(ROLES)('depends on its role: %s', async (role, edit, deploy) => {
    const client = await clientOf(app, 1, { role });
    const status = (allowed: boolean, success: number) => (allowed ? success : 403);
    const { skill_collection: collection } = await createSkills(me, `for ${role}`, { a: 'x' });
    const url = skillUrl(collection.id);
    await client.get(url);
    await client.post(SKILLS, { name: `of ${role}` }, status(edit, 201));
    await client.patch(url, { description: 'x' }, status(edit, 200));
    await client.post(`${url}/versions`, { commit_message: 'x' }, status(edit, 201));
    await client.post(`${url}/versions`, { release_label: 'x' }, status(edit && deploy, 201));
    await client.post(`${managed(collection.id)}/versions/1/restore`, undefined, status(edit, 201));
    await client.delete(managed(collection.id), status(edit, 200));
  });
});

describe('what happens to a collection', () => {
  interface Event {
    event_type: string;
    details: { source: string; affected_paths: string[]; version_number: number; skill_collection_id: string };
  }

  it('is announced and recorded', async () => {
    const { skill_collection: collection } = await createSkills(me, 'announced', {
      '.claude/skills/a/SKILL.md': 'A',
      '.claude/b': 'B',
    });
    const { id } = collection;
    await saveSkills(me, id, {
      moves: [{ from: 'a/SKILL.md', to: 'c/SKILL.md' }],
      file_updates: filesOf({ b: 'B', new: 'N' }),
    });
    await me.post(`${managed(id)}/versions/1/restore`, undefined, 201);
    await me.delete(managed(id));
    const { data } = (await me.get('/api/admin/v1/workspaces/1/events?order=desc&limit=100')) as { data: Event[] };
    const news = data.filter(({ details }) => details.skill_collection_id === id).toReversed();
    expect(news.map(({ event_type }) => event_type)).toEqual(Array(4).fill('skill_collection_files_changed'));
    expect(news.map(({ details }) => [details.source, details.version_number, details.affected_paths])).toEqual([
      ['collection_created', 1, ['a/SKILL.md', 'b']],
      ['version_save', 2, ['a/SKILL.md', 'c/SKILL.md', 'new']],
      ['version_restored', 3, ['a/SKILL.md', 'c/SKILL.md', 'new']],
      ['collection_deleted', 3, ['a/SKILL.md', 'b']],
    ]);
    const { data: entries } = (await me.get(`/api/admin/v1/workspaces/1/audit-entries?entity_id=${id}`)) as {
      data: { action: string }[];
    };
    expect(entries.map(({ action }) => action.split('.')[1]).toReversed()).toEqual([
      'create',
      'save_version',
      'restore_version',
      'delete',
    ]);
  });
});

describe('a collection in a folder', () => {
  const FOLDERS = '/api/public/v2/folders';
  const ENTITIES = `${FOLDERS}/entities`;
  const newFolder = async (body: object) =>
    ((await me.post(FOLDERS, body, 201)) as { folder: { id: number } }).folder.id;

  it('is not listed there, keeps it from being deleted alone, and goes with it', async () => {
    const above = await newFolder({ name: 'above skills' });
    const folder_id = await newFolder({ name: 'with skills', parent_id: above });
    const { skill_collection: collection } = await createSkills(me, 'in a folder', { a: 'x' }, { folder_id });
    expect(collection.folder_id).toBe(folder_id);
    expect(await me.get(`${ENTITIES}?folder_id=${folder_id}&flatten=true`)).toEqual({ entities: [] });
    const body = { entities: [{ id: folder_id, type: 'FOLDER' }] };
    expect(await me.delete(ENTITIES, 400, body)).toMatchObject({ error: 'folder_not_empty' });
    const whole = { entities: [{ id: above, type: 'FOLDER' }], cascade: true };
    expect(await me.delete(ENTITIES, 200, whole)).toEqual({ moved_count: 3 });
    await me.get(skillUrl(collection.id), 404);
    await me.get(skillUrl('in a folder'), 404);
    await createSkills(me, 'in a folder');
  });

  it('cannot be named as an entity of the folder', async () => {
    const { skill_collection: collection } = await createSkills(me, 'no entity');
    await me.delete(ENTITIES, 422, { entities: [{ id: collection.id, type: 'SKILL_COLLECTION' }] });
    await me.delete(ENTITIES, 404, { entities: [{ id: collection.id, type: 'TABLE' }] });
  });
});
