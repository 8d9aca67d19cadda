import pg from 'pg';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { earlierMigrations } from '../../migrations/earlier.js';
import { firstMigrations, migrations } from '../../migrations/index.js';
import { migrate } from '../../src/platform/database/migrate.js';
import { assertReleaseIsKnown, requireRelease } from '../../src/platform/database/oldest-release.js';
import { assertDatabaseReady } from '../../src/platform/database/readiness.js';
import { emptyDatabase, testDatabase, type TestDatabase } from '../support/database.js';
import { readSchema, type SchemaRow } from '../support/schema.js';
import { keptReleases, migrationsOf } from './releases.js';

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

/** A migration that fails six times as if a table that it changes were in use. */
const busy = (name: string, code: string): new () => MigrationInterface => {
  let failures = 6;
  return class {
    name = name;
    async up(db: QueryRunner): Promise<void> {
      if (failures-- > 0) await db.query(`DO $$ BEGIN RAISE EXCEPTION 'in use' USING ERRCODE = '${code}'; END $$`);
    }
    down = () => Promise.resolve();
  };
};

it.each([
  ['waits in vain', '55P03'],
  ['ends a deadlock', '40P01'],
])('tries each migration ten times when it %s', async (_, code) => {
  const names = ['Busy9990000000001', 'Busy9990000000002'];
  const options = { ...later(...names.map((name) => busy(name, code))), lockPatienceMs: 5 };
  expect(await migrate(database.url, options)).toEqual(names);
});

/** Removes migrations from the list of those that have run. Gives their names. */
async function markPending(...numbers: number[]): Promise<string[]> {
  const deleted = 'DELETE FROM migrations WHERE right(name, 3)::int = ANY($1) RETURNING name, id';
  const { rows } = await client.query<{ name: string; id: number }>(
    `WITH deleted AS (${deleted}) SELECT * FROM deleted ORDER BY id`,
    [numbers],
  );
  return rows.map(({ name }) => name);
}

describe('an index of a large table', () => {
  const INDEX = 'request_scores_name_idx';
  const isValid = `SELECT indisvalid AS found FROM pg_index WHERE indexrelid = '${INDEX}'::regclass`;
  const other = async (use: (other: pg.Client) => Promise<unknown>) => {
    const connection = new pg.Client(database.url);
    await connection.connect();
    await use(connection).finally(() => connection.end());
  };

  it('is built while the table is written, even when two processes migrate', async () => {
    await client.query(`DROP INDEX ${INDEX}`);
    const names = await markPending(105);
    await client.query('BEGIN');
    await client.query('LOCK TABLE request_scores IN ROW EXCLUSIVE MODE');
    const migrating = [1, 2].map(() => migrate(database.url, { lockPatienceMs: 50 }));
    await other(async (writer) => {
      const waiting = `SELECT FROM pg_locks WHERE NOT granted AND locktype = 'virtualxid' AND pid <> pg_backend_pid()`;
      while ((await writer.query(waiting)).rowCount === 0);
      await writer.query(`SET lock_timeout = '5s'`);
      await writer.query('BEGIN');
      await writer.query('LOCK TABLE request_scores IN ROW EXCLUSIVE MODE');
    });
    await client.query('COMMIT');
    expect((await Promise.all(migrating)).flat()).toEqual(names);
    expect(await found(isValid)).toEqual([true]);
  });

  it('is built again when the build was interrupted', async () => {
    await client.query(`DROP INDEX ${INDEX}`);
    const names = await markPending(105);
    await client.query('BEGIN');
    await client.query('LOCK TABLE request_scores IN ROW EXCLUSIVE MODE');
    await other(async (interrupted) => {
      await interrupted.query('SET lock_timeout = 1');
      const build = interrupted.query(`CREATE INDEX CONCURRENTLY ${INDEX} ON request_scores (workspace_id, name)`);
      await expect(build).rejects.toThrow('lock timeout');
    });
    await client.query('COMMIT');
    expect(await found(isValid)).toEqual([false]);
    expect(await migrate(database.url)).toEqual(names);
    expect(await found(isValid)).toEqual([true]);
    expect(await found(`SELECT pg_get_indexdef('${INDEX}'::regclass) AS found`)).toEqual([
      expect.stringContaining('INCLUDE (score)'),
    ]);
  });

  /** Tables of which an installation has so few rows that their indexes are built at once. */
  const SMALL = ['api_keys', 'console_sessions', 'executions', 'import_operations', 'scorecard_calculations', 'users'];

  it('is built outside of a transaction by every migration since the last release', async () => {
    const empty = await emptyDatabase();
    const wanted = migrationsOf(keptReleases().at(-1)!.version);
    await migrate(empty.url, { wanted });
    const reader = new pg.Client(empty.url);
    await reader.connect();
    const indexes = async () => {
      const { rows } = await reader.query<{ id: string; table: string }>(
        `SELECT indexrelid::text AS id, indrelid::regclass::text AS "table" FROM pg_index
          WHERE indrelid IN (SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace)`,
      );
      return new Map(rows.map(({ id, table }) => [id, table]));
    };
    const tables = new Set((await indexes()).values());
    const blocking: string[] = [];
    for (const Migration of migrations.filter(({ name }) => !wanted.has(name))) {
      const before = await indexes();
      await migrate(empty.url, { wanted: wanted.add(Migration.name) });
      if ((new Migration() as MigrationInterface).transaction === false) continue;
      for (const [id, table] of await indexes()) {
        if (!before.has(id) && tables.has(table) && !SMALL.includes(table))
          blocking.push(`${Migration.name}: ${table}`);
      }
    }
    await reader.end();
    await empty.close();
    expect(blocking).toEqual([]);
  });
});

it('runs migrations again that an earlier form of others has anticipated', async () => {
  const schema = () => readSchema(async (sql) => (await client.query<SchemaRow>(sql)).rows);
  const before = await schema();
  const names = await markPending(92, 108, 109, 110);
  expect(names).toHaveLength(4);
  expect(await migrate(database.url)).toEqual(names);
  expect(await schema()).toEqual(before);
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
