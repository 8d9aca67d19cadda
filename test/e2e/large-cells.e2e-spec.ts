import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { deepIt } from '../support/depth.js';
import { addColumn, type Cell, type Column, newSheet, type RowsPage, type TestSheet } from '../support/factories.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let me: Client;

beforeAll(async () => {
  app = await TestApp.start();
  me = app.client;
});
afterAll(() => app.stop());

const ROWS = 5;
const LONGEST = 17_000_000;
/** With everything that is written otherwise in JSON, and characters of all lengths. */
const TEXT = 'aé漢😀"\\\n\t{"a": 1} '.repeat(60_000);
const OBJECT = {
  list: Array.from({ length: 30_000 }, (_, n) => `a "quoted", b: ${n} 😀`),
  more: { true: true, none: null, number: 1.5 },
};

/** Texts of megabytes, an object and what is shown instead of a value; they only have to be there. */
async function largeSheet(): Promise<TestSheet & { second: Column }> {
  const sheet = await newSheet(
    me,
    Array.from({ length: ROWS }, (_, row) => `row ${row}`),
  );
  const second = await addColumn(me, sheet, { title: 'Second', type: 'TEXT' });
  await write(sheet.columnId, 0, TEXT);
  await write(sheet.columnId, 1, OBJECT);
  await write(second.id, 1, 7, TEXT);
  await write(sheet.columnId, 2, { small: [1, 2] });
  await write(second.id, 3, 'x'.repeat(LONGEST));
  return { ...sheet, second };
}

async function write(columnId: string, row: number, value: unknown, display: string | null = null): Promise<void> {
  await app.sql(
    `INSERT INTO cells (workspace_id, column_key, row_index, version, value, display_value)
     SELECT workspace_id, key, $2, version, $3::jsonb, $4 FROM sheet_columns WHERE id = $1
     ON CONFLICT (workspace_id, column_key, row_index) DO UPDATE SET value = excluded.value`,
    [columnId, row, JSON.stringify(value), display],
  );
}

async function readPages(path: string, query: string): Promise<RowsPage[]> {
  const pages: RowsPage[] = [];
  for (let cursor: string | null = ''; cursor !== null; cursor = pages.at(-1)!.next_cursor) {
    pages.push((await me.get(`${path}/rows?${query}${cursor && `&cursor=${encodeURIComponent(cursor)}`}`)) as RowsPage);
  }
  return pages;
}

it('gives rows of any size in pages of fewer rows, each once and as it is', async () => {
  const sheet = await largeSheet();
  const version = ((await me.get(sheet.path)) as { sheet: { version_count: number } }).sheet.version_count;
  for (const query of ['limit=2', 'limit=100&order=desc', `limit=100&version=${version}`]) {
    const pages = await readPages(sheet.path, query);
    const rows = pages.flatMap(({ data }) => data).sort((a, b) => a.row_index - b.row_index);
    expect(rows.map(({ row_index }) => row_index)).toEqual([0, 1, 2, 3, 4]);
    const cells = (row: number) => [rows[row]!.cells[sheet.columnId]!, rows[row]!.cells[sheet.second.id]!] as const;
    expect(cells(0)[0]).toMatchObject({ value: TEXT, display_value: TEXT, status: 'completed' });
    expect(cells(1)[0].value).toEqual(OBJECT);
    expect(JSON.parse(cells(1)[0].display_value!)).toEqual(OBJECT);
    expect(cells(1)[0].display_value).not.toContain('": ');
    expect(cells(1)[1]).toMatchObject({ value: 7, display_value: TEXT });
    expect(cells(2)[0]).toMatchObject({ value: { small: [1, 2] }, display_value: '{"small":[1,2]}' });
    expect(cells(3)[1].value).toHaveLength(LONGEST);
    for (const { data, has_more, next_cursor, count } of pages) {
      expect([data.length > 0, count, has_more]).toEqual([true, data.length, next_cursor !== null]);
    }
    expect(pages.length).toBeGreaterThan(1);
  }
});

deepIt('gives a single cell, an edited one and a version of any size', async () => {
  const sheet = await largeSheet();
  const [page] = await readPages(sheet.path, 'limit=1');
  const cell = page!.data[0]!.cells[sheet.columnId]!;
  const read = (await me.get(`${sheet.path}/cells/${cell.id}`)) as { cell: Cell };
  expect(read.cell).toMatchObject({ id: cell.id, value: TEXT, display_value: TEXT });
  const half = TEXT.slice(0, 300_000);
  const edited = (await me.patch(`${sheet.path}/cells/${cell.id}`, { value: half })) as { cell: Cell };
  expect(edited.cell).toMatchObject({ value: half, display_value: half });
  const many = (await me.patch(`${sheet.path}/cells`, { cells: [{ cell_id: cell.id, value: `${half}!` }] })) as {
    cells: Cell[];
  };
  expect(many.cells[0]!.value).toBe(`${half}!`);

  const { data: versions } = (await me.get(`${sheet.path}/versions?limit=3&order=desc`)) as { data: { id: string }[] };
  const [latest, , first] = versions.map(({ id }) => id);
  const at = async (id: string) => {
    const { version } = (await me.get(`${sheet.path}/versions/${id}`)) as {
      version: { snapshot: { rows: { row_index: number; cells: Record<string, Cell> }[] } };
    };
    return version;
  };
  const [before, after] = [await at(first!), await at(latest!)];
  expect(before.snapshot.rows.map(({ row_index }) => row_index)).toEqual([0, 1, 2, 3, 4]);
  expect(before.snapshot.rows[0]!.cells[sheet.columnId]!.value).toBe(TEXT);
  expect(before.snapshot.rows[1]!.cells[sheet.columnId]!.value).toEqual(OBJECT);
  expect(after.snapshot.rows[0]!.cells[sheet.columnId]!.value).toBe(`${half}!`);
  const diff = (await me.get(`${sheet.path}/versions/${first}/diff`)) as {
    data: { row_index: number; before: Cell; after: Cell }[];
  };
  expect(diff.data).toHaveLength(1);
  expect(diff.data[0]).toMatchObject({ before: { value: TEXT }, after: { value: `${half}!` } });
});
