import { pipeline } from 'node:stream/promises';
import { to as copyTo } from 'pg-copy-streams';
import { neededKeys } from '../secrets/secrets-check.js';
import type { StoredSecret } from '../secrets/stored-secrets.js';
import { StartError } from '../start-error.js';
import { BackupFolder, type BackupManifest, type TableInBackup } from './backup-folder.js';
import { RowSums } from './row-sums.js';
import { appliedMigrations, copyTarget, listTables, readSequences, withClient } from './stored-tables.js';

/**
 * Writes the whole database of an installation into a new folder, while the server runs. All tables are read in one
 * snapshot, one after the other, so memory does not depend on their size.
 * @throws StartError when the folder is not empty or the database holds no installation
 */
export async function backUp(
  databaseUrl: string,
  folder: string,
  stored: readonly StoredSecret[],
): Promise<Omit<BackupManifest, 'format'>> {
  return withClient(databaseUrl, async (client) => {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const migrations = await appliedMigrations(client);
    if (migrations.length === 0) throw new StartError('The database holds no installation of Tracesheet.');
    const secretsKeys = await neededKeys(client, stored);
    const target = await BackupFolder.create(folder);
    const madeAt = new Date().toISOString();
    const tables: TableInBackup[] = [];
    for (const table of await listTables(client)) {
      const sums = new RowSums(table.hasWorkspace);
      await pipeline(client.query(copyTo(`COPY ${copyTarget(table)} TO STDOUT`)), sums, ...target.toFile(table.name));
      tables.push({ ...table, sums: sums.sums() });
    }
    const manifest = { madeAt, migrations, tables, sequences: await readSequences(client), secretsKeys };
    await target.finish(manifest);
    return manifest;
  });
}
