import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { DATASETS, newGroup, saveDraft, versionFromFile } from '../support/datasets.js';
import { newSheet, readRows, TABLES, valuesOf } from '../support/factories.js';
import { clientOf } from '../support/prompts.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.own();
  me = app.client;
});
afterAll(() => app.stop());

interface Copied {
  table_id: string;
  sheet_id: string;
  status_url: string;
}

async function copied(client: Client, datasetId: number, body: object = {}) {
  const answer = (await client.post(`${DATASETS}/${datasetId}/to-table`, body, 202)) as Copied;
  await until(async () => {
    const { operation } = (await client.get(answer.status_url)) as { operation: { status: string } };
    return operation.status === 'completed';
  });
  const path = `${TABLES}/${answer.table_id}/sheets/${answer.sheet_id}`;
  return { tableId: answer.table_id, id: answer.sheet_id, path, columnId: '', status: answer.status_url };
}

describe('a dataset as a table', () => {
  it('has the same columns and cells, in a new table of its name', async () => {
    const group = await newGroup(me, { name: 'To be moved' });
    const rows = [
      { q: 'Hi', n: 1.5 },
      { q: null, n: 0, more: [1] },
    ];
    const { id } = await versionFromFile(me, group.id, JSON.stringify(rows), 'x.json');
    const sheet = await copied(me, id);
    expect((await readRows(me, sheet)).columns.map(({ title, type }) => [title, type])).toEqual([
      ['q', 'TEXT'],
      ['n', 'TEXT'],
      ['more', 'TEXT'],
    ]);
    expect(await valuesOf(me, sheet)).toEqual([
      ['Hi', '1.5', null],
      [null, '0', '[1]'],
    ]);
    expect(await me.get(`${TABLES}/${sheet.tableId}`)).toMatchObject({ table: { title: 'To be moved' } });
    expect(await me.get(sheet.path)).toMatchObject({ sheet: { title: 'To be moved', row_count: 2 } });
    expect(await me.get(sheet.status)).toMatchObject({ operation: { source: 'sheet', rows_added: 2, row_count: 2 } });
    expect((await me.get(`/api/admin/v1/workspaces/1/events?limit=100`)) as object).not.toMatchObject({
      data: expect.arrayContaining([expect.objectContaining({ event_type: expect.stringContaining('table_') })]),
    });
  });

  it('may be a sheet of a table that is there, and is copied by a worker when it is long', async () => {
    const group = await newGroup(me);
    const lines = Array.from({ length: 2500 }, (_, row) => `Q${row},A${row}`);
    const { id } = await versionFromFile(me, group.id, `q,a\n${lines.join('\n')}\n`);
    const table = await newSheet(me);
    const sheet = await copied(me, id, { table_id: table.tableId.toUpperCase(), title: 'Questions' });
    expect(sheet.tableId).toBe(table.tableId);
    expect(await me.get(sheet.path)).toMatchObject({ sheet: { title: 'Questions', row_count: 2500, index: 1 } });
    const last = (await me.get(`${sheet.path}/rows?order=desc&limit=1`)) as Awaited<ReturnType<typeof readRows>>;
    expect(Object.values(last.data[0]!.cells).map(({ value }) => value)).toEqual(['Q2499', 'A2499']);
  });

  it('may be an empty one', async () => {
    const group = await newGroup(me);
    const id = await saveDraft(me, group.id);
    const sheet = await copied(me, id);
    expect(await readRows(me, sheet)).toMatchObject({ columns: [], data: [], row_count: 0 });
  });

  it('is never a draft, nor one of somebody else, nor goes where it may not', async () => {
    const group = await newGroup(me);
    const path = `${DATASETS}/${group.draftId}/to-table`;
    expect(await me.request('POST', path, {})).toMatchObject({ status: 400, body: { error: 'dataset_is_draft' } });
    await saveDraft(me, group.id);
    const stranger = await app.stranger();
    const ofStranger = await newSheet(stranger);
    expect((await stranger.request('POST', path, {})).status).toBe(404);
    expect((await me.request('POST', path, { table_id: ofStranger.tableId })).status).toBe(404);
    expect((await me.request('POST', path, { table_id: 'x' })).status).toBe(422);
    expect((await me.request('POST', path, { title: ' ' })).status).toBe(422);
    expect((await me.request('POST', `${DATASETS}/999999/to-table`, {})).status).toBe(404);
    const viewer = await clientOf(app, 1, { role: 'viewer' });
    const own = await newSheet(me);
    expect((await viewer.request('POST', path, {})).status).toBe(403);
    expect((await viewer.request('POST', path, { table_id: own.tableId })).status).toBe(403);
  });
});

it('keeps sheets of datasets out of the routes of tables', async () => {
  const group = await newGroup(me);
  const { id } = await versionFromFile(me, group.id, 'q\n1\n');
  const table = await copied(me, id);
  const { data } = (await me.get(`${TABLES}/${table.tableId}/sheets`)) as { data: { id: string }[] };
  expect(data.map(({ id: sheet }) => sheet)).toEqual([table.id]);
});
