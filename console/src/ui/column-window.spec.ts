import { expect, it } from 'vitest';
import { columnsInView, offsetsOf } from './column-window';

it('finds the columns in view among many of different widths', () => {
  const offsets = offsetsOf([100, 50, 200, 100]);
  expect(offsets).toEqual([0, 100, 150, 350, 450]);
  expect(columnsInView({ left: 0, width: 120 }, offsets)).toEqual({ first: 0, end: 2 });
  expect(columnsInView({ left: 160, width: 100 }, offsets)).toEqual({ first: 2, end: 3 });
  expect(columnsInView({ left: 300, width: 1000 }, offsets)).toEqual({ first: 2, end: 4 });
  expect(columnsInView({ left: 9999, width: 10 }, offsets)).toEqual({ first: 3, end: 4 });
  expect(columnsInView({ left: 0, width: 100 }, [0])).toEqual({ first: 0, end: 0 });
  expect(columnsInView({ left: 400 * 160, width: 800 }, offsetsOf(Array<number>(999).fill(160)))).toEqual({
    first: 400,
    end: 406,
  });
});
