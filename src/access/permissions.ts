import { domains } from '../platform/domain.js';
import { AccessErrors } from './access.errors.js';
import type { Caller } from './caller.js';

/** The names of all permissions. Every manifest adds those of its domain to this interface. */
export interface Permissions {}
export type Permission = keyof Permissions;

const declared = () => [...domains.values()].flatMap(({ permissions = [] }) => permissions as readonly Permission[]);

/** The roles a key can have. `member` is what everybody is while a workspace does not restrict its members. */
const ROLES = {
  admin: () => true,
  member: (permission: Permission) => permission !== 'ADMIN',
  contributor: (permission: Permission) => /_(CREATE|EDIT|DELETE)$/.test(permission),
  publisher: (permission: Permission) => permission.endsWith('_DEPLOY'),
  developer: (permission: Permission) => permission === 'MANAGE_API_KEYS',
  viewer: () => false,
};
export type Role = keyof typeof ROLES;
export const ROLE_NAMES = Object.keys(ROLES) as Role[];

export function allows(role: Role, permission: Permission): boolean {
  return ROLES[role](permission);
}

/**
 * Nobody hands out, renames or takes away more than they have. Throws permission_missing naming the first permission of the role
 * that the caller lacks.
 */
export function demandAllOf(caller: Caller, role: Role): void {
  const lacking = declared().find((permission) => allows(role, permission) && !allows(caller.role, permission));
  if (lacking) throw AccessErrors.permission_missing(lacking);
}

/** For what a route needs only in some cases. Throws permission_missing. */
export function demand(caller: Caller, permission: Permission): void {
  if (!allows(caller.role, permission)) throw AccessErrors.permission_missing(permission);
}

/** One permission of a kind is enough, such as any that ends in `_EDIT`. Throws permission_missing naming the first. */
export function demandAny(caller: Caller, kind: RegExp): void {
  const permissions = declared().filter((name) => kind.test(name));
  if (!permissions.some((permission) => allows(caller.role, permission))) {
    throw AccessErrors.permission_missing(permissions[0]);
  }
}
