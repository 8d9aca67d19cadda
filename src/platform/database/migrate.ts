import { DataSource } from 'typeorm';
import { migrations } from '../../../migrations/index.js';
import { renameEarlierMigrations } from './earlier-migrations.js';

/** Processes that start together must not migrate together. */
const MIGRATION_LOCK = 7_261_000;

/**
 * Brings the database up to date, or only to where it has the migrations in `wanted`. Gives the names of the migrations it ran.
 * @throws StartError when an early build of version 0.1 made the database
 */
export async function migrate(databaseUrl: string, wanted?: ReadonlySet<string>): Promise<string[]> {
  const db = new DataSource({
    type: 'postgres',
    url: databaseUrl,
    migrations: wanted ? migrations.filter(({ name }) => wanted.has(name)) : migrations,
    migrationsTableName: 'migrations',
    migrationsTransactionMode: 'each',
  });
  await db.initialize();
  const guard = db.createQueryRunner();
  try {
    await guard.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await renameEarlierMigrations(guard);
    const applied = await db.runMigrations({ transaction: 'each' });
    return applied.map((migration) => migration.name);
  } finally {
    await guard.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK]).catch(() => undefined);
    await guard.release();
    await db.destroy();
  }
}
