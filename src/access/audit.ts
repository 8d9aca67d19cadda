import type { EntityManager } from 'typeorm';
import { AuditEntry } from './audit-entry.entity.js';
import type { Caller } from './caller.js';

export interface Deed {
  /** `<entity>.<verb>`, such as `table.delete`. */
  action: string;
  entityId: string | number;
  details?: object;
}

/** Records what the caller does. Call it in the transaction that does it, so that neither exists without the other. */
export async function audit(tx: EntityManager, caller: Caller, deed: Deed): Promise<void> {
  await tx.insert(AuditEntry, {
    workspaceId: caller.workspaceId,
    action: deed.action,
    entityId: String(deed.entityId),
    keyId: caller.keyId,
    requestId: caller.requestId,
    details: deed.details ?? {},
  });
}
