import { AccessErrors } from './access.errors.js';
import type { Caller } from './caller.js';

/** What a route may require. Reading needs no permission besides a key of the workspace. */
export const PERMISSIONS = [
  'TABLE_CREATE',
  'TABLE_EDIT',
  'TABLE_DELETE',
  'PROMPT_CREATE',
  'PROMPT_EDIT',
  'PROMPT_DELETE',
  'PROMPT_DEPLOY',
  'METADATA_EDIT',
  'MANAGE_API_KEYS',
  'ADMIN',
] as const;
export type Permission = (typeof PERMISSIONS)[number];

const EDITING = PERMISSIONS.filter((name) => /_(CREATE|EDIT|DELETE)$/.test(name));
const DEPLOYING = PERMISSIONS.filter((name) => name.endsWith('_DEPLOY'));

/** The roles a key can have. `member` is what everybody is while a workspace does not restrict its members. */
export const ROLES = {
  admin: PERMISSIONS,
  member: PERMISSIONS.filter((name) => name !== 'ADMIN'),
  contributor: EDITING,
  publisher: DEPLOYING,
  developer: ['MANAGE_API_KEYS'],
  viewer: [],
} as const satisfies Record<string, readonly Permission[]>;
export type Role = keyof typeof ROLES;
export const ROLE_NAMES = Object.keys(ROLES) as Role[];

export function allows(role: Role, permission: Permission): boolean {
  return (ROLES[role] as readonly Permission[]).includes(permission);
}

/**
 * Nobody hands out, renames or takes away more than they have. Throws permission_missing naming the first permission of the role
 * that the caller lacks.
 */
export function demandAllOf(caller: Caller, role: Role): void {
  for (const permission of ROLES[role]) demand(caller, permission);
}

/** For what a route needs only in some cases. Throws permission_missing. */
export function demand(caller: Caller, permission: Permission): void {
  if (!allows(caller.role, permission)) throw AccessErrors.permission_missing(permission);
}

/** One permission of a kind is enough, such as any that ends in `_EDIT`. Throws permission_missing naming the first. */
export function demandAny(caller: Caller, kind: RegExp): void {
  const permissions = PERMISSIONS.filter((name) => kind.test(name));
  if (!permissions.some((permission) => allows(caller.role, permission))) {
    throw AccessErrors.permission_missing(permissions[0]);
  }
}
