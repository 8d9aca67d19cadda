import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { migrations as known } from '../../../migrations/index.js';
import { migrate } from '../database/migrate.js';
import { StartError } from '../start-error.js';
import { BackupFolder, type BackupManifest } from './backup-folder.js';
import { describeMissing, findParts, type TableInDatabase } from './parts-in-database.js';
import { differencesOf, RowSums } from './row-sums.js';
import { appliedMigrations, copyTarget, listTables, withClient } from './stored-tables.js';
import { sumsOfTable } from './verify-backup.js';

export interface Restored {
  manifest: BackupManifest;
  /** Names of the migrations that ran after the rows were restored. */
  applied: string[];
  /** Parts that the migrations do not make, one line each. */
  leftOut: string[];
}

/**
 * Restores a backup into an empty database: the schema as it was then, and all rows in one transaction, which are
 * compared with the backup before the commit. Then runs the migrations that the schema lacks. Tables, columns and
 * sequences that the schema does not have are left out. `onEmpty` is called once the database is known to be empty.
 * @throws StartError when the database is not empty, when the backup has a newer schema, or when the restored rows
 * differ from the backup
 */
export async function restoreBackup(
  databaseUrl: string,
  folder: string,
  onEmpty: () => void = () => undefined,
): Promise<Restored> {
  const { folder: source, manifest } = await BackupFolder.open(folder);
  assertKnown(manifest);
  await withClient(databaseUrl, (client) => assertEmpty(client, manifest));
  onEmpty();
  await migrate(databaseUrl, { wanted: new Set(manifest.migrations) });
  const parts = await withClient(databaseUrl, async (client) => {
    await client.query('BEGIN');
    await client.query(`SET LOCAL maintenance_work_mem = '256MB'`);
    const found = await findParts(client, manifest);
    await withoutRules(client, found.tables, () => loadTables(client, source, found.tables));
    for (const { name, value, isCalled } of found.sequences) {
      await client.query('SELECT setval($1::regclass, $2::bigint, $3)', [pg.escapeIdentifier(name), value, isCalled]);
    }
    await client.query('COMMIT');
    await client.query('ANALYZE');
    return found;
  });
  return { manifest, applied: await migrate(databaseUrl), leftOut: describeMissing(parts) };
}

function assertKnown({ migrations }: BackupManifest): void {
  const names = new Set(known.map(({ name }) => name));
  const newer = migrations.filter((name) => !names.has(name));
  if (newer.length === 0) return;
  throw new StartError(
    `The backup was made by a newer version of Tracesheet: this one does not know its migrations ${newer.join(', ')}. Restore it with that version or a later one.`,
  );
}

/** Everything belongs to a workspace, so an installation without any is empty. */
async function assertEmpty(client: pg.Client, manifest: BackupManifest): Promise<void> {
  const applied = await appliedMigrations(client);
  const tables = await listTables(client);
  if (applied.length === 0 && tables.length === 0) return;
  const isMigrated =
    manifest.migrations.length === applied.length && manifest.migrations.every((name) => applied.includes(name));
  if (isMigrated && (await client.query('SELECT FROM workspaces LIMIT 1')).rowCount === 0) return;
  throw new StartError('The database is not empty. A backup is restored into a new one only; nothing was changed.');
}

/**
 * FREEZE saves the database from visiting the rows again. It is possible because the tables were emptied in this
 * transaction. Missing columns exist, as texts, until the rows have been compared with the backup: COPY cannot skip
 * fields of a file.
 */
async function loadTables(client: pg.Client, source: BackupFolder, tables: TableInDatabase[]): Promise<void> {
  for (const table of tables) {
    await alterMissing(client, table, (column) => `ADD COLUMN ${column} text`);
    const read = new RowSums(table.hasWorkspace);
    const target = client.query(copyFrom(`COPY ${copyTarget(table)} FROM STDIN (FREEZE)`));
    await pipeline(...source.fromFile(table.name), read, target);
    const wrong = [
      ...differencesOf(`The file of ${table.name}`, table.sums, read.sums()),
      ...differencesOf(table.name, table.sums, await sumsOfTable(client, table)),
    ];
    if (wrong.length > 0) throw new StartError(`The backup is damaged, so nothing was restored. ${wrong.join(' ')}`);
    await alterMissing(client, table, (column) => `DROP COLUMN ${column}`);
  }
}

async function alterMissing(
  client: pg.Client,
  { name, missing }: TableInDatabase,
  change: (column: string) => string,
): Promise<void> {
  if (missing.length === 0) return;
  const changes = missing.map((column) => change(pg.escapeIdentifier(column)));
  await client.query(`ALTER TABLE ${pg.escapeIdentifier(name)} ${changes.join(', ')}`);
}

/**
 * Empties the tables and does `work` without their triggers, references and indexes. Triggers would record changes
 * again, references would require an order, and indexes are built faster from all rows together.
 */
async function withoutRules(client: pg.Client, tables: TableInDatabase[], work: () => Promise<void>): Promise<void> {
  const names = tables.map(({ name }) => name);
  const references = await read(client, REFERENCES, names);
  const indexes = await read(client, INDEXES, names);
  const triggers = await read(client, TRIGGERS, names);
  for (const { drop } of [...references, ...indexes, ...triggers]) await client.query(drop);
  await client.query(`TRUNCATE ${names.map((name) => pg.escapeIdentifier(name)).join(', ')}`);
  await work();
  for (const { make } of [...indexes, ...references, ...triggers]) await client.query(make);
}

/** Statements that drop a rule and create it again. */
interface Rule {
  drop: string;
  make: string;
}

async function read(client: pg.Client, text: string, tables: string[]): Promise<Rule[]> {
  return (await client.query<Rule>(text, [tables])).rows;
}

const OF_TABLES = `c.relnamespace = current_schema()::regnamespace AND c.relname = ANY($1)`;

const REFERENCES = `
  SELECT format('ALTER TABLE %I DROP CONSTRAINT %I', c.relname, conname) AS drop,
         format('ALTER TABLE %I ADD CONSTRAINT %I %s', c.relname, conname, pg_get_constraintdef(k.oid)) AS make
    FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid WHERE k.contype = 'f' AND ${OF_TABLES} ORDER BY conname`;

/** Indexes without those of constraints. */
const INDEXES = `
  SELECT format('DROP INDEX %I', i.relname) AS drop, pg_get_indexdef(i.oid) AS make
    FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_class c ON c.oid = x.indrelid
   WHERE NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = x.indexrelid) AND ${OF_TABLES} ORDER BY i.relname`;

const TRIGGERS = `
  SELECT DISTINCT format('ALTER TABLE %I DISABLE TRIGGER USER', c.relname) AS drop, format('ALTER TABLE %I ENABLE TRIGGER USER', c.relname) AS make
    FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid WHERE NOT t.tgisinternal AND ${OF_TABLES}`;
