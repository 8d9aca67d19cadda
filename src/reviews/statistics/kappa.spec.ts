import { describe, expect, it } from 'vitest';
import { kappaOf, type Pair } from './kappa.js';

/** The pairs of a table of counts: rows are the answers of the first, columns those of the second. */
const pairsOf = (table: number[][]): Pair[] =>
  table.flatMap((row, i) => row.flatMap((count, j) => Array.from({ length: count }, (): Pair => [i, j])));

describe('kappa', () => {
  it('has the value of Fleiss, Statistical Methods for Rates and Proportions, for two psychologists', () => {
    const psychologists = [
      [75, 1, 4],
      [5, 4, 1],
      [0, 0, 10],
    ];
    const kappa = kappaOf(pairsOf(psychologists), 3, 'none');
    expect(kappa).toMatchObject({ n: 100, reason: null });
    expect(kappa.value).toBeCloseTo(0.676, 3);
  });

  it('has the value and the standard error of Agresti, Categorical Data Analysis, for two pathologists', () => {
    const pathologists = [
      [22, 2, 2, 0],
      [5, 7, 14, 0],
      [0, 2, 36, 0],
      [0, 1, 17, 10],
    ];
    const kappa = kappaOf(pairsOf(pathologists), 4, 'none');
    expect(kappa.value).toBeCloseTo(0.493, 3);
    expect(kappa.standardError).toBeCloseTo(0.057, 3);
  });

  it('has the weighted value of Altman, Practical Statistics for Medical Research, for two radiologists', () => {
    const radiologists = [
      [21, 12, 0, 0],
      [4, 17, 1, 0],
      [3, 9, 15, 2],
      [0, 0, 0, 1],
    ];
    expect(kappaOf(pairsOf(radiologists), 4, 'none').value).toBeCloseTo(0.4728, 4);
    expect(kappaOf(pairsOf(radiologists), 4, 'quadratic').value).toBeCloseTo(0.6714, 4);
  });

  it('does not depend on weights for two choices, nor on the order of the raters', () => {
    const pairs = pairsOf([
      [20, 5],
      [10, 15],
    ]);
    const plain = kappaOf(pairs, 2, 'none');
    expect(plain.value).toBeCloseTo(0.4, 10);
    expect(kappaOf(pairs, 2, 'quadratic')).toEqual(plain);
    const turned = kappaOf(
      pairs.map(([first, second]) => [second, first]),
      2,
      'none',
    );
    expect(turned.value).toBeCloseTo(plain.value!, 12);
    expect(turned.standardError).toBeCloseTo(plain.standardError!, 12);
  });

  it('has an interval with the true value in about 95 of 100 samples', () => {
    // Both agree in 80 of 100 cases, and each says yes half of the time: kappa is 0.6.
    let state = 7;
    const random = () => (state = (state * 48271) % 2147483647) / 2147483647;
    const draw = (): Pair => {
      const first = random() < 0.5 ? 1 : 0;
      return [first, random() < 0.8 ? first : 1 - first];
    };
    const samples = 1000;
    let covered = 0;
    for (let sample = 0; sample < samples; sample += 1) {
      const { low, high } = kappaOf(Array.from({ length: 120 }, draw), 2, 'none').interval!;
      if (low <= 0.6 && 0.6 <= high) covered += 1;
    }
    expect(covered / samples).toBeGreaterThan(0.92);
    expect(covered / samples).toBeLessThan(0.98);
  });

  it('has a reason when it is unknown', () => {
    expect(kappaOf([], 2, 'none')).toMatchObject({ n: 0, value: null, interval: null, reason: 'no_pairs' });
    const same = pairsOf([
      [0, 0],
      [0, 9],
    ]);
    expect(kappaOf(same, 2, 'none')).toMatchObject({ n: 9, value: null, interval: null, reason: 'one_category' });
    const constant = pairsOf([
      [0, 0],
      [4, 6],
    ]);
    expect(kappaOf(constant, 2, 'none')).toMatchObject({ n: 10, value: null, reason: 'one_category' });
  });

  it('has no interval if all pairs agree or all disagree', () => {
    const agreeing = kappaOf(
      pairsOf([
        [4, 0],
        [0, 9],
      ]),
      2,
      'none',
    );
    expect(agreeing).toMatchObject({ n: 13, interval: null, standardError: null, reason: 'no_variation' });
    expect(agreeing.value).toBeCloseTo(1, 12);
    const opposite = kappaOf(
      pairsOf([
        [0, 5],
        [5, 0],
      ]),
      2,
      'none',
    );
    expect(opposite).toMatchObject({ interval: null, reason: 'no_variation' });
    expect(opposite.value).toBeCloseTo(-1, 12);
  });
});
