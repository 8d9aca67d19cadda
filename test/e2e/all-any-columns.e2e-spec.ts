import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { addColumn, type Cell, cellsOf, editCell, newSheet, settled, type TestSheet } from '../support/factories.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.start();
  me = app.client;
});
afterAll(() => app.stop());

/** Texts of "Column A" and "B", row by row, and the columns ALL and ANY over both. */
async function sheetOf(rows: [a: unknown, b: unknown][]) {
  const sheet = await newSheet(
    me,
    rows.map(([a]) => a),
  );
  const b = await addColumn(me, sheet, { title: 'B', type: 'TEXT' });
  const cells = await cellsOf(me, sheet, b.id);
  for (const [row, cell] of cells.entries()) await editCell(me, sheet, cell, { value: rows[row]![1] });
  const add = (type: string) => addColumn(me, sheet, { title: type, type, config: { sources: ['Column A', 'B'] } });
  const [all, any] = [await add('ALL'), await add('ANY')];
  await settled(me, sheet);
  return { sheet, b, all, any };
}

const valuesOf = async (sheet: TestSheet, columnId: string) =>
  (await cellsOf(me, sheet, columnId)).map(({ value }) => value);

describe('ALL and ANY', () => {
  it('follow three-valued logic, over booleans and their texts', async () => {
    const rows: [unknown, unknown, all: unknown, any: unknown][] = [
      [true, 'yes', true, true],
      ['TRUE', 0, false, true],
      [false, 'no', false, false],
      ['1', null, null, true],
      ['false', ' ', false, null],
    ];
    const { sheet, all, any } = await sheetOf(rows.map(([a, b]) => [a, b]));
    expect(await valuesOf(sheet, all.id)).toEqual(rows.map(([, , expected]) => expected));
    expect(await valuesOf(sheet, any.id)).toEqual(rows.map(([, , , expected]) => expected));
  });

  it('fail where a source is neither true nor false, and name it', async () => {
    const { sheet, all, any } = await sheetOf([
      ['yes', 'perhaps'],
      ['yes', 'no'],
    ]);
    for (const { id } of [all, any]) {
      const [failed, fine] = await cellsOf(me, sheet, id);
      expect(failed).toMatchObject({ status: 'error', error_message: '"B" is neither true nor false: "perhaps".' });
      expect(fine!.status).toBe('completed');
    }
  });

  it('fail with a source that failed', async () => {
    const sheet = await newSheet(me, ['{"a":1}', '{']);
    await addColumn(me, sheet, {
      title: 'Same',
      type: 'COMPARE',
      config: { sources: ['Column A'], target: { a: 1 }, comparison_type: 'JSON' },
    });
    const all = await addColumn(me, sheet, { title: 'All', type: 'ALL', config: { sources: ['Same'] } });
    await settled(me, sheet);
    const [fine, failed] = await cellsOf(me, sheet, all.id);
    expect(fine).toMatchObject({ status: 'completed', value: true });
    expect(failed!.status).toBe('error');
    expect(failed!.error_message).toContain('"Same"');
  });

  it('are computed again from edited values', async () => {
    const { sheet, b, all, any } = await sheetOf([['yes', 'no']]);
    const [cell] = await cellsOf(me, sheet, b.id);
    await editCell(me, sheet, cell!, { value: 'yes' });
    const stale = (await cellsOf(me, sheet, all.id)) as Cell[];
    expect(stale[0]).toMatchObject({ status: 'stale', value: false });
    await me.post(`${sheet.path}/operations`, { operation: 'recalculate' }, 202);
    await settled(me, sheet);
    expect([await valuesOf(sheet, all.id), await valuesOf(sheet, any.id)]).toEqual([[true], [true]]);
  });

  it.each([{}, { sources: [] }, { sources: 'Column A' }, { sources: ['Nobody'] }, { sources: [null] }])(
    'refuse the config %j',
    async (config) => {
      const sheet = await newSheet(me);
      for (const type of ['ALL', 'ANY']) {
        const answer = await me.request('POST', `${sheet.path}/columns`, { title: 'x', type, config });
        expect(answer).toMatchObject({ status: 400, body: { success: false } });
      }
    },
  );
});
