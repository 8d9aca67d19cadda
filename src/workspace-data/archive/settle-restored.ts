import type { EntityManager } from 'typeorm';
import { withdrawInvitations } from '../../administration/index.js';
import { renumberEvents } from '../../events/index.js';
import { markLogsKnown } from '../../requests/index.js';
import { forgetCachedWords } from '../../words/index.js';
import { WEBHOOKS_CONSUMER, withholdDeliveries } from '../../webhooks/index.js';
import type { WorkspaceTable } from '../shared/workspace-tables.queries.js';
import type { NewIds } from './load-tables.js';
import { forgetUnknownReviewers, renameReviewers } from './settle-reviewers.queries.js';

/** Columns that name API keys, if they are integers. Audit entries keep the old ids: their hash chain would break. */
const KEY_COLUMNS = '_by$|^key_id$';
const SEALED = 'audit_entries';
/** Columns beside those of API keys that name users, if they are integers. No foreign key protects them. */
const USER_COLUMNS = '_user_id$';

export interface Settled {
  withheldDeliveries: number;
  withdrawnInvitations: number;
}

/** Adapts work that was under way at the time of the export to this installation. */
export async function settleRestored(
  tx: EntityManager,
  tables: WorkspaceTable[],
  options: { workspaceId: number; sendsDeliveries: boolean; newKeyIds: NewIds },
): Promise<Settled> {
  const { workspaceId, sendsDeliveries, newKeyIds } = options;
  await endLeases(tx, tables, workspaceId);
  await renumberEvents(tx, workspaceId, sendsDeliveries ? [] : [WEBHOOKS_CONSUMER]);
  const withheldDeliveries = sendsDeliveries ? 0 : await withholdDeliveries(tx, workspaceId);
  await forgetCachedWords(tx, workspaceId);
  await markLogsKnown(tx, workspaceId);
  if (newKeyIds.old.length > 0) await renameKeys(tx, tables, { workspaceId, newKeyIds });
  await forgetUnknownUsers(tx, tables, workspaceId);
  await forgetUnknownReviewers(tx, workspaceId);
  return { withheldDeliveries, withdrawnInvitations: await withdrawInvitations(tx, workspaceId) };
}

/** Ends leases of workers of the old installation. Workers take up the work like after a crash. */
async function endLeases(tx: EntityManager, tables: WorkspaceTable[], workspaceId: number): Promise<void> {
  for (const { name } of tables.filter(({ columns }) => columns.includes('lease_until'))) {
    await tx.query(`UPDATE "${name}" SET lease_until = now() WHERE workspace_id = $1 AND lease_until > now()`, [
      workspaceId,
    ]);
  }
}

async function renameKeys(
  tx: EntityManager,
  tables: WorkspaceTable[],
  { workspaceId, newKeyIds }: { workspaceId: number; newKeyIds: NewIds },
): Promise<void> {
  for (const { table, column } of await readIntegers(tx, tables, KEY_COLUMNS)) {
    if (table === SEALED) continue;
    await tx.query(
      `UPDATE "${table}" AS t SET "${column}" = k.new FROM unnest($2::int[], $3::int[]) AS k (old, new)
        WHERE t.workspace_id = $1 AND t."${column}" = k.old`,
      [workspaceId, newKeyIds.old, newKeyIds.new],
    );
  }
  await renameStarters(tx, workspaceId, newKeyIds);
  await renameReviewers(tx, workspaceId, newKeyIds);
}

/** An import names in its request the key that has started it, see `src/imports/start-import.ts`. */
async function renameStarters(tx: EntityManager, workspaceId: number, newKeyIds: NewIds): Promise<void> {
  await tx.query(
    `UPDATE import_operations AS t SET request = jsonb_set(t.request, '{by,keyId}', to_jsonb(k.new))
       FROM unnest($2::int[], $3::int[]) AS k (old, new)
      WHERE t.workspace_id = $1 AND t.request #>> '{by,keyId}' = k.old::text`,
    [workspaceId, newKeyIds.old, newKeyIds.new],
  );
}

/** The remaining API keys name known users alone. The id of another one may be somebody else's here. */
async function forgetUnknownUsers(tx: EntityManager, tables: WorkspaceTable[], workspaceId: number): Promise<void> {
  for (const { table, column } of await readIntegers(tx, tables, USER_COLUMNS)) {
    await tx.query(
      `UPDATE "${table}" AS t SET "${column}" = NULL
        WHERE t.workspace_id = $1 AND t."${column}" IS NOT NULL AND NOT EXISTS (
          SELECT FROM api_keys k WHERE k.workspace_id = $1 AND t."${column}" IN (k.user_id, k.maker_id))`,
      [workspaceId],
    );
  }
}

/** Columns of integers in tables of workspaces whose name matches a pattern. */
async function readIntegers(
  tx: EntityManager,
  tables: WorkspaceTable[],
  pattern: string,
): Promise<{ table: string; column: string }[]> {
  const found = await tx.query<{ table: string; column: string }[]>(
    `SELECT table_name AS table, column_name AS column FROM information_schema.columns
      WHERE table_schema = current_schema() AND column_name ~ $1::text AND data_type = 'integer'`,
    [pattern],
  );
  const names = new Set(tables.map(({ name }) => name));
  return found.filter(({ table }) => names.has(table));
}
