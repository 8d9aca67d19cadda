import { describe, expect, it } from 'vitest';
import { atLeast, atMost, type Draws } from './hypergeometric.js';
import { meanBand, meanBound, pooled } from './mean.js';
import { classAt, isAbove, isBelow, percentileBand } from './percentile.js';
import { fisher, shareBand } from './proportion.js';
import { volumeBand, volumeProbability } from './volume.js';

const choose = (n: number, k: number): number => {
  let result = 1;
  for (let i = 1; i <= k; i++) result = (result * (n - k + i)) / i;
  return k < 0 || k > n ? 0 : result;
};

const summed = (hits: number, { population, marked, draws }: Draws): number => {
  let sum = 0;
  for (let at = hits; at <= Math.min(draws, marked); at++) {
    sum += (choose(marked, at) * choose(population - marked, draws - at)) / choose(population, draws);
  }
  return sum;
};

describe('the hypergeometric distribution', () => {
  it('gives the probabilities of published tables', () => {
    // Fisher, The Design of Experiments (1935): eight cups of tea, four of each kind; 1/70, 17/70 and 53/70.
    const cups = { population: 8, marked: 4, draws: 4 };
    expect([4, 3, 2].map((hits) => atLeast(hits, cups) * 70)).toEqual([1, 17, 53].map((n) => expect.closeTo(n, 9)));
    // Lieberman and Owen, Tables of the Hypergeometric Probability Distribution (1961): N = 10, n = 5, k = 4.
    const small = { population: 10, marked: 4, draws: 5 };
    expect([0, 1, 2, 3, 4].map((hits) => atMost(hits, small).toFixed(6))).toEqual([
      '0.023810',
      '0.261905',
      '0.738095',
      '0.976190',
      '1.000000',
    ]);
  });

  it('gives Fisher’s probability of convicted twins', () => {
    // Fisher, Statistical Methods for Research Workers, section 21.02: 10 of 13 and 2 of 17 were convicted; 619/1330665, one in 2150.
    const { high, low } = fisher({ marked: 10, items: 13 }, { marked: 2, items: 17 });
    expect(high).toBeCloseTo(619 / 1_330_665, 12);
    expect(Math.round(1 / high / 10) * 10).toBe(2150);
    expect(low).toBeGreaterThan(0.999);
  });

  it('equals the sum of its terms', () => {
    for (let population = 1; population <= 30; population += 3) {
      for (let marked = 0; marked <= population; marked += 2) {
        for (let draws = 0; draws <= population; draws += 3) {
          const all = { population, marked, draws };
          for (let hits = -1; hits <= draws + 1; hits++) {
            const expected = hits <= 0 ? 1 : summed(hits, all);
            expect(atLeast(hits, all)).toBeCloseTo(expected, 10);
            expect(atMost(hits - 1, all)).toBeCloseTo(1 - expected, 10);
          }
        }
      }
    }
  });

  it('is precise far from the mean of large numbers', () => {
    const large = { population: 1_000_000, marked: 50_000, draws: 20_000 };
    // The normal distribution with continuity correction: z = 9.9 / ... is too far for it, so the tails are compared at 3 deviations.
    const deviation = Math.sqrt((20_000 * 0.05 * 0.95 * 980_000) / 999_999);
    const tail = atLeast(Math.round(1000 + 3 * deviation), large);
    expect(tail).toBeGreaterThan(0.0012);
    expect(tail).toBeLessThan(0.0018);
    expect(atLeast(1500, large)).toBeGreaterThan(0);
  });
});

describe('a band of shares', () => {
  it('holds exactly the shares that the test does not reject', () => {
    const levels = { low: 0.01, high: 0.002 };
    for (const usual of [
      { marked: 9, items: 100 },
      { marked: 0, items: 40 },
      { marked: 700, items: 800 },
    ]) {
      for (const items of [1, 7, 50, 200]) {
        const band = shareBand(items, usual, levels);
        for (let marked = 0; marked <= items; marked++) {
          const p = fisher({ marked, items }, usual);
          const isIn = marked / items >= band.low! && marked / items <= band.high!;
          expect([usual, marked, isIn]).toEqual([usual, marked, p.low > levels.low && p.high > levels.high]);
        }
      }
    }
  });
});

describe('a band of percentiles', () => {
  it('has the probabilities of order statistics', () => {
    // All 70 orders of 4 values now and 4 usual values are equally probable.
    const orders: number[][] = [];
    for (let mask = 0; mask < 256; mask++) {
      const now = Array.from({ length: 8 }, (_, at) => at).filter((at) => mask & (1 << at));
      if (now.length === 4) orders.push(now);
    }
    for (let place = 1; place <= 4; place++) {
      for (let other = 1; other <= 4; other++) {
        const usualAt = (now: number[]) =>
          Array.from({ length: 8 }, (_, at) => at).filter((at) => !now.includes(at))[other - 1]!;
        const above = orders.filter((now) => now[place - 1]! > usualAt(now)).length / 70;
        expect(isAbove({ now: 4, place, usual: 4 }, other)).toBeCloseTo(above, 12);
        expect(isBelow({ now: 4, place, usual: 4 }, other)).toBeCloseTo(1 - above, 12);
      }
    }
  });

  it('has the sample sizes of published tables', () => {
    // Hahn and Meeker, Statistical Intervals (1991): the largest of 19 values is an upper bound of one more at 95 %, that of 95 values of five
    // more, and the extremes of 39 values hold one more.
    expect(isAbove({ now: 1, place: 1, usual: 19 }, 19)).toBeCloseTo(0.05, 12);
    expect(isAbove({ now: 5, place: 5, usual: 95 }, 95)).toBeCloseTo(0.05, 12);
    const sides = [isAbove({ now: 1, place: 1, usual: 39 }, 39), isBelow({ now: 1, place: 1, usual: 39 }, 1)];
    expect(sides).toEqual([expect.closeTo(0.025, 12), expect.closeTo(0.025, 12)]);
    // The precedence test (Nelson, Technometrics 5, 1963) of two samples of ten: at least four, or five, of one lie before the first of the
    // other in 8008, or 3003, of 184,756 orders.
    expect(isAbove({ now: 10, place: 1, usual: 10 }, 4)).toBeCloseTo(8008 / 184_756, 12);
    expect(isAbove({ now: 10, place: 1, usual: 10 }, 5)).toBeCloseTo(3003 / 184_756, 12);
  });

  it('is around the usual percentile, and open where too little is known', () => {
    const usual = new Map(Array.from({ length: 100 }, (_, at) => [at, 10] as const));
    const band = percentileBand(0.95, 200, usual, { low: 0.001, high: 0.001 });
    expect(band.low).toBeLessThan(95);
    expect(band.high).toBeGreaterThan(94);
    expect(classAt(usual, 950)).toBe(94);
    expect(percentileBand(0.99, 5, new Map([[3, 12]]), { low: 0.0001, high: 0.0001 })).toEqual({
      low: null,
      high: null,
    });
  });
});

describe('a band of means', () => {
  it('bounds the probability of sums of ones from above', () => {
    const values = new Map([
      [0, 60],
      [1, 40],
    ]);
    for (let hits = 21; hits <= 40; hits++) {
      const exact = atLeast(hits, { population: 100, marked: 40, draws: 40 });
      expect(meanBound(hits / 40, 40, values)).toBeGreaterThanOrEqual(exact);
    }
    // Chernoff's bound of a proportion: exp(-n KL(0.6 || 0.4)).
    const divergence = 0.6 * Math.log(1.5) + 0.4 * Math.log(0.4 / 0.6);
    expect(meanBound(0.6, 40, values)).toBeCloseTo(Math.exp(-40 * divergence), 10);
  });

  it('has the exponents of published examples', () => {
    // Cover and Thomas, Elements of Information Theory, examples 11.5.1 and 11.5.2: an average of 4 in 10,000 throws of a die is 2^-624, and
    // 700 heads in 1000 tosses are 2^-119.
    const die = new Map([1, 2, 3, 4, 5, 6].map((face) => [face, 100]));
    expect(Math.round(Math.log2(meanBound(4, 10_000, die)))).toBe(-624);
    const coin = new Map([
      [0, 500],
      [1, 500],
    ]);
    expect(Math.round(Math.log2(meanBound(0.7, 1000, coin)))).toBe(-119);
  });

  it('ends where the bound has the level', () => {
    const values = pooled(
      new Map([
        [80, 5],
        [100, 3],
      ]),
      new Map([
        [0, 2],
        [50, 40],
        [90, 20],
      ]),
    );
    const { low, high } = meanBand(30, values, { low: 0.001, high: 0.01 });
    expect(meanBound(low!, 30, values)).toBeCloseTo(0.001, 6);
    expect(meanBound(high!, 30, values)).toBeCloseTo(0.01, 6);
    expect(meanBand(30, new Map([[7, 9]]), { low: 0.01, high: 0.01 })).toEqual({ low: 7, high: 7 });
  });
});

describe('a band of sums', () => {
  it('is Student’s prediction interval of square roots', () => {
    // 9, 10, 11 with mean 10 and variance 1: t of 2 degrees at 0.025 is 4.303 (tables of Student’s distribution).
    const usual = { same: [81, 100, 121], places: [], leastDeviation: 0 };
    const { low, high } = volumeBand(usual, { low: 0.025, high: 0.025 })!;
    expect(Math.sqrt(high!)).toBeCloseTo(10 + 4.3027 * Math.sqrt(4 / 3), 3);
    expect(Math.sqrt(low!)).toBeCloseTo(10 - 4.3027 * Math.sqrt(4 / 3), 3);
    expect(volumeProbability(high!, usual).high).toBeCloseTo(0.025, 6);
    expect(volumeBand({ ...usual, same: [81] }, { low: 0.1, high: 0.1 })).toBeNull();
  });

  it.each([
    // Hahn, Factors for calculating two-sided prediction intervals (1969): one more value, 95 %.
    [5, 3.04],
    [10, 2.37],
  ])('has the published factor of %i values', (count, factor) => {
    const roots = Array.from({ length: count }, (_, at) => 100 + 3 * at);
    const mean = roots.reduce((sum, root) => sum + root, 0) / count;
    const deviation = Math.sqrt(roots.reduce((sum, root) => sum + (root - mean) ** 2, 0) / (count - 1));
    const usual = { same: roots.map((root) => root * root), places: [], leastDeviation: 0 };
    const { low, high } = volumeBand(usual, { low: 0.025, high: 0.025 })!;
    expect((Math.sqrt(high!) - mean) / deviation).toBeCloseTo(factor, 2);
    expect((mean - Math.sqrt(low!)) / deviation).toBeCloseTo(factor, 2);
  });
});
