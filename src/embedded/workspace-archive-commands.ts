import { createWriteStream, existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { DataSource } from 'typeorm';
import type { Workspace } from '../access/index.js';
import { storedSecrets } from '../composition.js';
import type { SecretsKeys } from '../platform/secrets/secrets.js';
import {
  auditExport,
  auditExported,
  openArchive,
  type RestoreReport,
  restoreWorkspace,
} from '../workspace-data/index.js';
import { LaunchError } from './launch-error.js';

/** Archives have what customers have sent, and hashes of keys. */
const PRIVATE_FILE = 0o600;

export interface Installation {
  db: DataSource;
  databaseUrl: string;
  keys: SecretsKeys;
  /** The folder of the caller, for relative paths. */
  folder: string;
  /** Stands for the request in audit entries. */
  requestId: string;
  say(line: string): void;
}

/**
 * Writes an archive of a workspace. The file has its name only when it is complete.
 * @throws LaunchError when there is a file of that name
 */
export async function exportToFile(
  { db, databaseUrl, folder, requestId, say }: Installation,
  workspace: Workspace,
  to: string,
): Promise<void> {
  const target = path.resolve(folder, to);
  if (existsSync(target)) throw new LaunchError(`There is a file ${target}. Name a new one for the archive.`);
  const draft = `${target}.part`;
  await rm(draft, { force: true });
  const origin = { requestId, workspaceId: workspace.id };
  const { file, completed } = await openArchive(databaseUrl, workspace, storedSecrets());
  try {
    await auditExport(db, origin);
    await pipeline(file, createWriteStream(draft, { flags: 'wx', mode: PRIVATE_FILE, flush: true }));
  } catch (error) {
    file.destroy();
    await rm(draft, { force: true });
    throw error;
  }
  const manifest = await completed;
  await rename(draft, target);
  await auditExported(db, origin, manifest);
  const rows = manifest.tables.reduce((sum, table) => sum + table.rows, 0);
  const needed = manifest.secrets_keys.length > 0 ? ` It needs the key ${manifest.secrets_keys.join(' and ')}.` : '';
  say(`Exported workspace ${workspace.id} into ${to}: ${rows} rows as of ${manifest.exported_at}.${needed}`);
}

export interface RestoreFlags {
  dryRun: boolean;
  newIds: boolean;
  sendsDeliveries: boolean;
  withoutKeys: boolean;
}

/** @throws ArchiveRefusal with the reason why it was not restored */
export async function restoreFromFile(
  { db, keys, folder, requestId, say }: Installation,
  from: string,
  flags: RestoreFlags,
): Promise<void> {
  const file = path.resolve(folder, from);
  const report = await restoreWorkspace(db, requestId, { ...flags, file, keys, stored: storedSecrets() });
  for (const [table, rows] of Object.entries(report.counts)) say(`${table}\t${rows}`);
  for (const line of describe(report)) say(line);
  const { workspace, rows, exportedAt } = report;
  const named = `workspace ${workspace.id} (${workspace.name}) with ${rows} rows as of ${exportedAt}`;
  say(flags.dryRun ? `The archive is whole and can be restored: ${named}. Nothing was changed.` : `Restored ${named}.`);
}

function describe(report: RestoreReport): string[] {
  const { unknownUsers, takenIds, missingKeys, withheldDeliveries, withdrawnInvitations } = report;
  const users = unknownUsers.map(({ id, email }) => `${email ?? 'no address'} (user ${id})`);
  const lines: [boolean, string][] = [
    [users.length > 0, `Not users of this installation, and no members any more: ${users.join(', ')}.`],
    [missingKeys.length > 0, `Secrets of the key ${missingKeys.join(' and ')} have to be entered again.`],
    [withheldDeliveries > 0, `${withheldDeliveries} pending webhook deliveries were not sent and can be repeated.`],
    [withdrawnInvitations > 0, `${withdrawnInvitations} open invitations were withdrawn.`],
    ...Object.entries(takenIds).map(([table, ids]): [boolean, string] => [
      true,
      `${ids.length} rows of ${table} have new ids, because those of others are ${ids.join(', ')}.`,
    ]),
  ];
  return lines.filter(([applies]) => applies).map(([, line]) => line);
}
