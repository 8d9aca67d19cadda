import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { addColumn, addCount, cellsOf, editCell, newSheet, settled, type TestSheet } from '../support/factories.js';
import { importFile } from '../support/sheets.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.start();
  me = app.client;
});
afterAll(() => app.stop());

interface Summary {
  row_count: number;
  columns: Record<string, unknown>[];
}
const summaryOf = async (sheet: TestSheet, query = '') => (await me.get(`${sheet.path}/summary${query}`)) as Summary;
const firstOf = async (values: unknown[]) => (await summaryOf(await newSheet(me, values))).columns[0];

describe('the summary of a column', () => {
  it('has the pass rate of booleans and of their words', async () => {
    expect(await firstOf([true, false, 'Yes', ' no ', 'TRUE', true, null, ''])).toMatchObject({
      title: 'Column A',
      type: 'TEXT',
      cell_count: 8,
      empty_count: 2,
      booleans: { true_count: 4, false_count: 2, pass_rate: 4 / 6 },
      numbers: null,
      texts: null,
    });
  });

  it('has the range, mean and sum of numbers, also of those in texts', async () => {
    const numbers = { count: 5, min: -1, mean: 2.5, max: 10, sum: 12.5 };
    expect(await firstOf([0, 1, '2.5', ' 1e1 ', -1])).toMatchObject({ booleans: null, numbers, texts: null });
  });

  it('has the most frequent texts, most frequent first, then in order', async () => {
    const texts = [...'aaabbc', ...'zyxwvutsr', { b: 1, a: [] }, '0x10', '1e999'];
    const top = [...'abc'].map((value, index) => ({ value, count: 3 - index }));
    const rare = ['0x10', '1e999', 'r', 's', 't', 'u', 'v'].map((value) => ({ value, count: 1 }));
    // "c" is as rare as those that begin with a digit.
    const top_values = [...top.slice(0, 2), ...rare.slice(0, 2), top[2], ...rare.slice(2)];
    const expected = { count: 18, distinct_count: 15, distinct_is_lower_bound: false, top_values };
    expect(await firstOf(texts)).toMatchObject({ booleans: null, numbers: null, texts: expected });
  });

  it('says when long texts make the number of different ones a lower bound, and cuts what it shows', async () => {
    const long = ['a', 'b', 'a'].map((letter) => letter.repeat(5000));
    expect(await firstOf([...long, 'x'.repeat(500)])).toMatchObject({
      texts: {
        count: 4,
        distinct_count: 2,
        distinct_is_lower_bound: true,
        top_values: [{ value: 'x'.repeat(200), count: 1 }],
      },
    });
    expect(await firstOf(long.slice(1, 2))).toMatchObject({
      texts: { distinct_is_lower_bound: false, top_values: [] },
    });
  });

  it('separates all kinds of values in one column', async () => {
    expect(await firstOf(['yes', 5, 'text', null])).toMatchObject({
      empty_count: 1,
      booleans: { pass_rate: 1 },
      numbers: { mean: 5 },
      texts: { count: 1 },
    });
  });

  it('outlives sums beyond every number', async () => {
    const large = { min: 1.5e308, mean: 1.5e308, max: 1.5e308, sum: null };
    expect(await firstOf([1.5e308, 1.5e308])).toMatchObject({ numbers: large });
  });
});

describe('the summary of a sheet', () => {
  it('counts failed, stale and empty cells as their statuses say, and leaves values of failed cells out', async () => {
    const sheet = await newSheet(me, ['1', '2', 'x', '4']);
    await addColumn(me, sheet, {
      title: 'Number',
      type: 'PARSE_VALUE',
      config: { source: 'Column A', type: 'number' },
    });
    await settled(me, sheet);
    const cells = await cellsOf(me, sheet, sheet.columnId);
    await editCell(me, sheet, cells[1]!, { value: '20' });
    const { columns, row_count } = await summaryOf(sheet);
    expect(row_count).toBe(4);
    expect(columns[1]).toMatchObject({
      cell_count: 4,
      empty_count: 1,
      failed_count: 1,
      stale_count: 1,
      pending_count: 0,
    });
    expect(columns[1]).toMatchObject({ numbers: { count: 3, min: 1, max: 4, sum: 7 } });
    expect(columns[0]).toMatchObject({ failed_count: 0, stale_count: 0 });
  });

  it('knows nothing of deleted rows, and shows columns that measure others on request', async () => {
    const sheet = await newSheet(me, [1, 2, 3]);
    await addCount(me, sheet, 'Length');
    await settled(me, sheet);
    await me.delete(`${sheet.path}/rows`, 200, { row_indices: [2] });
    const { columns } = await summaryOf(sheet);
    expect(columns).toHaveLength(2);
    expect(columns[0]).toMatchObject({ cell_count: 2, numbers: { sum: 3 } });
    expect((await summaryOf(sheet, '?include_system_columns=true')).columns.length).toBeGreaterThanOrEqual(2);
  });

  it('counts every row of a sheet with many rows', async () => {
    const sheet = await newSheet(me);
    await importFile(me, sheet.path, `n\n${Array.from({ length: 5000 }, (_, row) => row % 100).join('\n')}\n`);
    const { columns } = await summaryOf(sheet);
    const numbers = { count: 5000, min: 0, mean: 49.5, max: 99, sum: 247_500 };
    expect(columns.find(({ title }) => title === 'n')).toMatchObject({ numbers });
  });

  it('is refused with 404 for a sheet of somebody else and with 422 for what is no boolean', async () => {
    const sheet = await newSheet(me, ['x']);
    await (await app.stranger()).get(`${sheet.path}/summary`, 404);
    await me.get(`${sheet.path.replace(sheet.id, randomUUID())}/summary`, 404);
    await me.get(`${sheet.path}/summary?include_system_columns=maybe`, 422);
  });
});
