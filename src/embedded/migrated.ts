import { assertDatabaseReady } from '../platform/database/readiness.js';

/**
 * Makes sure that a command can work on the database.
 * @throws StartError when migrations are missing, saying how to apply them
 */
export const assertMigrated = (url: string, env: NodeJS.ProcessEnv): Promise<void> =>
  assertDatabaseReady(
    url,
    1,
    env.DATABASE_URL
      ? 'Run `npm run migration:run` with the same DATABASE_URL, then repeat the command.'
      : 'Start the product once (npm start), which applies them, then repeat the command.',
  );
