import type { EntityManager } from 'typeorm';
import { lockRules } from './groups/groups.queries.js';
import { lockMembers } from './members/members.queries.js';
import { Workspace } from './workspace.entity.js';

/** Ends all keys, members, invitations and group rules of a workspace, which no route finds any more. */
export async function closeWorkspace(tx: EntityManager, workspaceId: number): Promise<void> {
  await lockRules(tx);
  await lockMembers(tx, workspaceId);
  await tx.update(Workspace, { id: workspaceId }, { deletedAt: new Date() });
  await tx.query('DELETE FROM group_rules WHERE workspace_id = $1', [workspaceId]);
  await tx.query(
    `UPDATE invitations SET withdrawn_at = now()
      WHERE workspace_id = $1 AND accepted_at IS NULL AND withdrawn_at IS NULL`,
    [workspaceId],
  );
  await tx.query('UPDATE api_keys SET revoked_at = now() WHERE workspace_id = $1 AND revoked_at IS NULL', [
    workspaceId,
  ]);
}
