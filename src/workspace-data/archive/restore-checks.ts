import type { ClientBase } from 'pg';
import type { EntityManager } from 'typeorm';
import { appliedMigrations } from '../../platform/backup/stored-tables.js';
import { lockUntilCommit } from '../../platform/database/advisory-lock.js';
import { assertKnownKey } from '../../platform/secrets/secrets-check.js';
import type { SecretsKeys } from '../../platform/secrets/secrets.js';
import { isReadable, nameOfKey, readSecrets, type StoredSecret } from '../../platform/secrets/stored-secrets.js';
import { readArchivedTables, type WorkspaceTable } from '../shared/workspace-tables.queries.js';
import { ArchiveRefusal, type Manifest, migrationNumber } from './archive-format.js';

/**
 * The tables of this database, which must be those of the archive, with the same columns in the same order.
 * @throws ArchiveRefusal
 */
export async function readSameTables(
  tx: EntityManager,
  client: ClientBase,
  { migrations, tables: archived, version }: Manifest,
): Promise<WorkspaceTable[]> {
  const applied = await appliedMigrations(client);
  if (applied.length !== migrations.length || !applied.every((name) => migrations.includes(name))) {
    throw new ArchiveRefusal(
      `The archive was made by Tracesheet ${version} with the migrations up to ${migrationNumber(migrations)}; this database has those up to ${migrationNumber(applied)}. Restore it into an installation of version ${version}, and upgrade that one afterwards.`,
    );
  }
  const tables = await readArchivedTables(tx);
  const columnsOf = new Map(archived.map(({ name, columns }) => [name, columns.join()]));
  for (const { name, columns } of tables) {
    const found = columnsOf.get(name);
    if (found === undefined) throw new ArchiveRefusal(`The archive is refused: it lacks the table ${name}.`);
    if (found !== columns.join()) {
      throw new ArchiveRefusal(`The archive is refused: its table ${name} has other columns than this database.`);
    }
  }
  const names = new Set(tables.map(({ name }) => name));
  const extra = archived.find(({ name }) => !names.has(name));
  if (extra) {
    const name = JSON.stringify(extra.name);
    throw new ArchiveRefusal(`The archive is refused: this database has no table ${name} with rows of workspaces.`);
  }
  if (tables.some(({ name }, index) => archived[index]?.name !== name)) {
    throw new ArchiveRefusal('The archive is refused: its tables are not in the order of this database.');
  }
  return tables;
}

export const existsHere = (id: number): ArchiveRefusal =>
  new ArchiveRefusal(
    `Workspace ${id} exists in this installation. Delete it first: a workspace is restored under the id that it had.`,
  );

/**
 * Waits for a deletion of the workspace that is being started. A running deletion would delete the restored rows, too.
 * @throws ArchiveRefusal when the id is in use
 */
export async function assertFree(tx: EntityManager, workspaceId: number): Promise<void> {
  await lockUntilCommit(tx, 'workspace-deletions', workspaceId);
  const [found] = await tx.query<{ exists: boolean; isDeleting: boolean }[]>(
    `SELECT EXISTS (SELECT FROM workspaces WHERE id = $1) AS exists,
            EXISTS (SELECT FROM workspace_deletions WHERE workspace_id = $1 AND finished_at IS NULL) AS "isDeleting"`,
    [workspaceId],
  );
  if (found!.isDeleting) {
    throw new ArchiveRefusal(`Workspace ${workspaceId} is still being deleted. Restore it when that has ended.`);
  }
  if (found!.exists) throw existsHere(workspaceId);
}

/**
 * The ids of needed keys that are not given.
 * @throws ArchiveRefusal when there are any, unless they are accepted as lost
 */
export async function findMissingKeys(
  client: ClientBase,
  needed: string[],
  { keys, withoutKeys }: { keys: SecretsKeys; withoutKeys: boolean },
): Promise<string[]> {
  const { secretsKey, secretsKeyPrevious = [] } = keys;
  const given = [...(secretsKey ? [secretsKey] : []), ...secretsKeyPrevious].map(nameOfKey);
  const missing = needed.filter((id) => !given.includes(id));
  if (missing.length > 0 && !withoutKeys) {
    throw new ArchiveRefusal(
      `The secrets of the archive need the SECRETS_KEY ${missing.join(' and ')}, which is not given (given: ${given.join(', ') || 'none'}). Add it to SECRETS_KEY_PREVIOUS, for this command and for the server. If it is lost, add --without-keys: the secrets then have to be entered again.`,
    );
  }
  await assertKnownKey(client, keys);
  return missing;
}

/**
 * Tries the given keys on the restored values. Values without a key id belong to the key of their old installation, which may be
 * missing in the manifest.
 * @throws ArchiveRefusal for values that none of the keys decrypts
 */
export async function assertReadable(
  client: ClientBase,
  { stored, workspaceId, keys }: { stored: readonly StoredSecret[]; workspaceId: number; keys: SecretsKeys },
): Promise<void> {
  const found = await readSecrets(client, stored, null, workspaceId);
  const unreadable = found.filter(({ value, place }) => !isReadable(value, place, keys));
  if (unreadable.length === 0) return;
  const kinds = [...new Set(unreadable.map(({ what }) => what))].join(', ');
  throw new ArchiveRefusal(
    `${unreadable.length} secrets of the archive (${kinds}) cannot be read with the keys that are given. Add the SECRETS_KEY of its installation to SECRETS_KEY_PREVIOUS, for this command and for the server. If it is lost, add --without-keys: the secrets then have to be entered again.`,
  );
}
