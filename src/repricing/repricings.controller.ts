import { Body, Controller, Get, HttpCode, Param, Query, Req } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  AccessErrors,
  type AuthenticatedRequest,
  OperatorToo,
  WorkspacePath,
  WorkspacesService,
} from '../access/index.js';
import { PlatformErrors } from '../platform/errors/platform.errors.js';
import { toTime } from '../platform/filters/values.js';
import { IdempotentPost } from '../platform/http/idempotency/idempotent-post.js';
import { toCreatedPage } from '../platform/http/created-list.js';
import { Throws } from '../platform/http/throws.js';
import { ModelPriceErrors } from '../requests/index.js';
import {
  CreateRepricingRequest,
  ListRepricingsQuery,
  RepricingResponse,
  RepricingsResponse,
  toRepricingBody,
} from './repricings.dto.js';
import { RepricingErrors } from './repricings.errors.js';
import { RepricingsService } from './repricings.service.js';

@ApiTags('Model prices')
@Controller('api/admin/v1/workspaces/:workspace_id/repricings')
export class RepricingsController {
  constructor(
    private readonly repricings: RepricingsService,
    private readonly workspaces: WorkspacesService,
  ) {}

  @IdempotentPost()
  @HttpCode(202)
  @ApiOperation({
    summary: 'Price the stored calls of a model that have no price, by the price the workspace has set; or count them.',
    description:
      'A worker does it: read the list until it has ended. Request logs, spans, traces and all sums have the prices then. Calls that ' +
      'have a price keep it. A call is priced by the tokens that are stored with it; what is billed beside tokens is not stored, so ' +
      'models with a public price are refused. Cells of sheets keep the cost they were computed with.',
  })
  @OperatorToo('ADMIN')
  @ApiAcceptedResponse({ type: RepricingResponse })
  @Throws(
    AccessErrors.workspace_not_found,
    ModelPriceErrors.model_price_not_found,
    RepricingErrors.repricing_of_public_model,
    RepricingErrors.repricing_running,
  )
  async create(
    @Req() request: AuthenticatedRequest,
    @Param() path: WorkspacePath,
    @Body() body: CreateRepricingRequest,
  ): Promise<RepricingResponse> {
    const caller = await this.workspaces.callerIn(request, path.workspace_id);
    const { provider, model, since = null, dry_run: dryRun = false } = body;
    const first = toTime(since)?.first;
    const wanted = { provider, model, since: first === undefined ? null : new Date(first), dryRun };
    return { success: true, repricing: toRepricingBody(await this.repricings.create(caller, wanted)) };
  }

  @Get()
  @ApiOperation({
    summary: 'List how stored calls were priced later, newest first.',
    description: 'Returns each repricing with what it has priced so far.',
  })
  @OperatorToo('ADMIN')
  @ApiOkResponse({ type: RepricingsResponse })
  @Throws(AccessErrors.workspace_not_found, PlatformErrors.cursor_invalid)
  async list(
    @Req() request: AuthenticatedRequest,
    @Param() path: WorkspacePath,
    @Query() { cursor, limit = 20, order = 'desc' }: ListRepricingsQuery,
  ): Promise<RepricingsResponse> {
    const caller = await this.workspaces.callerIn(request, path.workspace_id);
    const rows = await this.repricings.list(caller, { cursor, limit, order });
    const page = toCreatedPage(rows, { cursor, limit, order });
    return { ...page, data: page.data.map(toRepricingBody) };
  }
}
