import { describe, expect, it } from 'vitest';
import { Drafts } from './drafts';
import { inOrder, type LoadTile, type TilePage, TileStore, tilesIn } from './tiles';

const page = (version: number, indexes: number[]): TilePage => ({
  data: indexes.map((index) => ({ row_index: index, texts: [`v${version}`], statuses: { 0: 'stale' } })),
  column_ids: ['c'],
  version,
  row_count: 500,
});

interface Asked {
  row: number;
  signal: AbortSignal;
  answer: (version: number, indexes?: number[]) => Promise<void>;
  fail: () => Promise<void>;
}

/** Creates a store whose responses come on demand. */
function storeOf() {
  const asked: Asked[] = [];
  const load: LoadTile = ({ row }, signal) =>
    new Promise((resolve, reject) => {
      const answer = (version: number, indexes = [row * 100]) => {
        resolve(page(version, indexes));
        return Promise.resolve();
      };
      const fail = () => {
        reject(new Error('Not now.'));
        return Promise.resolve();
      };
      asked.push({ row, signal, answer, fail });
    });
  const drafts = new Drafts();
  return { store: new TileStore(load, ['c'], drafts), drafts, asked };
}

it('knows which tiles a screen touches', () => {
  expect(tilesIn({ first: 90, end: 130 }, { first: 0, end: 24, pinned: 0 })).toEqual([
    { row: 0, column: 0 },
    { row: 1, column: 0 },
  ]);
  expect(tilesIn({ first: 0, end: 100 }, { first: 23, end: 25, pinned: 0 }).map(({ column }) => column)).toEqual([
    0, 1,
  ]);
  const far = tilesIn({ first: 0, end: 100 }, { first: 900, end: 905, pinned: 2 });
  expect(far.map(({ column }) => column)).toEqual([0, 37]);
  expect(tilesIn({ first: 0, end: 0 }, { first: 0, end: 5, pinned: 0 })).toEqual([]);
});

it('sorts the cells of a response by the visible columns', () => {
  const page = { version: 1, row_count: 1, column_ids: ['a', 'b', 'c'], data: [] };
  const rows = [{ row_index: 7, texts: ['1', '2', '3'], statuses: { 0: 'stale' as const } }];
  expect(inOrder({ ...page, data: rows }, ['c', 'a']).data).toEqual([
    { row_index: 7, texts: ['3', '1'], statuses: { 1: 'stale' } },
  ]);
  expect(inOrder({ ...page, data: rows }, ['a', 'b', 'c']).data).toBe(rows);
});

describe('a store of tiles', () => {
  it('asks for each tile once and notifies when it has loaded', async () => {
    const { store, asked } = storeOf();
    store.show([{ row: 0, column: 0 }]);
    store.show([{ row: 0, column: 0 }]);
    expect(asked).toHaveLength(1);
    expect(store.cell(0, 0)).toBeNull();
    await asked[0]!.answer(1);
    await Promise.resolve();
    expect(store.cell(0, 0)).toEqual({ index: 0, text: 'v1', status: 'stale' });
    expect([store.version, store.rowCount, store.isLoading]).toEqual([1, 500, false]);
    store.show([{ row: 0, column: 0 }]);
    expect(asked).toHaveLength(1);
  });

  it('gives up what is out of view', () => {
    const { store, asked } = storeOf();
    store.show([{ row: 0, column: 0 }]);
    store.show([{ row: 7, column: 0 }]);
    expect(asked.map(({ row, signal }) => [row, signal.aborted])).toEqual([
      [0, true],
      [7, false],
    ]);
  });

  it('shows the old tile while it reads again, and reads once more when a refresh came meanwhile', async () => {
    const { store, asked } = storeOf();
    store.show([{ row: 0, column: 0 }]);
    store.refresh();
    expect(asked).toHaveLength(1);
    await asked[0]!.answer(1);
    await Promise.resolve();
    expect(store.cell(0, 0)?.text).toBe('v1');
    expect(asked).toHaveLength(2);
    await asked[1]!.answer(2);
    await Promise.resolve();
    expect(store.cell(0, 0)?.text).toBe('v2');
  });

  it('shows a text that is not stored, whatever is read, and a stored one until it has been read', async () => {
    const { store, drafts, asked } = storeOf();
    const cell = { row: 0, index: 0, column: 'c' };
    let finish: (version: number) => void = () => undefined;
    drafts.send = ({ targets }, onSaved) =>
      new Promise((resolve) => {
        finish = (version) => {
          onSaved(targets, version);
          resolve();
        };
      });
    store.show([{ row: 0, column: 0 }]);
    await asked[0]!.answer(1);
    await Promise.resolve();
    drafts.save([{ ...cell, text: 'mine' }]);
    expect(store.cell(0, 0)).toMatchObject({ index: 0, text: 'mine', draft: { state: 'saving' } });
    store.refresh();
    await asked[1]!.answer(2);
    await Promise.resolve();
    expect(store.cell(0, 0)?.text).toBe('mine');
    finish(3);
    await drafts.settled();
    expect(store.cell(0, 0)?.text).toBe('mine');
    store.refresh();
    await asked[2]!.answer(3);
    await Promise.resolve();
    expect(store.cell(0, 0)).toEqual({ index: 0, text: 'v3', status: 'stale' });
    expect(drafts.of(cell)).toBeUndefined();
  });

  it('reads a row that was not looked at to know its index', async () => {
    const { store, asked } = storeOf();
    const index = store.indexOf(200);
    await asked[0]!.answer(1);
    expect(await index).toBe(200);
    await expect(store.indexOf(201)).rejects.toThrow('There is no row at place 202 any more.');
    expect(asked).toHaveLength(1);
    store.refresh();
    const added = store.indexOf(201);
    await asked[1]!.answer(2, [200, 207]);
    expect(await added).toBe(207);
  });

  it('has an error until every part in view was read', async () => {
    const { store, asked } = storeOf();
    store.show([
      { row: 0, column: 0 },
      { row: 1, column: 0 },
    ]);
    await asked[0]!.fail();
    await asked[1]!.answer(1);
    await Promise.resolve();
    expect(store.error?.message).toBe('Not now.');
    store.refresh();
    await asked[2]!.answer(2);
    await Promise.resolve();
    expect(store.error).toBeNull();
  });
});
