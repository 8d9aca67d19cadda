import { Controller, Get, HttpCode, Param, Query, Req } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  AccessErrors,
  type AuthenticatedRequest,
  OperatorToo,
  WorkspacePath,
  WorkspacesService,
} from '../access/index.js';
import { PlatformErrors } from '../platform/errors/platform.errors.js';
import { IdempotentPost } from '../platform/http/idempotency/idempotent-post.js';
import { toPage } from '../platform/http/list.js';
import { Throws } from '../platform/http/throws.js';
import { DeliveriesService, deliveryOrder } from './deliveries.service.js';
import {
  DeliveriesResponse,
  DeliveryPath,
  DeliveryResponse,
  ListDeliveriesQuery,
  toDeliveryBody,
  toWorkspaceDeliveryBody,
  WebhookPath,
  WorkspaceDeliveriesResponse,
} from './webhooks.dto.js';
import { WebhookErrors } from './webhooks.errors.js';

@ApiTags('Webhooks')
@Controller('api/admin/v1/workspaces/:workspace_id/webhooks/:webhook_id/deliveries')
export class DeliveriesController {
  constructor(
    private readonly deliveries: DeliveriesService,
    private readonly workspaces: WorkspacesService,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'List the deliveries of a webhook, newest first.',
    description:
      'Each delivery has its number of attempts and the last response of the receiver. Filter by `status` to find failures.',
  })
  @OperatorToo('ADMIN')
  @ApiOkResponse({ type: DeliveriesResponse })
  @Throws(AccessErrors.workspace_not_found, WebhookErrors.webhook_not_found, PlatformErrors.cursor_invalid)
  async list(
    @Req() request: AuthenticatedRequest,
    @Param() path: WebhookPath,
    @Query() query: ListDeliveriesQuery,
  ): Promise<DeliveriesResponse> {
    const caller = await this.workspaces.callerIn(request, path.workspace_id);
    const { cursor, limit = 20, order = 'desc', status } = query;
    const deliveries = await this.deliveries.list(caller, path.webhook_id, { cursor, limit, order, status });
    const page = toPage(deliveries, { limit, cursor }, deliveryOrder(order, status), (delivery) => [
      Number(delivery.id),
    ]);
    return { ...page, data: page.data.map(toDeliveryBody) };
  }

  @IdempotentPost(':delivery_id/redeliver')
  @HttpCode(202)
  @ApiOperation({
    summary: 'Send a delivery again.',
    description:
      'The delivery is queued again in any status, with the same body and `Webhook-Id`, and with all its retries. The response (202) comes before it is sent; read the list of deliveries for the outcome.',
  })
  @OperatorToo('ADMIN')
  @ApiAcceptedResponse({ type: DeliveryResponse })
  @Throws(AccessErrors.workspace_not_found, WebhookErrors.webhook_not_found, WebhookErrors.webhook_delivery_not_found)
  async redeliver(@Req() request: AuthenticatedRequest, @Param() path: DeliveryPath): Promise<DeliveryResponse> {
    const caller = await this.workspaces.callerIn(request, path.workspace_id);
    const delivery = await this.deliveries.redeliver(caller, path.webhook_id, path.delivery_id);
    return { success: true, delivery: toDeliveryBody(delivery) };
  }
}

/** Lists the deliveries of all webhooks of a workspace. */
@ApiTags('Webhooks')
@Controller('api/admin/v1/workspaces/:workspace_id/webhook-deliveries')
export class WorkspaceDeliveriesController {
  constructor(
    private readonly deliveries: DeliveriesService,
    private readonly workspaces: WorkspacesService,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'List the deliveries of all webhooks of a workspace, newest first.',
    description: 'The deliveries of all webhooks in one list. Filter by `status` to find failures.',
  })
  @OperatorToo('ADMIN')
  @ApiOkResponse({ type: WorkspaceDeliveriesResponse })
  @Throws(AccessErrors.workspace_not_found, PlatformErrors.cursor_invalid)
  async list(
    @Req() request: AuthenticatedRequest,
    @Param() path: WorkspacePath,
    @Query() query: ListDeliveriesQuery,
  ): Promise<WorkspaceDeliveriesResponse> {
    const caller = await this.workspaces.callerIn(request, path.workspace_id);
    const { cursor, limit = 20, order = 'desc', status } = query;
    const deliveries = await this.deliveries.listAll(caller, { cursor, limit, order, status });
    const page = toPage(deliveries, { limit, cursor }, deliveryOrder(order, status), ({ id }) => [Number(id)]);
    return { ...page, data: page.data.map(toWorkspaceDeliveryBody) };
  }
}
