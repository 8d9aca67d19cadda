import { ApiProperty } from '@nestjs/swagger';
import { ValidationProblem } from '../../platform/errors/problem.js';
import { SuccessField } from '../../platform/http/common-fields.js';
import { BooleanField, DateTimeField, ListField, TextField } from '../../platform/http/fields.js';
import { Closed } from '../../platform/http/validation.pipe.js';
import {
  BUILT_IN_ROLES,
  type CustomRole,
  declared,
  type Permission,
  type Role,
  WorkspacePath,
} from '../../access/index.js';
import type { CustomRoleChange, NewCustomRole } from './custom-roles.service.js';

const MOST_PERMISSIONS = 200;

const DescriptionField = (): PropertyDecorator =>
  TextField({
    optional: true,
    nullable: true,
    maxLength: 500,
    description: 'The purpose of the role. Default: none.',
    example: 'Reviews prompts before they are published.',
  });

const PermissionsField = (options: { optional?: boolean }): PropertyDecorator =>
  ListField('string', {
    maxItems: MOST_PERMISSIONS,
    description:
      'The permissions that the role grants, from the list of permissions. Everybody may read and send data without one.',
    example: ['PROMPT_EDIT', 'PROMPT_DEPLOY'],
    ...options,
  });

export class RolePath extends WorkspacePath {
  @TextField({ query: true, maxLength: 63, description: 'The name of a role of the workspace.', example: 'reviewer' })
  role_name: string;
}

@Closed()
export class CreateRoleRequest {
  @TextField({
    pattern: /^[a-z][a-z0-9_-]{0,62}$/,
    description: 'The name of the role: lower-case letters, digits, `_` and `-`. It cannot be changed later.',
    example: 'reviewer',
  })
  name: string;

  @DescriptionField()
  description?: string | null;

  @PermissionsField({})
  permissions: string[];
}

@Closed()
export class UpdateRoleRequest {
  @DescriptionField()
  description?: string | null;

  @PermissionsField({ optional: true })
  permissions?: string[];
}

export class RoleBody {
  @TextField({ description: 'The name of the role, by which keys, members, invitations and group rules refer to it.' })
  name: Role;

  @TextField({ nullable: true, description: 'The purpose of the role; null for a role without a description.' })
  description: string | null;

  @BooleanField({ description: 'True for roles that every workspace has and that cannot be changed.' })
  is_built_in: boolean;

  @ListField('string', { description: 'The permissions that the role grants.' })
  permissions: string[];

  @DateTimeField({ nullable: true, description: 'When the role was created; null for a built-in role.' })
  created_at: string | null;
}

export class RoleResponse {
  @SuccessField()
  success: true;

  @ApiProperty({ type: () => RoleBody, description: 'The role after the request.' })
  role: RoleBody;
}

export class RolesResponse {
  @SuccessField()
  success: true;

  @ApiProperty({ type: () => [RoleBody], description: 'The built-in roles, then those of the workspace by name.' })
  roles: RoleBody[];

  @ListField('string', { description: 'Every permission of this server. Roles grant permissions by these names.' })
  permissions: string[];
}

export const toNewRole = ({ name, description = null, permissions }: CreateRoleRequest): NewCustomRole => ({
  name,
  description,
  permissions: toPermissions(permissions),
});

/** Throws a 422 when nothing is given. */
export function toRoleChange({ description, permissions }: UpdateRoleRequest): CustomRoleChange {
  if (description === undefined && permissions === undefined) {
    throw new ValidationProblem([{ loc: ['body', 'permissions'], msg: 'Field required', type: 'missing' }]);
  }
  return {
    ...(description !== undefined && { description }),
    ...(permissions !== undefined && { permissions: toPermissions(permissions) }),
  };
}

/** Throws a 422 for a permission that no domain declares. */
function toPermissions(names: string[]): Permission[] {
  const known: readonly string[] = declared();
  const at = names.findIndex((name) => !known.includes(name));
  if (at < 0) return [...new Set(names)].sort() as Permission[];
  const msg = `Input should be one of ${known.map((name) => `'${name}'`).join(', ')}`;
  throw new ValidationProblem([{ loc: ['body', 'permissions', at], msg, type: 'enum' }]);
}

export function toRoleBody({ name, description, permissions, createdAt }: CustomRole): RoleBody {
  return { name, description, is_built_in: false, permissions, created_at: createdAt.toISOString() };
}

export function toRolesResponse(custom: CustomRole[]): RolesResponse {
  const builtIn = BUILT_IN_ROLES.map(({ name, description, grants }) => ({
    name,
    description,
    is_built_in: true,
    permissions: declared().filter(grants).sort(),
    created_at: null,
  }));
  return { success: true, roles: [...builtIn, ...custom.map(toRoleBody)], permissions: [...declared()].sort() };
}
