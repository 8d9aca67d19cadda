import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { clientOf } from '../support/prompts.js';
import {
  type Collection,
  createSkills,
  filesOf,
  pullSkills,
  saveSkills,
  sendForm,
  sendZip,
  SKILLS,
  skillUrl,
  type Version,
  zipOf,
} from '../support/skills.js';
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

describe('a version', () => {
  const start = async (name: string) =>
    (await createSkills(me, name, { 'a/SKILL.md': 'A', 'b/SKILL.md': 'B', d: 'D' }, { provider: 'claude_code' }))
      .skill_collection.id;

  it('carries forward what is not mentioned: moves come first, then deletions, then what is written', async () => {
    const id = await start('order of changes');
    const version = await saveSkills(me, id, {
      file_updates: [{ path: 'b/SKILL.md', content: '# b' }, { path: 'new' }],
      moves: [{ old_path: 'a/SKILL.md', new_path: 'c/SKILL.md' }],
      deletes: ['d'],
      commit_message: 'm',
      release_label: 'prod',
    });
    expect(version).toMatchObject({
      number: 2,
      file_paths: ['b/SKILL.md', 'c/SKILL.md', 'new'],
      commit_message: 'm',
      release_label: 'prod',
    });
    expect((await pullSkills(me, id)).files).toEqual({
      '.claude/skills/b/SKILL.md': '# b',
      '.claude/skills/c/SKILL.md': 'A',
      '.claude/new': '',
    });
    expect((await pullSkills(me, id, '?version=1')).files).toEqual({
      '.claude/skills/a/SKILL.md': 'A',
      '.claude/skills/b/SKILL.md': 'B',
      '.claude/d': 'D',
    });
  });

  it.each(['.git/hooks/x', 'a/.Git./x', '~/x', 'a\u202eb', 'a/\u200bb', 'a /b', 'b.', 'nul', 'D', 'a/skill.md'])(
    'is refused with the new path %j, whichever way it comes',
    async (path) => {
      const id = await start(`new path`);
      const url = `${skillUrl(id)}/versions`;
      const before = (await pullSkills(me, id)).files;
      for (const body of [
        { file_updates: [{ path }] },
        { file_updates: [{ path: `.claude/${path}` }] },
        { moves: [{ old_path: 'b/SKILL.md', new_path: path }] },
      ])
        await me.post(url, body, 400);
      const form = [{ name: 'metadata', content: JSON.stringify({ file_updates: [{ path }] }) }];
      expect((await sendForm(me, url, form)).status).toBe(400);
      for (const archive of [{ [path]: 'x' }, { [`wrapped/${path}`]: 'x', 'wrapped/y': 'y' }])
        expect((await sendZip(me, url, zipOf(archive))).status).toBe(400);
      expect((await pullSkills(me, id)).files).toEqual(before);
    },
  );

  it('goes on with files that are at paths which no new file can have', async () => {
    const id = await start('old paths');
    await app.sql(
      `UPDATE skill_versions SET files = replace(replace(files::text, '"d"', '"A/.git/x"'), 'b/SKILL.md', 'A/SKILL.md')::jsonb
        WHERE collection_id = $1`,
      [id],
    );
    const old = { '.claude/skills/a/SKILL.md': 'A', '.claude/skills/A/SKILL.md': 'B', '.claude/skills/A/.git/x': 'D' };
    expect((await pullSkills(me, id)).files).toEqual(old);
    await saveSkills(me, id, { file_updates: [{ path: 'new', content: 'N' }] });
    expect((await pullSkills(me, id)).files).toEqual({ ...old, '.claude/new': 'N' });
    const changes = { moves: [{ from: 'A/.git/x', to: 'x' }], deletes: ['A/SKILL.md'] };
    expect((await saveSkills(me, id, changes)).file_paths).toEqual(['a/SKILL.md', 'new', 'x']);
    await me.post(`${managed(id)}/versions/1/restore`, undefined, 201);
  });

  it('takes moves in the words of other clients, and the paths that readers see', async () => {
    const id = await start('words');
    const moves = [{ from: '.claude/skills/a/SKILL.md', to: '.claude/skills/z/SKILL.md' }];
    const version = await saveSkills(me, id, { moves, deletes: ['.claude/d', '.claude/skills/b'] });
    expect(version.file_paths).toEqual(['z/SKILL.md']);
  });

  it.each([
    [{ moves: [{ old_path: 'nothing', new_path: 'x' }] }, 400],
    [{ deletes: ['nothing'] }, 400],
    [{ moves: [{ old_path: 'a/SKILL.md', new_path: 'b/SKILL.md' }] }, 400],
    [{ moves: [{ old_path: 'a/SKILL.md', new_path: '../x' }] }, 400],
    [{ file_updates: [{ path: '/etc/passwd' }] }, 400],
    [{ file_updates: [{ path: 'a\\b' }] }, 400],
    [{ file_updates: [{ path: 'a\0b' }] }, 400],
    [{ file_updates: [{ path: '' }] }, 400],
    [{ file_updates: [{ path: 'x' }, { path: 'x' }] }, 400],
    [{ file_updates: [{ path: 'x' }, { path: '.claude/x' }] }, 400],
    [{ file_updates: [{ path: 'a/SKILL.md/below' }] }, 400],
    [{ provider: 'vscode' }, 400],
    [{ moves: [{ old_path: 'a/SKILL.md' }] }, 422],
    [{ moves: [{}] }, 422],
    [{ moves: ['a'] }, 422],
    [{ deletes: [7] }, 422],
    [{ deletes: 'a' }, 422],
    [{ release_label: '' }, 422],
    [{ release_label: 'x'.repeat(256) }, 422],
    [{ commit_message: 7 }, 422],
    [{ workspace_id: 2 }, 403],
  ] as [object, number][])('is refused with what it wants: %j', async (body, status) => {
    const id = await start('refused');
    await me.post(`${skillUrl(id)}/versions`, body, status);
    expect((await pullSkills(me, id)).version!.number).toBe(1);
  });

  it('is saved when something is said about it, and otherwise only when something changes', async () => {
    const id = await start('said');
    const updates = { file_updates: [{ path: 'a/SKILL.md', content: 'A2' }] };
    expect((await saveSkills(me, id, updates)).number).toBe(2);
    expect((await saveSkills(me, id, updates)).number).toBe(2);
    expect((await saveSkills(me, id, {})).number).toBe(2);
    expect((await saveSkills(me, id, { commit_message: 'x' })).number).toBe(3);
    expect((await saveSkills(me, id, { release_label: 'x' })).number).toBe(4);
    expect((await saveSkills(me, id, { provider: 'claude_code' })).number).toBe(5);
  });

  it('has the next number, also when many are saved at once, and nothing is lost', async () => {
    const id = await start('at once');
    const saved = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        saveSkills(me, id, { file_updates: filesOf({ [`at-once/${n}.md`]: `${n}` }) }),
      ),
    );
    expect(saved.map(({ number }) => number).sort((a, b) => a - b)).toEqual([2, 3, 4, 5, 6, 7, 8, 9]);
    const { files, version } = await pullSkills(me, id);
    expect([version!.number, Object.keys(files).length]).toEqual([9, 11]);
  });

  it('is read by its number or its label, not by both', async () => {
    const id = await start('labels');
    await saveSkills(me, id, { release_label: 'prod', deletes: ['d'] });
    await saveSkills(me, id, { release_label: ' beta / 1 ' });
    const numberOf = async (query: string) => (await pullSkills(me, id, query)).version!.number;
    expect(await numberOf('?label=prod')).toBe(2);
    expect(await numberOf(`?label=${encodeURIComponent('beta / 1')}`)).toBe(3);
    expect(await numberOf('?version=1')).toBe(1);
    expect(await numberOf('')).toBe(3);
    await saveSkills(me, id, { release_label: 'prod' });
    expect(await numberOf('?label=prod')).toBe(4);
    expect((await pullSkills(me, id, '?version=2')).version!.release_label).toBeNull();

    expect(await me.get(`${skillUrl(id)}?label=prod&version=1`, 400)).toEqual(brief('not both'));
    expect(await me.get(`${skillUrl(id)}?format=tar`, 400)).toEqual(brief('tar'));
    expect(await me.get(`${skillUrl(id)}?label=nowhere`, 404)).toEqual(brief('nowhere'));
    expect(await me.get(`${skillUrl(id)}?version=99`, 404)).toEqual(brief('99'));
    await me.get(`${skillUrl(id)}?version=0`, 422);
    await me.get(`${skillUrl(id)}?version=x`, 422);
  });

  it('is found by a label that the request spells with other code points, and is the latest when the label is empty', async () => {
    const id = await start('spelled');
    await saveSkills(me, id, { release_label: 'caf\u00e9' });
    await saveSkills(me, id, { deletes: ['d'] });
    const numberOf = async (query: string) => (await pullSkills(me, id, query)).version!.number;
    expect(await numberOf(`?label=${encodeURIComponent('cafe\u0301')}`)).toBe(2);
    expect(await numberOf('?label=')).toBe(3);
  });

  it('is always one of them while a label moves', async () => {
    const id = await start('moving label');
    await saveSkills(me, id, { release_label: 'prod' });
    const saves = Array.from({ length: 6 }, (_, n) =>
      saveSkills(me, id, { release_label: 'prod', file_updates: filesOf({ n: `${n}` }) }),
    );
    const reads = Array.from({ length: 12 }, () => pullSkills(me, id, '?label=prod'));
    await Promise.all(saves);
    for (const { version } of await Promise.all(reads)) expect(version).toMatchObject({ release_label: 'prod' });
    const { versions } = (await me.get(`${managed(id)}/versions`)) as { versions: Version[] };
    expect(versions.filter(({ release_label }) => release_label === 'prod')).toHaveLength(1);
  });

  it('is listed, and can be restored as a new one', async () => {
    const id = await start('restored');
    await saveSkills(me, id, { deletes: ['a', 'b'], provider: 'openai' });
    await me.post(`${managed(id)}/versions/9/restore`, undefined, 404);
    const { version } = (await me.post(`${managed(id)}/versions/1/restore`, undefined, 201)) as { version: Version };
    expect(version).toMatchObject({
      number: 3,
      provider: 'claude_code',
      file_paths: ['a/SKILL.md', 'b/SKILL.md', 'd'],
    });
    expect((await pullSkills(me, id)).files['.claude/skills/a/SKILL.md']).toBe('A');
    const { versions } = (await me.get(`${managed(id)}/versions`)) as { versions: Version[] };
    expect(versions.map(({ number }) => number)).toEqual([3, 2, 1]);
  });

  it('names the user who saved it', async () => {
    const ann = await clientOf(app, 1, { role: 'member', owner_email: 'ann@example.com' });
    const { skill_collection: collection, version } = await createSkills(ann, 'by ann', { a: 'x' });
    expect(version).toMatchObject({ user_email: 'ann@example.com', created_by: expect.any(Number) });
    expect((await pullSkills(me, collection.id)).version).toMatchObject({ user_email: 'ann@example.com' });
    const { skill_collections: hers } = (await me.get(`${SKILLS}?created_by_email=ANN@example.com`)) as {
      skill_collections: Collection[];
    };
    expect(hers.map(({ id }) => id)).toEqual([collection.id]);
  });

  it('shares contents with other versions of the workspace', async () => {
    const content = `shared ${'x'.repeat(1000)}`;
    const count = async () =>
      (await app.sql('SELECT workspace_id FROM skill_contents WHERE content = $1', [Buffer.from(content)])).length;
    const { skill_collection: one } = await createSkills(me, 'shares one', { a: content, b: content });
    await createSkills(me, 'shares two', { c: content });
    await saveSkills(me, one.id, { moves: [{ from: 'a', to: 'z' }] });
    expect(await count()).toBe(1);
    const stranger = await app.stranger();
    await createSkills(stranger, 'shares nothing', { a: content });
    expect(await count()).toBe(2);
    expect((await pullSkills(me, one.id)).files).toEqual({ b: content, z: content });
  });
});
