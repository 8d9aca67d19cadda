import type { EntityManager } from 'typeorm';
import { ApiKey } from '../api-key.entity.js';
import { auditAll, type Deed } from '../audit.js';
import type { User } from './user.entity.js';

/** In the audit log of every workspace that the user is a member of: a user belongs to none of them. */
export async function auditEverywhere(
  tx: EntityManager,
  requestId: string,
  { id }: Pick<User, 'id'>,
  deeds: Deed[],
): Promise<void> {
  const members = await tx.find(ApiKey, { where: { userId: id, kind: 'member' }, select: { workspaceId: true } });
  for (const workspaceId of new Set(members.map((each) => each.workspaceId))) {
    await auditAll(tx, { workspaceId, keyId: null, requestId }, deeds);
  }
}
