import { describe, expect, it } from 'vitest';
import { fulfilled, writeInParts } from './in-parts.js';

/** A failure of PostgreSQL. */
const failure = (code: string) => Object.assign(new Error(`failed with ${code}`), { code });

/** Writes numbers; every transaction with one of `failing` fails with its code. Also returns the successful transactions. */
async function write(items: number[], failing: Record<number, string>) {
  const stored: number[][] = [];
  const settled = await writeInParts<number, string>(items, {
    together: (some) => {
      const code = some.map((item) => failing[item]).find((found) => found !== undefined);
      if (code) return Promise.reject(failure(code));
      stored.push(some);
      return Promise.resolve(some.map((item) => `stored ${item}`));
    },
    refuse: (item, { message }) => `refused ${item}: ${message}`,
  });
  return { settled, stored };
}

describe('writeInParts', () => {
  it('writes everything at once without an error', async () => {
    expect(await write([1, 2, 3], {})).toEqual({
      settled: ['stored 1', 'stored 2', 'stored 3'].map(fulfilled),
      stored: [[1, 2, 3]],
    });
  });

  it.each(['22003', '23514', '54000'])('refuses only what the database does not accept: %s', async (code) => {
    expect(await write([1, 2, 3, 4, 5], { 4: code })).toEqual({
      settled: ['stored 1', 'stored 2', 'stored 3', `refused 4: failed with ${code}`, 'stored 5'].map(fulfilled),
      stored: [[1, 2, 3], [5]],
    });
  });

  it('reports items that were stored before the connection was lost', async () => {
    const { settled } = await write([1, 2, 3, 4], { 2: '23514', 4: '57P01' });
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'rejected']);
    expect(settled[2]).toMatchObject({ reason: { code: '57P01' } });
  });

  it('rejects all when nothing can be stored', async () => {
    const { settled, stored } = await write([1, 2], { 1: '53100' });
    expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(stored).toEqual([]);
  });
});
