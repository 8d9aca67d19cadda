import type { EntityManager } from 'typeorm';
import type { Caller } from './caller.js';

/**
 * The scope of entries about the installation, in place of the id of a workspace. Ids of workspaces begin at 1. One scope for both keeps
 * the same rows, chain and statements, and one shard.
 */
export const INSTALLATION = 0;

export interface Deed {
  /** `<entity>.<verb>`, such as `table.delete`. */
  action: string;
  entityId: string | number;
  details?: object;
}

/** Records an action of the caller. Call it in the transaction of the change, so that neither exists without the other. */
export function audit(tx: EntityManager, caller: Caller, deed: Deed): Promise<void> {
  return auditAll(tx, caller, [deed]);
}

/** Records actions that belong to no workspace. The operator acts, unless `by` in the details names somebody else. */
export function auditInstallation(tx: EntityManager, requestId: string, deeds: Deed[]): Promise<void> {
  return auditAll(tx, { workspaceId: INSTALLATION, keyId: null, requestId }, deeds);
}

/** Records actions of the operator that are about one workspace, there and in the audit trail of the installation. */
export async function auditTwice(
  tx: EntityManager,
  { workspaceId, requestId }: Pick<Caller, 'workspaceId' | 'requestId'>,
  deeds: Deed[],
): Promise<void> {
  await auditAll(tx, { workspaceId, keyId: null, requestId }, deeds);
  const named = deeds.map((deed) => ({ ...deed, details: { ...deed.details, workspace_id: workspaceId } }));
  await auditInstallation(tx, requestId, named);
}

/** Records any number of actions with one statement. */
export async function auditAll(
  tx: EntityManager,
  caller: Pick<Caller, 'workspaceId' | 'keyId' | 'requestId'>,
  deeds: Deed[],
): Promise<void> {
  if (deeds.length === 0) return;
  await tx.query(
    `INSERT INTO audit_entries (workspace_id, key_id, request_id, action, entity_id, details)
     SELECT $1, $2, $3, d.action, d.entity_id, d.details::jsonb
       FROM unnest($4::text[], $5::text[], $6::text[]) AS d (action, entity_id, details)`,
    [
      caller.workspaceId,
      caller.keyId,
      caller.requestId,
      deeds.map(({ action }) => action),
      deeds.map(({ entityId }) => String(entityId)),
      deeds.map(({ details = {} }) => JSON.stringify(details)),
    ],
  );
}
