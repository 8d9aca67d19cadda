import { type TestAPI, it } from 'vitest';

/** `npm run test:deep`: every test in full size. `npm test` keeps what shows a fault of each kind and ends within minutes. */
export const IS_DEEP = process.env.TEST_DEPTH === 'deep';

/** A size or a number of rounds: the usual one, and the one of a deep run. */
export const atDepth = <T>(usual: T, deep: T): T => (IS_DEEP ? deep : usual);

/** A test of which a quicker sibling is part of every run. Only deep runs have it. */
export const deepIt = it.runIf(IS_DEEP) as TestAPI;

/** Number of runs of a property: four times as many in a deep run. */
export const tries = (deep: number): number => atDepth(Math.ceil(deep / 4), deep);

/** Some of many combinations that are alike: a fourth of them, another one for each offset; in a deep run all. */
export const sampled = <T>(items: T[], offset = 0): T[] =>
  IS_DEEP ? items : items.filter((_, index) => (index + offset) % 4 === 0);
