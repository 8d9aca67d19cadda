import { Controller, Get, Param, Query, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  AccessErrors,
  type AuthenticatedRequest,
  OperatorToo,
  WorkspacePath,
  WorkspacesService,
} from '../access/index.js';
import { PlatformErrors } from '../platform/errors/platform.errors.js';
import { toPage } from '../platform/http/list.js';
import { Throws } from '../platform/http/throws.js';
import { eventTypes } from './event-types.js';
import { EventsResponse, EventTypesResponse, ListEventsQuery, toEventBody, toEventTypeBodies } from './events.dto.js';
import { eventOrder, EventsService } from './events.service.js';
import { RESERVED_EVENTS } from './reserved-events.js';

@ApiTags('Administration')
@Controller('api/admin/v1/workspaces/:workspace_id/events')
export class EventsController {
  constructor(
    private readonly events: EventsService,
    private readonly workspaces: WorkspacesService,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'List the events of a workspace, newest first: published versions, moved labels and so on.',
    description:
      'Published versions, moved labels and so on: the events that webhooks send, whether a webhook takes them or not. They are kept for EVENT_RETENTION_DAYS. A cursor of another list or order is a 400 `cursor_invalid`.',
  })
  @OperatorToo('ADMIN')
  @ApiOkResponse({ type: EventsResponse })
  @Throws(AccessErrors.workspace_not_found, PlatformErrors.cursor_invalid)
  async list(
    @Req() request: AuthenticatedRequest,
    @Param() path: WorkspacePath,
    @Query() query: ListEventsQuery,
  ): Promise<EventsResponse> {
    const caller = await this.workspaces.callerIn(request, path.workspace_id);
    const { cursor, limit = 20, order = 'desc', event_type: type } = query;
    const events = await this.events.list(caller, type, { cursor, limit, order });
    const page = toPage(events, { limit, cursor }, eventOrder(order, type), (event) => [Number(event.id)]);
    return { ...page, data: page.data.map(toEventBody) };
  }

  @Get('types')
  @ApiOperation({
    summary: 'List the types of events that webhooks can subscribe to.',
    description:
      'Types with `is_announced: false` are known to clients but never sent by this server. Webhooks may subscribe to them without effect.',
  })
  @OperatorToo('ADMIN')
  @ApiOkResponse({ type: EventTypesResponse })
  @Throws(AccessErrors.workspace_not_found)
  async listTypes(@Req() request: AuthenticatedRequest, @Param() path: WorkspacePath): Promise<EventTypesResponse> {
    await this.workspaces.callerIn(request, path.workspace_id);
    const [announced, reserved] = [toEventTypeBodies(eventTypes, true), toEventTypeBodies(RESERVED_EVENTS, false)];
    return { success: true, event_types: [...announced, ...reserved] };
  }
}
