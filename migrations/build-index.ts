import type { QueryRunner } from 'typeorm';

/**
 * Builds an index of a large table while others read and write it, unless it exists. For migrations with `transaction = false`. A build
 * that was interrupted leaves an invalid index, which is dropped first. The build waits for transactions that began before it, and
 * nobody waits for the build, so it has no time limit.
 */
export async function buildIndex(db: QueryRunner, name: string, definition: string): Promise<void> {
  await db.query('SET lock_timeout = 0');
  try {
    if (await isInvalid(db, name)) await db.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
    await db.query(`CREATE INDEX CONCURRENTLY IF NOT EXISTS ${name} ON ${definition}`);
  } finally {
    await db.query('RESET lock_timeout');
  }
}

async function isInvalid(db: QueryRunner, name: string): Promise<boolean> {
  const found = (await db.query('SELECT FROM pg_index WHERE indexrelid = to_regclass($1) AND NOT indisvalid', [
    name,
  ])) as unknown[];
  return found.length > 0;
}
