import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { migrations } from '../../../migrations/index.js';
import { isConnectionFailure } from '../errors/failures.js';
import { StartError } from '../start-error.js';
import { currentNames } from './earlier-migrations.js';
import { assertReleaseIsKnown } from './oldest-release.js';

const OLDEST_POSTGRES = 15;
const CONNECT_TIMEOUT_MS = 15_000;
const PAUSE_MS = 1000;
/** Tries of a process that may be started together with the database. */
export const STARTING_ATTEMPTS = 5;
const NO_SUCH_TABLE = '42P01';

const MIGRATE_AND_START = 'Run `npm run migration:run` with the same DATABASE_URL, then start again.';

/**
 * Makes sure that a process can work on the database: it opens, is new enough, and has every migration. Those that only a later release
 * knows do no harm unless they say so (docs/how-to/upgrade.md). Where it may only be about to start, it is tried `attempts` times, a
 * second apart.
 * @throws StartError saying what to do; `remedy` says it when migrations are missing
 */
export async function assertDatabaseReady(
  url: string,
  attempts = STARTING_ATTEMPTS,
  remedy = MIGRATE_AND_START,
): Promise<void> {
  await withDatabase(url, attempts, async (client) => {
    const applied = new Set(currentNames(await appliedMigrations(client)));
    const missing = migrations.map(({ name }) => name).filter((name) => !applied.has(name));
    if (missing.length === 0) return assertReleaseIsKnown(client);
    throw new StartError(`The database lacks ${missing.length} of ${migrations.length} migrations. ${remedy}`);
  });
}

/**
 * Makes sure that a database that the environment names can be used, and tries it like `assertDatabaseReady`.
 * @throws StartError saying what is wrong
 */
export async function assertDatabaseOpens(url: string, attempts = 1): Promise<void> {
  await withDatabase(url, attempts, async () => undefined);
}

/**
 * Runs `use` on a connection of its own.
 * @throws StartError when the database cannot be opened or is too old
 */
export async function withDatabase<T>(
  url: string,
  attempts: number,
  use: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = await open(url, attempts);
  try {
    await assertVersion(client);
    return await use(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function open(url: string, attempts: number): Promise<pg.Client> {
  try {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
    client.on('error', () => undefined); // every call reports its own
    await client.connect();
    return client;
  } catch (error) {
    const { code, message, errors } = error as { code?: string; message?: string; errors?: Error[] };
    if (attempts > 1 && isConnectionFailure(error)) {
      await sleep(PAUSE_MS);
      return open(url, attempts - 1);
    }
    // A name with several addresses fails with one error per address and no message of its own.
    const reason = message || errors?.[0]?.message || code;
    throw new StartError(
      `The database in DATABASE_URL cannot be opened: ${reason}. Check its address, name, user and password.`,
    );
  }
}

async function assertVersion(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ server_version: string }>('SHOW server_version');
  const [{ server_version: version }] = rows;
  if (Number.parseInt(version, 10) >= OLDEST_POSTGRES) return;
  throw new StartError(
    `The database in DATABASE_URL is PostgreSQL ${version}; Tracesheet needs ${OLDEST_POSTGRES} or newer.`,
  );
}

async function appliedMigrations(client: pg.Client): Promise<string[]> {
  try {
    const { rows } = await client.query<{ name: string }>('SELECT name FROM migrations');
    return rows.map(({ name }) => name);
  } catch (error) {
    if ((error as { code?: string }).code === NO_SUCH_TABLE) return [];
    throw error;
  }
}
