import { describe, expect, it } from 'vitest';
import { type Aside, Asides, asidesOf, MOST_ASIDES } from './asides.js';

const told = { traceId: 't', spanId: 's', status: 'rejected', reason: 'why' } as const;

describe('skipped spans', () => {
  it('are listed one by one up to a limit, and then counted by kind', () => {
    const asides = new Asides();
    for (let n = 0; n < MOST_ASIDES + 5; n++) asides.add(n, told);
    for (let n = 0; n < 3; n++) asides.add(n, { ...told, status: 'duplicate', reason: null });
    const { list } = asides;
    expect(list).toHaveLength(MOST_ASIDES + 2);
    expect(list[7]).toEqual({ ...told, at: 7, count: 1 });
    const untold = { at: Infinity, traceId: null, spanId: null };
    expect(list.slice(-2)).toEqual([
      { ...untold, status: 'rejected', reason: 'why', count: 5 },
      { ...untold, status: 'duplicate', reason: null, count: 3 },
    ]);
  });

  it('are in exactly one of the parts of a request that is split', () => {
    const list = [0, 1, 2, 2, 3, 4, Infinity].map((at): Aside => ({ ...told, at, count: 1 }));
    const places = (from: number, to: number) => asidesOf(list, { from, to, of: 4 }).map(({ at }) => at);
    expect(places(0, 2)).toEqual([0, 1]);
    expect(places(2, 4)).toEqual([0, 0, 1, 2, Infinity]);
    expect(places(0, 4)).toEqual(list.map(({ at }) => at));
  });
});
