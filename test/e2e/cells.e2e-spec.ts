import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cellIds, parseCellId } from '../../src/grid/shared/cell-id.js';
import type { Client } from '../support/client.js';
import {
  addCount,
  type Cell,
  cellsOf,
  editCell,
  newSheet,
  settled,
  type TestSheet,
  versionOf,
} from '../support/factories.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.start();
  me = app.client;
});
afterAll(() => app.stop());

/** A sheet with one text cell. */
async function oneCell(text: unknown = 'old'): Promise<{ sheet: TestSheet; cell: Cell }> {
  const sheet = await newSheet(me, [text]);
  return { sheet, cell: (await cellsOf(me, sheet, sheet.columnId))[0]! };
}

describe('editing a text cell', () => {
  it.each([
    [{ value: 'new' }, { value: 'new', display_value: 'new' }],
    [{ value: 12 }, { value: 12, display_value: '12' }],
    [{ value: false }, { value: false, display_value: 'false' }],
    [{ value: { a: [1] } }, { value: { a: [1] }, display_value: '{"a":[1]}' }],
    [{ display_value: 'shown' }, { value: 'shown', display_value: 'shown' }],
    [
      { value: { a: 1 }, display_value: 'one' },
      { value: { a: 1 }, display_value: 'one' },
    ],
    [{ value: null }, { value: null, display_value: null }],
    [{ display_value: null }, { value: null, display_value: null }],
    [{ value: '' }, { value: '', display_value: '' }],
    [{ value: 'a\u0000b' }, { value: 'a\uFFFDb', display_value: 'a\uFFFDb' }],
    [
      { value: 'x', unknown: 1 },
      { value: 'x', display_value: 'x' },
    ],
    [
      { value: { constructor: { name: 'x' }, toString: 'y' } },
      { value: { constructor: { name: 'x' }, toString: 'y' } },
    ],
  ])('with %j shows %j', async (edit, expected) => {
    const { sheet, cell } = await oneCell();
    const { cell: answered, version } = await editCell(me, sheet, cell, edit);
    expect(answered).toMatchObject({ ...expected, id: cell.id, status: 'completed', last_computed_version: null });
    expect(await me.get(`${sheet.path}/cells/${cell.id}`)).toEqual({ success: true, cell: answered });
    expect(version).toBe(await versionOf(me, sheet));
  });

  it('makes a new version only when it changes something', async () => {
    const { sheet, cell } = await oneCell('same');
    const before = await versionOf(me, sheet);
    for (const edit of [{}, { value: 'same' }, { display_value: 'same' }, { value: 'same', display_value: 'same' }]) {
      expect(await editCell(me, sheet, cell, edit)).toMatchObject({ version: before, stale_count: 0 });
    }
    expect(await editCell(me, sheet, cell, { value: 'other' })).toMatchObject({ version: before + 1 });
  });

  it('refuses a shown text that is none', async () => {
    const { sheet, cell } = await oneCell();
    await me.patch(`${sheet.path}/cells/${cell.id}`, { display_value: 5 }, 422);
  });

  it('is refused for a computed cell', async () => {
    const { sheet } = await oneCell();
    const count = await addCount(me, sheet, 'Length');
    const [computed] = await cellsOf(me, sheet, count.id);
    expect(await me.patch(`${sheet.path}/cells/${computed!.id}`, { value: 1 }, 400)).toMatchObject({
      error: 'column_not_editable',
    });
  });

  it('keeps the last of two edits and both versions when they come at once', async () => {
    const { sheet, cell } = await oneCell();
    const before = await versionOf(me, sheet);
    const edits = await Promise.all(
      Array.from({ length: 8 }, (_, index) => editCell(me, sheet, cell, { value: `edit ${index}` })),
    );
    const last = edits.reduce((a, b) => (a.version > b.version ? a : b));
    expect(last.version).toBe(before + 8);
    expect((await cellsOf(me, sheet, sheet.columnId))[0]!.value).toBe(last.cell.value);
  });
});

describe('what a cell was computed from', () => {
  it('makes it stale when it changes, through a whole chain, but not the cells of other rows', async () => {
    const sheet = await newSheet(me, ['aaa', 'bb']);
    const length = await addCount(me, sheet, 'Length');
    const digits = await addCount(me, sheet, 'Digits', 'Length');
    const apart = await addCount(me, sheet, 'Apart', 'Column A');
    await settled(me, sheet);
    const [cell] = await cellsOf(me, sheet, sheet.columnId);

    const edit = await editCell(me, sheet, cell!, { value: 'aaaaaaaaaaaa' });

    expect(edit.stale_count).toBe(3);
    for (const [column, old] of [
      [length, 3],
      [digits, 1],
      [apart, 3],
    ] as const) {
      const [changed, untouched] = await cellsOf(me, sheet, column.id);
      expect(changed).toMatchObject({ status: 'stale', value: old, display_value: String(old) });
      expect(untouched!.status).toBe('completed');
    }
    expect(await me.get(`${sheet.path}/status-counts`)).toMatchObject({
      total_cells: 6,
      status_counts: { STALE: 3, COMPLETED: 3 },
    });
  });

  it('is counted once when it changes twice: cells that are stale already do not become staler', async () => {
    const sheet = await newSheet(me, ['a']);
    await addCount(me, sheet, 'Length');
    await settled(me, sheet);
    const [cell] = await cellsOf(me, sheet, sheet.columnId);
    expect((await editCell(me, sheet, cell!, { value: 'b' })).stale_count).toBe(1);
    expect((await editCell(me, sheet, cell!, { value: 'c' })).stale_count).toBe(0);
  });

  it('keeps the cell up to date when an edit sets the same value', async () => {
    const sheet = await newSheet(me, ['a']);
    const length = await addCount(me, sheet, 'Length');
    await settled(me, sheet);
    const [cell] = await cellsOf(me, sheet, sheet.columnId);
    await editCell(me, sheet, cell!, { value: 'a' });
    expect(await cellsOf(me, sheet, length.id)).toMatchObject([{ status: 'completed' }]);
  });

  it('is identified by a hash, and a computed cell also by the version in which it was computed', async () => {
    const sheet = await newSheet(me, ['a', 'a', 'b']);
    const length = await addCount(me, sheet, 'Length');
    await settled(me, sheet);
    const cells = await cellsOf(me, sheet, length.id);
    const hashes = cells.map((cell) => cell.input_hash);
    expect(hashes[0]).toMatch(/^[0-9a-f]{64}$/);
    expect(hashes[1]).toBe(hashes[0]);
    expect(hashes[2]).not.toBe(hashes[0]);
    for (const cell of cells) expect(cell.last_computed_version).toBe(await versionOf(me, sheet));
  });
});

describe('a cell id', () => {
  it('belongs to one sheet: below another it is 404', async () => {
    const [one, two] = [await oneCell(), await oneCell()];
    for (const id of [
      two.cell.id,
      randomUUID(),
      '00000000-0000-0000-0000-000000000000',
      'ffffffff-ffff-8fff-bfff-ffffffffffff',
    ]) {
      expect(await me.get(`${one.sheet.path}/cells/${id}`, 404)).toMatchObject({ error: 'cell_not_found' });
      expect(await me.patch(`${one.sheet.path}/cells/${id}`, { value: 'x' }, 404)).toMatchObject({
        error: 'cell_not_found',
      });
    }
  });

  it('is found in any letter case', async () => {
    const { sheet, cell } = await oneCell();
    expect(await me.get(`${sheet.path}/cells/${cell.id.toUpperCase()}`)).toMatchObject({ cell: { id: cell.id } });
  });

  it('is that of no cell while its row does not exist', async () => {
    const { sheet, cell } = await oneCell();
    const inRow = cellIds(parseCellId(cell.id)!.columnKey);
    expect(inRow(0)).toBe(cell.id);
    await me.get(`${sheet.path}/cells/${inRow(1)}`, 404);
    await me.patch(`${sheet.path}/cells/${inRow(1)}`, { value: 'x' }, 404);
    await me.post(`${sheet.path}/rows`, {}, 201);
    expect(await me.get(`${sheet.path}/cells/${inRow(1)}`)).toMatchObject({ cell: { row_index: 1 } });
  });
});
