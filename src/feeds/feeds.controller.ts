import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, Can, CurrentCaller } from '../access/index.js';
import { PlatformErrors } from '../platform/errors/platform.errors.js';
import { FilterErrors } from '../platform/filters/errors.js';
import { toCreatedPage } from '../platform/http/created-list.js';
import { EndsWithClient } from '../platform/http/ends-with-client.js';
import { IdempotentPost } from '../platform/http/idempotency/idempotent-post.js';
import { Throws } from '../platform/http/throws.js';
import { GridErrors } from '../grid/shared/grid.errors.js';
import { ImportErrors } from '../imports/index.js';
import { SheetPath, TableErrors } from '../tables/index.js';
import {
  toDecisionResponse,
  toFeedBody,
  toFeedChange,
  toFeedResponse,
  toHoursResponse,
  toNewFeed,
  toPlanned,
  toPlanResponse,
} from './feed-bodies.js';
import { FeedDecisionsService } from './feed-decisions.service.js';
import { FeedPlansService } from './feed-plans.service.js';
import {
  CreateFeedRequest,
  DeleteFeedResponse,
  FeedDecisionQuery,
  FeedDecisionResponse,
  FeedHoursQuery,
  FeedHoursResponse,
  FeedPathParameters,
  FeedPlanResponse,
  FeedResponse,
  FeedsResponse,
  ListFeedsQuery,
  PlanFeedRequest,
  UpdateFeedRequest,
} from './feeds.dto.js';
import { FeedErrors } from './shared/feeds.errors.js';
import { FeedsService } from './feeds.service.js';

const NO_SHEET = [TableErrors.table_not_found, TableErrors.sheet_not_found];
const REFUSED = [
  FeedErrors.feed_inconsistent,
  FeedErrors.feed_limit_missing,
  FilterErrors.filter_invalid,
  GridErrors.column_not_found,
  ImportErrors.import_name_no_title,
  ImportErrors.import_columns_exceeded,
  ImportErrors.import_column_computed,
];

@ApiTags('Feeds')
@Controller('api/public/v2/tables/:table_id/sheets/:sheet_id/feeds')
export class FeedsController {
  constructor(
    private readonly feeds: FeedsService,
    private readonly plans: FeedPlansService,
    private readonly decisions: FeedDecisionsService,
  ) {}

  @IdempotentPost()
  @ApiOperation({
    summary: 'Fill a sheet with request logs or traces as they arrive.',
    description:
      'Every item that arrives is decided about once: it becomes a row, or is left out by the filter, the sample or a limit. The computed cells of new rows are computed at once. Columns of the fields are added where they are missing. A sheet whose rows call models or services needs a limit: 400 `feed_limit_missing`.',
  })
  @Can('TABLE_EDIT')
  @ApiCreatedResponse({ type: FeedResponse })
  @Throws(...NO_SHEET, ...REFUSED, FeedErrors.feed_too_many)
  async create(
    @CurrentCaller() caller: Caller,
    @Param() path: SheetPath,
    @Body() body: CreateFeedRequest,
  ): Promise<FeedResponse> {
    return toFeedResponse(await this.feeds.create(caller, path, toNewFeed(body)));
  }

  @Get()
  @ApiOperation({
    summary: 'List the feeds of a sheet, newest first.',
    description: 'Active and paused feeds with what they did in the last hour and how far they have come.',
  })
  @ApiOkResponse({ type: FeedsResponse })
  @Throws(...NO_SHEET, PlatformErrors.cursor_invalid)
  async list(
    @CurrentCaller() caller: Caller,
    @Param() path: SheetPath,
    @Query() { cursor, limit = 20, order = 'desc' }: ListFeedsQuery,
  ): Promise<FeedsResponse> {
    const at = { cursor, limit, order, filters: { sheet: path.sheet_id.toLowerCase() } };
    const page = toCreatedPage(await this.feeds.list(caller, path, at), at);
    return { ...page, data: page.data.map(toFeedBody) };
  }

  @EndsWithClient()
  @Post('plan')
  @HttpCode(200)
  @ApiOperation({
    summary: 'See what a feed would take, without creating it.',
    description:
      'Looks at what is stored of the last 24 hours, and since `begins_at`: items, rows, cells and price. Numbers are exact up to 2,000 items.',
  })
  @ApiOkResponse({ type: FeedPlanResponse })
  @Throws(...NO_SHEET, FeedErrors.feed_inconsistent, FilterErrors.filter_invalid)
  async plan(
    @CurrentCaller() caller: Caller,
    @Param() path: SheetPath,
    @Body() body: PlanFeedRequest,
  ): Promise<FeedPlanResponse> {
    return toPlanResponse(await this.plans.plan(caller, path, toPlanned(body)));
  }

  @Get(':feed_id')
  @ApiOperation({
    summary: 'Read a feed.',
    description: 'Its settings, its state, what it did in the last hour and how far it has come.',
  })
  @ApiOkResponse({ type: FeedResponse })
  @Throws(...NO_SHEET, FeedErrors.feed_not_found)
  async get(@CurrentCaller() caller: Caller, @Param() path: FeedPathParameters): Promise<FeedResponse> {
    return toFeedResponse(await this.feeds.get(caller, path));
  }

  @Patch(':feed_id')
  @ApiOperation({
    summary: 'Change, pause or resume a feed.',
    description:
      'Fields that are left out stay as they are. New settings decide about everything that has not been decided yet. The source and `begins_at` never change.',
  })
  @Can('TABLE_EDIT')
  @ApiOkResponse({ type: FeedResponse })
  @Throws(...NO_SHEET, FeedErrors.feed_not_found, ...REFUSED)
  async update(
    @CurrentCaller() caller: Caller,
    @Param() path: FeedPathParameters,
    @Body() body: UpdateFeedRequest,
  ): Promise<FeedResponse> {
    return toFeedResponse(await this.feeds.update(caller, path, toFeedChange(body)));
  }

  @Delete(':feed_id')
  @ApiOperation({
    summary: 'Delete a feed with its decisions.',
    description: 'Its rows and the scores that it has published stay. It cannot be undone.',
  })
  @Can('TABLE_EDIT')
  @ApiOkResponse({ type: DeleteFeedResponse })
  @Throws(...NO_SHEET, FeedErrors.feed_not_found)
  async delete(@CurrentCaller() caller: Caller, @Param() path: FeedPathParameters): Promise<DeleteFeedResponse> {
    await this.feeds.delete(caller, path);
    return { success: true };
  }

  @Get(':feed_id/decisions')
  @ApiOperation({
    summary: 'See why a request or a trace was judged or not.',
    description:
      'Chosen items and items beyond a limit have a record. Other decisions are not stored but repeated with the settings that were in force.',
  })
  @ApiOkResponse({ type: FeedDecisionResponse })
  @Throws(...NO_SHEET, FeedErrors.feed_not_found, FeedErrors.feed_item_ambiguous)
  async readDecision(
    @CurrentCaller() caller: Caller,
    @Param() path: FeedPathParameters,
    @Query() query: FeedDecisionQuery,
  ): Promise<FeedDecisionResponse> {
    const { request_id: requestId, trace_id: traceId } = query;
    return toDecisionResponse(await this.decisions.explain(caller, path, { requestId, traceId }));
  }

  @Get(':feed_id/hours')
  @ApiOperation({
    summary: 'Read how many items a feed decided about in each hour.',
    description: 'Numbers stay for a year, also when rows are gone.',
  })
  @ApiOkResponse({ type: FeedHoursResponse })
  @Throws(...NO_SHEET, FeedErrors.feed_not_found)
  async readHours(
    @CurrentCaller() caller: Caller,
    @Param() path: FeedPathParameters,
    @Query() { limit = 48 }: FeedHoursQuery,
  ): Promise<FeedHoursResponse> {
    return toHoursResponse(await this.decisions.hours(caller, path, limit), limit);
  }
}
