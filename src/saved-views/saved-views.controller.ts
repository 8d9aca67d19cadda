import { Body, Controller, Delete, Get, Param, Patch, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AccessErrors, type Caller, CurrentCaller } from '../access/index.js';
import { PlatformErrors } from '../platform/errors/platform.errors.js';
import { toCreatedPage } from '../platform/http/created-list.js';
import { IdempotentPost } from '../platform/http/idempotency/idempotent-post.js';
import { Throws } from '../platform/http/throws.js';
import {
  CreateSavedViewRequest,
  ListSavedViewsQuery,
  SavedViewPath,
  SavedViewResponse,
  SavedViewsResponse,
  toNewSavedView,
  toSavedViewBody,
  toSavedViewChange,
  toSavedViewResponse,
  UpdateSavedViewRequest,
} from './saved-views.dto.js';
import { SavedViewErrors } from './saved-views.errors.js';
import { SavedViewsService } from './saved-views.service.js';

@ApiTags('Saved views')
@Controller('api/public/v2/saved-views')
export class SavedViewsController {
  constructor(private readonly views: SavedViewsService) {}

  @IdempotentPost()
  @ApiOperation({
    summary: 'Save a view: a name for the URL parameters of a screen of the console.',
    description:
      'A private view is only seen by its user, in sessions and with personal keys. A shared view is seen by everybody in the workspace and needs METADATA_EDIT.',
  })
  @ApiCreatedResponse({ type: SavedViewResponse })
  @Throws(
    SavedViewErrors.saved_view_exists,
    SavedViewErrors.saved_view_too_many,
    SavedViewErrors.saved_view_needs_user,
    AccessErrors.permission_missing,
  )
  async create(@CurrentCaller() caller: Caller, @Body() body: CreateSavedViewRequest): Promise<SavedViewResponse> {
    return toSavedViewResponse(await this.views.create(caller, toNewSavedView(body)));
  }

  @Get()
  @ApiOperation({
    summary: 'List the saved views of the workspace and your private ones, oldest first.',
    description: 'Private views of other users are not included, not even for administrators.',
  })
  @ApiOkResponse({ type: SavedViewsResponse })
  @Throws(PlatformErrors.cursor_invalid)
  async list(
    @CurrentCaller() caller: Caller,
    @Query() { screen, cursor, limit = 100, order = 'asc' }: ListSavedViewsQuery,
  ): Promise<SavedViewsResponse> {
    const page = { cursor, limit, order, filters: { screen } };
    const { data, ...envelope } = toCreatedPage(await this.views.list(caller, screen, page), page);
    return { ...envelope, data: data.map(toSavedViewBody) };
  }

  @Get(':saved_view_id')
  @ApiOperation({
    summary: 'Read a saved view.',
    description: 'A private view of another user is a 404 `saved_view_not_found`, like one that does not exist.',
  })
  @ApiOkResponse({ type: SavedViewResponse })
  @Throws(SavedViewErrors.saved_view_not_found)
  async get(@CurrentCaller() caller: Caller, @Param() path: SavedViewPath): Promise<SavedViewResponse> {
    return toSavedViewResponse(await this.views.get(caller, path.saved_view_id.toLowerCase()));
  }

  @Patch(':saved_view_id')
  @ApiOperation({
    summary: 'Rename a saved view, change its parameters, share it or make it private.',
    description:
      'Missing fields stay as they are; of two simultaneous changes of a field the last one wins. Shared views of others need the permission ADMIN, and only their maker can make them private.',
  })
  @ApiOkResponse({ type: SavedViewResponse })
  @Throws(
    SavedViewErrors.saved_view_not_found,
    SavedViewErrors.saved_view_exists,
    SavedViewErrors.saved_view_needs_user,
    AccessErrors.permission_missing,
  )
  async update(
    @CurrentCaller() caller: Caller,
    @Param() path: SavedViewPath,
    @Body() body: UpdateSavedViewRequest,
  ): Promise<SavedViewResponse> {
    const change = toSavedViewChange(body);
    return toSavedViewResponse(await this.views.update(caller, path.saved_view_id.toLowerCase(), change));
  }

  @Delete(':saved_view_id')
  @ApiOperation({
    summary: 'Delete a saved view.',
    description: 'Answers the view as it was. Shared views of others need the permission ADMIN.',
  })
  @ApiOkResponse({ type: SavedViewResponse })
  @Throws(SavedViewErrors.saved_view_not_found, AccessErrors.permission_missing)
  async delete(@CurrentCaller() caller: Caller, @Param() path: SavedViewPath): Promise<SavedViewResponse> {
    return toSavedViewResponse(await this.views.delete(caller, path.saved_view_id.toLowerCase()));
  }
}
