import type { EntityManager } from 'typeorm';
import { ApiKey } from './api-key.entity.js';
import type { Caller } from './caller.js';

/** The user who calls or, for a service key, who created it; null if unknown. */
export async function personBehind(tx: EntityManager, caller: Caller): Promise<number | null> {
  const { workspaceId, keyId, user } = caller;
  if (user || keyId === null) return user?.id ?? null;
  return (await tx.findOneBy(ApiKey, { workspaceId, id: keyId }))?.makerId ?? null;
}
