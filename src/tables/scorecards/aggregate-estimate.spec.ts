import { describe, expect, it } from 'vitest';
import { estimateAggregate, estimateCriterion } from './aggregate-estimate.js';
import { estimateMean, estimateProportion } from '../../platform/statistics/estimates.js';

const SKIPPED = NaN;
const SHARES = { low: 0, high: 1 };

describe('the estimate of a criterion', () => {
  it('leaves out rows without a score', () => {
    const { n, standardError, interval } = estimateProportion(2, 3);
    expect(estimateCriterion([1, SKIPPED, 1, 0])).toEqual({ n, standardError, interval });
  });

  it('is none without scores', () => {
    expect(estimateCriterion([SKIPPED])).toEqual({ n: 0, standardError: null, interval: null });
  });
});

describe('the estimate of a score over several criteria', () => {
  it('equals that of the criterion for a single one', () => {
    const scores = [1, 0, 1, 1];
    expect(estimateAggregate('weighted_mean', 0.75, [{ weight: 3, scores }])).toEqual(estimateCriterion(scores));
  });

  it('equals that of the row scores where all rows have all criteria', () => {
    const [a, b] = [
      [1, 0, 1, 1, 0],
      [0.5, 0.1, 0.9, 0.3, 0.2],
    ];
    const rows = a.map((each, row) => (2 * each + b[row]!) / 3);
    const expected = estimateMean(rows, SHARES);
    const criteria = [
      { weight: 2, scores: a },
      { weight: 1, scores: b },
    ];
    const found = estimateAggregate('weighted_mean', expected.value, criteria);
    expect(found.n).toBe(5);
    expect(found.standardError).toBeCloseTo(expected.standardError!, 12);
    expect(found.interval!.low).toBeCloseTo(expected.interval!.low, 12);
  });

  it('gains no certainty from identical criteria', () => {
    const scores = [1, 0, 1, 1, 0];
    const twice = [1, 1].map((weight) => ({ weight, scores }));
    expect(estimateAggregate('mean', 0.6, twice).standardError).toBeCloseTo(
      estimateMean(scores, SHARES).standardError!,
      12,
    );
  });

  // Calculated by hand. Means 0.5 and 1, score 0.75. Row 1 moves it by 2/2 * 0.5 * 0.5, row 2 by the opposite; the
  // second criterion does not vary: the squares are 0.0625 each, so the error is the root of 0.125 / 1 / 2.
  it('counts a row for the criteria that it has', () => {
    const criteria = [
      { weight: 1, scores: [1, 0] },
      { weight: 1, scores: [1, SKIPPED] },
    ];
    expect(estimateAggregate('mean', 0.75, criteria)).toMatchObject({ n: 2, standardError: 0.25 });
  });

  it('equals that of the lowest criterion for the method min', () => {
    const criteria = [
      { weight: 1, scores: [1, 1] },
      { weight: 1, scores: [0, 1] },
    ];
    expect(estimateAggregate('min', 0.5, criteria)).toEqual(estimateCriterion([0, 1]));
  });

  it('is smaller where a part of the score does not vary', () => {
    const criteria = [{ weight: 1, scores: [0, 1, 0, 1] }];
    const whole = estimateMean([0, 1, 0, 1], SHARES).standardError!;
    expect(estimateAggregate('weighted_mean', 0.75, criteria, 1).standardError).toBeCloseTo(whole / 2, 12);
  });

  it('claims no certainty where all rows pass all criteria', () => {
    const scores = [1, 1, 1, 1, 1];
    const { standardError, interval } = estimateAggregate('mean', 1, [
      { weight: 1, scores },
      { weight: 1, scores },
    ]);
    // Wilson's interval for five of five: 5 / (5 + 1.96²).
    expect([standardError, interval!.high]).toEqual([0, 1]);
    expect(interval!.low).toBeCloseTo(0.5655, 4);
  });

  it('stays within the range that rows can reach beside a constant part', () => {
    const criteria = [{ weight: 1, scores: [1, 1, 1, 0] }];
    // The other half of the score is 0, so no row can lift it above 0.5.
    expect(estimateAggregate('mean', 0.375, criteria, 1).interval).toMatchObject({ high: 0.5 });
  });

  it.each([
    [null, []],
    [0.5, []],
  ] as const)('is empty for %j without rows', (score, criteria) => {
    expect(estimateAggregate('mean', score, [...criteria])).toEqual({ n: 0, standardError: null, interval: null });
  });
});
