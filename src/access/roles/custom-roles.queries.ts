import { type EntityManager, In } from 'typeorm';
import { ValidationProblem } from '../../platform/errors/problem.js';
import { CustomRole } from './custom-role.entity.js';
import { BUILT_IN_ROLES, type Grants, grantsOf, isBuiltIn, type Role } from './permissions.js';

/**
 * The permissions that roles have in a workspace. Roles of the workspace stay until the commit. Throws a 422 for a role that does
 * not exist there.
 */
export async function readGrants(tx: EntityManager, workspaceId: number, roles: readonly Role[]): Promise<Grants> {
  const names = roles.filter((role) => !isBuiltIn(role));
  if (names.length === 0) return grantsOf(roles);
  const found = await tx.find(CustomRole, {
    where: { workspaceId, name: In(names) },
    lock: { mode: 'for_key_share' },
  });
  const custom = new Map(found.map(({ name, permissions }) => [name, permissions]));
  const unknown = names.find((name) => !custom.has(name));
  if (unknown !== undefined) throw unknownRole(unknown);
  return grantsOf(roles, custom);
}

function unknownRole(role: Role): ValidationProblem {
  const msg = `There is no role ${JSON.stringify(role.slice(0, 64))} in this workspace. Built-in roles are ${BUILT_IN_ROLES.join(', ')}`;
  return new ValidationProblem([{ loc: ['body', 'roles'], msg, type: 'enum' }]);
}

/** Holders of a role in a workspace, by kind. Revoked keys and closed invitations do not count. */
export interface RoleUse {
  keys: number;
  members: number;
  invitations: number;
  group_rules: number;
}

export async function countUses(tx: EntityManager, workspaceId: number, role: Role): Promise<RoleUse> {
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

const hasRole = (column: string): string => `$2 = ANY (string_to_array(${column}, ','))`;
