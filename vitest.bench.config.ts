import { defineConfig } from 'vitest/config';

/**
 * Benches measure; they assert nothing about time. One at a time, so that they do not disturb each other. Where one runs
 * the built product in its own process, that is run as it is: what Vitest makes of a module is slower.
 */
export default defineConfig({
  test: {
    include: ['test/bench/**/*.bench.ts'],
    fileParallelism: false,
    testTimeout: 900_000,
    hookTimeout: 120_000,
    server: { deps: { external: [/\/dist\/src\//] } },
  },
});
