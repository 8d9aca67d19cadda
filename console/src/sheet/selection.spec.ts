import { describe, expect, it } from 'vitest';
import { areaOf, fromTsv, moved, spread, toTsv } from './selection';

const size = { rows: 1000, columns: 20, page: 30 };
const at = (row: number, column: number) => ({ anchor: { row, column }, head: { row, column } });
const press = (key: string, more: object = {}) => ({ key, shiftKey: false, ctrlKey: false, metaKey: false, ...more });

describe('moving', () => {
  it.each([
    ['ArrowDown', {}, [6, 5]],
    ['ArrowUp', {}, [4, 5]],
    ['ArrowRight', {}, [5, 6]],
    ['ArrowLeft', {}, [5, 4]],
    ['ArrowDown', { ctrlKey: true }, [999, 5]],
    ['ArrowLeft', { metaKey: true }, [5, 0]],
    ['PageDown', {}, [35, 5]],
    ['PageUp', {}, [0, 5]],
    ['Home', {}, [5, 0]],
    ['End', { ctrlKey: true }, [999, 19]],
    ['Tab', { shiftKey: true }, [5, 4]],
    ['Tab', {}, [5, 6]],
  ])('by %s %o', (key, more, [row, column]) => {
    expect(moved(at(5, 5), press(key, more), size)).toEqual({ row, column });
  });

  it('stays inside, and other keys do not move', () => {
    expect(moved(at(0, 0), press('ArrowUp'), size)).toEqual({ row: 0, column: 0 });
    expect(moved(at(0, 0), press('a'), size)).toBeNull();
    expect(moved(at(0, 0), press('toString'), size)).toBeNull();
  });
});

describe('Tab', () => {
  it('continues in the next row, and stops at the first and the last cell', () => {
    const back = press('Tab', { shiftKey: true });
    expect(moved(at(3, 19), press('Tab'), size)).toEqual({ row: 4, column: 0 });
    expect(moved(at(4, 0), back, size)).toEqual({ row: 3, column: 19 });
    expect(moved(at(999, 19), press('Tab'), size)).toBeNull();
    expect(moved(at(0, 0), back, size)).toBeNull();
  });
});

describe('copying', () => {
  it.each([
    [
      [
        ['a', 'b'],
        ['c', ''],
      ],
      'a\tb\nc\t',
    ],
    [[['two\nlines', 'a\ttab']], '"two\nlines"\t"a\ttab"'],
    [[['say "yes"']], '"say ""yes"""'],
    [[['']], ''],
    [[['=1+1', '@x', "'=1", '+a']], "'=1+1\t'@x\t''=1\t'+a"],
    [[['-5', '+1.5e3', "'a", '－1']], "-5\t+1.5e3\t'a\t'－1"],
    [[['=a\nb']], `"'=a\nb"`],
  ])('%j is %j and back', (cells, text) => {
    expect(toTsv(cells)).toBe(text);
    expect(fromTsv(text)).toEqual(cells);
  });

  it.each([
    [
      'a\tb\r\nc\td\r\n',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    ['5" wide\t"', [['5" wide', '"']]],
    ['a\n\nb', [['a'], [''], ['b']]],
    ['"x" y', [['"x" y']]],
  ])('reads %j of others', (text, cells) => expect(fromTsv(text)).toEqual(cells));
});

describe('pasting', () => {
  const area = areaOf({ anchor: { row: 4, column: 3 }, head: { row: 3, column: 2 } });
  it('fills a range with one cell', () => {
    expect(spread([['x']], area, 20).map(({ row, column }) => [row, column])).toEqual([
      [3, 2],
      [3, 3],
      [4, 2],
      [4, 3],
    ]);
  });
  it('begins several cells at the corner, and drops those without a column', () => {
    expect(
      spread(
        [
          ['a', 'b'],
          ['c', 'd'],
        ],
        area,
        3,
      ),
    ).toEqual([
      { row: 3, column: 2, text: 'a' },
      { row: 4, column: 2, text: 'c' },
    ]);
  });
});
