import { Body, Controller, Delete, Get, Param, Patch, Post, Req } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Throws } from '../../platform/http/throws.js';
import {
  ApiKeyPath,
  ApiKeyResponse,
  ApiKeysResponse,
  CreateApiKeyRequest,
  DAY_SECONDS,
  IssuedKeyResponse,
  RotateApiKeyRequest,
  RotatedKeyResponse,
  rolesIn,
  toApiKeyBody,
  toIssuedKeyResponse,
  toKeyChange,
  UpdateApiKeyRequest,
} from '../shared/administration.dto.js';
import {
  AccessErrors,
  type AuthenticatedRequest,
  Authenticator,
  OperatorToo,
  readNetworks,
  WorkspacePath,
  WorkspacesService,
} from '../../access/index.js';
import { AdministrationErrors } from '../shared/administration.errors.js';
import { ApiKeysService } from './api-keys.service.js';
import { readExpiry } from '../shared/key-expiry.js';

/**
 * Keys are managed by the operator for any workspace, and by a key with MANAGE_API_KEYS for its own workspace, as long as the
 * managed keys have no more permissions than it has.
 */
@ApiTags('Administration')
@Controller('api/admin/v1/workspaces/:workspace_id/api-keys')
export class ApiKeysController {
  constructor(
    private readonly keys: ApiKeysService,
    private readonly workspaces: WorkspacesService,
    private readonly authenticator: Authenticator,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'List the API keys of a workspace, without the keys themselves.',
    description:
      'Newest first, including revoked and expired keys. `last_4` identifies a key; its secret cannot be read again. Requires the permission to manage keys (otherwise 403 `permission_missing`), or the operator.',
  })
  @OperatorToo('MANAGE_API_KEYS')
  @ApiOkResponse({ type: ApiKeysResponse })
  @Throws(AccessErrors.workspace_not_found)
  async list(@Req() request: AuthenticatedRequest, @Param() path: WorkspacePath): Promise<ApiKeysResponse> {
    const keys = await this.keys.list(await this.workspaces.callerIn(request, path.workspace_id));
    return { success: true, api_keys: keys.map(toApiKeyBody) };
  }

  @Post()
  @ApiOperation({
    summary: 'Create an API key.',
    description:
      'The response contains the key itself, which cannot be read again. Without `role` and `roles` the key gets the roles of the key that creates it, or `member` if the operator creates it. A key cannot grant more than it may do itself: 403 `permission_missing`.',
  })
  @OperatorToo('MANAGE_API_KEYS')
  @ApiCreatedResponse({ type: IssuedKeyResponse })
  @Throws(AccessErrors.workspace_not_found, AccessErrors.permission_missing)
  async create(
    @Req() request: AuthenticatedRequest,
    @Param() path: WorkspacePath,
    @Body() body: CreateApiKeyRequest,
  ): Promise<IssuedKeyResponse> {
    const manager = await this.workspaces.callerIn(request, path.workspace_id);
    const { name = null, owner_email: ownerEmail = null } = body;
    const roles = rolesIn(body) ?? (manager.keyId === null ? ['member'] : manager.roles);
    const limits = {
      expiresAt: readExpiry(body.expires_at),
      allowedNetworks: readNetworks(body.allowed_networks ?? []),
    };
    return toIssuedKeyResponse(await this.keys.create(manager, { name, ownerEmail, roles, ...limits }));
  }

  @Patch(':key_id')
  @ApiOperation({
    summary: 'Change the name, the expiry or the allowed networks of an API key.',
    description: 'Works at once (within two seconds in other processes), also for connections that are open.',
  })
  @OperatorToo('MANAGE_API_KEYS')
  @ApiOkResponse({ type: ApiKeyResponse })
  @Throws(
    AccessErrors.workspace_not_found,
    AdministrationErrors.api_key_not_found,
    AccessErrors.permission_missing,
    AdministrationErrors.api_key_would_lock_out,
  )
  async update(
    @Req() request: AuthenticatedRequest,
    @Param() path: ApiKeyPath,
    @Body() body: UpdateApiKeyRequest,
  ): Promise<ApiKeyResponse> {
    const manager = await this.workspaces.callerIn(request, path.workspace_id);
    const key = await this.keys.update(manager, path.key_id, toKeyChange(body));
    this.authenticator.forget();
    return { success: true, api_key: toApiKeyBody(key) };
  }

  @Post(':key_id/rotate')
  @ApiOperation({
    summary: 'Rotate an API key: create its successor and let it expire.',
    description:
      'The response contains the new key, which cannot be read again. It has the name, owner, roles and networks of the old key, which keeps working for `overlap_seconds`. A key that was revoked or has expired cannot be rotated.',
  })
  @OperatorToo('MANAGE_API_KEYS')
  @ApiCreatedResponse({ type: RotatedKeyResponse })
  @Throws(
    AccessErrors.workspace_not_found,
    AdministrationErrors.api_key_not_found,
    AccessErrors.permission_missing,
    AdministrationErrors.personal_key_of_another,
    AdministrationErrors.api_key_ended,
  )
  async rotate(
    @Req() request: AuthenticatedRequest,
    @Param() path: ApiKeyPath,
    @Body() { overlap_seconds: overlapSeconds = DAY_SECONDS, expires_at: expires }: RotateApiKeyRequest,
  ): Promise<RotatedKeyResponse> {
    const manager = await this.workspaces.callerIn(request, path.workspace_id);
    const expiresAt = expires === undefined ? undefined : readExpiry(expires);
    const { issued, replaced } = await this.keys.rotate(manager, path.key_id, { overlapSeconds, expiresAt });
    this.authenticator.forget();
    return { ...toIssuedKeyResponse(issued), replaced: toApiKeyBody(replaced) };
  }

  @Delete(':key_id')
  @ApiOperation({
    summary: 'Revoke an API key.',
    description:
      'The key stops working at once, within two seconds in other processes. This cannot be undone; revoking a key again changes nothing. A key cannot revoke one that may do more: 403 `permission_missing`.',
  })
  @OperatorToo('MANAGE_API_KEYS')
  @ApiOkResponse({ type: ApiKeyResponse })
  @Throws(AccessErrors.workspace_not_found, AdministrationErrors.api_key_not_found, AccessErrors.permission_missing)
  async revoke(@Req() request: AuthenticatedRequest, @Param() path: ApiKeyPath): Promise<ApiKeyResponse> {
    const manager = await this.workspaces.callerIn(request, path.workspace_id);
    const key = await this.keys.revoke(manager, path.key_id);
    this.authenticator.forget();
    return { success: true, api_key: toApiKeyBody(key) };
  }
}
