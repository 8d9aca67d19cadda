import { expect, it } from 'vitest';
import { MAX_TRIES, waitAfter } from './retries.js';

it('waits three times as long after every failure, give or take a tenth, and then gives up', () => {
  for (let tries = 1; tries < MAX_TRIES; tries++) {
    const exact = 5000 * 3 ** (tries - 1);
    const waits = Array.from({ length: 100 }, () => waitAfter(tries, 5000)!);
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(exact * 0.9 - 1);
    expect(Math.max(...waits)).toBeLessThanOrEqual(exact * 1.1 + 1);
    expect(new Set(waits).size).toBeGreaterThan(1);
  }
  expect(waitAfter(MAX_TRIES, 5000)).toBeNull();
});
