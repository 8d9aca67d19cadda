import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { StartError } from '../start-error.js';
import { BackupFolder, type BackupManifest, type TableInBackup } from './backup-folder.js';
import { countRows, findParts, type TableInDatabase } from './parts-in-database.js';
import { differencesOf, RowSums, type SumsByWorkspace } from './row-sums.js';
import { appliedMigrations, copyTarget, withClient } from './stored-tables.js';

/**
 * Compares a backup with a database and with its own files, by the number and the checksum of the rows of every
 * workspace in every table. Returns the differences in sentences.
 * @throws StartError when the database does not have the schema of the backup
 */
export async function verifyBackup(databaseUrl: string, folder: string): Promise<string[]> {
  const { folder: source, manifest } = await BackupFolder.open(folder);
  return withClient(databaseUrl, async (client) => {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    await assertSameSchema(client, manifest);
    const { tables, missingTables } = await findParts(client, manifest);
    const differences = missingTables.map(
      (table) => `The database has no table ${table.name}; in the backup it has ${countRows(table)} rows.`,
    );
    for (const table of tables) differences.push(...(await differencesInDatabase(client, table)));
    for (const table of manifest.tables) differences.push(...(await differencesInFile(source, table)));
    return differences;
  });
}

async function differencesInDatabase(client: pg.Client, table: TableInDatabase): Promise<string[]> {
  const { name, missing, sums } = table;
  if (missing.length === 0) return differencesOf(name, sums, await sumsOfTable(client, table));
  return missing.map((column) => `${name} has no column ${column}, so its rows were not compared.`);
}

async function differencesInFile(source: BackupFolder, table: TableInBackup): Promise<string[]> {
  const { name, sums } = table;
  const inFile = await sumsOfFile(source, table).catch((error: Error) => error);
  if (inFile instanceof Error) return [`The file of ${name} cannot be read: ${inFile.message}.`];
  return differencesOf(`The file of ${name}`, sums, inFile);
}

async function assertSameSchema(client: pg.Client, manifest: BackupManifest): Promise<void> {
  const applied = new Set(await appliedMigrations(client));
  if (applied.size === manifest.migrations.length && manifest.migrations.every((name) => applied.has(name))) return;
  throw new StartError(
    'The database has another schema than the backup, so their rows cannot be compared. A backup of an older version is compared while it is restored, before its schema is brought up to date.',
  );
}

/** Row counts and checksums of a table of the backup in the database. */
export async function sumsOfTable(client: pg.Client, table: TableInBackup): Promise<SumsByWorkspace> {
  const sums = new RowSums(table.hasWorkspace);
  await pipeline(client.query(copyTo(`COPY ${copyTarget(table)} TO STDOUT`)), sums, nowhere());
  return sums.sums();
}

async function sumsOfFile(folder: BackupFolder, table: TableInBackup): Promise<SumsByWorkspace> {
  const sums = new RowSums(table.hasWorkspace);
  await pipeline(...folder.fromFile(table.name), sums, nowhere());
  return sums.sums();
}

const nowhere = () => new Writable({ write: (_chunk, _encoding, done) => done() });
