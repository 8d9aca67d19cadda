import { defineConfig } from 'vitest/config';

/** Benches measure; they assert nothing about time. One at a time, so that they do not disturb each other. */
export default defineConfig({
  test: { include: ['test/bench/**/*.bench.ts'], fileParallelism: false, testTimeout: 900_000, hookTimeout: 120_000 },
});
