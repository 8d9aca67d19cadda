import type { TestSequencer, TestSpecification, Vitest } from 'vitest/node';
import { pathOf, readCosts } from './costs.js';

/** The project whose files are long and share the servers of their process, before that whose files take milliseconds. */
const FIRST = 'server';
/** A file that was never measured. */
const UNKNOWN_MS = 3000;

/**
 * Long files before short ones, so that no processor idles at the end. Costs are taken up to half larger or smaller by the seed of the run,
 * so that files meet others in another order each time. `TEST_SEED` repeats one.
 */
export class LongestFirst implements TestSequencer {
  constructor(private readonly vitest: Vitest) {}

  shard(files: TestSpecification[]): TestSpecification[] {
    return files;
  }

  sort(files: TestSpecification[]): TestSpecification[] {
    const costs = readCosts();
    const random = randomOf(this.vitest.config.sequence.seed);
    const ordered = [...files].sort((a, b) => (a.moduleId < b.moduleId ? -1 : 1));
    const ranked = ordered.map((file) => {
      const ms = costs[pathOf(file.moduleId)]?.total ?? UNKNOWN_MS;
      return { file, isFirst: file.project.name === FIRST, rank: ms * (0.5 + random()) };
    });
    ranked.sort((a, b) => Number(b.isFirst) - Number(a.isFirst) || b.rank - a.rank);
    return ranked.map(({ file }) => file);
  }
}

/** Numbers from 0 to 1 that follow from a seed: a linear congruential generator, which is random enough for an order. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
