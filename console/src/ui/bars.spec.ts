import { expect, it } from 'vitest';
import { barAt, barPaths, type TimeBar, wholeBar } from './bars';

const bar = (value: number, bad = 0): TimeBar => ({ from: '', to: '', value, bad });

/** Lower and upper edge of the boxes of a path. */
const heights = (path: string) =>
  [...path.matchAll(/M[\d.]+ ([\d.]+)V([\d.]+)/g)].map(([, low, high]) => [100 - Number(low), 100 - Number(high)]);

it.each([
  ['nothing', [], [], []],
  ['only zeros', [bar(0), bar(0)], [], []],
  [
    'the highest fills the chart, others their share',
    [bar(10), bar(5)],
    [
      [0, 100],
      [0, 50],
    ],
    [],
  ],
  ['what is bad stands below the rest', [bar(10, 4)], [[40, 100]], [[0, 40]]],
  ['all of it is bad', [bar(10, 10)], [], [[0, 100]]],
  [
    'little is seen',
    [bar(1000), bar(1)],
    [
      [0, 100],
      [0, 3],
    ],
    [],
  ],
  ['one bad among many is seen', [bar(1000, 1)], [[3, 100]], [[0, 3]]],
  ['one good among many bad ones is seen', [bar(1000, 999)], [[97, 100]], [[0, 97]]],
  [
    'one of each beside a high one',
    [bar(1000), bar(2, 1)],
    [
      [0, 100],
      [3, 6],
    ],
    [[0, 3]],
  ],
])('%s', (_, bars, rest, bad) => {
  const paths = barPaths(bars);
  expect([heights(paths.rest), heights(paths.bad)]).toEqual([rest, bad]);
});

it('finds the bar below a pointer, and the nearest beside the chart', () => {
  expect([0, 0.249, 0.25, 0.999, 1, 1.5, -1].map((share) => barAt(share, 4))).toEqual([0, 0, 1, 3, 3, 3, 0]);
});

const times = (count: number, value: number) => Array.from({ length: count }, () => value);

it.each([
  ['the longest of similar ones', [900, 1000, 1600], 1600],
  ['the longest of the others when one is far longer', [...times(20, 1000), 1500, 600_000], 1500],
  ['the longest of the others when a few of many are', [...times(38, 1000), 500_000, 600_000], 1000],
  ['the longest when many are long', [...times(30, 1000), ...times(10, 60_000)], 60_000],
  ['the only one', [5], 5],
  ['the longest where the others took no time', [0, 0, 7], 7],
  ['nothing', [], 0],
])('a whole bar of a list stands for %s', (_, values, whole) => expect(wholeBar(values)).toBe(whole));
