import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chunkOf, RowSet } from './row-set.js';

const rows = fc.uniqueArray(fc.integer({ min: 0, max: 60 }), { maxLength: 40 });
const ascending = (values: Iterable<number>) => [...values].sort((a, b) => a - b);

describe('RowSet', () => {
  it('behaves like a set of numbers under every operation', () => {
    fc.assert(
      fc.property(rows, rows, fc.integer({ min: 0, max: 61 }), (a, b, probe) => {
        const [left, right] = [RowSet.of(a), RowSet.of(b)];
        expect([...left]).toEqual(ascending(a));
        expect([...left.union(right)]).toEqual(ascending(new Set([...a, ...b])));
        expect([...left.intersect(right)]).toEqual(ascending(a.filter((row) => b.includes(row))));
        expect([...left.without(right)]).toEqual(ascending(a.filter((row) => !b.includes(row))));
        expect(left.overlaps(right)).toBe(a.some((row) => b.includes(row)));
        expect(left.count).toBe(a.length);
        expect(left.has(probe)).toBe(a.includes(probe));
        expect(left.end).toBe(a.length === 0 ? 0 : Math.max(...a) + 1);
      }),
    );
  });

  it('reads back what it writes', () => {
    fc.assert(
      fc.property(rows, (a) => {
        expect([...RowSet.parse(RowSet.of(a).toString())]).toEqual(ascending(a));
      }),
    );
  });

  it('pages through every member once, in both directions', () => {
    fc.assert(
      fc.property(
        rows,
        fc.integer({ min: 1, max: 7 }),
        fc.constantFrom('asc' as const, 'desc' as const),
        (a, limit, order) => {
          const set = RowSet.of(a);
          const seen: number[] = [];
          for (let page = set.page(null, limit, order); page.length > 0; page = set.page(seen.at(-1)!, limit, order)) {
            seen.push(...page);
          }
          expect(seen).toEqual(order === 'asc' ? ascending(a) : ascending(a).reverse());
        },
      ),
    );
  });

  it('gives any part of its members by position', () => {
    fc.assert(
      fc.property(rows, fc.integer({ min: 0, max: 45 }), fc.integer({ min: 0, max: 45 }), (a, offset, limit) => {
        expect([...RowSet.of(a).part(offset, limit)]).toEqual(ascending(a).slice(offset, offset + limit));
      }),
    );
  });

  it('splits into chunks that add up to the whole', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer({ min: 0, max: 5000 }), { maxLength: 30 }), (a) => {
        const set = RowSet.of(a);
        expect(set.chunks()).toEqual(ascending(new Set(a.map(chunkOf))));
        expect(RowSet.union(set.chunks().map((chunk) => set.inChunk(chunk))).equals(set)).toBe(true);
      }),
    );
  });
});
