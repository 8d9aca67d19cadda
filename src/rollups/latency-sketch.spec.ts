import { describe, expect, it } from 'vitest';
import { LatencySketch } from './latency-sketch.js';

/** Computes the class of a time as the database does. */
const classOf = (ms: number): number => (ms > 0 ? Math.ceil(Math.log(ms) / Math.log(1.04)) : -32_768);

function sketchOf(times: number[]): LatencySketch {
  const sketch = new LatencySketch();
  for (const time of times) sketch.add(classOf(time), 1);
  return sketch;
}

describe('the percentiles of a sketch', () => {
  it.each([1e-6, 0.001, 0.5, 1, 1.04, 7, 99.9, 1000, 123_456.7, 8.64e7, 1e12])(
    'are at most 2 %% off: %d ms',
    (time) => {
      expect(Math.abs(sketchOf([time]).quantile(0.5)! / time - 1)).toBeLessThan(0.0201);
    },
  );

  it.each([
    ['nothing', [], null, null],
    ['no time at all', [0, 0, 0], 0, 0],
    ['one', [10], 10, 10],
    ['two', [10, 1000], 10, 1000],
    ['many', Array.from({ length: 100 }, (_, index) => index + 1), 50, 95],
    ['some of no time', [0, 0, 0, 100], 0, 100],
  ])('estimate percentiles of %s', (_, times, median, p95) => {
    const sketch = sketchOf(times);
    for (const [part, expected] of [
      [0.5, median],
      [0.95, p95],
    ] as const) {
      const found = sketch.quantile(part);
      if (expected === null || expected === 0) expect(found).toBe(expected);
      else expect(Math.abs(found! / expected - 1)).toBeLessThan(0.0201);
    }
  });

  it('do not count times that are not known', () => {
    const sketch = sketchOf([5]);
    sketch.add(null, 100);
    expect(sketch.quantile(0.01)).toBeCloseTo(5, 0);
  });

  it('are those of all hours whose entries are written one behind the other', () => {
    const entry = (time: number, count: number) => {
      const bytes = Buffer.alloc(6);
      bytes.writeInt16BE(classOf(time));
      bytes.writeInt32BE(count, 2);
      return bytes;
    };
    const sketch = new LatencySketch();
    sketch.addPacked(Buffer.concat([entry(0, 1), entry(10, 2), entry(10, 3), entry(2000, 1)]));
    expect(sketch.quantile(0.1)).toBe(0);
    expect(sketch.quantile(0.5)).toBeCloseTo(10, 0);
    expect(sketch.quantile(1)! / 2000).toBeCloseTo(1, 1);
  });
});
