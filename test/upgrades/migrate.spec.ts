import pg from 'pg';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { earlierMigrations } from '../../migrations/earlier.js';
import { firstMigrations, migrations } from '../../migrations/index.js';
import { migrate } from '../../src/platform/database/migrate.js';
import { assertReleaseIsKnown, requireRelease } from '../../src/platform/database/oldest-release.js';
import { assertDatabaseReady } from '../../src/platform/database/readiness.js';
import { testDatabase, type TestDatabase } from '../support/database.js';

let database: TestDatabase;
let client: pg.Client;
beforeEach(async () => {
  database = await testDatabase();
  client = new pg.Client(database.url);
  await client.connect();
});
afterEach(async () => {
  await client.end();
  await database.close();
});

const found = async (sql: string) => (await client.query<{ found: unknown }>(sql)).rows.map((row) => row.found);

/** Set by a test when the obstacle of the migration is gone. */
let isMended: boolean;

class AddLater9990000000001 implements MigrationInterface {
  up = (db: QueryRunner) => db.query('ALTER TABLE workspaces ADD COLUMN later text') as Promise<void>;
  down = (db: QueryRunner) => db.query('ALTER TABLE workspaces DROP COLUMN later') as Promise<void>;
}
class FillLater9990000000002 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`CREATE TABLE later_things (id integer)`);
    await db.query(isMended ? 'SELECT 1' : 'SELECT 1 / 0');
  }
  down = (db: QueryRunner) => db.query('DROP TABLE later_things') as Promise<void>;
}
class NeedsLater9990000000003 implements MigrationInterface {
  up = (db: QueryRunner) => requireRelease(db, '99.1.0');
  down = (db: QueryRunner) => requireRelease(db, null);
}
const later = (...some: (new () => MigrationInterface)[]) => ({ migrations: [...migrations, ...some] });

it('a migration that fails is undone alone, is named, and is tried again by the next run', async () => {
  isMended = false;
  const options = later(AddLater9990000000001, FillLater9990000000002);
  await expect(migrate(database.url, options)).rejects.toThrow(
    'The migration FillLater9990000000002 failed and was undone: division by zero. Those before it are applied and stay',
  );
  expect(await found(`SELECT attname AS found FROM pg_attribute WHERE attname = 'later'`)).toEqual(['later']);
  expect(await found(`SELECT to_regclass('later_things') AS found`)).toEqual([null]);
  isMended = true;
  expect(await migrate(database.url, options)).toEqual(['FillLater9990000000002']);
  expect(await migrate(database.url, options)).toEqual([]);
});

it('a migration does not keep others waiting behind a table that is in use, and comes to its turn', async () => {
  await client.query('BEGIN');
  await client.query('LOCK TABLE workspaces IN ACCESS SHARE MODE');
  const migrating = migrate(database.url, { ...later(AddLater9990000000001), lockPatienceMs: 50 });
  // Waits until the migration has waited, given up, and waits again.
  const waiting = `SELECT count(*)::int AS found FROM pg_locks WHERE NOT granted AND relation = 'workspaces'::regclass`;
  const isWaiting = async () => (await found(waiting))[0] === 1;
  for (const expected of [true, false, true]) while ((await isWaiting()) !== expected);
  await client.query('COMMIT');
  expect(await migrating).toEqual(['AddLater9990000000001']);
});

it('a migration that waits in vain says so', async () => {
  await client.query('BEGIN');
  await client.query('LOCK TABLE workspaces IN ACCESS SHARE MODE');
  await expect(migrate(database.url, { ...later(AddLater9990000000001), lockPatienceMs: 5 })).rejects.toThrow(
    'The migration AddLater9990000000001 failed and was undone: a table that it changes was in use all the time.',
  );
});

it('starts a process on a newer schema, until a migration has dropped parts that it uses', async () => {
  await migrate(database.url, later(AddLater9990000000001));
  await assertDatabaseReady(database.url);
  expect(await migrate(database.url)).toEqual([]);
  await migrate(database.url, later(AddLater9990000000001, NeedsLater9990000000003));
  await expect(assertDatabaseReady(database.url)).rejects.toThrow(/it needs 99\.1\.0 or later\. Start that version/);
  await assertReleaseIsKnown(client, '99.1.0');
  await assertReleaseIsKnown(client, '100.0.0');
  await expect(assertReleaseIsKnown(client, '99.0.12')).rejects.toThrow('Tracesheet 99.0.12 cannot work with');
});

it('a database of an early build of version 0.1 is left alone, with the build to start once', async () => {
  await client.query('DELETE FROM migrations');
  const add =
    'INSERT INTO migrations (timestamp, name) SELECT right(name, 13)::bigint, name FROM unnest($1::text[]) name';
  await client.query(add, [earlierMigrations.slice(0, -1)]);
  const sentence =
    /made this database: it has 36 of 37 migrations\. Start the last build of version 0\.1\.0 \(2026-11-25, commit \w{8}\)/;
  await expect(migrate(database.url)).rejects.toThrow(sentence);
  await expect(assertDatabaseReady(database.url)).rejects.toThrow(sentence);
  expect(await found('SELECT count(*)::int AS found FROM migrations')).toEqual([36]);

  // The last build adds the missing parts; then this version continues.
  await client.query(add, [earlierMigrations.slice(-1)]);
  await client.query(add, [migrations.slice(firstMigrations.length).map(({ name }) => name)]);
  expect(await migrate(database.url)).toEqual([]);
  await assertDatabaseReady(database.url);
});

it('a process does not start on an older schema', async () => {
  await client.query(`DELETE FROM migrations WHERE id = (SELECT max(id) FROM migrations)`);
  await expect(assertDatabaseReady(database.url)).rejects.toThrow(
    `The database lacks 1 of ${migrations.length} migrations. Run \`npm run migration:run\``,
  );
});
