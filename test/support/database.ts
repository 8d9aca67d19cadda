import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';

export interface TestDatabase {
  url: string;
  /** Drops it. */
  close(): Promise<void>;
}

/** A database of its own for a test: a copy of the migrated template. */
export const testDatabase = (): Promise<TestDatabase> =>
  newDatabase(inject('adminUrl'), 'TEMPLATE template_tracesheet STRATEGY file_copy');

/** A database without any table, on the server of the tests or on another one. */
export const emptyDatabase = (admin = inject('adminUrl')): Promise<TestDatabase> => newDatabase(admin, '');

async function newDatabase(admin: string, options: string): Promise<TestDatabase> {
  const name = `t_${randomBytes(8).toString('hex')}`;
  await run(admin, `CREATE DATABASE ${name} ${options}`);
  const url = new URL(admin);
  url.pathname = `/${name}`;
  return { url: url.href, close: () => run(admin, `DROP DATABASE ${name} WITH (FORCE)`) };
}

async function run(url: string, sql: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
