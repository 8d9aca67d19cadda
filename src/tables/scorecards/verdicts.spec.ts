import { describe, expect, it } from 'vitest';
import type { Aggregation } from './scorecard-config.js';
import { combine, type Part, type Verdict, verdictOf } from './verdicts.js';

const THRESHOLDS = { pass: 0.8, warn: 0.6 };

const aggregation = (more: Partial<Aggregation> = {}): Aggregation =>
  ({
    method: 'weighted_mean',
    required_step_failure_behavior: 'fail',
    pass_threshold: 0.8,
    warn_threshold: 0.6,
    ...more,
  }) as Aggregation;

const part = (verdict: Verdict, score: number | null, more: Partial<Part> = {}): Part => ({
  verdict,
  score,
  weight: 1,
  required: false,
  ...more,
});

describe('a score', () => {
  it.each<[number, Verdict]>([
    [1, 'pass'],
    [0.8, 'pass'],
    // A sum of tenths, which is a little less than 0.8.
    [0.1 + 0.7, 'pass'],
    [0.799, 'warn'],
    [0.6, 'warn'],
    [0.599, 'fail'],
    [0, 'fail'],
  ])('%f is a %s', (score, verdict) => {
    expect(verdictOf(score, THRESHOLDS)).toBe(verdict);
  });
});

describe('several scores', () => {
  it('add up without rounding errors', () => {
    const parts = [5 / 6, 1 / 6, 5 / 6, 5 / 6, 5 / 6].map((score) => part('warn', score));
    expect(combine(parts, aggregation()).score).toBe(0.7);
  });

  // Calculated by hand: 2·1 + 1·0.5 of 3; 1 + 0.5 of 2; the smaller; the larger.
  it.each<[Aggregation['method'], number, Verdict]>([
    ['weighted_mean', 2.5 / 3, 'pass'],
    ['mean', 0.75, 'warn'],
    ['min', 0.5, 'fail'],
    ['max', 1, 'pass'],
  ])('are combined by %s', (method, score, verdict) => {
    const parts = [part('pass', 1, { weight: 2 }), part('fail', 0.5)];
    const combined = combine(parts, aggregation({ method }));
    expect(combined.score).toBeCloseTo(score, 12);
    expect(combined.verdict).toBe(verdict);
  });

  it('count failed parts as 0 and leave out skipped ones', () => {
    const parts = [part('pass', 1), part('error', null), part('skipped', null, { weight: 100 })];
    expect(combine(parts, aggregation())).toEqual({ score: 0.5, verdict: 'fail' });
  });

  it.each<[string, Part[], { score: number | null; verdict: Verdict }]>([
    ['no part', [], { score: null, verdict: 'skipped' }],
    ['skipped parts only', [part('skipped', null), part('skipped', null)], { score: null, verdict: 'skipped' }],
    ['errors only', [part('error', null), part('skipped', null)], { score: 0, verdict: 'error' }],
  ])('say so of %s', (_, parts, expected) => {
    expect(combine(parts, aggregation())).toEqual(expected);
  });

  // The mean is 9.5 of 10, which passes without the required parts.
  it.each<[Aggregation['required_step_failure_behavior'], Verdict, Verdict]>([
    ['fail', 'fail', 'fail'],
    ['warn', 'fail', 'warn'],
    ['error', 'fail', 'error'],
    ['fail', 'error', 'fail'],
    ['fail', 'warn', 'pass'],
    ['error', 'pass', 'pass'],
    ['error', 'skipped', 'pass'],
  ])('with "%s" and a required part that is a %s, are a %s', (behavior, required, verdict) => {
    const parts = [
      part('pass', 1, { weight: 19 }),
      part(required, required === 'skipped' ? null : 0, { required: true }),
    ];
    expect(combine(parts, aggregation({ required_step_failure_behavior: behavior })).verdict).toBe(verdict);
  });

  it('fail without becoming a warning when the score itself fails', () => {
    const parts = [part('fail', 0, { required: true })];
    expect(combine(parts, aggregation({ required_step_failure_behavior: 'warn' })).verdict).toBe('fail');
  });
});
