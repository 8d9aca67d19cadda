import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import {
  addColumn,
  addCount,
  cellsOf,
  editCell,
  newSheet,
  readRows,
  settled,
  type TestSheet,
} from '../support/factories.js';
import { newTable, sheetFromFile } from '../support/sheets.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.start();
  me = app.client;
});
afterAll(() => app.stop());

interface GridPage {
  data: { row_index: number; texts: (string | null)[]; statuses: Record<string, string> }[];
  column_ids: string[];
  columns: { id: string }[];
  row_count: number;
  matching_row_count?: number;
  next_cursor: string | null;
  has_more: boolean;
  version: number;
}

async function grid(sheet: Pick<TestSheet, 'path'>, query = ''): Promise<GridPage> {
  return (await me.get(`${sheet.path}/rows?view=grid${query}`)) as GridPage;
}

const indexes = ({ data }: GridPage) => data.map(({ row_index: index }) => index);
const firstTexts = ({ data }: GridPage) => data.map(({ texts }) => texts[0]);

/** A sheet of so many columns and rows. */
async function wideSheet(columns: number, rows: number): Promise<{ path: string }> {
  const line = (text: (column: number) => string) => Array.from({ length: columns }, (_, at) => text(at)).join(',');
  const lines = Array.from({ length: rows }, (_, row) => line((at) => `A value of ${row} ${at}`));
  const { sheets } = await newTable(me);
  const { sheet } = await sheetFromFile(me, sheets, [line((at) => `C${at}`), ...lines].join('\n'));
  return { path: `${sheets}/${sheet.id}` };
}

describe('the grid view of rows', () => {
  it('contains the beginning of every display value, in the order of the columns, and the states that are not completed', async () => {
    const emoji = '🙂'.repeat(150);
    const sheet = await newSheet(me, ['x'.repeat(300), { a: [1, 'b'] }, true, null, emoji + emoji]);
    const count = await addCount(me, sheet, 'Length');
    await settled(me, sheet);
    const [first] = await cellsOf(me, sheet, sheet.columnId);
    await editCell(me, sheet, first!, { value: 'y'.repeat(201), display_value: 'shown' });
    const page = await grid(sheet);
    expect(page.column_ids).toEqual([sheet.columnId, count.id]);
    expect(firstTexts(page)).toEqual(['shown', '{"a": [1, "b"]}', 'true', null, emoji + '🙂'.repeat(50)]);
    expect(page.data.map(({ texts }) => texts[1])).toEqual(['300', '13', '4', null, '300']);
    expect(page.data.map(({ statuses }) => statuses)).toEqual([{ 1: 'stale' }, {}, {}, {}, {}]);
    expect(page).toMatchObject({ row_count: 5, has_more: false, next_cursor: null });
    expect(page.columns.map(({ id }) => id)).toEqual(page.column_ids);
  });

  it('does not read values beyond a megabyte', async () => {
    const sheet = await newSheet(me, ['z'.repeat(1_100_000), 'short']);
    expect(firstTexts(await grid(sheet))).toEqual(['…', 'short']);
  });

  it('begins at a position, whatever the indexes of the rows, in both orders', async () => {
    const sheet = await newSheet(me, ['0', '1', '2', '3', '4', '5', '6']);
    await me.delete(`${sheet.path}/rows`, 200, { row_indices: [1, 4] });
    expect(indexes(await grid(sheet, '&from_row=1&limit=2'))).toEqual([2, 3]);
    expect(indexes(await grid(sheet, '&from_row=3'))).toEqual([5, 6]);
    expect(indexes(await grid(sheet, '&from_row=5'))).toEqual([]);
    expect(indexes(await grid(sheet, '&from_row=2147483647'))).toEqual([]);
    expect(indexes(await grid(sheet, '&from_row=1&limit=3&order=desc'))).toEqual([5, 3, 2]);
    expect(indexes(await grid(sheet, '&from_row=4&order=desc'))).toEqual([0]);
    const { data } = (await me.get(`${sheet.path}/rows?from_row=2&limit=1`)) as GridPage;
    expect(data).toMatchObject([{ row_index: 3, cells: { [sheet.columnId]: { value: '3' } } }]);
  });

  it('begins at a position among the rows that a filter selects', async () => {
    const sheet = await newSheet(me, ['a1', 'b', 'a2', 'a3', 'c', 'a4']);
    const filter = { filters: [{ field: 'Column A', operator: 'contains', value: 'a' }] };
    const search = (body: object) => me.post(`${sheet.path}/rows/search`, { view: 'grid', filter, ...body });
    const page = (await search({ from_row: 1, limit: 2, columns: [sheet.columnId] })) as GridPage;
    expect(firstTexts(page)).toEqual(['a2', 'a3']);
    expect(page).toMatchObject({ matching_row_count: 4, has_more: true });
    const next = (await search({ cursor: page.next_cursor, limit: 2 })) as GridPage;
    expect(firstTexts(next)).toEqual(['a4']);
    expect(await search({ from_row: 9 })).toMatchObject({ data: [], matching_row_count: 4 });
  });

  it('is paged by cursors in both directions', async () => {
    const sheet = await newSheet(me, ['0', '1', '2', '3', '4']);
    const second = await grid(sheet, `&limit=2&cursor=${(await grid(sheet, '&limit=2')).next_cursor}`);
    expect(firstTexts(second)).toEqual(['2', '3']);
    const { prev_cursor: back } = (second as unknown as { pagination: { prev_cursor: string } }).pagination;
    expect(firstTexts(await grid(sheet, `&limit=2&cursor=${back}`))).toEqual(['0', '1']);
  });

  it('reads only the columns that are asked for', async () => {
    const sheet = await newSheet(me, ['x']);
    const b = await addColumn(me, sheet, { title: 'B', type: 'TEXT' });
    const c = await addCount(me, sheet, 'C');
    const page = await grid(sheet, `&columns=${c.id.toUpperCase()},${sheet.columnId}`);
    expect(page.column_ids).toEqual([sheet.columnId, c.id]);
    const full = (await me.get(`${sheet.path}/rows?columns=${b.id}`)) as { data: { cells: object }[] };
    expect(Object.keys(full.data[0]!.cells)).toEqual([b.id]);
    const foreign = await newSheet(me);
    await me.get(`${sheet.path}/rows?view=grid&columns=${foreign.columnId}`, 404);
  });

  it('shows a version as it was', async () => {
    const sheet = await newSheet(me, ['before', 'same']);
    const { version } = await grid(sheet);
    const [cell] = await cellsOf(me, sheet, sheet.columnId);
    await editCell(me, sheet, cell!, { value: 'after' });
    expect(firstTexts(await grid(sheet))).toEqual(['after', 'same']);
    expect(firstTexts(await grid(sheet, `&version=${version}`))).toEqual(['before', 'same']);
  });

  it('is a tenth of the full view at most, and ends a page before it has too many cells', async () => {
    const sheet = await wideSheet(60, 450);
    const size = async (query: string) => (await me.request('GET', `${sheet.path}/rows?${query}`)).bytes.length;
    const [full, small] = [await size('include_columns=false'), await size('include_columns=false&view=grid')];
    expect(small * 10).toBeLessThan(full);
    const page = await grid(sheet, '&limit=500');
    expect(page).toMatchObject({ count: 333, has_more: true, row_count: 450 });
    const rest = await grid(sheet, `&limit=500&cursor=${page.next_cursor}`);
    expect([indexes(rest)[0], rest.data.length]).toEqual([333, 117]);
  });

  it.each([
    'limit=101',
    'view=grid&limit=501',
    'view=tiny',
    'view=grid&from_row=-1',
    'view=grid&from_row=1e99',
    'view=grid&from_row=2147483648',
    'view=grid&from_row=%00',
    'view=grid&columns=Column%20A',
    'view=grid&columns=,',
    'view=grid&columns=%ED%A0%80',
  ])('refuses %s', async (query) => {
    const sheet = await newSheet(me, ['x']);
    await me.get(`${sheet.path}/rows?${query}`, 422);
  });

  it('refuses a position and a cursor together, in the query and in the body', async () => {
    const sheet = await newSheet(me, ['x', 'y']);
    const { next_cursor: cursor } = await grid(sheet, '&limit=1');
    expect(await me.get(`${sheet.path}/rows?from_row=1&cursor=${cursor}`, 422)).toMatchObject({
      detail: [{ loc: ['query', 'from_row'], msg: 'Give either from_row or cursor' }],
    });
    await me.post(`${sheet.path}/rows/search`, { from_row: 1, cursor }, 422);
    await me.post(`${sheet.path}/rows/search`, { columns: 'x' }, 422);
    await me.post(`${sheet.path}/rows/search`, { limit: 101 }, 422);
  });
});

describe('a cell by its row and column', () => {
  it('is the cell with that id, and says why it is stale', async () => {
    const sheet = await newSheet(me, ['one', 'two']);
    const count = await addCount(me, sheet, 'Length');
    await settled(me, sheet);
    const [, second] = await cellsOf(me, sheet, sheet.columnId);
    await editCell(me, sheet, second!, { value: 'three' });
    const { cell } = (await me.get(`${sheet.path}/cells?row_index=1&column=${count.id}`)) as { cell: { id: string } };
    expect(cell).toMatchObject({
      status: 'stale',
      value: 3,
      stale_cause: { message: '"Column A" was edited in this row.' },
    });
    expect(await me.get(`${sheet.path}/cells/${cell.id}`)).toEqual({ success: true, cell });
    expect(await me.get(`${sheet.path}/cells?row_index=1&column=Length`)).toEqual({ success: true, cell });
  });

  it('is refused when there is none, or more than one', async () => {
    const sheet = await newSheet(me, ['one']);
    const refused = async (query: string, status: number) =>
      ((await me.get(`${sheet.path}/cells?${query}`, status)) as { error?: string }).error;
    expect(await refused('row_index=7&column=Column%20A', 404)).toBe('row_not_found');
    expect(await refused('row_index=0&column=Nothing', 404)).toBe('column_not_found');
    await addColumn(me, sheet, { title: 'Column A', type: 'TEXT' });
    expect(await refused('row_index=0&column=Column%20A', 400)).toBe('column_reference_ambiguous');
    for (const query of ['', 'row_index=0', 'column=x', 'row_index=x&column=x', 'row_index=-1&column=x']) {
      await refused(query, 422);
    }
    await refused(`row_index=0&column=${'x'.repeat(256)}`, 422);
    await refused('row_index=0&column=%00', 404);
    expect((await readRows(me, sheet)).data).toHaveLength(1);
  });
});
