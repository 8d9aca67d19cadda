import { describe, expect, it } from 'vitest';
import type { ColumnBody } from '../api/schema.gen';
import { arrange, NO_VIEW, ofColumns, positionBeside, withWidth } from './arrange';

const columns = ['a', 'b', 'c', 'd'].map((id) => ({ id }) as ColumnBody);
const idsOf = (list: ColumnBody[]) => list.map(({ id }) => id).join('');
const view = (hidden: string, pinned: string) => ({
  ...NO_VIEW,
  hidden_column_ids: [...hidden],
  pinned_column_ids: [...pinned],
});

describe('the columns of a sheet', () => {
  it.each([
    ['', '', 'abcd', 0],
    ['b', '', 'acd', 0],
    ['', 'dc', 'cdab', 2],
    ['c', 'cd', 'dab', 1],
    ['abcd', 'b', 'bacd', 1],
  ])('without %j and with %j pinned are %s', (hidden, pinned, expected, count) => {
    const arranged = arrange(columns, view(hidden, pinned));
    expect([idsOf(arranged.shown), arranged.pinned]).toEqual([expected, count]);
  });

  it('have their widths in the order in which they are shown, within limits', () => {
    const wide = withWidth(withWidth(withWidth(view('', 'c'), 'c', 1), 'a', 9999), 'c', 80.4);
    expect(arrange(columns, wide).widths).toEqual([80, 2000, 200, 200]);
    expect(wide.widths).toHaveLength(2);
  });

  it.each<[string, string, number, -1 | 1, number | null]>([
    ['', '', 1, 1, 2],
    ['', '', 0, -1, null],
    ['', '', 3, 1, null],
    ['bc', '', 1, -1, 0],
    ['bc', '', 0, 1, 3],
    ['', 'd', 0, 1, null],
    ['', 'd', 1, -1, null],
    ['', 'bd', 0, 1, 3],
  ])('without %j, with %j pinned: place %i and step %i mean position %j', (hidden, pinned, at, step, expected) => {
    expect(positionBeside(columns, arrange(columns, view(hidden, pinned)), at, step)).toBe(expected);
  });

  it('that are gone are in no view that is written', () => {
    expect(ofColumns(withWidth(view('ax', 'bx'), 'x', 99), columns)).toEqual(view('a', 'b'));
  });
});
