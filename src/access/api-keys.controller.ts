import { Body, Controller, Delete, Get, Param, Patch, Post, Req } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Throws, Validates } from '../platform/http/throws.js';
import {
  ApiKeyPath,
  ApiKeyResponse,
  ApiKeysResponse,
  CreateApiKeyRequest,
  IssuedKeyResponse,
  RenameApiKeyRequest,
  rolesIn,
  toApiKeyBody,
  toIssuedKeyResponse,
  WorkspacePath,
} from './access.dto.js';
import { AccessErrors } from './access.errors.js';
import { Can, OperatorToo } from './access.guard.js';
import { ApiKeysService } from './api-keys.service.js';
import { Authenticator } from './authenticator.js';
import type { AuthenticatedRequest } from './caller.js';
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
    return toIssuedKeyResponse(await this.keys.create(manager, { name, ownerEmail, roles }));
  }

  @Patch(':key_id')
  @ApiOperation({ summary: 'Name an API key.' })
  @Can('MANAGE_API_KEYS')
  @OperatorToo()
  @Validates()
  @ApiOkResponse({ type: ApiKeyResponse })
  @Throws(AccessErrors.workspace_not_found, AccessErrors.api_key_not_found, AccessErrors.permission_missing)
  async rename(
    @Req() request: AuthenticatedRequest,
    @Param() path: ApiKeyPath,
    @Body() body: RenameApiKeyRequest,
  ): Promise<ApiKeyResponse> {
    const manager = await this.workspaces.callerIn(request, path.workspace_id);
    return { success: true, api_key: toApiKeyBody(await this.keys.rename(manager, path.key_id, body.name)) };
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
