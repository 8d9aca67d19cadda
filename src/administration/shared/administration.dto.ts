import { ApiProperty } from '@nestjs/swagger';
import { Closed } from '../../platform/http/validation.pipe.js';
import {
  CreatedAtField,
  EmailField,
  PathIdField,
  SuccessField,
  WorkspaceIdField,
} from '../../platform/http/common-fields.js';
import { ValidationProblem } from '../../platform/errors/problem.js';
import { DateTimeField, EnumField, IntegerField, ListField, TextField } from '../../platform/http/fields.js';
import {
  type IssuedKey,
  MOST_ROLES,
  type Plan,
  PLANS,
  readNetworks,
  type Role,
  type SecretKey,
  type Workspace,
  WorkspacePath,
} from '../../access/index.js';
import type { KeyChange } from '../keys/api-keys.service.js';
import { readExpiry } from './key-expiry.js';

/** A response without a result. */
export class DoneResponse {
  @SuccessField()
  success: true;
}

const KeyIdField = () =>
  PathIdField('The id of the API key, from the list of the keys of the workspace. It is not the key itself.');

export class ApiKeyPath extends WorkspacePath {
  @KeyIdField()
  key_id: number;
}

export class OwnKeyPath {
  @KeyIdField()
  key_id: number;
}

export class WorkspaceRequest {
  @TextField({
    minLength: 1,
    maxLength: 255,
    description: 'The display name. Names need not be unique.',
    example: 'Support team',
  })
  name: string;
}

export class UpdateWorkspaceRequest {
  @TextField({
    optional: true,
    minLength: 1,
    maxLength: 255,
    description: 'The new name. Without it the name stays.',
    example: 'Support team',
  })
  name?: string;

  @EnumField(PLANS, {
    optional: true,
    description:
      'Limits for skill collections: `free` allows one collection of 30 files, `pro` five of 50 files, `team` any number of 100 files.',
  })
  plan?: Plan;
}

const EXPIRES = 'When the key expires: a time in the future, or null for never.';
const NETWORKS =
  'The networks from which the key is accepted: IPv4 or IPv6, such as `192.0.2.0/24`, `2001:db8::/32`, or a single address. An empty list stands for any network.';
const MOST_NETWORKS = 100;
export const DAY_SECONDS = 86_400;

export class CreateApiKeyRequest {
  @TextField({
    optional: true,
    nullable: true,
    maxLength: 255,
    description: 'The display name, shown in lists, versions and the audit log. Default: none.',
    example: 'Production exporter',
  })
  name?: string | null;

  @EmailField({
    optional: true,
    nullable: true,
    description:
      'The e-mail address of the person or team the key acts for. Lists take it as `created_by_email` to find what the key created.',
  })
  owner_email?: string | null;

  @TextField({
    optional: true,
    description: 'The role of the key, which decides what it may do. Default: the roles of the key that creates it.',
    example: 'contributor',
  })
  role?: Role;

  @ListField('string', {
    optional: true,
    minItems: 1,
    maxItems: MOST_ROLES,
    description: 'Several roles, in place of `role`: the key may do what any of them allows.',
    example: ['contributor', 'publisher'],
  })
  roles?: Role[];

  @DateTimeField({ optional: true, nullable: true, description: EXPIRES })
  expires_at?: string | null;

  @ListField('string', { optional: true, maxItems: MOST_NETWORKS, description: NETWORKS })
  allowed_networks?: string[];
}

@Closed()
export class PersonalKeyRequest {
  @TextField({
    optional: true,
    nullable: true,
    maxLength: 255,
    description: 'The display name, shown in lists, versions and the audit log. Default: none.',
    example: 'My notebook',
  })
  name?: string | null;

  @ListField('string', {
    optional: true,
    minItems: 1,
    maxItems: MOST_ROLES,
    description: 'Roles that limit the key. Default: the roles of the user. The user cannot grant more than they have.',
    example: ['viewer'],
  })
  roles?: Role[];

  @DateTimeField({ optional: true, nullable: true, description: EXPIRES })
  expires_at?: string | null;

  @ListField('string', { optional: true, maxItems: MOST_NETWORKS, description: NETWORKS })
  allowed_networks?: string[];
}

/** Absent fields stay unchanged; at least one must be present. */
export class UpdateApiKeyRequest {
  @TextField({
    optional: true,
    nullable: true,
    maxLength: 255,
    description: 'The new name; null removes it.',
    example: 'Staging exporter',
  })
  name?: string | null;

  @DateTimeField({ optional: true, nullable: true, description: EXPIRES })
  expires_at?: string | null;

  @ListField('string', { optional: true, maxItems: MOST_NETWORKS, description: NETWORKS })
  allowed_networks?: string[];
}

export class RotateApiKeyRequest {
  @IntegerField({
    optional: true,
    min: 0,
    max: 30 * DAY_SECONDS,
    default: DAY_SECONDS,
    description: 'How long the old key keeps working, in seconds, unless it expires earlier. At most 30 days.',
  })
  overlap_seconds?: number;

  @DateTimeField({
    optional: true,
    nullable: true,
    description:
      'When the new key expires, or null for never. Default: the same lifetime as the old key had when it was created.',
  })
  expires_at?: string | null;
}

export class WorkspaceBody {
  @IntegerField({ description: 'The id of the workspace, as paths and webhooks name it.' })
  id: number;

  @TextField({ description: 'The display name, set by the operator.' })
  name: string;

  @EnumField(PLANS, {
    description: 'Limits the number and size of skill collections: `free`, `pro` or `team`. The operator sets it.',
  })
  plan: Plan;

  @CreatedAtField('the workspace')
  created_at: string;
}

export class WorkspaceResponse {
  @SuccessField()
  success: true;

  @ApiProperty({ type: () => WorkspaceBody, description: 'The workspace as it is after the request.' })
  workspace: WorkspaceBody;
}

export class WorkspacesResponse {
  @SuccessField()
  success: true;

  @ApiProperty({ type: () => [WorkspaceBody], description: 'All workspaces of the installation, oldest first.' })
  workspaces: WorkspaceBody[];
}

export class ApiKeyBody {
  @IntegerField({ description: 'The id of the API key, as `created_by`, `key_id` and paths name it. It is no secret.' })
  id: number;

  @WorkspaceIdField()
  workspace_id: number;

  @TextField({ nullable: true, description: 'The display name; null for a key without one.' })
  name: string | null;

  @TextField({
    nullable: true,
    description: 'The e-mail address of the person or team the key acts for; null when none was given.',
  })
  owner_email: string | null;

  @EnumField(['service', 'personal'], {
    description:
      'A service key belongs to the workspace. A personal key belongs to a user, may never do more than the user, and ends with the membership.',
  })
  kind: 'service' | 'personal';

  @IntegerField({ nullable: true, description: 'The user of a personal key; null for a service key.' })
  user_id: number | null;

  @TextField({ description: 'The last four characters of the key, to recognise it by.' })
  last_4: string;

  @TextField({
    nullable: true,
    description: 'The role of a key that has exactly one; null for a key with several. See `roles`.',
  })
  role: Role | null;

  @ListField('string', { description: 'All roles of the key.' })
  roles: Role[];

  @CreatedAtField('the key')
  created_at: string;

  @DateTimeField({
    nullable: true,
    description: 'When the key was last used, to within a minute or so; null for a key that was never used.',
  })
  last_used_at: string | null;

  @DateTimeField({
    nullable: true,
    description: 'When the key was revoked; null while it was not. Revoked keys stay in the list.',
  })
  revoked_at: string | null;

  @DateTimeField({ nullable: true, description: 'When the key expires; null if it never does.' })
  expires_at: string | null;

  @ListField('string', {
    description: 'The networks the key is accepted from, in CIDR notation. Empty for any network.',
  })
  allowed_networks: string[];
}

export class ApiKeyResponse {
  @SuccessField()
  success: true;

  @ApiProperty({ type: () => ApiKeyBody, description: 'The API key as it is after the request, without its secret.' })
  api_key: ApiKeyBody;
}

export class IssuedKeyResponse extends ApiKeyResponse {
  @TextField({ description: 'The key itself. This is the only response that contains it.' })
  secret: string;
}

export class RotatedKeyResponse extends IssuedKeyResponse {
  @ApiProperty({ type: () => ApiKeyBody, description: 'The old key, with the time at which it expires.' })
  replaced: ApiKeyBody;
}

export class ApiKeysResponse {
  @SuccessField()
  success: true;

  @ApiProperty({
    type: () => [ApiKeyBody],
    description: 'Every key of the workspace, newest first, with revoked and expired ones.',
  })
  api_keys: ApiKeyBody[];
}

/** Each role once; undefined when none is given. */
export function rolesIn({ role, roles = [] }: CreateApiKeyRequest): Role[] | undefined {
  const given = new Set(role === undefined ? roles : [role, ...roles]);
  return given.size === 0 ? undefined : [...given];
}

/** Throws a 422 when the change is empty or invalid. */
export function toKeyChange({ name, expires_at: expires, allowed_networks: networks }: UpdateApiKeyRequest): KeyChange {
  if (name === undefined && expires === undefined && networks === undefined) {
    throw new ValidationProblem([{ loc: ['body', 'name'], msg: 'Field required', type: 'missing' }]);
  }
  return {
    ...(name !== undefined && { name }),
    ...(expires !== undefined && { expiresAt: readExpiry(expires) }),
    ...(networks !== undefined && { allowedNetworks: readNetworks(networks) }),
  };
}

export function toWorkspaceBody(workspace: Workspace): WorkspaceBody {
  const { id, name, plan, createdAt } = workspace;
  return { id, name, plan, created_at: createdAt.toISOString() };
}

export function toApiKeyBody(key: SecretKey): ApiKeyBody {
  return {
    id: key.id,
    workspace_id: key.workspaceId,
    name: key.name,
    owner_email: key.ownerEmail,
    kind: key.kind,
    user_id: key.userId,
    last_4: key.lastFour,
    role: key.roles.length === 1 ? key.roles[0]! : null,
    roles: key.roles,
    created_at: key.createdAt.toISOString(),
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
    revoked_at: key.revokedAt?.toISOString() ?? null,
    expires_at: key.expiresAt?.toISOString() ?? null,
    allowed_networks: key.allowedNetworks,
  };
}

export function toIssuedKeyResponse({ key, secret }: IssuedKey): IssuedKeyResponse {
  return { success: true, api_key: toApiKeyBody(key), secret };
}
