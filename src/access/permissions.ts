import { domains } from '../platform/domain.js';

/** The names of all permissions. Every manifest adds those of its domain to this interface. */
export interface Permissions {}
export type Permission = keyof Permissions;

export const declared = () =>
  [...domains.values()].flatMap(({ permissions = [] }) => permissions as readonly Permission[]);

/** Permissions that members lack. */
const OF_ADMINS: readonly Permission[] = ['ADMIN', 'PROTECTED_LABELS'];

/** The roles of keys. `member` is the default role while a workspace does not restrict its members. */
const ROLES = {
  admin: () => true,
  member: (permission: Permission) => !OF_ADMINS.includes(permission),
  contributor: (permission: Permission) => /_(CREATE|EDIT|DELETE)$/.test(permission),
  publisher: (permission: Permission) => permission.endsWith('_DEPLOY'),
  approver: (permission: Permission) => permission === 'PROTECTED_LABELS',
  developer: (permission: Permission) => permission === 'MANAGE_API_KEYS',
  viewer: () => false,
};
export type Role = keyof typeof ROLES;
export const ROLE_NAMES = Object.keys(ROLES) as Role[];

/** Several roles grant the permissions of all of them. */
export function allows(roles: readonly Role[], permission: Permission): boolean {
  return roles.some((role) => ROLES[role](permission));
}
