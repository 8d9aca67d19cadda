import fc from 'fast-check';
import { expect, it } from 'vitest';
import { movedRanks } from './column-ranks.js';

const ranked = (...ranks: number[]) => ranks.map((positionRank) => ({ positionRank }));
const moved = (ranks: number[], from: number, to = from + 1) => [
  ...movedRanks({ order: ranked(...ranks), moving: { from, to } }).values(),
];

it.each([
  ['between two others', [1024, 4096, 2048], 1, [1536]],
  ['before the first', [2048, 1024], 0, [512]],
  ['after the last', [2048, 3072, 1024], 2, [4096]],
  ['where no rank is free between two others', [1024, 4096, 1025], 1, [2048, 3072]],
  ['after the last, whose rank is as high as a move gives', [1024, 2 ** 30 - 1, 2048], 2, [2048, 3072]],
  ['where ranks are equal', [1024, 4096, 1024], 1, [2048, 3072]],
])('a column %s', (_, ranks, at, expected) => {
  expect(moved(ranks, at)).toEqual(expected);
});

it('gives columns that go together a rank each in the same gap', () => {
  expect(moved([1024, 9, 9, 9, 2048], 1, 4)).toEqual([1280, 1536, 1792]);
});

it('keeps ranks positive, whole, different and in order, however often columns are moved', () => {
  const moves = fc.array(fc.tuple(fc.nat(5), fc.nat(5)), { minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(moves, (each) => {
      let columns = ranked(1024, 2048, 3072, 4096, 5120, 6144);
      for (const [from, to] of each) {
        const column = columns[from]!;
        columns = columns.filter((other) => other !== column).toSpliced(to, 0, column);
        const ranks = movedRanks({ order: columns, moving: { from: to, to: to + 1 } });
        for (const [one, rank] of ranks) one.positionRank = rank;
        const now = columns.map(({ positionRank }) => positionRank);
        expect(now.every((rank, index) => Number.isInteger(rank) && rank > (now[index - 1] ?? 0))).toBe(true);
      }
    }),
  );
});
