import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cellIds, parseCellId } from '../../src/grid/shared/cell-id.js';
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
  valuesOf,
  versionOf,
} from '../support/factories.js';
import { TestApp } from '../support/test-app.js';
import { restore, rowsAt, versionAt } from '../support/versions.js';
import { inColumnA, refusedCells, writeCells } from './many-cells.fixture.js';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.start();
  me = app.client;
});
afterAll(() => app.stop());

const write = (sheet: TestSheet, cells: object[]) => writeCells(me, sheet, cells);
const refused = (sheet: TestSheet, status: number, cells: unknown) => refusedCells(me, sheet, status, cells);
const statusesOf = async (sheet: TestSheet, column: Column) =>
  (await cellsOf(me, sheet, column.id)).map(({ status }) => status);

describe('a number that nothing can compute with', () => {
  it.each(['1e400', '-1e999', '[{"a": [1e400]}]'])('is refused, and nothing is written: %s', async (value) => {
    const sheet = await newSheet(me, ['a']);
    const send = (method: 'PATCH' | 'POST', url: string, body: string) =>
      me.with({ 'content-type': 'application/json' }).request(method, url, body);
    const cell = `{"row_index": 0, "column": "${sheet.columnId}", "value": ${value}}`;
    const answers = [
      await send('PATCH', `${sheet.path}/cells`, `{"cells": [${cell}]}`),
      await send('POST', `${sheet.path}/rows`, `{"values": [{"${sheet.columnId}": ${value}}]}`),
    ];
    for (const { status, body } of answers) {
      expect([status, (body as { message: string }).message]).toEqual([422, expect.stringContaining('1.8e308')]);
    }
    expect(await valuesOf(me, sheet)).toEqual([['a']]);
  });

  it('may be a text, or stand in one', async () => {
    const sheet = await newSheet(me, ['a']);
    await write(sheet, [inColumnA(0, '1e400')]);
    expect(await valuesOf(me, sheet)).toEqual([['1e400']]);
  });
});

describe('a cell', () => {
  it('is named by its id, or by its row and the title or id of its column', async () => {
    const sheet = await newSheet(me, ['a', 'b', 'c', 'd']);
    const [first] = await cellsOf(me, sheet, sheet.columnId);
    const { cells } = await write(sheet, [
      { row_index: 3, column: sheet.columnId.toUpperCase(), value: 'by id of column' },
      { cell_id: first!.id.toUpperCase(), row_index: null, column: null, value: 'by id' },
      { cell_id: null, row_index: 2, column: 'Column A', value: 'by title' },
    ]);
    expect(cells.map(({ row_index }) => row_index)).toEqual([3, 0, 2]);
    expect(await valuesOf(me, sheet)).toEqual([['by id'], ['b'], ['by title'], ['by id of column']]);
  });

  it.each([
    {},
    { cell_id: null },
    { row_index: 0 },
    { column: 'Column A' },
    { cell_id: randomUUID(), row_index: 0 },
    { cell_id: randomUUID(), column: 'Column A' },
    { cell_id: randomUUID(), column: 'Column A', row_index: 0 },
  ])('is rejected as %j, because the reference is ambiguous', async (name) => {
    const sheet = await newSheet(me, ['a']);
    const { detail } = await refused(sheet, 422, [inColumnA(0, 'x'), { ...name, value: 'y' }]);
    expect(detail).toMatchObject([{ loc: ['body', 'cells', 1], type: 'cell_reference' }]);
  });

  it.each([
    { ...inColumnA(0, 'x'), row_index: '0' },
    { ...inColumnA(0, 'x'), row_index: -1 },
    { ...inColumnA(0, 'x'), row_index: 0.5 },
    { ...inColumnA(0, 'x'), row_index: 1e300 },
    { ...inColumnA(0, 'x'), column: 5 },
    { ...inColumnA(0, 'x'), column: 'x'.repeat(256) },
    { ...inColumnA(0, 'x'), display_value: 5 },
    { cell_id: 'x', value: 'x' },
    { cell_id: 7, value: 'x' },
    null,
    'x',
    7,
    [inColumnA(0, 'x')],
  ])('is refused as %j, which is malformed', async (cell) => {
    const sheet = await newSheet(me, ['a']);
    await refused(sheet, 422, [inColumnA(0, 'x'), cell]);
  });

  it.each(['x', 7, {}, null, undefined])('is no list when it comes as %j', async (cells) => {
    await refused(await newSheet(me, ['a']), 422, cells);
  });

  it('may be given once only, however it is named', async () => {
    const sheet = await newSheet(me, ['a', 'b']);
    const [cell] = await cellsOf(me, sheet, sheet.columnId);
    for (const again of [
      { cell_id: cell!.id, value: 'y' },
      inColumnA(0, 'x'),
      { ...inColumnA(0, 'y'), column: sheet.columnId },
    ]) {
      expect(await refused(sheet, 400, [inColumnA(0, 'x'), inColumnA(1, 'x'), again])).toMatchObject({
        error: 'cell_given_twice',
        message: 'cells[2]: The same cell is written by cells[0] as well. Give each cell once.',
      });
    }
  });

  it('that is not there is 404, and the message says which one it is', async () => {
    const sheet = await newSheet(me, ['a', 'b']);
    const other = await newSheet(me, ['a', 'b']);
    const stranger = await app.stranger();
    const foreign = await newSheet(stranger, ['a']);
    const inRow = cellIds(parseCellId((await cellsOf(me, sheet, sheet.columnId))[0]!.id)!.columnKey);
    const [otherCell] = await cellsOf(me, other, other.columnId);
    const [foreignCell] = await cellsOf(stranger, foreign, foreign.columnId);
    await me.delete(`${sheet.path}/rows`, 200, { row_indices: [1] });
    const cases: [object, string][] = [
      ...[otherCell!.id, foreignCell!.id, randomUUID(), inRow(1), inRow(2 ** 32 - 1)].map((id): [object, string] => [
        { cell_id: id },
        'cell_not_found',
      ]),
      ...[1, 2, 2 ** 31, 2 ** 40, Number.MAX_SAFE_INTEGER].map((row): [object, string] => [
        { row_index: row, column: 'Column A' },
        'row_not_found',
      ]),
      ...[other.columnId, foreign.columnId, randomUUID(), 'column a', 'Column A ', '', '__proto__', 'toString'].map(
        (column): [object, string] => [{ row_index: 0, column }, 'column_not_found'],
      ),
    ];
    for (const [cell, error] of cases) {
      expect(await refused(sheet, 404, [inColumnA(0, 'x'), { ...cell, value: 'y' }])).toMatchObject({
        error,
        message: expect.stringMatching(/^cells\[1\]: (Cell|Row|Column) .*was not found in this sheet\.$/s),
      });
    }
    expect(await valuesOf(me, other)).toEqual([['a'], ['b']]);
    expect(await valuesOf(stranger, foreign)).toEqual([['a']]);
    await me.patch(`${foreign.path}/cells`, { cells: [inColumnA(0, 'x')] }, 404);
  });

  it('in one of several columns with the same title needs the id of its column', async () => {
    const sheet = await newSheet(me, ['a']);
    const twin = await addColumn(me, sheet, { title: 'Column A', type: 'TEXT' });
    expect(await refused(sheet, 400, [inColumnA(0, 'x')])).toMatchObject({
      error: 'column_reference_ambiguous',
      message: expect.stringMatching(/^cells\[0\]: column refers to "Column A"/),
    });
    await write(sheet, [{ row_index: 0, column: twin.id, value: 'x' }]);
    expect(await valuesOf(me, sheet)).toEqual([['a', 'x']]);
  });

  it('is found by the id of its column even where another column has that id as its title', async () => {
    const sheet = await newSheet(me, ['a']);
    await addColumn(me, sheet, { title: sheet.columnId, type: 'TEXT' });
    await write(sheet, [{ row_index: 0, column: sheet.columnId, value: 'x' }]);
    expect(await valuesOf(me, sheet)).toEqual([['x', null]]);
  });
});

describe('what is written', () => {
  it('is the same as in a request of its own, whatever is given', async () => {
    const edits = [
      { value: 'new' },
      { value: 12 },
      { value: false },
      { value: { a: [1, null] } },
      { display_value: 'shown' },
      { value: { a: 1 }, display_value: 'one' },
      { value: null },
      { display_value: null },
      { value: null, display_value: 'nothing' },
      { value: '' },
      {},
      { value: 'same' },
      { value: 'a\u0000b\uD800c' },
      { value: { '\u0000': ['\uDFFF'] }, display_value: '\u0000' },
      { value: 1e21 },
      { value: 'x', unknown: 1 },
    ];
    const [one, many] = [
      await newSheet(
        me,
        edits.map(() => 'same'),
      ),
      await newSheet(
        me,
        edits.map(() => 'same'),
      ),
    ];
    for (const [row, edit] of edits.entries()) {
      await editCell(me, one, (await cellsOf(me, one, one.columnId))[row]!, edit);
    }
    const written = await write(
      many,
      edits.map((edit, row) => ({ row_index: row, column: 'Column A', ...edit })),
    );
    const shown = (cells: Cell[]) =>
      cells.map(({ value, display_value, status }) => ({ value, display_value, status }));
    expect(shown(written.cells)).toEqual(shown(await cellsOf(me, one, one.columnId)));
    expect(written.cells).toEqual(await cellsOf(me, many, many.columnId));
    expect(written.changed_count).toBe(edits.length - 2);
  });

  it('changes nothing the second time, and then makes no version and nothing stale', async () => {
    const sheet = await newSheet(me, ['a', 'b', 'c']);
    const length = await addCount(me, sheet, 'Length');
    await settled(me, sheet);
    const cells = [inColumnA(0, 'a\u0000'), inColumnA(1, { deep: [1.5, 'ü'] }), inColumnA(2, 'c')];
    const first = await write(sheet, cells);
    expect(first).toMatchObject({ changed_count: 2, stale_count: 2 });
    expect(await statusesOf(sheet, length)).toEqual(['stale', 'stale', 'completed']);
    await me.post(`${sheet.path}/operations`, { operation: 'recalculate' }, 202);
    await settled(me, sheet);
    const version = await versionOf(me, sheet);
    expect(await write(sheet, cells)).toEqual({ ...first, version, changed_count: 0, stale_count: 0 });
    expect(await versionOf(me, sheet)).toBe(version);
    expect(await statusesOf(sheet, length)).toEqual(['completed', 'completed', 'completed']);
  });

  it('may be megabytes', async () => {
    const sheet = await newSheet(me, ['a', 'b', 'c', 'd']);
    const values = [
      'x'.repeat(1_000_000),
      { text: 'é'.repeat(500_000) },
      Array(100_000).fill('0123456'),
      '\n'.repeat(1e6),
    ];
    const { cells } = await write(
      sheet,
      values.map((value, row) => inColumnA(row, value)),
    );
    expect(cells.map(({ value }) => value)).toEqual(values);
    expect((await valuesOf(me, sheet)).map(([value]) => value)).toEqual(values);
    await me.patch(`${sheet.path}/cells`, { cells: [inColumnA(0, 'x'.repeat(11 * 1024 * 1024))] }, 413);
  });

  it('is in the history: the version before still shows the old values, and can be restored', async () => {
    const sheet = await newSheet(me, ['a', 'b', 'c']);
    const before = await versionOf(me, sheet);
    await write(sheet, [inColumnA(2, 'z'), inColumnA(0, null)]);
    expect(await valuesOf(me, sheet)).toEqual([[null], ['b'], ['z']]);
    const past = await rowsAt(me, sheet, before);
    expect(past.data.map(({ cells }) => cells[sheet.columnId]!.value)).toEqual(['a', 'b', 'c']);
    await restore(me, sheet, await versionAt(me, sheet, before));
    expect(await valuesOf(me, sheet)).toEqual([['a'], ['b'], ['c']]);
  });
});
