import { describe, expect, it } from 'vitest';
import { CriterionTally } from './criterion.js';
import type { Scored, Verdict } from './verdicts.js';

const THRESHOLDS = { pass: 0.8, warn: 0.6 };

function tallied(...rows: [Verdict, number | null][]): CriterionTally {
  const tally = new CriterionTally();
  for (const [verdict, score] of rows) tally.add({ verdict, score });
  return tally;
}

describe('a criterion', () => {
  it.each<[string, [Verdict, number | null][], Scored]>([
    ['no rows', [], { score: null, verdict: 'skipped' }],
    ['skipped rows', [['skipped', null]], { score: null, verdict: 'skipped' }],
    [
      'a pass and a failure',
      [
        ['pass', 1],
        ['fail', 0],
      ],
      { score: 0.5, verdict: 'fail' },
    ],
    [
      'an error, which counts as 0',
      [
        ['pass', 1],
        ['error', null],
        ['skipped', null],
      ],
      { score: 0.5, verdict: 'fail' },
    ],
    [
      'errors only',
      [
        ['error', null],
        ['skipped', null],
      ],
      { score: 0, verdict: 'error' },
    ],
    [
      'rows whose mean is a warning',
      [
        ['pass', 0.9],
        ['fail', 0.5],
      ],
      { score: 0.7, verdict: 'warn' },
    ],
  ])('over %s', (_, rows, expected) => {
    expect(tallied(...rows).result(THRESHOLDS)).toEqual(expected);
  });

  it('counts rows by verdict', () => {
    const tally = tallied(['pass', 1], ['pass', 1], ['warn', 0.7], ['skipped', null]);
    expect(tally.counts).toEqual({ pass: 2, warn: 1, fail: 0, error: 0, skipped: 1 });
  });

  it('stays exact over many rows', () => {
    const tally = new CriterionTally();
    for (let row = 0; row < 100_000; row++) tally.add({ verdict: 'fail', score: 0.1 });
    expect(tally.result(THRESHOLDS).score).toBe(0.1);
  });
});
