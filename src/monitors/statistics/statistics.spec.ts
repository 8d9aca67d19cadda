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
});
