import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sizeOf, sizesWithin } from './magnitude.js';

const numbers = fc.oneof(
  fc.double({ min: 0, max: 1e12, noNaN: true }),
  fc.constantFrom(0, -1, 1, 2, 1.5, 9000, 1e-9, 1e300),
);
const comparisons = fc.constantFrom('=' as const, '<' as const, '<=' as const, '>' as const, '>=' as const);
const holds = {
  '=': Object.is,
  '<': less,
  '<=': (a: number, b: number) => a <= b,
  '>': more,
  '>=': (a: number, b: number) => a >= b,
};
function less(a: number, b: number): boolean {
  return a < b;
}
function more(a: number, b: number): boolean {
  return a > b;
}

describe('the sizes of numbers', () => {
  it('grow with the numbers', () => {
    fc.assert(
      fc.property(numbers, numbers, (a, b) => {
        expect(sizeOf(Math.min(a, b))).toBeLessThanOrEqual(sizeOf(Math.max(a, b)));
      }),
    );
  });

  it('include the size of each number within the bounds', () => {
    const bounds = fc.array(fc.record({ comparison: comparisons, value: numbers }), { minLength: 1, maxLength: 2 });
    fc.assert(
      fc.property(numbers, bounds, (number, asked) => {
        const sizes = sizesWithin(asked);
        const within = asked.every(({ comparison, value }) => holds[comparison](number, value));
        if (within && sizes) expect(sizes).toContain(sizeOf(number));
      }),
      { numRuns: 1000 },
    );
  });

  it('are few for a narrow range, and none for a wide one', () => {
    expect(sizesWithin([{ comparison: '=', value: 100 }])).toEqual([13]);
    expect(sizesWithin([{ comparison: '>', value: 1e9 }])).toEqual([59, 60]);
    expect(sizesWithin([{ comparison: '>', value: 0 }])).toBeNull();
    expect(
      sizesWithin([
        { comparison: '>', value: 9 },
        { comparison: '<', value: 4 },
      ]),
    ).toEqual([]);
  });
});
