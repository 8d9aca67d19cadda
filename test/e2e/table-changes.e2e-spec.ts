import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { addCount, newSheet, TABLES, type TestSheet } from '../support/factories.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.own({ works: false });
  me = app.client;
});
afterAll(() => app.stop());

const urlOf = (sheet: TestSheet) => `${TABLES}/${sheet.tableId}`;
const newFolder = async () =>
  ((await me.post('/api/public/v2/folders', { name: randomUUID() }, 201)) as { folder: { id: number } }).folder.id;

it('renames a table and moves it into a folder and out of it again', async () => {
  const sheet = await newSheet(me);
  const folder = await newFolder();
  expect(await me.patch(urlOf(sheet), { title: 'New', folder_id: folder })).toMatchObject({
    table: { title: 'New', folder_id: folder, sheet_count: 1 },
  });
  expect(await me.patch(urlOf(sheet), { title: null })).toMatchObject({ table: { title: 'New', folder_id: folder } });
  expect(await me.patch(urlOf(sheet), { folder_id: null })).toMatchObject({ table: { title: 'New', folder_id: null } });
});

it('changes nothing when nothing is given', async () => {
  const sheet = await newSheet(me);
  const before = await me.get(urlOf(sheet));
  expect(await me.patch(urlOf(sheet), {})).toEqual(before);
  expect(await me.patch(urlOf(sheet), { title: 'Test', unknown: 1 })).toEqual(before);
});

it.each([[{ title: '' }], [{ title: 'x'.repeat(256) }], [{ title: 5 }], [{ folder_id: 'x' }], [{ folder_id: 0 }]])(
  'refuses %j',
  async (body) => {
    const sheet = await newSheet(me);
    await me.patch(urlOf(sheet), body, 422);
    expect(await me.get(urlOf(sheet))).toMatchObject({ table: { title: 'Test', folder_id: null } });
  },
);

it('refuses a folder that is not there', async () => {
  const sheet = await newSheet(me);
  await me.patch(urlOf(sheet), { title: 'Lost', folder_id: 2_000_000_000 }, 404);
  expect(await me.get(urlOf(sheet))).toMatchObject({ table: { title: 'Test' } });
});

it('deletes a table with everything in it, cancels its work and writes that into the audit trail', async () => {
  const sheet = await newSheet(me, ['a']);
  await addCount(me, sheet, 'Length');
  await me.delete(urlOf(sheet));
  for (const url of [urlOf(sheet), sheet.path, `${sheet.path}/rows`, `${sheet.path}/columns`]) await me.get(url, 404);
  await me.delete(urlOf(sheet), 404);
  await me.patch(urlOf(sheet), { title: 'x' }, 404);
  expect(await app.sql('SELECT status FROM executions WHERE sheet_id = $1', [sheet.id])).toEqual([
    { status: 'cancelled' },
  ]);
  expect(
    await app.sql(`SELECT count(*)::int AS n FROM audit_entries WHERE action = 'table.delete' AND entity_id = $1`, [
      sheet.tableId,
    ]),
  ).toEqual([{ n: 1 }]);
});
