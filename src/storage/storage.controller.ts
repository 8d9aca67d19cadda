import { Body, Controller, Get, Param, Put, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Throws } from '../platform/http/throws.js';
import {
  AccessErrors,
  type AuthenticatedRequest,
  OperatorOnly,
  OperatorToo,
  WorkspacePath,
  WorkspacesService,
} from '../access/index.js';
import { StorageLimitsRequest, StorageResponse, toStorageResponse } from './storage.dto.js';
import { StorageService } from './storage.service.js';

@ApiTags('Administration')
@Controller('api/admin/v1/workspaces/:workspace_id/storage')
export class StorageController {
  constructor(
    private readonly storage: StorageService,
    private readonly workspaces: WorkspacesService,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'Read the storage and the storage limits of a workspace.',
    description:
      'A limit of null means no limit. Requests that would exceed a limit are rejected with 403 `workspace_full`.',
  })
  @OperatorToo('ADMIN')
  @ApiOkResponse({ type: StorageResponse })
  @Throws(AccessErrors.workspace_not_found)
  async get(@Req() request: AuthenticatedRequest, @Param() path: WorkspacePath): Promise<StorageResponse> {
    const { workspaceId } = await this.workspaces.callerIn(request, path.workspace_id);
    return toStorageResponse(await this.storage.read(workspaceId));
  }

  @Put()
  @ApiOperation({
    summary: 'Set the storage limits of a workspace.',
    description: 'Nothing is deleted. Requests that would exceed a limit are rejected with 403 `workspace_full`.',
  })
  @OperatorOnly()
  @ApiOkResponse({ type: StorageResponse })
  @Throws(AccessErrors.workspace_not_found)
  async set(
    @Req() request: AuthenticatedRequest,
    @Param() path: WorkspacePath,
    @Body() { max_stored_bytes: maxStoredBytes, max_rows: maxRows }: StorageLimitsRequest,
  ): Promise<StorageResponse> {
    const caller = await this.workspaces.callerIn(request, path.workspace_id);
    await this.storage.setLimits(caller, { maxStoredBytes, maxRows });
    return toStorageResponse(await this.storage.read(caller.workspaceId));
  }
}
