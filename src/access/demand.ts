import { AccessErrors } from './access.errors.js';
import type { Caller } from './caller.js';
import { allows, declared, type Permission, type Role } from './permissions.js';

/** Permissions of a caller: those of its roles, limited by the roles of its user. */
export function can({ roles, user }: Pick<Caller, 'roles' | 'user'>, permission: Permission): boolean {
  return allows(roles, permission) && (!user || allows(user.roles, permission));
}

/**
 * A caller can only grant, rename or revoke permissions that it has. Throws permission_missing with the first permission of the
 * roles that the caller lacks.
 */
export function demandAllOf(caller: Caller, roles: readonly Role[]): void {
  const lacking = declared().find((permission) => allows(roles, permission) && !can(caller, permission));
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
