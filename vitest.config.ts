import path from 'node:path';
import { defineConfig } from 'vitest/config';

/** Tests that need a server to start. */
const ON_SERVICES = {
  globalSetup: ['test/support/global-setup.ts'],
  setupFiles: process.env.CHECK_WORKSPACES ? ['test/support/statements/collect.ts'] : [],
};

export default defineConfig({
  // Extensions of the tests run inside the server that the tests have loaded, not beside the one that was built.
  resolve: { alias: { 'tracesheet/extension': path.resolve('src/extension.ts') } },
  test: {
    pool: 'forks',
    maxWorkers: 2,
    // Ends what hangs. Tests that kill a worker twice and wait for a third take half a minute on a slow machine.
    testTimeout: 90_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
    // Loading what a file tests takes longer than most need for their tests. Every file of the server starts its own server
    // with its own database, so a process may go on with what the one before has loaded.
    isolate: false,
    projects: [
      { extends: true, test: { name: 'unit', include: ['src/**/*.spec.ts', 'console/src/**/*.spec.ts'] } },
      {
        extends: true,
        test: {
          name: 'server',
          include: ['test/**/*spec.ts'],
          exclude: ['test/console/**'],
          ...ON_SERVICES,
        },
      },
      {
        extends: true,
        test: {
          name: 'console',
          include: ['test/console/**/*.spec.ts'],
          ...ON_SERVICES,
        },
      },
    ],
  },
});
