import type { EntityManager } from 'typeorm';
import type { Caller } from './caller.js';

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
