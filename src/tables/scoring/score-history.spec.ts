import { describe, expect, it } from 'vitest';
import { type Resolution, samplePoints } from './score-history.js';

const pointsOf = (scores: number[]) => scores.map((score, at) => ({ at, score }));
const sample = (scores: number[], resolution: Resolution, maxPoints: number) => {
  const sampled = samplePoints(pointsOf(scores), { resolution, maxPoints });
  return { resolution: sampled.resolution, at: sampled.points.map(({ at }) => at) };
};

/** Pseudo-random numbers that are the same every time. */
function* numbers(seed: number): Generator<number> {
  for (let state = seed; ;) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    yield state / 2_147_483_648;
  }
}

describe('a sample of points', () => {
  it.each<[string, number[], Resolution, number, Resolution, number[]]>([
    ['no points', [], 'auto', 4, 'raw', []],
    ['no points in parts', [], 'min_max_bucket', 4, 'min_max_bucket', []],
    ['all that fit', [3, 1, 2], 'auto', 3, 'raw', [0, 1, 2]],
    ['the newest', [3, 1, 2, 5], 'raw', 2, 'raw', [2, 3]],
    // Two parts: 0-3 (lowest 1, highest 2) and 4-7 (lowest 6, highest 5); with the ends these are two points too many,
    // so there is one part.
    ['the extremes of equal parts', [5, 1, 9, 5, 5, 8, 2, 5], 'auto', 4, 'min_max_bucket', [0, 1, 2, 7]],
    // Three parts: 0-1, 2-3, 4-5. The ends are extremes of their parts.
    [
      'parts whose extremes are the ends',
      [1, 2, 9, 3, 5, 7],
      'min_max_bucket',
      6,
      'min_max_bucket',
      [0, 1, 2, 3, 4, 5],
    ],
    // Two parts of four: 4 is lowest and highest of both; the first of equal points stays.
    ['points that are all equal', [4, 4, 4, 4, 4, 4, 4, 4], 'auto', 4, 'min_max_bucket', [0, 4, 7]],
    ['fewer points than parts', [2, 1], 'min_max_bucket', 50, 'min_max_bucket', [0, 1]],
    ['one point', [2], 'min_max_bucket', 50, 'min_max_bucket', [0]],
  ])('%s', (_, scores, resolution, maxPoints, applied, at) => {
    expect(sample(scores, resolution, maxPoints)).toEqual({ resolution: applied, at });
  });

  it('keeps the first, the last, the lowest and the highest point in order of time, up to the limit', () => {
    const random = numbers(7);
    const next = () => random.next().value as number;
    for (let round = 0; round < 300; round++) {
      const count = 1 + Math.floor(next() * 3000);
      const levels = 1 + Math.floor(next() * 50);
      const scores = Array.from({ length: count }, () => Math.floor(next() * levels));
      const maxPoints = 50 + Math.floor(next() * 500);
      const { at } = sample(scores, 'min_max_bucket', maxPoints);
      expect(at.length).toBeLessThanOrEqual(maxPoints);
      expect(at).toEqual([...new Set(at)].sort((a, b) => a - b));
      expect([at[0], at.at(-1)]).toEqual([0, count - 1]);
      const kept = at.map((place) => scores[place]!);
      expect([Math.min(...kept), Math.max(...kept)]).toEqual([Math.min(...scores), Math.max(...scores)]);
    }
  });
});
