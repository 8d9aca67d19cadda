import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import {
  addColumn,
  addCount,
  type Cell,
  cellsOf,
  type Column,
  editCell,
  newSheet,
  settled,
  type TestSheet,
  versionOf,
} from '../support/factories.js';
import { TestColumnTypesModule } from '../support/plugins.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.start({ extensions: [TestColumnTypesModule] });
  me = app.client;
});
afterAll(() => app.stop());

const rating = { title: 'Rating', type: 'RATING', config: { max: 5 } };
const counts = async (sheet: TestSheet) => (await me.get(`${sheet.path}/status-counts`)) as object;

/** Two rows that wait for a rating, and a column that reads the rating. */
async function rated(): Promise<{ sheet: TestSheet; column: Column; reader: Column; cells: Cell[] }> {
  const sheet = await newSheet(me, ['a', 'b']);
  const column = await addColumn(me, sheet, rating);
  const reader = await addColumn(me, sheet, { title: 'Shout', type: 'SHOUT', config: { source: 'Rating' } });
  await settled(me, sheet);
  return { sheet, column, reader, cells: await cellsOf(me, sheet, column.id) };
}

describe('a cell that people answer', () => {
  it('is stale and not counted until it is answered, and never queued', async () => {
    const sheet = await newSheet(me, ['a', 'b']);
    const { column, cells } = (await me.post(`${sheet.path}/columns`, rating, 201)) as {
      column: Column;
      cells: Cell[];
    };
    expect(cells.map(({ status, value }) => [status, value])).toEqual([
      ['stale', null],
      ['stale', null],
    ]);
    expect(await counts(sheet)).toMatchObject({ total_cells: 0, status_counts: { STALE: 0, COMPLETED: 0 } });
    const recalculation = await me.post(`${sheet.path}/cells/${cells[0]!.id}/recalculations`, {}, 200);
    expect(recalculation).toMatchObject({ cell_count: 0 });
    await me.post(`${sheet.path}/operations`, { operation: 'recalculate', column_ids: [column.id] }, 400);
    expect(await me.post(`${sheet.path}/operations`, { operation: 'recalculate' }, 200)).toMatchObject({
      cell_count: 0,
    });
  });

  it('is complete once it is answered, as a new version, and what reads it becomes stale', async () => {
    const { sheet, reader, cells } = await rated();
    const before = await versionOf(me, sheet);
    const { cell, version, stale_count: stale } = await editCell(me, sheet, cells[0]!, { value: '4' });
    expect(cell).toMatchObject({ status: 'completed', value: 4, display_value: '4', last_computed_version: version });
    expect([version, stale]).toEqual([before + 1, 1]);
    expect((await cellsOf(me, sheet, reader.id)).map(({ status }) => status)).toEqual(['stale', 'completed']);
    expect(await counts(sheet)).toMatchObject({ total_cells: 3, status_counts: { COMPLETED: 2, STALE: 1 } });
    expect(await editCell(me, sheet, cells[0]!, { display_value: '4' })).toMatchObject({ version, stale_count: 0 });
  });

  it('waits again when the answer is taken back', async () => {
    const { sheet, cells } = await rated();
    await editCell(me, sheet, cells[0]!, { value: 4 });
    const { cell } = await editCell(me, sheet, cells[0]!, { value: null });
    expect(cell).toMatchObject({
      status: 'stale',
      value: null,
      last_computed_version: null,
      stale_cause: { type: 'cell.update', message: expect.stringContaining('withdrawn') },
    });
    expect(await counts(sheet)).toMatchObject({ total_cells: 2 });
  });

  it.each([0, 6, 'many', {}, []])('refuses what its type does not accept: %j', async (value) => {
    const { sheet, cells } = await rated();
    const before = await versionOf(me, sheet);
    expect(await me.patch(`${sheet.path}/cells/${cells[0]!.id}`, { value }, 400)).toMatchObject({
      error: 'cell_value_refused',
      message: expect.stringContaining('from 1 to 5'),
    });
    expect(await versionOf(me, sheet)).toBe(before);
  });

  it('may be answered when its row is added', async () => {
    const { sheet, column } = await rated();
    const added = (await me.post(
      `${sheet.path}/rows`,
      { count: 2, values: [{ [column.id.toUpperCase()]: '2' }] },
      201,
    )) as { rows: { cells: Record<string, Cell> }[] };
    expect(added.rows.map(({ cells }) => [cells[column.id]!.status, cells[column.id]!.value])).toEqual([
      ['completed', 2],
      ['stale', null],
    ]);
    await me.post(`${sheet.path}/rows`, { values: [{ [column.id]: 9 }] }, 400);
  });

  it('keeps its answer when what its column depends on changes', async () => {
    const sheet = await newSheet(me, ['a']);
    const dependencies = [{ column_id: sheet.columnId }];
    const column = await addColumn(me, sheet, { ...rating, dependencies });
    const [cell] = await cellsOf(me, sheet, column.id);
    await editCell(me, sheet, cell!, { value: 1 });
    const [text] = await cellsOf(me, sheet, sheet.columnId);
    expect(await editCell(me, sheet, text!, { value: 'b' })).toMatchObject({ stale_count: 0 });
    expect(await cellsOf(me, sheet, column.id)).toMatchObject([{ status: 'completed', value: 1 }]);
  });

  it('loses its answer when the question changes', async () => {
    const { sheet, column, reader, cells } = await rated();
    await editCell(me, sheet, cells[0]!, { value: 4 });
    const changed = await me.patch(`${sheet.path}/columns/${column.id}`, { config: { max: 3 } });
    expect(changed).toMatchObject({ requires_recalculation: true, affected_column_ids: [column.id, reader.id] });
    expect(await cellsOf(me, sheet, column.id)).toMatchObject([
      { status: 'stale', value: null, last_computed_version: null },
      { status: 'stale', value: null },
    ]);
  });
});

describe('why a cell is stale', () => {
  const detail = async (sheet: TestSheet, cell: Cell) =>
    ((await me.get(`${sheet.path}/cells/${cell.id}`)) as { cell: Cell & { stale_cause: unknown } }).cell;
  const fromHere = async (sheet: TestSheet) => ({
    version: await versionOf(me, sheet),
    version_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    at: expect.any(String),
    by: expect.any(String),
    message: expect.any(String),
  });

  async function chain() {
    const sheet = await newSheet(me, ['a', 'b']);
    const length = await addCount(me, sheet, 'Length');
    const digits = await addCount(me, sheet, 'Digits', 'Length');
    await settled(me, sheet);
    const cells = await cellsOf(me, sheet, digits.id);
    return { sheet, length, digits, cells };
  }

  it('is returned with the cell while the cell is stale, and only then', async () => {
    const { sheet, cells } = await chain();
    expect((await detail(sheet, cells[0]!)).stale_cause).toBeNull();
    const [text] = await cellsOf(me, sheet, sheet.columnId);
    await editCell(me, sheet, text!, { value: 'aa' });
    const cause = { ...(await fromHere(sheet)), type: 'cell.update', column_id: sheet.columnId, row_index: 0 };
    expect((await detail(sheet, cells[0]!)).stale_cause).toEqual({
      ...cause,
      title: 'Column A',
      message: '"Column A" was edited in this row.',
    });
    expect((await detail(sheet, cells[1]!)).stale_cause).toBeNull();
    // Later changes do not make it staler.
    await editCell(me, sheet, text!, { value: 'aaa' });
    expect((await detail(sheet, cells[0]!)).stale_cause).toMatchObject({ version: cause.version });
    await me.post(`${sheet.path}/operations`, { operation: 'recalculate' }, 202);
    await settled(me, sheet);
    expect((await detail(sheet, cells[0]!)).stale_cause).toBeNull();
  });

  it('may be a column that changed or was deleted', async () => {
    const { sheet, length, cells } = await chain();
    await me.patch(`${sheet.path}/columns/${length.id}`, { config: { source: 'Column A', type: 'words' } });
    const cause = { ...(await fromHere(sheet)), type: 'column.update', column_id: length.id, title: 'Length' };
    expect((await detail(sheet, cells[0]!)).stale_cause).toEqual(cause);
    await me.post(`${sheet.path}/operations`, { operation: 'recalculate' }, 202);
    await settled(me, sheet);
    await me.delete(`${sheet.path}/columns/${length.id}`);
    expect((await detail(sheet, cells[0]!)).stale_cause).toEqual({
      ...(await fromHere(sheet)),
      type: 'column.delete',
      column_id: length.id,
      title: 'Length',
      message: '"Length" was deleted.',
    });
  });

  it('may be that it was never computed', async () => {
    const { sheet, digits } = await chain();
    await me.post(`${sheet.path}/rows`, {}, 201);
    const added = (await cellsOf(me, sheet, digits.id)).at(-1)!;
    expect((await detail(sheet, added)).stale_cause).toEqual({
      ...(await fromHere(sheet)),
      type: 'rows.add',
      row_index: 2,
    });
    const unanswered = await addColumn(me, sheet, rating);
    const [cell] = await cellsOf(me, sheet, unanswered.id);
    expect((await detail(sheet, cell!)).stale_cause).toMatchObject({
      type: 'column.create',
      column_id: unanswered.id,
      message: 'It was never computed.',
    });
  });
});

describe('a large value', () => {
  it('with five megabytes is written and read like any other', async () => {
    const sheet = await newSheet(me, ['a']);
    const [cell] = await cellsOf(me, sheet, sheet.columnId);
    const value = { text: 'é'.repeat(2_500_000) };
    const edited = await editCell(me, sheet, cell!, { value });
    expect(edited.cell.value).toEqual(value);
    expect((await cellsOf(me, sheet, sheet.columnId))[0]!.value).toEqual(value);
    expect(await editCell(me, sheet, cell!, { value })).toMatchObject({ version: edited.version });
  });

  it('that is larger than a body may be is refused with 413', async () => {
    const sheet = await newSheet(me, ['a']);
    const [cell] = await cellsOf(me, sheet, sheet.columnId);
    await me.patch(`${sheet.path}/cells/${cell!.id}`, { value: 'x'.repeat(11 * 1024 * 1024) }, 413);
  });
});
