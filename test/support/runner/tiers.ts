import type { FileCost } from './costs.js';
import { KEPT } from './kept.js';

/** In milliseconds of the processor. Tests that take longer run in `npm run test:deep` alone, unless `kept.ts` gives a reason. */
const EXPENSIVE_TEST_MS = 500;
const EXPENSIVE_FILE_MS = 8_000;

/**
 * The tests of a file that belong to the deep tier: its expensive ones but for the cheapest, if no other is left. All but those of `kept.ts`
 * do when the others are expensive together. None do in a file that has never been measured.
 */
export function deepTests(file: string, tests: readonly string[], cost: FileCost | undefined): Set<string> {
  if (!cost) return new Set();
  const costOf = (test: string): number => cost.tests[test] ?? 0;
  const movable = tests.filter((test) => !isKept(file, test));
  const expensive = movable.filter((test) => costOf(test) > EXPENSIVE_TEST_MS);
  const left = expensive.reduce((sum, test) => sum - costOf(test), cost.total);
  if (!(file in KEPT) && left > EXPENSIVE_FILE_MS) return new Set(movable);
  if (expensive.length === tests.length) expensive.sort((a, b) => costOf(a) - costOf(b)).shift();
  return new Set(expensive);
}

const KEPT_TESTS = Object.keys(KEPT).filter((key) => key.includes(' > '));

const isKept = (file: string, test: string): boolean => KEPT_TESTS.some((key) => `${file} > ${test}`.startsWith(key));
