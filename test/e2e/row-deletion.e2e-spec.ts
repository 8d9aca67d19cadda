import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import {
  addColumn,
  addCount,
  cellsOf,
  newSheet,
  readRows,
  settled,
  type TestSheet,
  versionOf,
} from '../support/factories.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.own();
  me = app.client;
});
afterAll(() => app.stop());

const remove = (sheet: TestSheet, rows: unknown, status = 200) =>
  me.delete(`${sheet.path}/rows`, status, { row_indices: rows });
const indexes = async (sheet: TestSheet) => (await readRows(me, sheet)).data.map((row) => row.row_index);

/** Five rows, a text column and its length. */
async function fiveRows() {
  const sheet = await newSheet(me, ['a', 'bb', 'ccc', 'dddd', 'eeeee']);
  const length = await addCount(me, sheet, 'Length');
  await settled(me, sheet);
  return { sheet, length };
}

describe('deleting rows', () => {
  it('takes those that exist, as one version, and leaves the others where they are', async () => {
    const { sheet, length } = await fiveRows();
    const before = await versionOf(me, sheet);
    expect(await remove(sheet, [1, 3, 3, 77])).toEqual({
      success: true,
      deleted_count: 2,
      row_count: 3,
      version: before + 1,
    });
    expect(await indexes(sheet)).toEqual([0, 2, 4]);
    expect((await cellsOf(me, sheet, length.id)).map(({ value }) => value)).toEqual([1, 3, 5]);
    expect(await me.get(`${sheet.path}/status-counts`)).toMatchObject({ total_cells: 3 });
    const columns = (await readRows(me, sheet)).columns;
    expect(columns).toHaveLength(2);
  });

  it('that do not exist changes nothing', async () => {
    const { sheet } = await fiveRows();
    const before = await versionOf(me, sheet);
    for (const rows of [[], [5], [2 ** 31 - 1, 2 ** 40, Number.MAX_SAFE_INTEGER]]) {
      expect(await remove(sheet, rows)).toEqual({ success: true, deleted_count: 0, row_count: 5, version: before });
    }
  });

  it.each([[undefined], [null], ['0'], [{ 0: 1 }], [[-1]], [[1.5]], [['1']], [[null]]])(
    'refuses %j with 422',
    async (rows) => {
      const { sheet } = await fiveRows();
      await remove(sheet, rows, 422);
      await me.delete(`${sheet.path}/rows`, 422);
      expect(await indexes(sheet)).toHaveLength(5);
    },
  );

  it('makes their cells unknown, and leaves nothing behind for a row that gets the same index later', async () => {
    const { sheet, length } = await fiveRows();
    const [cell] = (await cellsOf(me, sheet, length.id)).slice(-1);
    await remove(sheet, [4]);
    await me.get(`${sheet.path}/cells/${cell!.id}`, 404);
    expect(await me.post(`${sheet.path}/rows`, {}, 201)).toMatchObject({ start_row_index: 4 });
    const { data } = await readRows(me, sheet);
    expect(data.at(-1)!.cells[sheet.columnId]).toMatchObject({ value: null, display_value: null });
    expect(data.at(-1)!.cells[length.id]).toMatchObject({
      id: cell!.id,
      status: 'stale',
      value: null,
      input_hash: null,
      last_computed_version: null,
      execution_id: null,
    });
  });

  it('starts again at row 0 when none is left', async () => {
    const { sheet } = await fiveRows();
    await remove(sheet, [0, 1, 2, 3, 4]);
    expect(await me.post(`${sheet.path}/rows`, { count: 2 }, 201)).toMatchObject({ row_indices: [0, 1], row_count: 2 });
  });

  it('keeps their content in the history of the version before', async () => {
    const { sheet } = await fiveRows();
    await remove(sheet, [1]);
    const version = await versionOf(me, sheet);
    const rows = await app.sql(
      `SELECT h.value, h.version_to AS until FROM cell_history h JOIN sheet_columns c ON c.key = h.column_key
        WHERE c.sheet_id = $1 AND h.row_index = 1 ORDER BY c.key`,
      [sheet.id],
    );
    expect(rows).toEqual([
      { value: 'bb', until: version },
      { value: 2, until: version },
    ]);
  });

  it('drops what waits to be computed in them, and counts that right', async () => {
    const idle = await TestApp.own({ works: false });
    const client = idle.client;
    const sheet = await newSheet(client, ['a', 'b', 'c']);
    await addCount(client, sheet, 'One');
    const overview = async () =>
      (await client.get(`${sheet.path}/operations`)) as {
        pending_count: number;
        active_operations: { cell_count: number; pending_count: number; status_url: string }[];
      };
    const [operation] = (await overview()).active_operations;
    await client.delete(`${sheet.path}/rows`, 200, { row_indices: [0, 2] });
    expect(await overview()).toMatchObject({
      pending_count: 1,
      active_operations: [{ cell_count: 1, pending_count: 1, status: 'queued' }],
    });
    await client.delete(`${sheet.path}/rows`, 200, { row_indices: [1] });
    expect(await client.get(operation!.status_url)).toMatchObject({
      operation: { status: 'completed', cell_count: 0, pending_count: 0 },
    });
    await idle.stop();
  });

  it('while they are computed lets no result of the old row into a new one', async () => {
    const sheet = await newSheet(
      me,
      Array.from({ length: 80 }, (_, index) => 'x'.repeat(index + 1)),
    );
    const created = addColumn(me, sheet, { title: 'N', type: 'COUNT', config: { source: 'Column A', type: 'chars' } });
    const last = Array.from({ length: 40 }, (_, index) => 40 + index);
    const [column] = await Promise.all([created, remove(sheet, last)]);
    await me.post(`${sheet.path}/rows`, { count: 40 }, 201);
    await settled(me, sheet);
    const { data } = await readRows(me, sheet);
    for (const { row_index: row, cells } of data) {
      const { status, value } = cells[column.id]!;
      expect([row, status, value]).toEqual(row < 40 ? [row, 'completed', row + 1] : [row, 'stale', null]);
    }
  });

  it('takes a hundred thousand indexes at once', async () => {
    const { sheet } = await fiveRows();
    await app.sql(`UPDATE sheets SET rows = int4multirange(int4range(0, 100000)) WHERE id = $1`, [sheet.id]);
    const every = Array.from({ length: 100_000 }, (_, index) => index);
    expect(
      await remove(
        sheet,
        every.filter((row) => row % 2),
      ),
    ).toMatchObject({ deleted_count: 50_000 });
    expect(await remove(sheet, every)).toMatchObject({ deleted_count: 50_000, row_count: 0 });
    await remove(sheet, [...every, 1], 422);
  });
});
