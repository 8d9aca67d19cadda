import { Body, Controller, Get, Param, Patch, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AccessErrors, type Caller, CurrentCaller } from '../access/index.js';
import { ExternalIdErrors } from '../external-ids/index.js';
import { IdempotentPost } from '../platform/http/idempotency/idempotent-post.js';
import { Throws } from '../platform/http/throws.js';
import {
  CreateFolderRequest,
  FolderIdResponse,
  FolderPath,
  FolderResponse,
  RenameFolderRequest,
  ResolveFolderQuery,
  toFolderResponse,
} from './folders.dto.js';
import { FolderErrors } from './shared/folders.errors.js';
import { FoldersService } from './folders.service.js';
import { assertOwnWorkspace } from './shared/own-workspace.js';

@ApiTags('Folders')
@Controller('api/public/v2/folders')
export class FoldersController {
  constructor(private readonly folders: FoldersService) {}

  @IdempotentPost()
  @ApiOperation({
    summary: 'Create a folder.',
    description:
      '400 `folder_name_taken`: the name exists at this level. 409 `external_id_in_use`: another entity has the external ID.',
  })
  @ApiCreatedResponse({ type: FolderResponse })
  @Throws(
    FolderErrors.folder_name_taken,
    FolderErrors.workspace_id_invalid,
    FolderErrors.folder_not_found,
    ExternalIdErrors.external_id_in_use,
    AccessErrors.permission_missing,
  )
  async create(@CurrentCaller() caller: Caller, @Body() body: CreateFolderRequest): Promise<FolderResponse> {
    assertOwnWorkspace(caller, body.workspace_id);
    const { name, parent_id: parentId, external_ids: externalIds } = body;
    return toFolderResponse(
      await this.folders.create(caller, { name, parentId: parentId ?? null, externalIds: externalIds ?? [] }),
    );
  }

  @Patch(':folder_id')
  @ApiOperation({
    summary: 'Rename a folder.',
    description: 'Ids and contents do not change. 400 `folder_name_taken`: the name exists at this level.',
  })
  @ApiOkResponse({ type: FolderResponse })
  @Throws(
    FolderErrors.folder_name_taken,
    FolderErrors.workspace_id_invalid,
    FolderErrors.folder_not_found,
    AccessErrors.permission_missing,
  )
  async rename(
    @CurrentCaller() caller: Caller,
    @Param() path: FolderPath,
    @Body() body: RenameFolderRequest,
  ): Promise<FolderResponse> {
    assertOwnWorkspace(caller, body.workspace_id);
    return toFolderResponse(await this.folders.rename(caller, path.folder_id, body.name));
  }

  @Get('resolve-id')
  @ApiOperation({
    summary: 'Find a folder by its path of names.',
    description: '404 `folder_not_found`: a folder of the path does not exist.',
  })
  @ApiOkResponse({ type: FolderIdResponse })
  @Throws(FolderErrors.workspace_id_invalid, FolderErrors.folder_not_found)
  async resolve(@CurrentCaller() caller: Caller, @Query() query: ResolveFolderQuery): Promise<FolderIdResponse> {
    assertOwnWorkspace(caller, query.workspace_id);
    return { id: await this.folders.resolve(caller, query.path) };
  }
}
