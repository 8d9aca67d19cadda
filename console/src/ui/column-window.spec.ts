import { expect, it } from 'vitest';
import { columnsInView, offsetsOf } from './column-window';

it('finds the columns in view among many of different widths', () => {
  const offsets = offsetsOf([100, 50, 200, 100]);
  expect(offsets).toEqual([0, 100, 150, 350, 450]);
  expect(columnsInView({ left: 0, width: 120 }, offsets)).toEqual({ first: 0, end: 2, pinned: 0 });
  expect(columnsInView({ left: 160, width: 100 }, offsets)).toEqual({ first: 2, end: 3, pinned: 0 });
  expect(columnsInView({ left: 300, width: 1000 }, offsets)).toEqual({ first: 2, end: 4, pinned: 0 });
  expect(columnsInView({ left: 9999, width: 10 }, offsets)).toEqual({ first: 3, end: 4, pinned: 0 });
  expect(columnsInView({ left: 0, width: 100 }, [0])).toEqual({ first: 0, end: 0, pinned: 0 });
  expect(columnsInView({ left: 400 * 160, width: 800 }, offsetsOf(Array<number>(999).fill(160)))).toEqual({
    first: 400,
    end: 406,
    pinned: 0,
  });
});

it('keeps as many of the pinned columns at the left as leave room for the others', () => {
  const offsets = offsetsOf(Array<number>(999).fill(100));
  expect(columnsInView({ left: 0, width: 1000 }, offsets, 2)).toEqual({ first: 2, end: 11, pinned: 2 });
  expect(columnsInView({ left: 50_000, width: 1000 }, offsets, 2)).toEqual({ first: 502, end: 511, pinned: 2 });
  expect(columnsInView({ left: 50_000, width: 1000 }, offsets, 999)).toEqual({ first: 506, end: 511, pinned: 6 });
  expect(columnsInView({ left: 0, width: 50 }, offsets, 1)).toEqual({ first: 0, end: 1, pinned: 0 });
});
