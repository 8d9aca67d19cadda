import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { StartError } from '../start-error.js';
import { BackupFolder, type BackupManifest, type TableInBackup } from './backup-folder.js';
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
    const differences: string[] = [];
    for (const table of manifest.tables) {
      differences.push(...differencesOf(table.name, table.sums, await sumsOfTable(client, table)));
      const inFile = await sumsOfFile(source, table).catch((error: Error) => error);
      differences.push(
        ...(inFile instanceof Error
          ? [`The file of ${table.name} cannot be read: ${inFile.message}.`]
          : differencesOf(`The file of ${table.name}`, table.sums, inFile)),
      );
    }
    return differences;
  });
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
