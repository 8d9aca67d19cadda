import type { EntityManager } from 'typeorm';
import { AccessErrors } from './access.errors.js';
import type { Caller } from './caller.js';
import { readGrants } from './read-grants.queries.js';
import { declared, type Permission, type Role } from './roles/permissions.js';

/** Permissions of a caller: those of its roles, limited by the roles of its user. */
export function can({ grants, user }: Pick<Caller, 'grants' | 'user'>, permission: Permission): boolean {
  return grants.has(permission) && (!user || user.grants.has(permission));
}

/**
 * A caller can only grant, rename or revoke permissions that it has. Throws permission_missing with the first permission of the
 * roles that the caller lacks, and a 422 for a role that does not exist.
 */
export async function demandRoles(tx: EntityManager, caller: Caller, roles: readonly Role[]): Promise<void> {
  const lacking = [...(await readGrants(tx, caller.workspaceId, roles))].find((permission) => !can(caller, permission));
  if (lacking) throw AccessErrors.permission_missing(lacking);
}

/** Requires a permission that a route needs only in some cases. Throws permission_missing. */
export function demand(caller: Caller, permission: Permission): void {
  if (!can(caller, permission)) throw AccessErrors.permission_missing(permission);
}

/** Requires any permission of a kind, such as one that ends in `_EDIT`. Throws permission_missing with the first. */
export function demandAny(caller: Caller, kind: RegExp): void {
  const permissions = declared().filter((name) => kind.test(name));
  if (!permissions.some((permission) => can(caller, permission))) {
    throw AccessErrors.permission_missing(permissions[0]);
  }
}
