import { expect, it } from 'vitest';
import { requestsIn, rowsIn, tracesIn } from './chosen-items';

it('reads rows as the console counts them', () => {
  expect(rowsIn('1 - 3, 2;7\n9')).toEqual([0, 1, 2, 6, 8]);
  for (const text of ['0', '3-1', 'x', '1.5', '-2']) expect(() => rowsIn(text)).toThrow('is no row number');
  expect(() => rowsIn('1-10001')).toThrow('at most 10000');
  expect(rowsIn('1-10000')).toHaveLength(10_000);
});

it('reads ids', () => {
  expect(requestsIn(' 5,6 5')).toEqual([5, 6]);
  expect(() => requestsIn('5 x')).toThrow('“x” is no id of a request.');
  expect(tracesIn('a\nb a')).toEqual(['a', 'b']);
});
