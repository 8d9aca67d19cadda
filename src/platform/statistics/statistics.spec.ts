import { describe, expect, it } from 'vitest';
import { comparePaired } from './comparison.js';
import { studentT, tossProbability, tProbability } from './distributions.js';
import { estimateMean, estimateProportion, estimateScores, scaleOfNumbers } from './estimates.js';
import { flipRate } from './flip-rate.js';
import { meanOf, meanProbability } from './mean.js';
import { permutationProbability } from './permutation.js';
import { SHAPES, simulate } from './simulation.fixture.js';

/** Additional hours of sleep by two drugs, of ten patients (Student, The probable error of a mean, Biometrika 6, 1908). */
const SLEEP_1 = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0, 2];
const SLEEP_2 = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4];

/** Heights of crossed minus those of self-fertilised plants (Fisher, The Design of Experiments, 1935, §17 and §21). */
const DARWIN = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48];

const zeros = (count: number): number[] => Array<number>(count).fill(0);
const ones = (count: number): number[] => Array<number>(count).fill(1);

describe('distributions', () => {
  // Fisher and Yates, Statistical Tables, table III.
  it.each([
    [1, 12.706],
    [2, 4.303],
    [9, 2.262],
    [30, 2.042],
    [120, 1.98],
    [100_000, 1.96],
  ])('have 95 %% of t with %i degrees of freedom within %f', (degrees, t) => {
    expect(studentT(degrees)).toBeCloseTo(t, 3);
    expect(tProbability(studentT(degrees), degrees)).toBeCloseTo(0.05, 6);
  });

  it.each([
    [0, 0, 1],
    [5, 5, 1],
    [0, 1, 1],
    [0, 5, 0.0625],
    // 18 of 256 ways.
    [1, 7, 0.0703125],
    [10, 0, 0.001953125],
    // The sums of all terms.
    [600, 400, 2.7285e-10],
    [50_300, 49_700, 0.0581974],
  ])('give %i to %i tosses a probability of %f', (heads, tails, probability) => {
    expect(tossProbability(heads, tails)).toBeCloseTo(probability, 4);
    expect(tossProbability(tails, heads)).toBeCloseTo(probability, 4);
  });
});

describe('estimates', () => {
  // Newcombe, Two-sided confidence intervals for the single proportion, Statistics in Medicine 17, 1998, table I, method 3.
  it.each([
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
  ])('reach for %i in %i from %f to %f', (count, n, low, high) => {
    const { value, interval } = estimateProportion(count, n);
    expect(value).toBeCloseTo(count / n, 12);
    expect(interval).toMatchObject({ level: 0.95, method: 'wilson' });
    expect(interval!.low).toBeCloseTo(low, 4);
    expect(interval!.high).toBeCloseTo(high, 4);
  });

  it("reach for a mean as far as Student's interval, and further for skewed values", () => {
    // The output of R for t.test(extra ~ group, data = sleep, paired = TRUE).
    const hours = SLEEP_2.map((each, patient) => each - SLEEP_1[patient]!);
    const { n, value, interval } = estimateMean(hours, null);
    expect([n, interval!.method]).toEqual([10, 'hall']);
    expect(value).toBeCloseTo(1.58, 10);
    expect(interval!.low).toBeCloseTo(0.7001142, 6);
    expect(interval!.high).toBeGreaterThan(2.4598858);
    const mirrored = [...hours, ...hours.map((each) => 3.16 - each)];
    const { value: mean, standardError, interval: even } = estimateMean(mirrored, null);
    expect(even!.high - mean!).toBeCloseTo(studentT(19) * standardError!, 9);
    expect(mean! - even!.low).toBeCloseTo(studentT(19) * standardError!, 9);
  });

  it('are not cut to shares for numbers', () => {
    const { value, interval } = estimateScores([4, 4, 5, 4, 5, 3], 'number');
    expect(value).toBeCloseTo(25 / 6, 12);
    expect(interval!.low).toBeLessThan(3.378);
    expect(interval!.high).toBeGreaterThan(4.95);
  });

  it.each<[number[], string]>([
    [[1, 1, 1], 'number'],
    [[0, 0], 'number'],
    [[0, 1, 1], 'share'],
    [[0, 1, 2], 'number'],
    [[0, 0.5, 1], 'number'],
  ])('take the numbers %j for a %s', (numbers, scale) => expect(scaleOfNumbers(numbers)).toBe(scale));

  it('have the standard error of what they estimate', () => {
    expect(estimateScores([1, 0, 0, 0], 'share').standardError).toBeCloseTo(Math.sqrt((0.25 * 0.75) / 4), 12);
    expect(estimateScores([0.2, 0.4], 'share').standardError).toBeCloseTo(0.1, 12);
  });

  it.each<[string, number[], object]>([
    ['none', [], { n: 0, value: null, standardError: null, interval: null }],
    ['a single score', [0.5], { n: 1, value: 0.5, standardError: null, interval: null }],
    ['a single one', [1], { n: 1, value: 1, standardError: 0, interval: { high: 1, method: 'wilson' } }],
    ['zeros', zeros(4), { n: 4, value: 0, standardError: 0, interval: { low: 0, method: 'wilson' } }],
    ['few scores near the end', [0.9, 1], { interval: { high: 1, method: 'hall' } }],
  ])('are correct for %s', (_, scores, expected) => expect(estimateScores(scores, 'share')).toMatchObject(expected));

  it('claim no certainty for equal scores', () => {
    const { standardError, interval } = estimateScores(Array<number>(10).fill(0.8), 'share');
    expect(standardError).toBe(0);
    // Up to 27.8 % of all rows may be of a kind that ten rows have not shown.
    expect(interval!.low).toBeCloseTo(0.8 - 0.8 * 0.27753, 4);
    expect(interval!.high).toBeCloseTo(0.8 + 0.2 * 0.27753, 4);
    expect(estimateScores([4, 4, 4, 4], 'number')).toMatchObject({ value: 4, interval: null });
  });
});

describe('comparisons of zeros and ones', () => {
  /** The outcomes of both runs, the first alone, the second alone and neither. */
  const runs = (both: number, first: number, second: number, neither: number): [number[], number[]] => [
    [...ones(both + first), ...zeros(second + neither)],
    [...ones(both), ...zeros(first), ...ones(second), ...zeros(neither)],
  ];

  it('follow McNemar, with an interval that agrees', () => {
    // Airway hyper-responsiveness of 21 children before and after a transplantation: Fagerland, Lydersen and Laake, Recommended
    // tests and confidence intervals for paired binomial proportions, Statistics in Medicine 33, 2014.
    const { interval, ...compared } = comparePaired(...runs(1, 1, 7, 12));
    expect(compared).toMatchObject({ n: 21, improved: 7, regressed: 1, method: 'mcnemar_exact' });
    expect(compared).toMatchObject({ verdict: 'noise', conclusion: 'too_few_rows' });
    expect(compared.difference).toBeCloseTo(0.286, 3);
    expect(compared.pValue).toBeCloseTo(0.0703, 4);
    expect(interval!.low).toBe(0);
    expect(interval!.high).toBeGreaterThan(0.5);
  });

  it.each<[string, [number, number, number, number], object]>([
    [
      'no row that changed',
      [3, 0, 0, 4],
      { difference: 0, pValue: 1, verdict: 'noise', conclusion: 'too_few_rows', improved: 0 },
    ],
    [
      'many rows that did not',
      [90, 0, 0, 10],
      { difference: 0, pValue: 1, verdict: 'noise', conclusion: 'no_difference' },
    ],
    [
      'five that improved',
      [5, 0, 5, 0],
      { pValue: expect.closeTo(0.0625, 10), verdict: 'noise', conclusion: 'too_few_rows' },
    ],
    [
      'six that improved',
      [5, 0, 6, 0],
      { pValue: expect.closeTo(0.03125, 10), verdict: 'significant', conclusion: 'difference' },
    ],
    [
      'six that got worse',
      [0, 6, 0, 5],
      { pValue: expect.closeTo(0.03125, 10), verdict: 'significant', conclusion: 'difference', regressed: 6 },
    ],
    ['a single row', [0, 0, 1, 0], { n: 1, difference: 1, pValue: 1, verdict: 'noise', conclusion: 'too_few_rows' }],
  ])('are correct for %s', (_, outcomes, expected) =>
    expect(comparePaired(...runs(...outcomes))).toMatchObject(expected),
  );

  it('have intervals within the possible range', () => {
    const { interval } = comparePaired(zeros(2), ones(2));
    expect(interval!.high).toBe(1);
    expect(interval!.low).toBeLessThan(1);
  });
});

describe('comparisons of scores', () => {
  it('count all signs of few differences', () => {
    // 1,726 of 32,768 ways: The Design of Experiments, §21.
    expect(permutationProbability(DARWIN)).toEqual({ pValue: 1726 / 32_768, isExact: true });
    const compared = comparePaired(zeros(15), DARWIN, { scale: 'number' });
    expect(compared).toMatchObject({ method: 'permutation_exact', improved: 13, regressed: 2 });
    expect(compared).toMatchObject({ verdict: 'noise', conclusion: 'too_few_rows', interval: { method: 'hall' } });
    expect(compared.interval!.low).toBeLessThan(0);
  });

  it('count no signs of unchanged rows', () => {
    // Nine patients changed, all in one direction: 2 of 512 ways.
    const compared = comparePaired(SLEEP_1, SLEEP_2, { scale: 'number' });
    expect(compared).toMatchObject({ pValue: 2 / 512, verdict: 'significant', conclusion: 'difference' });
    expect(compared.interval!.low).toBeGreaterThan(0);
  });

  it('count the signs of many differences, always to the same result', () => {
    const many = [...DARWIN, ...DARWIN.slice(0, 5).map((difference) => -difference)];
    // 107,476 of all 1,048,576 ways, which can be counted sum by sum; 75 is the largest, so no step is lost in 2,520.
    const { pValue, isExact } = permutationProbability(many);
    expect(isExact).toBe(false);
    expect(pValue).toBeCloseTo(107_476 / 1_048_576, 3);
    const halves = many.map((difference) => Math.sign(difference) / 2);
    // 14 of 20 became better.
    expect(permutationProbability(halves)).toEqual({
      pValue: expect.closeTo(tossProbability(14, 6), 10) as number,
      isExact: true,
    });
  });

  it('never give a possible result the probability 0', () => {
    const { pValue } = comparePaired(zeros(40), Array<number>(40).fill(0.5));
    expect(pValue).toBeCloseTo(2 ** -39, 20);
  });

  it("follow Student's t-test for very many rows", () => {
    const first = Array.from({ length: 5000 }, (_, row) => (row % 10) / 10);
    const second = first.map((score, row) => score + (row % 2 === 0 ? 0.05 : -0.04));
    const compared = comparePaired(first, second);
    expect(compared).toMatchObject({ n: 5000, method: 'paired_t', verdict: 'significant', conclusion: 'difference' });
    expect(comparePaired(first, first)).toMatchObject({
      pValue: 1,
      verdict: 'noise',
      conclusion: 'no_difference',
      difference: 0,
    });
  });

  it('need six changed rows, whatever the size of the changes', () => {
    const changed = (count: number) =>
      comparePaired(zeros(30), [...Array<number>(count).fill(0.9), ...zeros(30 - count)]).conclusion;
    expect([5, 6].map(changed)).toEqual(['too_few_rows', 'difference']);
  });

  it('are stricter for simultaneous comparisons', () => {
    const [first, second] = [zeros(20), [...Array<number>(6).fill(1), ...zeros(14)]];
    expect(comparePaired(first, second)).toMatchObject({
      verdict: 'significant',
      conclusion: 'difference',
      alpha: 0.05,
    });
    const { interval, ...two } = comparePaired(first, second, { among: 2 });
    expect(two).toMatchObject({ verdict: 'noise', conclusion: 'too_few_rows', alpha: 0.025 });
    expect(interval).toMatchObject({ low: 0, level: 0.975 });
  });

  it('measure numbers by their range', () => {
    const ratings = Array.from({ length: 200 }, (_, row) => 1 + (row % 5));
    const compared = comparePaired(ratings, ratings, { scale: 'number' });
    expect(compared).toMatchObject({
      verdict: 'noise',
      conclusion: 'no_difference',
      margin: expect.closeTo(0.2, 10) as number,
    });
    expect(comparePaired([4, 4], [4, 4], { scale: 'number' })).toMatchObject({
      interval: null,
      verdict: 'noise',
      conclusion: 'too_few_rows',
    });
  });

  it.each([
    ['a few rows', [0, 0, 0.1, 0.2, 0.3, 0.4, 1]],
    ['skewed ones', [0.01, 0.02, 0.01, 0.03, 0.02, 0.9, 0.01]],
    ['both ways', [-0.2, 0.1, 0.4, -0.1, 0.3, 0.6, 0.2, 0.1, 0.2]],
    ['the same everywhere', Array<number>(7).fill(0.1)],
  ])('have an interval that agrees with the verdict: %s', (_, second) => {
    for (const after of [second, second.map((each) => -each)]) {
      const { interval, verdict, pValue } = comparePaired(zeros(after.length), after);
      const excludesNothing = interval!.low > 0 || interval!.high < 0;
      expect([verdict === 'significant', pValue! < 0.05]).toEqual([excludesNothing, excludesNothing]);
    }
  });

  it('have the probability of a mean where skewness has the opposite sign', () => {
    expect(meanProbability(meanOf([0.5, 0.5]))).toBe(0);
    expect(meanProbability({ n: 10, value: 0.01, standardError: 0.1, skewness: -3 })).toBe(1);
  });

  it("agree with Student's t-test", () => {
    // The output of R for the same data: t = 4.0621, df = 9, p-value = 0.002833.
    expect(tProbability(4.0621, 9)).toBeCloseTo(0.002833, 6);
  });

  it.each<[string, (number | null)[], (number | null)[], object]>([
    [
      'nothing',
      [],
      [],
      { n: 0, unpaired: 0, difference: null, pValue: null, method: null, verdict: 'noise', conclusion: 'too_few_rows' },
    ],
    [
      'no pair',
      [null, 1],
      [0.5, null],
      { n: 0, unpaired: 2, pValue: null, verdict: 'noise', conclusion: 'too_few_rows' },
    ],
    ['a single pair', [0.2], [0.9], { n: 1, pValue: 1, interval: null, verdict: 'noise', conclusion: 'too_few_rows' }],
    ['pairs alone', [0.5, null, 1], [0.5, 1, 1], { n: 2, unpaired: 1, difference: 0, pValue: 1 }],
    [
      'equal scores',
      [0.5, 0.5],
      [0.5, 0.5],
      { difference: 0, pValue: 1, verdict: 'noise', conclusion: 'too_few_rows' },
    ],
  ])('handle %s', (_, first, second, expected) => expect(comparePaired(first, second)).toMatchObject(expected));

  it('need runs over the same rows', () => expect(() => comparePaired([1], [])).toThrow(RangeError));
});

describe('simulated comparisons', () => {
  // The bench measures more of them; with 150 sets 95 % are known to within 3.5.
  it.each(SHAPES)('contain the true value for $name, and rarely find a difference that does not exist', (shape) => {
    const { score, difference, falsePositives } = simulate(shape, { rows: 10, sets: 150, seed: 1 });
    expect(Math.min(score, difference)).toBeGreaterThan(0.9);
    expect(falsePositives).toBeLessThan(0.09);
  });
});

describe('flips of repeated judgements', () => {
  it.each<[string, (string | boolean | number | null)[][], object]>([
    ['none', [], { rows: 0, flipped: 0, rate: null, interval: null, disagreement: null }],
    ['single judgements', [[true], [null, false]], { rows: 0, rate: null }],
    [
      'steady ones',
      [
        ['pass', 'pass'],
        [1, 1, 1],
      ],
      { rows: 2, flipped: 0, rate: 0, disagreement: 0 },
    ],
    [
      'one of two rows',
      [
        [true, true, false],
        [true, true],
      ],
      { rows: 2, flipped: 1, rate: 0.5, disagreement: 1 / 3 },
    ],
    ['what differs in kind', [[true, 1, 'true']], { flipped: 1, disagreement: 1 }],
  ])('are counted for %s', (_, judgements, expected) => {
    const { disagreement, ...rest } = expected as { disagreement?: number | null };
    const found = flipRate(judgements);
    expect(found).toMatchObject(rest);
    if (typeof disagreement === 'number') expect(found.disagreement).toBeCloseTo(disagreement, 12);
  });
});
