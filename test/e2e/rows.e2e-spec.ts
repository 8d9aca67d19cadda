import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import {
  addColumn,
  addCount,
  type Cell,
  newSheet,
  type Page,
  readAll,
  readRows,
  type RowsPage,
  valuesOf,
  versionOf,
} from '../support/factories.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.start({ works: false, env: { TABLES_MAX_ROWS: '150' } });
  me = app.client;
});
afterAll(() => app.stop());

interface Added {
  rows_created: number;
  start_row_index: number;
  row_indices: number[];
  rows: { row_index: number; cells: Record<string, Cell> }[];
  cell_count: number;
  row_count: number;
  version: number;
}

describe('adding rows', () => {
  it('appends one blank row when nothing is said', async () => {
    const sheet = await newSheet(me);
    const before = await versionOf(me, sheet);
    for (const [index, body] of [undefined, {}, { count: null }, { values: null }].entries()) {
      const added = (await me.post(`${sheet.path}/rows`, body, 201)) as Added;
      expect(added).toMatchObject({
        rows_created: 1,
        start_row_index: index + 1,
        row_indices: [index + 1],
        cell_count: 1,
        row_count: index + 2,
        version: before + index + 1,
      });
      expect(added.rows[0]!.cells[sheet.columnId]).toMatchObject({
        status: 'completed',
        value: null,
        display_value: null,
      });
    }
  });

  it('fills the first rows with the values, leaves the others blank and ignores values beyond the count', async () => {
    const sheet = await newSheet(me);
    const second = await addColumn(me, sheet, { title: 'B', type: 'TEXT' });
    const values = [
      { [sheet.columnId]: 'a', [second.id.toUpperCase()]: 5 },
      {},
      { [second.id]: { deep: [1, null] } },
      { [sheet.columnId]: 'too much' },
    ];
    const added = (await me.post(`${sheet.path}/rows`, { count: 3, values }, 201)) as Added;
    expect(added).toMatchObject({ rows_created: 3, cell_count: 6, row_count: 4 });
    expect(await valuesOf(me, sheet)).toEqual([
      [null, null],
      ['a', 5],
      [null, null],
      [null, { deep: [1, null] }],
    ]);
  });

  it('takes the titles of columns as well as their ids', async () => {
    const sheet = await newSheet(me, ['a']);
    const second = await addColumn(me, sheet, { title: 'B', type: 'TEXT' });
    const values = [{ 'Column A': 'x', B: 1 }, { [second.id]: 2, 'Column A': null }, { B: { deep: true } }];
    const added = (await me.post(`${sheet.path}/rows`, { count: 3, values }, 201)) as Added;
    expect(added.rows[0]!.cells[second.id]).toMatchObject({ value: 1, display_value: '1' });
    expect((await valuesOf(me, sheet)).slice(1)).toEqual([
      ['x', 1],
      [null, 2],
      [null, { deep: true }],
    ]);
  });

  it('takes a key for the id of a column before it takes it for a title', async () => {
    const sheet = await newSheet(me, ['a']);
    await addColumn(me, sheet, { title: sheet.columnId, type: 'TEXT' });
    await me.post(`${sheet.path}/rows`, { values: [{ [sheet.columnId]: 'x' }] }, 201);
    expect((await valuesOf(me, sheet))[1]).toEqual(['x', null]);
  });

  it('refuses a title that several columns have', async () => {
    const sheet = await newSheet(me, ['a']);
    const twin = await addColumn(me, sheet, { title: 'Column A', type: 'TEXT' });
    expect(await me.post(`${sheet.path}/rows`, { values: [{ 'Column A': 'x' }] }, 400)).toMatchObject({
      error: 'column_reference_ambiguous',
    });
    await me.post(`${sheet.path}/rows`, { values: [{ [twin.id]: 'x' }] }, 201);
    expect(await valuesOf(me, sheet)).toEqual([
      ['a', null],
      [null, 'x'],
    ]);
  });

  it('refuses a column that is given twice in a row, and stores nothing then', async () => {
    const sheet = await newSheet(me, ['a']);
    const before = await readRows(me, sheet);
    for (const again of ['Column A', sheet.columnId.toUpperCase()]) {
      const values = [{ [sheet.columnId]: 'once' }, { [sheet.columnId]: 'x', [again]: 'x' }];
      expect(await me.post(`${sheet.path}/rows`, { count: 2, values }, 400)).toMatchObject({
        error: 'column_given_twice',
        message: 'values[1] names the column "Column A" more than once. Name it once.',
      });
    }
    expect(await readRows(me, sheet)).toEqual(before);
  });

  it('does not take the count from the values', async () => {
    const sheet = await newSheet(me);
    const values = [{ [sheet.columnId]: 'a' }, { [sheet.columnId]: 'b' }];
    expect(await me.post(`${sheet.path}/rows`, { values }, 201)).toMatchObject({ rows_created: 1 });
  });

  it('keeps values exactly as they were given', async () => {
    const sheet = await newSheet(me);
    const given = [
      '',
      ' ',
      '0',
      0,
      -0.5,
      true,
      false,
      [],
      {},
      [{ constructorName: 1 }],
      '🎉',
      'a\nb',
      '{"json":"text"}',
      1e21,
      123456789012,
    ];
    await me.post(
      `${sheet.path}/rows`,
      { count: given.length, values: given.map((value) => ({ [sheet.columnId]: value })) },
      201,
    );
    expect((await valuesOf(me, sheet)).slice(1).map(([value]) => value)).toEqual(given);
  });

  it('leaves the cells of computed columns stale until somebody recalculates', async () => {
    const sheet = await newSheet(me, ['a']);
    const count = await addCount(me, sheet, 'Length');
    const added = (await me.post(`${sheet.path}/rows`, { values: [{ [sheet.columnId]: 'b' }] }, 201)) as Added;
    expect(added.rows[0]!.cells[count.id]).toMatchObject({ status: 'stale', value: null, last_computed_version: null });
    expect(await me.get(`${sheet.path}/status-counts`)).toMatchObject({ status_counts: { STALE: 1, QUEUED: 1 } });
  });

  it('refuses unknown and computed columns in the values, and stores nothing then', async () => {
    const sheet = await newSheet(me, ['a']);
    const count = await addCount(me, sheet, 'Length');
    const before = await readRows(me, sheet);
    for (const [id, error] of [
      [randomUUID(), 'column_reference_unknown'],
      ['column a', 'column_reference_unknown'],
      ['', 'column_reference_unknown'],
      ['toString', 'column_reference_unknown'],
      ['Length', 'column_not_editable'],
      ['__proto__x', 'column_reference_unknown'],
      [count.id, 'column_not_editable'],
    ]) {
      expect(
        await me.post(`${sheet.path}/rows`, { count: 2, values: [{ [sheet.columnId]: 'x' }, { [id!]: 'y' }] }, 400),
      ).toMatchObject({ error });
    }
    expect(await readRows(me, sheet)).toEqual(before);
  });

  it.each([
    { count: 0 },
    { count: 101 },
    { count: 1.5 },
    { count: '2' },
    { values: {} },
    { values: ['x'] },
    { values: [null] },
  ])('refuses %j', async (body) => {
    const sheet = await newSheet(me);
    await me.post(`${sheet.path}/rows`, body, 422);
  });

  it('refuses more rows than a sheet may have, and takes exactly that many', async () => {
    const sheet = await newSheet(me);
    await me.post(`${sheet.path}/rows`, { count: 100 }, 201);
    expect(await me.post(`${sheet.path}/rows`, { count: 50 }, 400)).toMatchObject({ error: 'row_limit_exceeded' });
    expect(await me.post(`${sheet.path}/rows`, { count: 49 }, 201)).toMatchObject({ row_count: 150 });
  });

  it('gives rows that are added at once indexes of their own', async () => {
    const sheet = await newSheet(me);
    const added = (await Promise.all(
      Array.from({ length: 10 }, () => me.post(`${sheet.path}/rows`, { count: 3 }, 201)),
    )) as Added[];
    const indexes = added.flatMap(({ row_indices }) => row_indices).sort((a, b) => a - b);
    expect(indexes).toEqual(Array.from({ length: 30 }, (_, index) => index + 1));
    expect(new Set(added.map(({ version }) => version)).size).toBe(10);
  });
});

describe('listing rows', () => {
  it('shows columns on the first page only, unless asked otherwise, and the row count unless not wanted', async () => {
    const sheet = await newSheet(me, ['a', 'b', 'c']);
    const first = (await me.get(`${sheet.path}/rows?limit=2`)) as RowsPage;
    expect(first).toMatchObject({
      success: true,
      count: 2,
      has_more: true,
      row_count: 3,
      columns: [{ id: sheet.columnId }],
      pagination: { limit: 2, has_more: true, next_cursor: first.next_cursor },
    });
    const next = `${sheet.path}/rows?limit=2&cursor=${first.next_cursor}`;
    expect(await me.get(next)).toMatchObject({
      columns: [],
      data: [{ row_index: 2 }],
      next_cursor: null,
      has_more: false,
    });
    expect(await me.get(`${next}&include_columns=True`)).toMatchObject({ columns: [{ id: sheet.columnId }] });
    expect(await me.get(`${sheet.path}/rows?include_columns=0&include_row_count=FALSE`)).not.toHaveProperty(
      'row_count',
    );
    expect(await me.get(`${sheet.path}/rows?include_columns=0`)).toMatchObject({ columns: [] });
  });

  it('follows cursors through every row once, in both directions', async () => {
    const sheet = await newSheet(
      me,
      Array.from({ length: 11 }, (_, index) => `row ${index}`),
    );
    const all = await readAll<{ row_index: number }>(me, `${sheet.path}/rows?limit=4`);
    expect(all.map((row) => row.row_index)).toEqual([...Array(11).keys()]);
    const reversed = await readAll<{ row_index: number }>(me, `${sheet.path}/rows?limit=4&order=desc`);
    expect(reversed.map((row) => row.row_index)).toEqual([...Array(11).keys()].reverse());
  });

  it('refuses the cursor of another sheet or order', async () => {
    const [one, two] = [await newSheet(me, ['a', 'b']), await newSheet(me, ['a', 'b'])];
    const { next_cursor: cursor } = (await me.get(`${one.path}/rows?limit=1`)) as Page<unknown>;
    await me.get(`${two.path}/rows?limit=1&cursor=${cursor}`, 400);
    await me.get(`${one.path}/rows?limit=1&order=desc&cursor=${cursor}`, 400);
  });

  it('lists a cell with an id for every column, blank ones included, under the ids at which cells are read', async () => {
    const sheet = await newSheet(me, ['a', 'b']);
    await addColumn(me, sheet, { title: 'Blank', type: 'TEXT' });
    await addCount(me, sheet, 'Length');
    const { data } = await readRows(me, sheet);
    const cells = data.flatMap((row) => Object.values(row.cells));
    expect(new Set(cells.map(({ id }) => id)).size).toBe(6);
    for (const cell of cells) expect(await me.get(`${sheet.path}/cells/${cell.id}`)).toMatchObject({ cell });
  });
});
