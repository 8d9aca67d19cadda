import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../platform/json.js';
import { type AggregationName, ColumnValues } from './column-values.js';

function valuesOf(cells: JsonValue[]): ColumnValues {
  const values = new ColumnValues();
  cells.forEach((value, row) => values.add(value, [row]));
  return values;
}

describe('the values of a column', () => {
  const cells = ['b', 2, 'a', '3', 'a', null, '', 'b', true];

  it.each<[AggregationName, JsonValue, number | null]>([
    ['count', 7, null],
    ['sum', 6, null],
    ['mean', 2, null],
    ['min', 1, 8],
    ['max', 3, 3],
    // Ties with "a", which comes later.
    ['most_frequent', 'b', 0],
  ])('have the %s %j, found in row %j', (name, value, row) => {
    expect(valuesOf(cells).result(name)).toEqual({ value, row });
  });

  it.each<[AggregationName, JsonValue]>([
    ['count', 0],
    ['sum', null],
    ['mean', null],
    ['min', null],
    ['max', null],
    ['most_frequent', null],
  ])('have the %s %j without any value', (name, value) => {
    expect(valuesOf([null, ' ']).result(name)).toEqual({ value, row: null });
  });

  it('add up without rounding errors', () => {
    const values = valuesOf([0.1, '0.2', 9_007_199_254_740_993n, -0.3]);
    expect(values.result('sum')).toMatchObject({ value: 9_007_199_254_740_993n });
    expect(values.result('max')).toMatchObject({ value: 9_007_199_254_740_993n, row: 2 });
    expect(valuesOf([0.1, 0.2]).result('sum')).toMatchObject({ value: 0.3 });
    expect(valuesOf([0.1, 0.2, 0.3]).result('mean')).toMatchObject({ value: 0.2 });
  });

  it('are listed by frequency', () => {
    expect(valuesOf(['x', 'y', 'y', 'z']).top()).toEqual([
      { value: 'y', count: 2, percentage: 50 },
      { value: 'x', count: 1, percentage: 25 },
      { value: 'z', count: 1, percentage: 25 },
    ]);
  });

  it('are cut off in memory when they are long', () => {
    const [first] = valuesOf(['x'.repeat(100_000)]).top();
    expect(String(first!.value)).toHaveLength(501);
  });
});
