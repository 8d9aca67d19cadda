import { domains } from '../../platform/domain.js';

/** The names of all permissions. Every manifest adds those of its domain to this interface. */
export interface Permissions {}
export type Permission = keyof Permissions;

export const declared = () =>
  [...domains.values()].flatMap(({ permissions = [] }) => permissions as readonly Permission[]);

/** Permissions that members lack. */
const OF_ADMINS: readonly Permission[] = ['ADMIN', 'PROTECTED_LABELS'];

interface BuiltInRole {
  description: string;
  grants(permission: Permission): boolean;
}

/** `member` is the default role while a workspace does not restrict its members. */
const BUILT_IN: Record<string, BuiltInRole> = {
  admin: { description: 'Everything, settings of the workspace included.', grants: () => true },
  member: {
    description: 'Everything but settings of the workspace and protected labels.',
    grants: (permission) => !OF_ADMINS.includes(permission),
  },
  contributor: {
    description: 'Create, edit and delete.',
    grants: (permission) => /_(CREATE|EDIT|DELETE)$/.test(permission),
  },
  publisher: {
    description: 'Create, move and delete labels, which publishes versions.',
    grants: (permission) => permission.endsWith('_DEPLOY'),
  },
  approver: {
    description: 'Change protected labels.',
    grants: (permission) => permission === 'PROTECTED_LABELS',
  },
  developer: { description: 'Manage API keys.', grants: (permission) => permission === 'MANAGE_API_KEYS' },
  viewer: { description: 'Read everything, and send traces and requests.', grants: () => false },
};

/** The name of a role, built in or of a workspace. */
export type Role = string;
export const BUILT_IN_ROLES = Object.entries(BUILT_IN).map(([name, role]) => ({ name, ...role }));

/** Roles that a key or a member may have. */
export const MOST_ROLES = 20;

/** The permissions of a caller. */
export type Grants = ReadonlySet<Permission>;

/** Several roles grant the permissions of all of them. @param custom permissions of roles of the workspace, by name */
export function grantsOf(roles: readonly Role[], custom: ReadonlyMap<Role, readonly Permission[]> = new Map()): Grants {
  return new Set(roles.flatMap((role) => custom.get(role) ?? grantsOfBuiltIn(role)));
}

export const isBuiltIn = (role: Role): boolean => Object.hasOwn(BUILT_IN, role);

/** Roles that are neither built in nor of the workspace grant nothing. */
function grantsOfBuiltIn(role: Role): Permission[] {
  return isBuiltIn(role) ? declared().filter((permission) => BUILT_IN[role]!.grants(permission)) : [];
}
