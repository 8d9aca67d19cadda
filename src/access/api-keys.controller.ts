import { Body, Controller, Delete, Get, Param, Patch, Post, Req } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Throws, Validates } from '../platform/http/throws.js';
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
  WorkspacePath,
} from './access.dto.js';
import { AccessErrors } from './access.errors.js';
import { Can, OperatorToo } from './access.guard.js';
import { ApiKeysService } from './api-keys.service.js';
import { Authenticator } from './authenticator.js';
import type { AuthenticatedRequest } from './caller.js';
import { readExpiry, readNetworks } from './key-limits.js';
import { WorkspacesService } from './workspaces.service.js';

/**
 * Keys are managed by the operator for any workspace, and by a key with MANAGE_API_KEYS for its own: those that may do no more
 * than it may itself.
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
  @ApiOperation({ summary: 'List the API keys of a workspace, without the keys themselves.' })
  @Can('MANAGE_API_KEYS')
  @OperatorToo()
  @Validates()
  @ApiOkResponse({ type: ApiKeysResponse })
  @Throws(AccessErrors.workspace_not_found)
  async list(@Req() request: AuthenticatedRequest, @Param() path: WorkspacePath): Promise<ApiKeysResponse> {
    const keys = await this.keys.list(await this.workspaces.callerIn(request, path.workspace_id));
    return { success: true, api_keys: keys.map(toApiKeyBody) };
  }

  @Post()
  @ApiOperation({ summary: 'Create an API key. The answer holds the key itself, this once.' })
  @Can('MANAGE_API_KEYS')
  @OperatorToo()
  @Validates()
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
    summary: 'Name an API key, or change until when and from where it is accepted.',
    description: 'Works at once (within two seconds in other processes), also for connections that are open.',
  })
  @Can('MANAGE_API_KEYS')
  @OperatorToo()
  @Validates()
  @ApiOkResponse({ type: ApiKeyResponse })
  @Throws(
    AccessErrors.workspace_not_found,
    AccessErrors.api_key_not_found,
    AccessErrors.permission_missing,
    AccessErrors.api_key_would_lock_out,
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
    summary:
      'Replace an API key without a gap: the answer holds a new key, this once, and the old one goes on for a while.',
    description: 'The new key has the name, the owner, the roles and the networks of the old one.',
  })
  @Can('MANAGE_API_KEYS')
  @OperatorToo()
  @Validates()
  @ApiCreatedResponse({ type: RotatedKeyResponse })
  @Throws(
    AccessErrors.workspace_not_found,
    AccessErrors.api_key_not_found,
    AccessErrors.permission_missing,
    AccessErrors.api_key_ended,
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
  @ApiOperation({ summary: 'Revoke an API key. It stops working at once (within two seconds in other processes).' })
  @Can('MANAGE_API_KEYS')
  @OperatorToo()
  @Validates()
  @ApiOkResponse({ type: ApiKeyResponse })
  @Throws(AccessErrors.workspace_not_found, AccessErrors.api_key_not_found, AccessErrors.permission_missing)
  async revoke(@Req() request: AuthenticatedRequest, @Param() path: ApiKeyPath): Promise<ApiKeyResponse> {
    const manager = await this.workspaces.callerIn(request, path.workspace_id);
    const key = await this.keys.revoke(manager, path.key_id);
    this.authenticator.forget();
    return { success: true, api_key: toApiKeyBody(key) };
  }
}
