import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import {
  addColumn,
  addCount,
  type Cell,
  cellsOf,
  type Column,
  newSheet,
  readAll,
  readRows,
  type RowsPage,
  settled,
  type TestSheet,
  versionOf,
} from '../support/factories.js';
import { TestColumnTypesModule } from '../support/plugins.js';
import { importFile } from '../support/sheets.js';
import { TestApp } from '../support/test-app.js';
import { versionsOf } from '../support/versions.js';
import { inColumnA, refusedCells, writeCells } from './many-cells.fixture.js';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.start({ extensions: [TestColumnTypesModule] });
  me = app.client;
});
afterAll(() => app.stop());

const write = (sheet: TestSheet, cells: object[]) => writeCells(me, sheet, cells);
const refused = (sheet: TestSheet, status: number, cells: unknown) => refusedCells(me, sheet, status, cells);
const statusesOf = async (sheet: TestSheet, column: Column) =>
  (await cellsOf(me, sheet, column.id)).map(({ status }) => status);

describe('five thousand cells', () => {
  const ROWS = 2500;
  /** Rows that are written in each column: 5,000 cells in all three chunks. */
  const WRITTEN = {
    A: (row: number) => row % 5 !== 0,
    B: (row: number) => row < 1500,
    C: (row: number) => row >= 1000,
  };
  const rowsOf = (title: keyof typeof WRITTEN) => [...Array(ROWS).keys()].filter(WRITTEN[title]);

  async function threeColumns() {
    const sheet = await newSheet(me);
    const lines = Array.from({ length: ROWS }, (_, row) => `a${row},b${row},c${row}`);
    await importFile(me, sheet.path, ['A,B,C', ...lines].join('\n'));
    const length = await addCount(me, sheet, 'Length', 'A');
    const digits = await addCount(me, sheet, 'Digits', 'Length');
    const pair = await addColumn(me, sheet, { title: 'Pair', type: 'PAIR', config: { left: 'A', right: 'B' } });
    await addColumn(me, sheet, { title: 'Other', type: 'TEXT' });
    const apart = await addCount(me, sheet, 'Apart', 'Other');
    await settled(me, sheet);
    return { sheet, length, digits, pair, apart };
  }

  it('are one version, and mark only the dependent cells of their rows stale', async () => {
    const { sheet, length, digits, pair, apart } = await threeColumns();
    const before = await versionOf(me, sheet);
    const titles = ['C', 'A', 'B'] as const;
    const cells = titles.flatMap((title) =>
      rowsOf(title).map((row) => ({ row_index: row, column: title, value: `new ${title} of row ${row}` })),
    );
    expect(cells).toHaveLength(5000);

    const written = await write(sheet, cells);

    const stale = new Map([
      [length.id, WRITTEN.A],
      [digits.id, WRITTEN.A],
      [pair.id, (row: number) => WRITTEN.A(row) || WRITTEN.B(row)],
      [apart.id, () => false],
    ]);
    const rows = await readAll<RowsPage['data'][number]>(me, `${sheet.path}/rows?limit=100`);
    for (const [id, isStale] of stale) {
      const statuses = rows.map((row) => row.cells[id]!.status);
      expect(statuses).toEqual(rows.map((row) => (isStale(row.row_index) ? 'stale' : 'completed')));
    }
    const staleCount = [...stale.values()].reduce(
      (sum, isStale) => sum + rows.filter((_, row) => isStale(row)).length,
      0,
    );
    expect(written).toMatchObject({ success: true, version: before + 1, changed_count: 5000, stale_count: staleCount });
    expect(await versionOf(me, sheet)).toBe(before + 1);
    expect(written.cells.map(({ row_index, value }) => [row_index, value])).toEqual(
      cells.map(({ row_index, value }) => [row_index, value]),
    );
    const { columns } = await readRows(me, sheet);
    const byTitle = new Map(columns.map(({ title, id }) => [title, id]));
    expect(written.cells).toEqual(cells.map((cell) => rows[cell.row_index]!.cells[byTitle.get(cell.column)!]));
    for (const row of rows) {
      for (const title of titles) {
        const old = `${title.toLowerCase()}${row.row_index}`;
        const value = WRITTEN[title](row.row_index) ? `new ${title} of row ${row.row_index}` : old;
        expect(row.cells[byTitle.get(title)!]!.value).toBe(value);
      }
    }
  });

  it('are summed up in the list of versions', async () => {
    const sheet = await newSheet(me, ['a', 'b']);
    const notes = await addColumn(me, sheet, { title: 'Notes', type: 'TEXT' });
    await write(sheet, [inColumnA(0, 'x'), inColumnA(1, 'y'), { row_index: 1, column: 'Notes', value: 'z' }]);
    const [version] = await versionsOf(me, sheet);
    expect(version!.deltas).toEqual([{ type: 'cells.update', count: 3, column_ids: [sheet.columnId, notes.id] }]);
  });

  it('are the most that one request may write', async () => {
    const sheet = await newSheet(me, ['a']);
    const { detail } = await refused(sheet, 422, Array(5001).fill(inColumnA(0, 'x')));
    expect(detail).toMatchObject([{ loc: ['body', 'cells'], type: 'too_long' }]);
    await refused(sheet, 422, Array(900_000).fill({}));
    expect(await refused(sheet, 422, [])).toMatchObject({ detail: [{ loc: ['body', 'cells'], type: 'too_short' }] });
  });
});

describe('columns of all kinds', () => {
  async function allKinds() {
    const sheet = await newSheet(me, ['a', 'b']);
    const source = await newSheet(me, ['there', 'too']);
    const config = { source_table_id: source.tableId, source_sheet_id: source.id, source_column_id: source.columnId };
    const rating = await addColumn(me, sheet, { title: 'Rating', type: 'RATING', config: { max: 5 } });
    await addColumn(me, sheet, { title: 'Trace', type: 'TRACE' });
    await addColumn(me, sheet, { title: 'Mirror', type: 'COMPOSITION', config });
    await addColumn(me, sheet, { title: 'Weather', type: 'WEATHER', config: { city: 'Column A' } });
    const shout = await addColumn(me, sheet, { title: 'Shout', type: 'SHOUT', config: { source: 'Rating' } });
    await settled(me, sheet);
    return { sheet, rating, shout };
  }
  const at = (column: string, content: object, row = 0) => ({ row_index: row, column, ...content });

  it('accept all values that users may write', async () => {
    const { sheet, rating, shout } = await allKinds();
    const version = await versionOf(me, sheet);
    const written = await write(sheet, [
      at('Column A', { value: 'written' }),
      at('Rating', { value: '4' }),
      at('Rating', { display_value: '5' }, 1),
      at('Trace', { display_value: 'A trace' }),
    ]);
    // The weather of row 0 and both shouts.
    expect(written).toMatchObject({ version: version + 1, changed_count: 4, stale_count: 3 });
    expect(written.cells.map(({ value, display_value, status }) => [value, display_value, status])).toEqual([
      ['written', 'written', 'completed'],
      [4, '4', 'completed'],
      [5, '5', 'completed'],
      [null, 'A trace', 'completed'],
    ]);
    expect(await statusesOf(sheet, shout)).toEqual(['stale', 'stale']);

    const again = await write(sheet, [at('Rating', { value: null }), at('Rating', { value: 5 }, 1)]);
    expect(again).toMatchObject({ version: version + 2, changed_count: 1, stale_count: 0 });
    expect(await statusesOf(sheet, rating)).toEqual(['stale', 'completed']);
    expect(again.cells[0]).toMatchObject({ value: null, status: 'stale', last_computed_version: null });
  });

  it.each([
    ['Rating', { value: 6 }, 'cell_value_refused'],
    ['Rating', { value: [] }, 'cell_value_refused'],
    ['Trace', { value: 'x' }, 'cell_text_only'],
    ['Trace', { value: null, display_value: 'x' }, 'cell_text_only'],
    ['Mirror', { value: 'x' }, 'column_not_editable'],
    ['Weather', { value: 'x' }, 'column_not_editable'],
    ['Shout', { value: 'x' }, 'column_not_editable'],
    ['Trace.price', { value: 1 }, 'column_not_editable'],
  ])('refuse for %s %j, and with it everything else', async (title, content, error) => {
    const { sheet } = await allKinds();
    const version = await versionOf(me, sheet);
    const cells = [at('Column A', { value: 'x' }), at('Rating', { value: 3 }, 1), at(title, content)];
    expect(await refused(sheet, 400, cells)).toMatchObject({
      error,
      message: expect.stringMatching(new RegExp(`^cells\\[2\\]: .*"${title}"`)),
    });
    expect(await versionOf(me, sheet)).toBe(version);
  });

  it('leave dependent cells alone when only a display value changes', async () => {
    const sheet = await newSheet(me, ['a', 'b']);
    const length = await addCount(me, sheet, 'Length');
    await settled(me, sheet);
    const written = await write(sheet, [
      at('Column A', { value: 'a', display_value: 'A' }),
      at('Column A', { value: 'bb', display_value: 'B' }, 1),
    ]);
    expect(written).toMatchObject({ changed_count: 2, stale_count: 1 });
    expect(await statusesOf(sheet, length)).toEqual(['completed', 'stale']);
  });
});

describe('requests that come at once', () => {
  it('make a version each, without gaps, and none of their cells is lost', async () => {
    const WRITERS = 20;
    const OWN = 30;
    const sheet = await newSheet(me, ['shared']);
    for (let left = WRITERS * OWN; left > 0; left -= 100) {
      await me.post(`${sheet.path}/rows`, { count: Math.min(left, 100) }, 201);
    }
    const before = await versionOf(me, sheet);
    const cellsOfWriter = (writer: number) => [
      inColumnA(0, `shared by ${writer}`),
      ...Array.from({ length: OWN }, (_, index) => inColumnA(1 + index * WRITERS + writer, `own of ${writer}`)),
    ];
    const written = await Promise.all(
      Array.from({ length: WRITERS }, (_, writer) => write(sheet, cellsOfWriter(writer))),
    );
    expect(written.map(({ version }) => version).sort((a, b) => a - b)).toEqual(
      Array.from({ length: WRITERS }, (_, index) => before + 1 + index),
    );
    const last = written.reduce((a, b) => (a.version > b.version ? a : b));
    const rows = await readAll<RowsPage['data'][number]>(me, `${sheet.path}/rows?limit=100`);
    const values = rows.map(({ cells }) => cells[sheet.columnId]!.value);
    expect(values).toEqual([
      last.cells[0]!.value,
      ...Array.from({ length: WRITERS * OWN }, (_, index) => `own of ${index % WRITERS}`),
    ]);
    expect((await versionsOf(me, sheet)).map(({ version_number }) => version_number).slice(0, WRITERS)).toEqual(
      Array.from({ length: WRITERS }, (_, index) => before + WRITERS - index),
    );
  });

  it('converge with simultaneous computations', async () => {
    const sheet = await newSheet(me, ['', '', '', '']);
    const length = await addCount(me, sheet, 'Length');
    for (let round = 1; round <= 5; round++) {
      await Promise.all([
        write(
          sheet,
          [0, 1, 2, 3].map((row) => inColumnA(row, 'x'.repeat(round * 10 + row))),
        ),
        me.request('POST', `${sheet.path}/operations`, { operation: 'recalculate' }),
      ]);
    }
    await settled(me, sheet);
    await me.request('POST', `${sheet.path}/operations`, { operation: 'recalculate' });
    await settled(me, sheet);
    expect((await cellsOf(me, sheet, length.id)).map(({ status, value }) => [status, value])).toEqual([
      ['completed', 50],
      ['completed', 51],
      ['completed', 52],
      ['completed', 53],
    ]);
  });
});

describe('why a cell is stale after many were written', () => {
  const causeOf = async (sheet: TestSheet, cell: Cell) =>
    ((await me.get(`${sheet.path}/cells/${cell.id}`)) as { cell: { stale_cause: unknown } }).cell.stale_cause;

  it('names the columns that were edited in its row', async () => {
    const sheet = await newSheet(me, ['a', 'b', 'c', 'd']);
    const notes = await addColumn(me, sheet, { title: 'Notes', type: 'TEXT' });
    await addColumn(me, sheet, { title: 'Apart', type: 'TEXT' });
    const join = { title: 'Join', type: 'JOIN', config: { sources: ['Column A', 'Notes'] } };
    const joined = await addColumn(me, sheet, join);
    await addCount(me, sheet, 'Length', 'Join');
    await settled(me, sheet);
    const { version } = await write(sheet, [
      inColumnA(0, 'x'),
      { row_index: 1, column: 'Notes', value: 'x' },
      inColumnA(2, 'x'),
      { row_index: 2, column: 'Notes', value: 'x' },
      { row_index: 0, column: 'Apart', value: 'x' },
      { row_index: 3, column: 'Apart', value: 'x' },
    ]);
    // Later edits do not change the cause.
    await write(sheet, [inColumnA(0, 'y'), inColumnA(1, 'y'), { row_index: 0, column: 'Notes', value: 'y' }]);
    const [only, other, both, none] = await cellsOf(me, sheet, joined.id);
    const told = {
      type: 'cells.update',
      version,
      version_id: expect.any(String),
      at: expect.any(String),
      by: expect.any(String),
    };
    expect(await causeOf(sheet, only!)).toEqual({
      ...told,
      column_id: sheet.columnId,
      row_index: 0,
      title: 'Column A',
      message: '"Column A" was edited in this row.',
    });
    expect(await causeOf(sheet, other!)).toMatchObject({
      column_id: notes.id,
      message: '"Notes" was edited in this row.',
    });
    expect(await causeOf(sheet, both!)).toEqual({
      ...told,
      row_index: 2,
      message: '"Column A" and "Notes" were edited in this row.',
    });
    expect(await causeOf(sheet, none!)).toBeNull();
    await me.delete(`${sheet.path}/rows`, 200, { row_indices: [3] });
    expect(await causeOf(sheet, both!)).toMatchObject({ version, row_index: 2 });
  });

  it('may be that its answer was taken back', async () => {
    const sheet = await newSheet(me, ['a', 'b']);
    const rating = await addColumn(me, sheet, { title: 'Rating', type: 'RATING', config: { max: 5 } });
    const at = (row: number, value: unknown) => ({ row_index: row, column: 'Rating', value });
    await write(sheet, [at(0, 1), at(1, 2)]);
    const { version } = await write(sheet, [at(0, null), at(1, null)]);
    const [cell] = await cellsOf(me, sheet, rating.id);
    expect(await causeOf(sheet, cell!)).toMatchObject({
      version,
      title: 'Rating',
      message: 'The answer was withdrawn.',
    });
  });
});
