import type { EntityManager } from 'typeorm';

/** Holders of a role in a workspace, by kind. Revoked keys and closed invitations do not count. */
export interface RoleUse {
  keys: number;
  members: number;
  invitations: number;
  group_rules: number;
}

export async function countUses(tx: EntityManager, workspaceId: number, role: string): Promise<RoleUse> {
  const [use] = await tx.query<RoleUse[]>(
    `SELECT (SELECT count(*)::int FROM api_keys k
              WHERE k.workspace_id = $1 AND k.revoked_at IS NULL AND k.kind <> 'member' AND ${hasRole('k.role')}) AS keys,
            (SELECT count(*)::int FROM api_keys k
              WHERE k.workspace_id = $1 AND k.revoked_at IS NULL AND k.kind = 'member' AND ${hasRole('k.role')}) AS members,
            (SELECT count(*)::int FROM invitations i
              WHERE i.workspace_id = $1 AND i.accepted_at IS NULL AND i.withdrawn_at IS NULL AND ${hasRole('i.roles')}) AS invitations,
            (SELECT count(*)::int FROM group_rules g WHERE g.workspace_id = $1 AND ${hasRole('g.roles')}) AS group_rules`,
    [workspaceId, role],
  );
  return use!;
}

export const listUses = (use: RoleUse): string =>
  `${use.keys} keys, ${use.members} members, ${use.invitations} open invitations, ${use.group_rules} group rules`;

const hasRole = (column: string): string => `$2 = ANY (string_to_array(${column}, ','))`;
