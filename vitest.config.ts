import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BUILT, builtServer } from './test/support/runner/built-server.js';
import { CostsReporter } from './test/support/runner/costs-reporter.js';
import { LongestFirst } from './test/support/runner/longest-first.js';

/** Only ends what hangs: beside other work everything may take thirty times as long. A deep run kills and starts many processes in one test. */
const LIMIT_MS = process.env.TEST_DEPTH === 'deep' ? 1_200_000 : 600_000;

/** `npm test` reads a file of results when the run has ended. */
const isCounted = process.argv.some((argument) => argument.startsWith('--outputFile'));

export default defineConfig({
  test: {
    pool: 'forks',
    // One more than there are cores: while one waits for PostgreSQL, a sandbox or a browser, another one has something to do.
    maxWorkers: Math.min(8, availableParallelism() + 1),
    testTimeout: LIMIT_MS,
    hookTimeout: LIMIT_MS,
    expect: { poll: { timeout: LIMIT_MS / 2 } },
    slowTestThreshold: 5000,
    // Loading what a file tests takes longer than most need for their tests, so a process goes on with what the one before has loaded.
    isolate: false,
    runner: 'test/support/runner/measuring-runner.ts',
    reporters: ['default', new CostsReporter(), ...(isCounted ? ['json'] : [])],
    sequence: { sequencer: LongestFirst, seed: Number(process.env.TEST_SEED ?? Date.now() % 1_000_000) },
    projects: [
      { extends: true, test: { name: 'unit', include: ['src/**/*.spec.ts', 'console/src/**/*.spec.ts'] } },
      {
        extends: true,
        plugins: [builtServer()],
        test: {
          name: 'server',
          include: ['test/**/*spec.ts'],
          // These need a server to start.
          globalSetup: ['test/support/global-setup.ts'],
          setupFiles: [
            ...(process.env.CHECK_WORKSPACES ? ['test/support/statements/collect.ts'] : []),
            ...(process.env.TEST_JITTER ? ['test/support/runner/jitter.ts'] : []),
          ],
          server: { deps: { external: [BUILT] } },
        },
      },
    ],
  },
});
