import { describe, expect, it } from 'vitest';
import { GroupCommit } from './group-commit.js';
import { fulfilled } from './in-parts.js';

const tenfold = (item: number) => fulfilled(item * 10);

/** A write that the test ends. */
function manualWrites() {
  const batches: { items: number[]; finish: () => void; fail: (error: Error) => void }[] = [];
  const write = (items: number[]) =>
    new Promise<PromiseSettledResult<number>[]>((resolve, reject) => {
      batches.push({ items, finish: () => resolve(items.map(tenfold)), fail: reject });
    });
  return { batches, write };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));
const weight = (rows: number, bytes = 1) => ({ rows, bytes });

describe('GroupCommit', () => {
  it('gives every caller the result of its own item', async () => {
    const write = (items: number[]) => Promise.resolve(items.map(tenfold));
    const commits = new GroupCommit(write, { writers: 1, rows: 100, bytes: 100 });
    expect(await Promise.all([commits.submit(1, weight(2)), commits.submit(3, weight(1))])).toEqual([10, 30]);
  });

  it('collects items that arrive while a batch is written, up to its limits', async () => {
    const { batches, write } = manualWrites();
    const commits = new GroupCommit(write, { writers: 1, rows: 3, bytes: 100 });
    const first = commits.submit(1, weight(1));
    await turn();
    const rest = [commits.submit(2, weight(2)), commits.submit(3, weight(1)), commits.submit(4, weight(1))];
    batches[0]!.finish();
    await first;
    await turn();
    expect(batches[1]!.items).toEqual([2, 3]);
    batches[1]!.finish();
    await Promise.all(rest.slice(0, 2));
    await turn();
    expect(batches[2]!.items).toEqual([4]);
    batches[2]!.finish();
    await rest[2];
  });

  it.each([
    ['rows', weight(3)],
    ['bytes', weight(1, 100)],
  ])('starts a batch that is full by %s in the same turn, and waits for others otherwise', async (_, full) => {
    const { batches, write } = manualWrites();
    const commits = new GroupCommit(write, { writers: 2, rows: 3, bytes: 100 });
    const all = [commits.submit(1, full)];
    await Promise.resolve();
    expect(batches.map((batch) => batch.items)).toEqual([[1]]);
    all.push(commits.submit(2, weight(2)));
    await Promise.resolve();
    expect(batches).toHaveLength(1);
    await turn();
    expect(batches.map((batch) => batch.items)).toEqual([[1], [2]]);
    for (const batch of batches) batch.finish();
    await Promise.all(all);
  });

  it('closes a batch at its limit of bytes but takes a larger item alone', async () => {
    const { batches, write } = manualWrites();
    const commits = new GroupCommit(write, { writers: 1, rows: 100, bytes: 10 });
    const all = [50, 6, 6].map((bytes, index) => commits.submit(index, weight(1, bytes)));
    for (let index = 0; index < 3; index++) {
      await turn();
      expect(batches[index]!.items).toEqual([index]);
      batches[index]!.finish();
      await all[index];
    }
  });

  it('writes as many batches at once as it has writers', async () => {
    const { batches, write } = manualWrites();
    const commits = new GroupCommit(write, { writers: 2, rows: 1, bytes: 100 });
    const all = [1, 2, 3].map((item) => commits.submit(item, weight(1)));
    await turn();
    await turn();
    expect(batches.map((batch) => batch.items)).toEqual([[1], [2]]);
    batches[0]!.finish();
    await all[0];
    await turn();
    expect(batches.map((batch) => batch.items)).toEqual([[1], [2], [3]]);
    batches[1]!.finish();
    batches[2]!.finish();
    await Promise.all(all);
  });

  it.each([
    ['rows', { rows: 4, bytes: 1000 }, weight(1)],
    ['bytes', { rows: 1000, bytes: 40 }, { rows: 1, bytes: 10 }],
  ])('starts another writer for half a batch by %s, and not for less', async (_, limits, each) => {
    const { batches, write } = manualWrites();
    const commits = new GroupCommit(write, { writers: 2, ...limits });
    const all = [commits.submit(1, each)];
    await turn();
    all.push(commits.submit(2, each));
    await turn();
    expect(batches.map((batch) => batch.items)).toEqual([[1]]);
    all.push(commits.submit(3, each));
    await turn();
    expect(batches.map((batch) => batch.items)).toEqual([[1], [2, 3]]);
    for (const batch of batches) batch.finish();
    await Promise.all(all);
    // Written items no longer count as waiting.
    all.push(commits.submit(4, each));
    await turn();
    await turn();
    all.push(commits.submit(5, each));
    await turn();
    expect(batches.map((batch) => batch.items)).toEqual([[1], [2, 3], [4]]);
    batches[2]!.finish();
    await all[3];
    await turn();
    batches[3]!.finish();
    await Promise.all(all);
  });

  it('never writes items with different keys together, keeps the order of each key and starts another writer for the others', async () => {
    const { batches, write } = manualWrites();
    const parity = (item: number) => item % 2;
    const commits = new GroupCommit(write, { writers: 2, rows: 100, bytes: 1000 }, parity);
    const all = [1, 2, 3, 4].map((item) => commits.submit(item, weight(1)));
    await turn();
    expect(batches.map((batch) => batch.items)).toEqual([
      [1, 3],
      [2, 4],
    ]);
    all.push(commits.submit(5, weight(1)), commits.submit(6, weight(1)));
    for (const batch of batches) batch.finish();
    await turn();
    await turn();
    expect(batches.slice(2).map((batch) => batch.items)).toEqual([[5], [6]]);
    for (const batch of batches.slice(2)) batch.finish();
    expect(await Promise.all(all)).toEqual([10, 20, 30, 40, 50, 60]);
  });

  it('keeps later items of a key behind an item that did not fit', async () => {
    const { batches, write } = manualWrites();
    const commits = new GroupCommit(write, { writers: 1, rows: 3, bytes: 1000 }, () => 'one');
    const all = [2, 2, 1].map((rows, index) => commits.submit(index, weight(rows)));
    for (const items of [[0], [1, 2]]) {
      await turn();
      expect(batches.at(-1)!.items).toEqual(items);
      batches.at(-1)!.finish();
    }
    await Promise.all(all);
  });

  it('fails an item without the others of its batch', async () => {
    const reason = new Error('not this one');
    const write = (items: number[]) =>
      Promise.resolve(items.map((item) => (item === 2 ? { status: 'rejected' as const, reason } : fulfilled(item))));
    const commits = new GroupCommit<number, number>(write, { writers: 1, rows: 100, bytes: 100 });
    const all = await Promise.allSettled([1, 2, 3].map((item) => commits.submit(item, weight(1))));
    expect(all).toEqual([fulfilled(1), { status: 'rejected', reason }, fulfilled(3)]);
  });

  it('fails the items of a failed batch only, and goes on', async () => {
    const { batches, write } = manualWrites();
    const commits = new GroupCommit(write, { writers: 1, rows: 1, bytes: 100 });
    const first = commits.submit(1, weight(1));
    const second = commits.submit(2, weight(1));
    await turn();
    batches[0]!.fail(new Error('away'));
    await expect(first).rejects.toThrow('away');
    await turn();
    batches[1]!.finish();
    expect(await second).toBe(20);
    await commits.idle();
  });
});
