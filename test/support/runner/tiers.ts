import type { FileCost } from './costs.js';
import { KEPT } from './kept.js';

/** In milliseconds of the processor. What takes longer runs in `npm run test:deep` alone, unless `kept.ts` says why not. */
const DEAR_TEST_MS = 1000;
const DEAR_FILE_MS = 8_000;

/**
 * Whether a test of a file belongs to the deep tier. The dear tests of a file do; when the others are still dear together, all of it does.
 * A test that has never been measured does not.
 */
export function isDeep(file: string, test: string, cost: FileCost | undefined): boolean {
  if (!cost || isKept(file, test)) return false;
  if (isDear(cost, test)) return true;
  const left = Object.keys(cost.tests).filter((name) => isDear(cost, name) && !isKept(file, name));
  return !(file in KEPT) && cost.total - left.reduce((sum, name) => sum + cost.tests[name]!, 0) > DEAR_FILE_MS;
}

const isDear = (cost: FileCost, test: string): boolean => (cost.tests[test] ?? 0) > DEAR_TEST_MS;

const KEPT_TESTS = Object.keys(KEPT).filter((key) => key.includes(' > '));

const isKept = (file: string, test: string): boolean => KEPT_TESTS.some((key) => `${file} > ${test}`.startsWith(key));
