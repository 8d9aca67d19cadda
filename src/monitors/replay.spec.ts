import { describe, expect, it } from 'vitest';
import { atDepth } from '../../test/support/depth.js';
import { binomial, DEFINITION, type Hour, normal, type Random, randomNumbers, replay } from './replay.fixture.js';

const WEEK_HOURS = 168;
/** Twice as many items at noon as at midnight. */
const day = (at: number): number => 1 + 0.5 * Math.sin((2 * Math.PI * at) / 24);

const SOURCES: [string, object, (random: Random, at: number) => Hour][] = [
  ['shares', { measure: 'failed_share' }, (random) => ({ items: 200, failed: binomial(200, 0.05, random) })],
  ['counts', { measure: 'count' }, (random, at) => ({ items: poisson(60 * day(at), random) })],
  [
    'percentiles',
    { measure: 'latency_percentile', percentile: 0.95 },
    (random) => ({ items: 60, values: Array.from({ length: 60 }, () => Math.round(170 + 15 * normal(random))) }),
  ],
  [
    'means',
    { measure: 'score_mean' },
    (random) => ({ items: 40, values: Array.from({ length: 40 }, () => clamp(80 + 20 * normal(random))) }),
  ],
];

const clamp = (score: number): number => Math.round(Math.min(100, Math.max(0, score)));
const poisson = (mean: number, random: Random): number =>
  Math.max(0, Math.round(mean + Math.sqrt(mean) * normal(random)));

describe('a quiet week', () => {
  it.each(SOURCES)('opens at most the stated number of false alarms for %s', (_, measure, hourOf) => {
    const weeks = atDepth(3, 60);
    let alarms = 0;
    for (let seed = 1; seed <= weeks; seed++) {
      const random = randomNumbers(seed);
      alarms += replay({ ...DEFINITION, ...measure }, WEEK_HOURS, (at) => hourOf(random, at)).opened.length;
    }
    // The stated mean of 0.1 a week, and three standard deviations.
    expect(alarms).toBeLessThanOrEqual(0.1 * weeks + 3 * Math.sqrt(0.1 * weeks));
  });
});

describe('a rise of failures by 5 points in 200 items an hour', () => {
  it.each([
    [0.02, 0.93],
    [0.03, 0.86],
    [0.05, 0.68],
  ])('from %d is found within three hours', (share, least) => {
    const runs = atDepth(60, 400);
    const rule = { ...DEFINITION.rule, direction: 'higher' as const };
    let found = 0;
    for (let seed = 1; seed <= runs; seed++) {
      const random = randomNumbers(seed);
      const failed = (at: number) => binomial(200, at >= 0 ? share + 0.05 : share, random);
      const { opened } = replay({ ...DEFINITION, rule } as typeof DEFINITION, 3, (at) => ({
        items: 200,
        failed: failed(at),
      }));
      if (opened.length > 0) found++;
    }
    expect(found / runs).toBeGreaterThan(least);
  });
});

describe('a fall of the share of true answers from 97 to 92 %', () => {
  it('opens one alert and closes it after the recovery', () => {
    const random = randomNumbers(7);
    const { opened, verdicts } = replay(DEFINITION, 48, (at) => ({
      items: 200,
      failed: binomial(200, at >= 10 && at < 20 ? 0.08 : 0.03, random),
    }));
    expect(opened.filter((at) => at > 10 && at <= 14)).toHaveLength(1);
    expect(verdicts.at(-1)!.kind).toBe('fine');
  });
});
