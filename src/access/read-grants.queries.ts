import { type EntityManager, In } from 'typeorm';
import { ValidationProblem } from '../platform/errors/problem.js';
import { CustomRole } from './custom-role.entity.js';
import { BUILT_IN_ROLES, type Grants, grantsOf, isBuiltIn, type Role } from './roles/permissions.js';

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
  const msg = `There is no role ${JSON.stringify(role.slice(0, 64))} in this workspace. Built-in roles are ${BUILT_IN_ROLES.map(({ name }) => name).join(', ')}`;
  return new ValidationProblem([{ loc: ['body', 'roles'], msg, type: 'enum' }]);
}
