import { describe, expect, it } from 'vitest';
import { GroupCommit } from './group-commit.js';

/** A write that the test ends when it wants to. */
function manualWrites() {
  const batches: { items: number[]; finish: () => void; fail: (error: Error) => void }[] = [];
  const write = (items: number[]) =>
    new Promise<number[]>((resolve, reject) => {
      batches.push({ items, finish: () => resolve(items.map((item) => item * 10)), fail: reject });
    });
  return { batches, write };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('GroupCommit', () => {
  it('gives every caller the results of its own items', async () => {
    const commits = new GroupCommit((items: number[]) => Promise.resolve(items.map((item) => item * 10)), {
      writers: 1,
      items: 100,
      bytes: 100,
    });
    expect(await Promise.all([commits.submit([1, 2], 1), commits.submit([3], 1), commits.submit([], 0)])).toEqual([
      [10, 20],
      [30],
      [],
    ]);
  });

  it('collects what arrives while a batch is written, up to its limits', async () => {
    const { batches, write } = manualWrites();
    const commits = new GroupCommit(write, { writers: 1, items: 3, bytes: 100 });
    const first = commits.submit([1], 1);
    await turn();
    const rest = [commits.submit([2, 3], 1), commits.submit([4], 1), commits.submit([5], 1)];
    batches[0]!.finish();
    await first;
    await turn();
    expect(batches[1]!.items).toEqual([2, 3, 4]);
    batches[1]!.finish();
    await Promise.all(rest.slice(0, 2));
    await turn();
    expect(batches[2]!.items).toEqual([5]);
    batches[2]!.finish();
    await rest[2];
  });

  it('closes a batch at its limit of bytes but takes a larger member alone', async () => {
    const { batches, write } = manualWrites();
    const commits = new GroupCommit(write, { writers: 1, items: 100, bytes: 10 });
    const all = [commits.submit([1], 50), commits.submit([2], 6), commits.submit([3], 6)];
    for (let index = 0; index < 3; index++) {
      await turn();
      expect(batches[index]!.items).toEqual([index + 1]);
      batches[index]!.finish();
      await all[index];
    }
  });

  it('writes as many batches at once as it has writers', async () => {
    const { batches, write } = manualWrites();
    const commits = new GroupCommit(write, { writers: 2, items: 1, bytes: 100 });
    const all = [commits.submit([1], 1), commits.submit([2], 1), commits.submit([3], 1)];
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

  it('fails the members of a failed batch only, and goes on', async () => {
    const { batches, write } = manualWrites();
    const commits = new GroupCommit(write, { writers: 1, items: 1, bytes: 100 });
    const first = commits.submit([1], 1);
    const second = commits.submit([2], 1);
    await turn();
    batches[0]!.fail(new Error('away'));
    await expect(first).rejects.toThrow('away');
    await turn();
    batches[1]!.finish();
    expect(await second).toEqual([20]);
    await commits.idle();
  });
});
