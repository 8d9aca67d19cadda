import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';

export interface TestDatabase {
  url: string;
  /** Drops it. */
  close(): Promise<void>;
}

/** A database of its own for a test: a copy of the migrated template. */
export async function testDatabase(): Promise<TestDatabase> {
  const name = `t_${randomBytes(8).toString('hex')}`;
  const admin = inject('adminUrl');
  await run(admin, `CREATE DATABASE ${name} TEMPLATE template_tracesheet STRATEGY file_copy`);
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
