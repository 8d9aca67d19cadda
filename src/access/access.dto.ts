import { ApiProperty } from '@nestjs/swagger';
import { ValidationProblem } from '../platform/errors/problem.js';
import { MAX_ID, DateTimeField, EnumField, IntegerField, ListField, TextField } from '../platform/http/fields.js';
import type { ApiKey } from './api-key.entity.js';
import type { IssuedKey, KeyChange } from './api-keys.service.js';
import { readExpiry, readNetworks } from './key-limits.js';
import { type Role, ROLE_NAMES } from './permissions.js';
import { type Plan, PLANS, type Workspace } from './workspace.entity.js';

export class WorkspacePath {
  @IntegerField({ query: true, min: 1, max: MAX_ID, example: 1 })
  workspace_id: number;
}

export class ApiKeyPath extends WorkspacePath {
  @IntegerField({ query: true, min: 1, max: MAX_ID })
  key_id: number;
}

export class WorkspaceRequest {
  @TextField({ minLength: 1, maxLength: 255, example: 'Support team' })
  name: string;
}

export class UpdateWorkspaceRequest {
  @TextField({ optional: true, minLength: 1, maxLength: 255, example: 'Support team' })
  name?: string;

  @EnumField(PLANS, {
    optional: true,
    description:
      'How much the workspace may have: `free` is one skill collection of 30 files, `pro` five of 50, `team` any number of 100.',
  })
  plan?: Plan;
}

const EXPIRES = 'When the key ends: a moment in the future, or null for never.';
const NETWORKS =
  'The networks (IPv4 and IPv6, such as `192.0.2.0/24`, `2001:db8::/32`, or a single address) from which the key is accepted; an empty list means from everywhere.';
const MOST_NETWORKS = 100;
export const DAY_SECONDS = 86_400;

export class CreateApiKeyRequest {
  @TextField({ optional: true, nullable: true, maxLength: 255, example: 'Production exporter' })
  name?: string | null;

  @TextField({
    optional: true,
    nullable: true,
    maxLength: 320,
    pattern: /^[^\s@]+@[^\s@]+$/,
    description:
      'The e-mail address of the person or team the key acts for. `created_by_email` finds what the key has created.',
    example: 'sam@example.com',
  })
  owner_email?: string | null;

  @EnumField(ROLE_NAMES, {
    optional: true,
    description: 'What the key may do. By default it gets the roles of the key that creates it.',
  })
  role?: Role;

  @ListField('string', {
    values: ROLE_NAMES,
    optional: true,
    minItems: 1,
    maxItems: ROLE_NAMES.length,
    description: 'The same for several roles: the key may do what any of them may do.',
    example: ['contributor', 'publisher'],
  })
  roles?: Role[];

  @DateTimeField({ optional: true, nullable: true, description: EXPIRES })
  expires_at?: string | null;

  @ListField('string', { optional: true, maxItems: MOST_NETWORKS, description: NETWORKS })
  allowed_networks?: string[];
}

/** What is not given stays as it is; something must be given. */
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
    description: 'For how many seconds the old key goes on working, unless it expires before that. At most 30 days.',
  })
  overlap_seconds?: number;

  @DateTimeField({
    optional: true,
    nullable: true,
    description:
      'When the new key ends, or null for never. By default it lives for as long as the old key was meant to live when it was created.',
  })
  expires_at?: string | null;
}

export class WorkspaceBody {
  @IntegerField()
  id: number;

  @TextField()
  name: string;

  @EnumField(PLANS)
  plan: Plan;

  @DateTimeField()
  created_at: string;
}

export class WorkspaceResponse {
  @ApiProperty({ example: true })
  success: true;

  @ApiProperty({ type: () => WorkspaceBody })
  workspace: WorkspaceBody;
}

export class WorkspacesResponse {
  @ApiProperty({ example: true })
  success: true;

  @ApiProperty({ type: () => [WorkspaceBody] })
  workspaces: WorkspaceBody[];
}

export class ApiKeyBody {
  @IntegerField()
  id: number;

  @IntegerField()
  workspace_id: number;

  @TextField({ nullable: true })
  name: string | null;

  @TextField({ nullable: true })
  owner_email: string | null;

  @TextField({ description: 'The last four characters, to recognise the key by.' })
  last_4: string;

  @EnumField(ROLE_NAMES, {
    nullable: true,
    description: 'The role of a key that has one; null for a key with several.',
  })
  role: Role | null;

  @ListField('string', { values: ROLE_NAMES, description: 'All roles of the key.' })
  roles: Role[];

  @DateTimeField()
  created_at: string;

  @DateTimeField({ nullable: true })
  last_used_at: string | null;

  @DateTimeField({ nullable: true })
  revoked_at: string | null;

  @DateTimeField({ nullable: true, description: 'From this moment on the key is refused; null = never.' })
  expires_at: string | null;

  @ListField('string', { description: 'Where the key is accepted from; empty means from everywhere.' })
  allowed_networks: string[];
}

export class ApiKeyResponse {
  @ApiProperty({ example: true })
  success: true;

  @ApiProperty({ type: () => ApiKeyBody })
  api_key: ApiKeyBody;
}

export class IssuedKeyResponse extends ApiKeyResponse {
  @TextField({ description: 'The key itself. It is shown only now and cannot be read again.' })
  secret: string;
}

export class RotatedKeyResponse extends IssuedKeyResponse {
  @ApiProperty({ type: () => ApiKeyBody, description: 'The old key, with the moment at which it ends.' })
  replaced: ApiKeyBody;
}

export class ApiKeysResponse {
  @ApiProperty({ example: true })
  success: true;

  @ApiProperty({ type: () => [ApiKeyBody] })
  api_keys: ApiKeyBody[];
}

/** Each role once; undefined when none is given. */
export function rolesIn({ role, roles = [] }: CreateApiKeyRequest): Role[] | undefined {
  const given = new Set(role === undefined ? roles : [role, ...roles]);
  return given.size === 0 ? undefined : [...given];
}

/** Throws a 422 when nothing is given, or what is given cannot be. */
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

export function toApiKeyBody(key: ApiKey): ApiKeyBody {
  return {
    id: key.id,
    workspace_id: key.workspaceId,
    name: key.name,
    owner_email: key.ownerEmail,
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
