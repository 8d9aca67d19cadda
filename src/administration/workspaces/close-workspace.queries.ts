import type { EntityManager } from 'typeorm';
import { lockRules } from '../groups/groups.queries.js';
import { lockMembers } from '../members/members.queries.js';
import { lockUsers } from '../users/users.queries.js';
import { Workspace } from '../../access/index.js';

/** Ends all keys, members, invitations and group rules of a workspace, which no route finds any more. */
export async function closeWorkspace(tx: EntityManager, workspaceId: number): Promise<void> {
  await lockRules(tx);
  await lockUsers(tx, await usersIn(tx, workspaceId));
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

async function usersIn(tx: EntityManager, workspaceId: number): Promise<number[]> {
  const rows = await tx.query<{ id: number }[]>(
    'SELECT DISTINCT user_id AS id FROM api_keys WHERE workspace_id = $1 AND user_id IS NOT NULL AND revoked_at IS NULL',
    [workspaceId],
  );
  return rows.map(({ id }) => id);
}
