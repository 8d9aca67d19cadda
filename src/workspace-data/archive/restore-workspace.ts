import type { ClientBase } from 'pg';
import type { DataSource, EntityManager } from 'typeorm';
import type { ArchivedUser } from '../../administration/index.js';
import { auditAll } from '../../access/index.js';
import { useCopySettings } from '../../platform/backup/stored-tables.js';
import { failureCode, uniqueViolation } from '../../platform/errors/failures.js';
import { keysNeededBy } from '../../platform/secrets/secrets-check.js';
import type { SecretsKeys } from '../../platform/secrets/secrets.js';
import type { StoredSecret } from '../../platform/secrets/stored-secrets.js';
import type { WorkspaceTable } from '../shared/workspace-tables.queries.js';
import { ArchiveRefusal, type Manifest } from './archive-format.js';
import { ArchiveRows } from './archive-rows.js';
import { type Loaded, TableLoader } from './load-tables.js';
import { verifyArchive } from './read-archive.js';
import { assertFree, assertReadable, existsHere, findMissingKeys, readSameTables } from './restore-checks.js';
import { advanceSequences, assertCounts, assertIdsAreTaken } from './sequences.queries.js';
import { settleRestored, type Settled } from './settle-restored.js';

export interface RestoreOptions {
  /** The path of the archive. */
  file: string;
  /** The keys given now. */
  keys: SecretsKeys;
  /** All columns of encrypted values. */
  stored: readonly StoredSecret[];
  /** Checks everything and changes nothing. */
  dryRun: boolean;
  /** Gives API keys, roles and rules new ids if other workspaces have their ids. */
  newIds: boolean;
  /** Sends the webhook deliveries that were pending when the workspace was exported. */
  sendsDeliveries: boolean;
  /** Restores without keys that encrypted values need. */
  withoutKeys: boolean;
}

export interface RestoreReport extends Settled {
  workspace: Manifest['workspace'];
  exportedAt: string;
  /** Rows by table; tables without rows are missing. */
  counts: Record<string, number>;
  rows: number;
  /** Users who are not users of this installation; null for an address that the archive does not name. */
  unknownUsers: { id: number; email: string | null }[];
  takenIds: Record<string, number[]>;
  /** Ids of keys that are not given. */
  missingKeys: string[];
}

const ROLLED_BACK = new Error('A dry run changes nothing.');
/** Tables with fewer new rows are left to autovacuum. */
const MANY_ROWS = 1000;

/**
 * Restores a workspace from an archive with its old ids, in one transaction: no part of it is visible before, and a failure leaves
 * nothing. The archive is not trusted. Its names are only compared with those of the catalog, its rows are only passed to COPY,
 * and all rows must belong to its workspace.
 * @throws ArchiveRefusal, or StartError for a key that is not the installation's, with a sentence for the operator
 */
export async function restoreWorkspace(
  db: DataSource,
  requestId: string,
  options: RestoreOptions,
): Promise<RestoreReport> {
  const manifest = await verifyArchive(options.file);
  let report: RestoreReport | undefined;
  try {
    await db.transaction(async (tx) => {
      report = await restoreIn(tx, { manifest, requestId, options });
      if (options.dryRun) throw ROLLED_BACK;
    });
  } catch (error) {
    if (error !== ROLLED_BACK) throw refusalOf(error, manifest);
  }
  if (!options.dryRun) await analyze(db, report!);
  return report!;
}

interface Restoration {
  manifest: Manifest;
  requestId: string;
  options: RestoreOptions;
}

async function restoreIn(tx: EntityManager, { manifest, requestId, options }: Restoration): Promise<RestoreReport> {
  const client = (await tx.queryRunner!.connect()) as ClientBase;
  const { dryRun } = options;
  const workspaceId = manifest.workspace.id;
  await useCopySettings(client, true);
  const tables = await readSameTables(tx, client, manifest);
  await assertFree(tx, workspaceId);
  const missingKeys = await findMissingKeys(client, manifest.secrets_keys, options);
  await advanceSequences(tx, tables, { archived: manifest.sequences, dryRun });
  const loaded = await loadAll(tx, client, tables, { manifest, options });
  const settled = dryRun ? NOTHING_SETTLED : await finish(tx, client, tables, { manifest, options, loaded });
  const report = { ...describe(manifest, loaded), ...settled, missingKeys };
  if (!dryRun) await auditRestore(tx, { manifest, requestId, report });
  return report;
}

const NOTHING_SETTLED: Settled = { withheldDeliveries: 0, withdrawnInvitations: 0 };

async function loadAll(
  tx: EntityManager,
  client: ClientBase,
  tables: WorkspaceTable[],
  { manifest, options }: Pick<Restoration, 'manifest' | 'options'>,
): Promise<Loaded> {
  const rows = new ArchiveRows(options.file, manifest);
  const { dryRun, newIds } = options;
  const users = manifest.users.map(({ id, email, created_at: createdAt }): ArchivedUser => ({ id, email, createdAt }));
  try {
    return await new TableLoader(tx, client, rows, { workspaceId: manifest.workspace.id, users, dryRun, newIds }).load(
      tables,
    );
  } finally {
    await rows.close();
  }
}

async function finish(
  tx: EntityManager,
  client: ClientBase,
  tables: WorkspaceTable[],
  { manifest, options, loaded }: Pick<Restoration, 'manifest' | 'options'> & { loaded: Loaded },
): Promise<Settled> {
  const workspaceId = manifest.workspace.id;
  const counts = new Map(manifest.tables.map(({ name, rows }) => [name, rows]));
  await assertCounts(tx, tables, { workspaceId, rowsOf: (table) => counts.get(table) ?? 0 });
  await assertIdsAreTaken(tx, tables, workspaceId);
  await assertOpen(tx, manifest);
  // The manifest may name fewer keys than the values do.
  const stored = options.stored.filter(({ table }) => counts.has(table));
  await findMissingKeys(client, await keysNeededBy(client, stored, workspaceId), options);
  if (!options.withoutKeys) await assertReadable(client, { stored, workspaceId, keys: options.keys });
  const { newKeyIds } = loaded;
  return settleRestored(tx, tables, { workspaceId, sendsDeliveries: options.sendsDeliveries, newKeyIds });
}

/** Refuses a workspace that is marked as deleted, because no route would find it. */
async function assertOpen(tx: EntityManager, { workspace }: Manifest): Promise<void> {
  const found = await tx.query<unknown[]>('SELECT FROM workspaces WHERE id = $1 AND deleted_at IS NULL', [
    workspace.id,
  ]);
  if (found.length === 0) throw new ArchiveRefusal('The archive is refused: its workspace was being deleted.');
}

function describe(
  { workspace, exported_at: exportedAt, tables, users }: Manifest,
  { unknownUsers, takenIds }: Loaded,
): Omit<RestoreReport, keyof Settled | 'missingKeys'> {
  const emails = new Map(users.map(({ id, email }) => [id, email]));
  return {
    workspace,
    exportedAt,
    counts: countsOf(tables),
    rows: tables.reduce((sum, { rows }) => sum + rows, 0),
    unknownUsers: unknownUsers.map((id) => ({ id, email: emails.get(id) ?? null })),
    takenIds,
  };
}

/** Rows by table; tables without rows are left out. */
export const countsOf = (tables: Manifest['tables']): Record<string, number> =>
  Object.fromEntries(tables.filter(({ rows }) => rows > 0).map(({ name, rows }) => [name, rows]));

async function auditRestore(
  tx: EntityManager,
  { manifest, requestId, report }: Pick<Restoration, 'manifest' | 'requestId'> & { report: RestoreReport },
): Promise<void> {
  const { workspace, version } = manifest;
  const { exportedAt, rows, counts, unknownUsers, takenIds, withheldDeliveries, withdrawnInvitations } = report;
  const details = {
    name: workspace.name,
    exported_at: exportedAt,
    version,
    rows,
    counts,
    left_out_users: unknownUsers.length,
    new_ids: Object.values(takenIds).flat().length,
    withheld_deliveries: withheldDeliveries,
    withdrawn_invitations: withdrawnInvitations,
  };
  const caller = { workspaceId: workspace.id, keyId: null, requestId };
  await auditAll(tx, caller, [{ action: 'workspace.restore', entityId: workspace.id, details }]);
}

/** Turns errors of the database about rows into refusals. Their messages name the table and the constraint. */
function refusalOf(error: unknown, { workspace }: Manifest): unknown {
  if (uniqueViolation(error) === 'workspaces_pkey') return existsHere(workspace.id);
  const isAboutRows = /^(2[123]|42|54)/.test(failureCode(error) ?? '');
  if (!isAboutRows) return error;
  return new ArchiveRefusal(`The database refuses the rows of the archive: ${(error as Error).message}.`);
}

/** Updates the statistics of the planner at once. */
async function analyze(db: DataSource, { counts }: RestoreReport): Promise<void> {
  for (const [table, rows] of Object.entries(counts)) {
    if (rows >= MANY_ROWS) await db.query(`ANALYZE "${table}"`);
  }
}
