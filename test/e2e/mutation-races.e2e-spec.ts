import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DataSource } from 'typeorm';
import type { Answer, Client } from '../support/client.js';
import { sampled } from '../support/depth.js';
import {
  addCount,
  type Column,
  newSheet,
  settled,
  type Page,
  type RowsPage,
  TABLES,
  type TestSheet,
} from '../support/factories.js';
import { base64, createSheet, ended, newTable, type Sheet, sheetsOf } from '../support/sheets.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let me: Client;

beforeAll(async () => {
  app = await TestApp.own();
  me = app.client;
});
afterAll(() => app.stop());

/** A table with two sheets; the first has a computed column, some versions and an operation. */
interface Ground extends TestSheet {
  count: Column;
  sheets: string;
  second: Sheet;
  versionId: string;
  operationId: string;
}

async function newGround(): Promise<Ground> {
  const sheet = await newSheet(me, ['one', 'two', 'three']);
  const sheets = `${TABLES}/${sheet.tableId}/sheets`;
  const count = await addCount(me, sheet, 'Length');
  const second = await createSheet(me, sheets);
  await settled(me, sheet);
  const { data } = (await me.get(`${sheet.path}/versions?order=asc`)) as Page<{ id: string }>;
  const operation = { operation: 'recalculate', column_ids: [count.id], row_ids: [0], statuses: [], force: true };
  const { operation_id: operationId } = (await me.post(`${sheet.path}/operations`, operation, 202)) as {
    operation_id: string;
  };
  return { ...sheet, count, sheets, second, versionId: data[0]!.id, operationId };
}

const FILE = { file_name: 'data.csv', file_content_base64: base64('Column A\nfour\nfive\n') };

const MUTATIONS: Record<string, (ground: Ground) => Promise<Answer>> = {
  'create a sheet': ({ sheets }) => me.request('POST', sheets, { index: 0 }),
  'create a sheet from a file': ({ sheets }) =>
    me.request('POST', sheets, { index: 0, source: { type: 'file', ...FILE } }),
  'delete a sheet': ({ path }) => me.request('DELETE', path),
  'rename a sheet': ({ path }) => me.request('PATCH', path, { title: 'Renamed' }),
  'reorder sheets': ({ sheets, second }) => me.request('PATCH', `${sheets}/${second.id}`, { index: 0 }),
  'add a column': ({ path }) => me.request('POST', `${path}/columns`, { title: 'More', type: 'TEXT' }),
  'add a computed column': ({ path }) =>
    me.request('POST', `${path}/columns`, { title: 'C', type: 'COUNT', config: { source: 'Column A', type: 'words' } }),
  'change a column': ({ path, count }) =>
    me.request('PATCH', `${path}/columns/${count.id}`, { config: { source: 'Column A', type: 'words' } }),
  'delete a column': ({ path, count }) => me.request('DELETE', `${path}/columns/${count.id}`),
  'add rows': ({ path, columnId }) => me.request('POST', `${path}/rows`, { count: 2, values: [{ [columnId]: 'new' }] }),
  'delete rows': ({ path }) => me.request('DELETE', `${path}/rows`, { row_indices: [1] }),
  'edit cells': ({ path, columnId }) =>
    me.request('PATCH', `${path}/cells`, {
      cells: [0, 2].map((row) => ({ row_index: row, column: columnId, value: 'edited' })),
    }),
  'import a file': ({ path }) => me.request('POST', `${path}/imports/file`, FILE),
  'restore a version': ({ path, versionId }) =>
    me.request('POST', `${path}/versions`, { source_version_id: versionId }),
  recalculate: ({ path }) =>
    me.request('POST', `${path}/operations`, { operation: 'recalculate', statuses: [], force: true }),
  cancel: ({ path, operationId }) => me.request('DELETE', `${path}/operations/${operationId}`),
  'change the table': ({ tableId }) => me.request('PATCH', `${TABLES}/${tableId}`, { title: 'Other' }),
  'delete the table': ({ tableId }) => me.request('DELETE', `${TABLES}/${tableId}`),
};

const NAMES = Object.keys(MUTATIONS);

describe.each(NAMES)('%s', (name) => {
  it('goes together with every other change of the same table', async () => {
    const others = NAMES.slice(NAMES.indexOf(name));
    await Promise.all(sampled(others).map((other) => race(name, other)));
  });
});

async function race(name: string, other: string): Promise<void> {
  const ground = await newGround();
  const both = [name, other, name, other];
  const answers = await Promise.all(both.map((mutation) => MUTATIONS[mutation]!(ground)));
  for (const [index, { status, body }] of answers.entries()) {
    expect(status, `${both[index]} (${name} beside ${other}): ${JSON.stringify(body)}`).toBeLessThan(500);
  }
  await checkTable(ground, answers);
}

/** Checks that all ended operations succeeded and that the remaining sheets are consistent. */
async function checkTable({ tableId, sheets }: Ground, answers: Answer[]): Promise<void> {
  const table = await me.request('GET', `${TABLES}/${tableId}`);
  if (table.status === 404) return;
  const list = await sheetsOf(me, sheets);
  for (const { body } of answers) {
    const { operation_id: id, operation } = body as { operation_id?: string; operation?: { source?: string } };
    if (!id || !operation?.source) continue;
    const { status, error_message: message } = await ended(me, sheets, id);
    if (status === 'failed') expect(message).toMatch(/was deleted|was changed while/);
  }
  expect(list.map(({ index }) => index)).toEqual(list.map((_, index) => index));
  for (const sheet of list) await checkSheet(`${sheets}/${sheet.id}`);
}

async function checkSheet(path: string): Promise<void> {
  await settled(me, { path });
  const { sheet } = (await me.get(path)) as { sheet: Sheet };
  const { data, columns, version, row_count: rowCount } = (await me.get(`${path}/rows`)) as RowsPage;
  expect([data.length, rowCount, version]).toEqual([sheet.row_count, sheet.row_count, sheet.version_count]);
  const known = new Set(columns.map(({ id }) => id));
  for (const { dependencies } of columns) {
    for (const { column_id: source } of dependencies) expect(known).toContain(source);
  }
  const history = (await me.get(`${path}/versions?limit=100`)) as Page<{ version_number: number }>;
  expect(history.data).toHaveLength(sheet.version_count);
}

it('imports files into sheets at the front while others create sheets there', async () => {
  const { sheets } = await newTable(me);
  const content = `a,b\n${Array.from({ length: 2500 }, (_, row) => `${row},x`).join('\n')}`;
  const source = { type: 'file', file_name: 'data.csv', file_content_base64: base64(content) };
  const operations: string[] = [];
  const importThem = async () => {
    for (let round = 0; round < 4; round++) {
      const { operation_id: id } = (await me.post(sheets, { source, index: 0 }, 202)) as { operation_id: string };
      operations.push(id);
      await ended(me, sheets, id);
    }
  };
  const createThem = async () => {
    for (let round = 0; round < 20; round++) await me.post(sheets, { index: 0 }, 201);
  };
  await Promise.all([importThem(), importThem(), importThem(), createThem(), createThem()]);
  for (const id of operations) {
    expect(await ended(me, sheets, id)).toMatchObject({ status: 'completed', rows_added: 2500 });
  }
  const list = await sheetsOf(me, sheets);
  expect(list.map(({ index }) => index)).toEqual(list.map((_, index) => index));
  expect(list.filter(({ row_count }) => row_count === 2500)).toHaveLength(12);
});

it('runs the victim of a deadlock again', async () => {
  const db = app.app.get(DataSource);
  const ids = ['a', 'b'].map((letter) => `00000000-0000-4000-8000-00000000000${letter}`);
  for (const id of ids) await db.query(`INSERT INTO tables (workspace_id, id, title) VALUES (1, $1, 'x')`, [id]);
  let held = 0;
  let goOn: () => void;
  const bothHold = new Promise<void>((resolve) => (goOn = resolve));
  const lockBoth = (order: string[]) =>
    db.transaction(async (tx) => {
      await tx.query('UPDATE tables SET title = title || $2 WHERE id = $1', [order[0], '!']);
      if (++held === 2) goOn();
      await bothHold;
      await tx.query('UPDATE tables SET title = title || $2 WHERE id = $1', [order[1], '!']);
    });
  await Promise.all([lockBoth(ids), lockBoth(ids.toReversed())]);
  expect(await db.query('SELECT title FROM tables WHERE id = ANY ($1)', [ids])).toEqual([
    { title: 'x!!' },
    { title: 'x!!' },
  ]);
});
