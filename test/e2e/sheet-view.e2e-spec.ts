import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { addColumn, cellsOf, type Column, newSheet, settled, type TestSheet, versionOf } from '../support/factories.js';
import { TestColumnTypesModule } from '../support/plugins.js';
import { TestSourceTypesModule } from '../support/source-types.js';
import { TestApp } from '../support/test-app.js';
import { restore, rowsAt, versionAt } from '../support/versions.js';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.start({ extensions: [TestColumnTypesModule, TestSourceTypesModule] });
  me = app.client;
});
afterAll(() => app.stop());

interface Moved {
  column: Column & { position_rank: number };
  affected_column_ids: string[];
  version: number;
}

/** "Column A", B, C and D, with one row. */
async function fourColumns() {
  const sheet = await newSheet(me, ['a']);
  const others: Column[] = [];
  for (const title of ['B', 'C', 'D']) others.push(await addColumn(me, sheet, { title, type: 'TEXT' }));
  return { sheet, ids: [sheet.columnId, ...others.map(({ id }) => id)] };
}

const move = async (sheet: TestSheet, id: string, position: number | null, more: object = {}) =>
  (await me.patch(`${sheet.path}/columns/${id}`, { position, ...more })) as Moved;

async function columnsOf(sheet: TestSheet, query = ''): Promise<Moved['column'][]> {
  return ((await me.get(`${sheet.path}/columns${query}`)) as { data: Moved['column'][] }).data;
}
const titlesOf = async (sheet: TestSheet, query = '') => (await columnsOf(sheet, query)).map(({ title }) => title);

describe('moving a column', () => {
  it.each([
    ['to the left', 3, 1, ['Column A', 'D', 'B', 'C']],
    ['to the right', 1, 2, ['Column A', 'C', 'B', 'D']],
    ['to the beginning', 2, 0, ['C', 'Column A', 'B', 'D']],
    ['beyond the end', 0, 9_007_199_254_740_991, ['B', 'C', 'D', 'Column A']],
  ])('%s puts it there, shifts the others, and is one version', async (_, from, to, expected) => {
    const { sheet, ids } = await fourColumns();
    const before = await versionOf(me, sheet);
    const moved = await move(sheet, ids[from]!, to);
    expect(moved).toMatchObject({ requires_recalculation: false, version: before + 1, column: { id: ids[from] } });
    expect(await titlesOf(sheet)).toEqual(expected);
    expect(await titlesOf(sheet, '?limit=2&order=desc')).toEqual(expected.toReversed().slice(0, 2));
    const titlesAt = async (version: number) => (await rowsAt(me, sheet, version)).columns.map(({ title }) => title);
    expect(await titlesAt(before + 1)).toEqual(expected);
    expect(await titlesAt(before)).toEqual(['Column A', 'B', 'C', 'D']);
    await restore(me, sheet, await versionAt(me, sheet, before));
    expect(await titlesOf(sheet)).toEqual(['Column A', 'B', 'C', 'D']);
  });

  it('to where it stands already, or nowhere, makes no version', async () => {
    const { sheet, ids } = await fourColumns();
    const before = await versionOf(me, sheet);
    expect((await move(sheet, ids[1]!, 1)).version).toBe(before);
    expect((await move(sheet, ids[3]!, 99)).version).toBe(before);
    expect((await move(sheet, ids[1]!, null)).version).toBe(before);
  });

  it('goes with other changes in one request', async () => {
    const { sheet, ids } = await fourColumns();
    const { version } = await move(sheet, ids[3]!, 0, { title: 'First' });
    expect(await titlesOf(sheet)).toEqual(['First', 'Column A', 'B', 'C']);
    expect(version).toBe(await versionOf(me, sheet));
  });

  it('makes what reads everything to its left stale where that is something else now', async () => {
    const { sheet, ids } = await fourColumns();
    const reader = await addColumn(me, sheet, { title: 'All', type: 'EVERYTHING' });
    await settled(me, sheet);
    expect((await move(sheet, ids[3]!, 9)).affected_column_ids).toEqual([reader.id]);
    expect(await cellsOf(me, sheet, reader.id)).toMatchObject([{ status: 'stale' }]);
  });

  it('takes the columns along that measure it', async () => {
    const { sheet, ids } = await fourColumns();
    const measured = await addColumn(me, sheet, { title: 'Trace', type: 'TRACE' });
    await move(sheet, ids[3]!, 9);
    await move(sheet, measured.id, 1);
    const order = await columnsOf(sheet, '?include_system_columns=true');
    expect(order.map(({ title }) => title)).toEqual([
      'Column A',
      'Trace',
      'Trace.price',
      'Trace.latency',
      'B',
      'C',
      'D',
    ]);
    expect(new Set(order.map(({ position_rank: rank }) => rank)).size).toBe(order.length);
    const [price] = order.filter(({ title }) => title === 'Trace.price');
    await me.patch(`${sheet.path}/columns/${price!.id}`, { position: 0 }, 400);
  });

  it('by many at once ends in one order of all columns, and every move is a version', async () => {
    const { sheet, ids } = await fourColumns();
    const before = await versionOf(me, sheet);
    const places = ids.flatMap((id, at) => [0, 1, 2, 3].map((to) => move(sheet, id, (at + to) % 4)));
    const versions = (await Promise.all(places)).map(({ version }) => version);
    const order = await columnsOf(sheet);
    expect(order.map(({ title }) => title).toSorted()).toEqual(['B', 'C', 'Column A', 'D']);
    expect(new Set(order.map(({ position_rank: rank }) => rank)).size).toBe(4);
    expect(await versionOf(me, sheet)).toBe(Math.max(...versions));
    expect(Math.max(...versions)).toBeGreaterThan(before);
  });

  it('to what is no position is refused', async () => {
    const { sheet, ids } = await fourColumns();
    for (const position of [-1, 1.5, '1', true, [], 1e300]) {
      await me.patch(`${sheet.path}/columns/${ids[0]}`, { position }, 422);
    }
    expect(await titlesOf(sheet)).toEqual(['Column A', 'B', 'C', 'D']);
  });
});

describe('the view of a sheet', () => {
  const NONE = { hidden_column_ids: [], pinned_column_ids: [], widths: [], row_lines: 1 };
  const read = async (sheet: TestSheet) => ((await me.get(`${sheet.path}/view`)) as { view: object }).view;
  const write = (sheet: TestSheet, view: object, status = 200) => me.put(`${sheet.path}/view`, view, status);

  it('is empty before somebody sets it, and then what was set last', async () => {
    const { sheet, ids } = await fourColumns();
    expect(await read(sheet)).toEqual({ ...NONE, updated_at: null });
    const version = await versionOf(me, sheet);
    const view = {
      hidden_column_ids: [ids[1]],
      pinned_column_ids: [ids[2], ids[0]],
      widths: [{ column_id: ids[0], width: 320 }],
      row_lines: 8,
    };
    await write(sheet, view);
    expect(await read(sheet)).toEqual({ ...view, updated_at: expect.any(String) as string });
    const { row_lines: _, ...withoutLines } = NONE;
    await write(sheet, { ...withoutLines, hidden_column_ids: [ids[3]!.toUpperCase(), ids[3]] });
    expect(await read(sheet)).toMatchObject({ ...NONE, hidden_column_ids: [ids[3]] });
    expect(await versionOf(me, sheet)).toBe(version);
  });

  it('leaves out columns that were deleted, until a version brings them back', async () => {
    const { sheet, ids } = await fourColumns();
    const view = {
      hidden_column_ids: [ids[1]],
      pinned_column_ids: [ids[1]],
      widths: [{ column_id: ids[1], width: 99 }],
    };
    await write(sheet, view);
    const before = await versionOf(me, sheet);
    await me.delete(`${sheet.path}/columns/${ids[1]}`);
    expect(await read(sheet)).toMatchObject(NONE);
    await write(sheet, view, 404);
    await restore(me, sheet, await versionAt(me, sheet, before));
    expect(await read(sheet)).toMatchObject(view);
  });

  it('written by many at once is one of theirs', async () => {
    const { sheet, ids } = await fourColumns();
    await Promise.all(ids.map((id) => write(sheet, { ...NONE, hidden_column_ids: [id], pinned_column_ids: [id] })));
    const { hidden_column_ids: hidden, pinned_column_ids: pinned } = (await read(sheet)) as Record<string, string[]>;
    expect(hidden).toHaveLength(1);
    expect(pinned).toEqual(hidden);
  });

  const REFUSED: [string, object, number][] = [
    ['an unknown column', { ...NONE, hidden_column_ids: [randomUUID()] }, 404],
    ['the width of an unknown column', { ...NONE, widths: [{ column_id: randomUUID(), width: 100 }] }, 404],
    ['no id', { ...NONE, pinned_column_ids: ['\u0000'] }, 422],
    ['half of a pair of surrogates', { ...NONE, pinned_column_ids: ['\ud800'] }, 422],
    ['too many columns', { ...NONE, hidden_column_ids: Array.from({ length: 1001 }, () => randomUUID()) }, 422],
    ['a width that is too small', { ...NONE, widths: [{ column_id: randomUUID(), width: 0 }] }, 422],
    ['a width that is too large', { ...NONE, widths: [{ column_id: randomUUID(), width: 1e12 }] }, 422],
    ['a width without a column', { ...NONE, widths: [{ width: 100 }] }, 422],
    ['no line', { ...NONE, row_lines: 0 }, 422],
    ['too many lines', { ...NONE, row_lines: 9 }, 422],
    ['half a line', { ...NONE, row_lines: 1.5 }, 422],
    ['a list that is null', { ...NONE, widths: null }, 422],
    ['a list that is missing', { hidden_column_ids: [], widths: [] }, 422],
    ['an object in place of a list', { ...NONE, hidden_column_ids: {} }, 422],
  ];

  it('is refused where it names what is no column, or no width, or too much', async () => {
    const { sheet } = await fourColumns();
    for (const [what, view, status] of REFUSED) {
      expect([what, (await me.request('PUT', `${sheet.path}/view`, view)).status]).toEqual([what, status]);
    }
    expect(await read(sheet)).toMatchObject({ ...NONE, updated_at: null });
  });

  it('is not found for a sheet of another workspace, or with its columns', async () => {
    const { sheet } = await fourColumns();
    const stranger = await app.stranger();
    await stranger.get(`${sheet.path}/view`, 404);
    await stranger.put(`${sheet.path}/view`, NONE, 404);
    const theirs = await newSheet(stranger, ['x']);
    await write(sheet, { ...NONE, pinned_column_ids: [theirs.columnId] }, 404);
  });
});
