import type { FileCost } from './costs.js';
import { KEPT } from './kept.js';

/** In milliseconds of the processor. Tests that take longer run in `npm run test:deep` alone, unless `kept.ts` gives a reason. */
const EXPENSIVE_TEST_MS = 300;
const EXPENSIVE_FILE_MS = 8_000;
/** A file whose tests are all expensive keeps the cheapest one, unless that takes longer. */
const KEPT_UP_TO_MS = 1000;

/**
 * Names of the tests of a file that belong to the deep tier: the expensive ones, or all of them when the others are still expensive together.
 * A test that has never been measured does not.
 */
export function deepTests(file: string, tests: string[], cost: FileCost | undefined): Set<string> {
  if (!cost) return new Set();
  const costOf = (test: string): number => cost.tests[test] ?? 0;
  const expensive = tests.filter((test) => costOf(test) > EXPENSIVE_TEST_MS && !isKept(file, test));
  const left = cost.total - expensive.reduce((sum, test) => sum + costOf(test), 0);
  if (left > EXPENSIVE_FILE_MS && !(file in KEPT)) return new Set(tests.filter((test) => !isKept(file, test)));
  if (expensive.length === 0 || expensive.length < tests.length) return new Set(expensive);
  const cheapest = expensive.reduce((best, test) => (costOf(test) < costOf(best) ? test : best));
  return new Set(expensive.filter((test) => test !== cheapest || costOf(test) > KEPT_UP_TO_MS));
}

const KEPT_TESTS = Object.keys(KEPT).filter((key) => key.includes(' > '));

const isKept = (file: string, test: string): boolean => KEPT_TESTS.some((key) => `${file} > ${test}`.startsWith(key));
