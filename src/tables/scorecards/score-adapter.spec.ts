import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../platform/json.js';
import { adaptScore, type ScoreAdapter, shownResult } from './score-adapter.js';

const linear = (min: number, max: number, invert = false): ScoreAdapter => ({ type: 'linear', min, max, invert });

describe('the score of a result', () => {
  it.each<[JsonValue, number]>([
    [true, 1],
    [false, 0],
    [0.25, 0.25],
    [-3, 0],
    [7, 1],
    [10n ** 20n, 1],
    ['true', 1],
    [' FALSE ', 0],
    ['0.5', 0.5],
    [{ score: 0.4 }, 0.4],
    [{ value: true }, 1],
    [{ value: { score: 0 } }, 0],
    [{ comparison_result: false, diff: '-a +b' }, 0],
    [{ 'Is it kind?': { value: true, reasoning: 'r' }, 'Is it short?': { value: false, reasoning: 'r' } }, 0.5],
    [{ 'Is it kind?': { value: true, reasoning: 'r', citation: 'c' } }, 1],
    ['{"score": 0.75}', 0.75],
  ])('%j is %f', (value, score) => {
    expect(adaptScore(value, null)).toEqual({ score });
  });

  it.each<[JsonValue]>([[null], [{ score: null }], [{ value: null }], [{ value: { score: null } }]])(
    '%j is skipped',
    (value) => {
      expect(adaptScore(value, null)).toEqual({ skipped: true });
    },
  );

  it.each<[JsonValue]>([['perhaps'], [''], [[1, 2]], [{}], [{ other: 1 }], [[]]])('%j is not scoreable', (value) => {
    expect(adaptScore(value, null)).toEqual({ problem: expect.stringContaining('not scoreable') as string });
  });
});

describe('an adapter', () => {
  it.each<[JsonValue, ScoreAdapter, number]>([
    [3, linear(1, 5), 0.5],
    ['4', linear(0, 10), 0.4],
    ['1', linear(0, 10), 0.1],
    [0, linear(1, 5), 0],
    [9, linear(1, 5), 1],
    [3, linear(2, 4, true), 0.5],
    [200, linear(0, 1000, true), 0.8],
    [true, linear(0, 1, true), 0],
    [false, linear(5, 9, true), 1],
    [true, linear(5, 9), 1],
  ])('maps %j with %j to %f', (value, adapter, score) => {
    const adapted = adaptScore(value, adapter) as { score: number };
    expect(adapted.score).toBeCloseTo(score, 12);
  });

  it('that inverts a check shows the opposite, so that a failure reads as one', () => {
    expect(shownResult(true, linear(0, 1, true))).toBe(false);
    expect(shownResult(true, linear(0, 1))).toBe(true);
    expect(shownResult(0.3, linear(0, 1, true))).toBe(0.3);
  });
});
