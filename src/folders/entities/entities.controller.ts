import { Body, Controller, Delete, Get, HttpCode, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AccessErrors, type Caller, CurrentCaller } from '../../access/index.js';
import { IdempotentPost } from '../../platform/http/idempotency/idempotent-post.js';
import { Throws } from '../../platform/http/throws.js';
import { FolderErrors } from '../shared/folders.errors.js';
import { assertOwnWorkspace } from '../shared/own-workspace.js';
import { DeletionService } from './deletion.service.js';
import {
  DeleteEntitiesRequest,
  FolderEntitiesResponse,
  ListEntitiesQuery,
  MovedEntitiesResponse,
  MoveEntitiesRequest,
  toEntityBody,
  toListing,
} from './entities.dto.js';
import { ListingService } from './listing.service.js';
import { MovingService } from './moving.service.js';

@ApiTags('Folders')
@Controller('api/public/v2/folders/entities')
export class FolderEntitiesController {
  constructor(
    private readonly listing: ListingService,
    private readonly moving: MovingService,
    private readonly deletion: DeletionService,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'List the entities in a folder or at the top level.',
    description:
      '`flatten` includes the folders below, and `search_query` finds entities by name and content. The list has no pages.',
  })
  @ApiOkResponse({ type: FolderEntitiesResponse })
  @Throws(FolderErrors.workspace_id_invalid, FolderErrors.folder_not_found)
  async list(@CurrentCaller() caller: Caller, @Query() query: ListEntitiesQuery): Promise<FolderEntitiesResponse> {
    assertOwnWorkspace(caller, query.workspace_id);
    const entities = await this.listing.list(caller, toListing(query));
    return { entities: entities.map(toEntityBody) };
  }

  @IdempotentPost()
  @HttpCode(200)
  @ApiOperation({
    summary: 'Move entities into a folder or to the top level. When one of them is refused, none is moved.',
    description:
      'Either all entities are moved or none. 404 `folder_entity_not_found`: an entity does not exist. 400 `folder_cycle`: a folder would contain itself. 400 `folder_name_taken`: the target already has a folder of that name.',
  })
  @ApiOkResponse({ type: MovedEntitiesResponse })
  @Throws(
    FolderErrors.folder_cycle,
    FolderErrors.folder_name_taken,
    FolderErrors.workspace_id_invalid,
    FolderErrors.folder_not_found,
    FolderErrors.folder_entity_not_found,
    AccessErrors.permission_missing,
  )
  async move(@CurrentCaller() caller: Caller, @Body() body: MoveEntitiesRequest): Promise<MovedEntitiesResponse> {
    assertOwnWorkspace(caller, body.workspace_id);
    return { moved_count: await this.moving.move(caller, body.entities, body.folder_id ?? null) };
  }

  @Delete()
  @ApiOperation({
    summary: 'Delete entities. When one of them is refused, none is deleted.',
    description:
      'Either all entities are deleted or none. 400 `folder_not_empty`: a folder with contents needs `cascade`. 403 `label_protected`: an entity has a protected release label, which the key may not change.',
  })
  @ApiOkResponse({ type: MovedEntitiesResponse })
  @Throws(
    FolderErrors.folder_not_empty,
    FolderErrors.workspace_id_invalid,
    FolderErrors.folder_entity_not_found,
    AccessErrors.permission_missing,
    AccessErrors.label_protected,
    AccessErrors.approval_needed,
  )
  async delete(@CurrentCaller() caller: Caller, @Body() body: DeleteEntitiesRequest): Promise<MovedEntitiesResponse> {
    assertOwnWorkspace(caller, body.workspace_id);
    return { moved_count: await this.deletion.delete(caller, body.entities, { cascade: body.cascade ?? false }) };
  }
}
