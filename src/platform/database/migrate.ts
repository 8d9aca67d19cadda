import { setTimeout as sleep } from 'node:timers/promises';
import { DataSource, type MigrationInterface, type QueryRunner } from 'typeorm';
import { migrations as known } from '../../../migrations/index.js';
import { StartError } from '../start-error.js';
import { renameEarlierMigrations } from './earlier-migrations.js';
import { failureCode, isConnectionFailure, isRetryable } from '../errors/failures.js';

/** Lock that lets only one of several starting processes migrate, and how often the others ask for it. */
const MIGRATION_LOCK = 7_261_000;
const MIGRATION_LOCK_PAUSE_MS = 500;
/** While a migration waits for a table in use, all other statements wait behind it: it gives up soon, lets them proceed, and is retried. */
const LOCK_PATIENCE_MS = 5000;
/** Tries of one migration. */
const LOCK_TRIES = 10;
const LOCK_NOT_AVAILABLE = '55P03';

export interface MigrateOptions {
  /** Runs only migrations with these names. */
  wanted?: ReadonlySet<string>;
  /** All migrations, in order. */
  migrations?: (new () => MigrationInterface)[];
  lockPatienceMs?: number;
}

/**
 * Brings the database up to date, or only to where it has the migrations in `wanted`. Each is one transaction, unless it has
 * `transaction = false`. Gives the names of those that it ran.
 * @throws StartError when a migration fails, saying which, and when an early build of version 0.1 made the database
 */
export async function migrate(databaseUrl: string, options: MigrateOptions = {}): Promise<string[]> {
  const { wanted, migrations = known, lockPatienceMs = LOCK_PATIENCE_MS } = options;
  const db = new DataSource({
    type: 'postgres',
    url: databaseUrl,
    migrations: wanted ? migrations.filter(({ name }) => wanted.has(name)) : migrations,
    migrationsTableName: 'migrations',
    migrationsTransactionMode: 'each',
    extra: { lock_timeout: lockPatienceMs },
    // The other logger prints each failed try.
    logger: 'debug',
  });
  await db.initialize();
  const guard = db.createQueryRunner();
  try {
    await takeTurn(guard);
    await renameEarlierMigrations(guard);
    return await runAll(db, guard, lockPatienceMs);
  } finally {
    await guard.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK]).catch(() => undefined);
    await guard.release();
    await db.destroy();
  }
}

/** Asks again and again: a statement that waited for the lock would keep the indexes waiting that are built concurrently, for ever. */
async function takeTurn(guard: QueryRunner): Promise<void> {
  for (;;) {
    const [{ taken }] = (await guard.query('SELECT pg_try_advisory_lock($1) AS taken', [MIGRATION_LOCK])) as [
      { taken: boolean },
    ];
    if (taken) return;
    await sleep(MIGRATION_LOCK_PAUSE_MS);
  }
}

async function runAll(db: DataSource, guard: QueryRunner, pauseMs: number): Promise<string[]> {
  const before = await appliedNames(guard);
  let done = before.length;
  for (let tries = 1; ; tries++) {
    try {
      await db.runMigrations({ transaction: 'each' });
      return (await appliedNames(guard)).slice(before.length);
    } catch (error) {
      if (!isInUse(error)) throw await explain(error, db, guard);
      const { length } = await appliedNames(guard);
      if (length > done) tries = 1;
      done = length;
      if (tries >= LOCK_TRIES) throw await explain(error, db, guard);
    }
    await sleep(pauseMs);
  }
}

/** True when others used a table that the migration locks. */
const isInUse = (error: unknown) => failureCode(error) === LOCK_NOT_AVAILABLE || isRetryable(error);

async function appliedNames(guard: QueryRunner): Promise<string[]> {
  if (!(await guard.hasTable('migrations'))) return [];
  const rows = (await guard.query('SELECT name FROM migrations ORDER BY id')) as { name: string }[];
  return rows.map(({ name }) => name);
}

/** Adds the name of the migration, which TypeORM's error lacks. */
async function explain(error: unknown, db: DataSource, guard: QueryRunner): Promise<unknown> {
  if (isConnectionFailure(error)) return error;
  const applied = new Set(await appliedNames(guard).catch(() => []));
  const nameOf = ({ name, constructor }: MigrationInterface) => name ?? constructor.name;
  const failed = db.migrations.find((migration) => !applied.has(nameOf(migration)));
  if (!failed) return error;
  const how = failed.transaction === false ? 'failed' : 'failed and was undone';
  const reason = isInUse(error) ? 'a table that it changes was in use all the time' : (error as Error).message;
  return new StartError(
    `The migration ${nameOf(failed)} ${how}: ${reason}. Those before it are applied and stay; the server of before works with them. See docs/how-to/upgrade.md.`,
  );
}
