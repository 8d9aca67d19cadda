import { afterAll, beforeAll, expect, it } from 'vitest';
import { UnusedContents } from '../../src/skills/files/unused-contents.js';
import type { Client } from '../support/client.js';
import { createSkills, pullSkills, saveSkills, skillUrl, SKILLS, filesOf } from '../support/skills.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';

let app: TestApp;
let me: Client;
let workspace: number;
beforeAll(async () => {
  app = await TestApp.own();
  me = app.client;
  [{ id: workspace }] = (await app.sql('SELECT id FROM workspaces')) as [{ id: number }];
});
afterAll(() => app.stop());

/** Sweeps without `app.sweep`, which never runs twice at the same time: several workers do. */
const sweep = () => app.app.get(UnusedContents).sweep();

async function deleteSkills(id: string, client = me, at = workspace): Promise<void> {
  await client.delete(`/api/admin/v1/workspaces/${at}/skill-collections/${id}`);
}

/** Moves all deletions into the past. */
const age = () =>
  app.sql(`UPDATE skill_collections SET deleted_at = now() - interval '1 hour' WHERE deleted_at IS NOT NULL`);

async function contents(at = workspace): Promise<string[]> {
  const rows = (await app.sql(
    `SELECT convert_from(content, 'UTF8') AS text FROM skill_contents WHERE workspace_id = $1`,
    [at],
  )) as { text: string }[];
  return rows.map(({ text }) => text).toSorted();
}

it('deletes contents that only versions of a deleted collection hold, and no others', async () => {
  const stranger = await app.stranger();
  const theirs = await createSkills(stranger, 'theirs', { 'a/SKILL.md': 'own' });
  const gone = await createSkills(me, 'gone', {
    'a/SKILL.md': 'own',
    'b/SKILL.md': 'shared',
    'c/SKILL.md': 'old shared',
  });
  await saveSkills(me, gone.skill_collection.id, { file_updates: filesOf({ 'a/SKILL.md': 'own, later' }) });
  const kept = await createSkills(me, 'kept', { 'x/SKILL.md': 'shared', 'y/SKILL.md': 'old shared' });
  const { id } = kept.skill_collection;
  // Only an older version has the one now.
  await saveSkills(me, id, { deletes: ['y/SKILL.md'] });

  await sweep();
  expect(await contents()).toEqual(['old shared', 'own', 'own, later', 'shared']);
  await deleteSkills(gone.skill_collection.id);
  // Somebody may be downloading it.
  await sweep();
  expect(await contents()).toHaveLength(4);
  await age();
  await sweep();
  expect(await contents()).toEqual(['old shared', 'shared']);
  expect((await pullSkills(me, id, '?version=1')).files).toEqual({
    'x/SKILL.md': 'shared',
    'y/SKILL.md': 'old shared',
  });
  expect((await pullSkills(stranger, theirs.skill_collection.id)).files).toEqual({ 'a/SKILL.md': 'own' });
  await me.get(skillUrl(gone.skill_collection.id), 404);

  await deleteSkills(id);
  await age();
  await sweep();
  expect(await contents()).toEqual([]);
  expect(await app.sql('SELECT 1 FROM skill_versions WHERE workspace_id = $1', [workspace])).toEqual([]);
});

it('deletes contents of several deleted collections with the last of them', async () => {
  for (const name of ['one', 'two', 'three']) {
    const { skill_collection: collection } = await createSkills(me, name, { 'a/SKILL.md': 'the same' });
    await deleteSkills(collection.id);
  }
  await age();
  await Promise.all([sweep(), sweep()]);
  await sweep();
  expect(await contents()).toEqual([]);
});

it('keeps contents that are being saved, and deletes them later if they were not saved', async () => {
  const { skill_collection: collection } = await createSkills(me, 'saved again', { 'a/SKILL.md': 'wanted' });
  await deleteSkills(collection.id);
  await age();
  await app.inTransaction(async (sql) => {
    await sql('SELECT 1 FROM skill_contents WHERE workspace_id = $1 FOR KEY SHARE', [workspace]);
    await sweep();
    expect(await contents()).toEqual(['wanted']);
  });
  await sweep();
  expect(await contents()).toEqual([]);
});

it('keeps contents for a version that is being saved', async () => {
  const { skill_collection: doomed } = await createSkills(me, 'doomed', { 'a/SKILL.md': 'wanted' });
  const { skill_collection: target } = await createSkills(me, 'target', { 'b/SKILL.md': 'other' });
  await deleteSkills(doomed.id);
  await age();
  let saving: Promise<unknown> | null = null;
  const inTheWay = app.inTransaction(async (sql) => {
    // Another version of the same number: the save has stored its contents and waits for it.
    await sql(
      `INSERT INTO skill_versions (workspace_id, collection_id, number, id, root_path, files)
       SELECT workspace_id, collection_id, 2, gen_random_uuid(), root_path, files FROM skill_versions WHERE collection_id = $1`,
      [target.id],
    );
    saving = saveSkills(me, target.id, { file_updates: filesOf({ 'c/SKILL.md': 'wanted' }) });
    const waiting = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    await until(async () => (await app.sql(waiting)).length > 0);
    await sweep();
    throw new Error('It is given up.');
  });
  await expect(inTheWay).rejects.toThrow('It is given up.');
  await saving;
  await sweep();
  expect((await pullSkills(me, target.id)).files).toEqual({ 'b/SKILL.md': 'other', 'c/SKILL.md': 'wanted' });
  await deleteSkills(target.id);
  await age();
  await sweep();
  expect(await contents()).toEqual([]);
});

it('saving, deleting and sweeping at the same time loses nothing', async () => {
  const text = (turn: number) => `text ${turn % 3}`;
  const turns = Array.from({ length: 24 }, (_, turn) => turn);
  const kept = await Promise.all(
    turns.map(async (turn) => {
      const files = { 'a/SKILL.md': text(turn), 'b/SKILL.md': text(turn + 1) };
      const body = { name: `busy ${turn}`, provider: 'universal', files: filesOf(files) };
      const { skill_collection: collection } = (await me.post(SKILLS, body, 201)) as {
        skill_collection: { id: string };
      };
      if (turn % 2 === 1) {
        await deleteSkills(collection.id);
        await age();
      }
      await sweep();
      return turn % 2 === 1 ? null : { id: collection.id, files };
    }),
  );
  await sweep();
  for (const each of kept) if (each) expect((await pullSkills(me, each.id)).files).toEqual(each.files);
  for (const each of kept) if (each) await deleteSkills(each.id);
  await age();
  await sweep();
  expect(await contents()).toEqual([]);
});
