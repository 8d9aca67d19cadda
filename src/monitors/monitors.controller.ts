import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, Can, CurrentCaller } from '../access/index.js';
import { PlatformErrors } from '../platform/errors/platform.errors.js';
import { FilterErrors } from '../platform/filters/errors.js';
import { toCreatedPage } from '../platform/http/created-list.js';
import { EndsWithClient } from '../platform/http/ends-with-client.js';
import { IdempotentPost } from '../platform/http/idempotency/idempotent-post.js';
import { ExactIntegers } from '../platform/http/request.js';
import { Throws } from '../platform/http/throws.js';
import { textOf } from './alert-details.js';
import { AlertsResponse, ListAlertsQuery, PreviewResponse, toAlertBody, toPreviewResponse } from './alerts.dto.js';
import { toDefinition } from './monitor-fields.js';
import {
  CreateMonitorRequest,
  ListMonitorsQuery,
  MonitorPath,
  MonitorResponse,
  MonitorsResponse,
  PreviewMonitorRequest,
  toMonitorBody,
  toMonitorChange,
  toMonitorResponse,
  toNewMonitor,
  UpdateMonitorRequest,
} from './monitors.dto.js';
import { MonitorErrors } from './monitors.errors.js';
import { MonitorsService } from './monitors.service.js';
import { PreviewService } from './preview.service.js';

@ApiTags('Monitors')
@Controller('api/public/v2/monitors')
export class MonitorsController {
  constructor(
    private readonly monitors: MonitorsService,
    private readonly previews: PreviewService,
  ) {}

  @IdempotentPost()
  @ExactIntegers()
  @ApiOperation({
    summary: 'Create a monitor, which opens alerts when requests or traces are not as they should be.',
    description:
      'It is evaluated at once and then whenever one of its windows has ended. Alerts are sent as the events `monitor_opened` and `monitor_closed` ' +
      'to webhooks and by e-mail.',
  })
  @Can('METADATA_EDIT')
  @ApiCreatedResponse({ type: MonitorResponse })
  @Throws(MonitorErrors.monitor_too_many, MonitorErrors.monitor_invalid, FilterErrors.filter_invalid)
  async create(@CurrentCaller() caller: Caller, @Body() body: CreateMonitorRequest): Promise<MonitorResponse> {
    return toMonitorResponse(await this.monitors.create(caller, toNewMonitor(body)));
  }

  @Post('preview')
  @EndsWithClient()
  @HttpCode(200)
  @ExactIntegers()
  @ApiOperation({
    summary: 'Replay the last 14 days: when a monitor would have opened alerts, and for how long.',
    description:
      'Nothing is stored. The same code evaluates monitors. Filters that hourly sums do not answer read all rows of the 14 days and of the ' +
      'weeks before, which may take too long (503 `reading_timeout`).',
  })
  @ApiOkResponse({ type: PreviewResponse })
  @Throws(
    MonitorErrors.monitor_invalid,
    FilterErrors.filter_invalid,
    PlatformErrors.reading_timeout,
    PlatformErrors.reading_busy,
  )
  async preview(@CurrentCaller() caller: Caller, @Body() body: PreviewMonitorRequest): Promise<PreviewResponse> {
    const definition = toDefinition(body);
    const preview = await this.previews.play(caller, definition);
    return toPreviewResponse(definition, preview, (group, { cause, verdict: lastVerdict }) =>
      textOf('The monitor', {
        groupKey: group.group,
        groupLabel: group.label,
        cause,
        definition,
        lastVerdict,
        closing: null,
      }),
    );
  }

  @Get()
  @ApiOperation({
    summary: 'List the monitors of the workspace with their last evaluation, oldest first.',
    description:
      'Monitors with an open alert have `status: open`. `latest` has the figure and the expected range of each group.',
  })
  @ApiOkResponse({ type: MonitorsResponse })
  @Throws(PlatformErrors.cursor_invalid)
  async list(
    @CurrentCaller() caller: Caller,
    @Query() { cursor, limit = 100, order = 'asc' }: ListMonitorsQuery,
  ): Promise<MonitorsResponse> {
    const page = { cursor, limit, order };
    const shown = await this.monitors.list(caller, page);
    const { data, ...envelope } = toCreatedPage(
      shown.map(({ monitor }) => monitor),
      page,
    );
    return { ...envelope, data: shown.slice(0, data.length).map(toMonitorBody) };
  }

  @Get(':monitor_id')
  @ApiOperation({
    summary: 'Read a monitor with its last evaluation.',
    description: 'A monitor of another workspace is a 404 `monitor_not_found`, like one that does not exist.',
  })
  @ApiOkResponse({ type: MonitorResponse })
  @Throws(MonitorErrors.monitor_not_found)
  async get(@CurrentCaller() caller: Caller, @Param() path: MonitorPath): Promise<MonitorResponse> {
    return toMonitorResponse(await this.monitors.get(caller, path.monitor_id.toLowerCase()));
  }

  @Get(':monitor_id/alerts')
  @ApiOperation({
    summary: 'List the alerts of a monitor, newest first.',
    description:
      'Each alert has the figure, the expected range, the test and the items behind it. Alerts that were closed are kept for 400 days.',
  })
  @ApiOkResponse({ type: AlertsResponse })
  @Throws(MonitorErrors.monitor_not_found, PlatformErrors.cursor_invalid)
  async listAlerts(
    @CurrentCaller() caller: Caller,
    @Param() path: MonitorPath,
    @Query() { cursor, limit = 20, order = 'desc', state }: ListAlertsQuery,
  ): Promise<AlertsResponse> {
    const monitorId = path.monitor_id.toLowerCase();
    const page = { cursor, limit, order, filters: { monitorId, state } };
    const alerts = await this.monitors.listAlerts(caller, monitorId, { ...page, state });
    const { data, ...envelope } = toCreatedPage(alerts, page);
    return { ...envelope, data: data.map(toAlertBody) };
  }

  @Patch(':monitor_id')
  @ExactIntegers()
  @ApiOperation({
    summary: 'Rename a monitor, change what it watches, or pause it.',
    description:
      'Missing fields stay unchanged; null restores the default. If the monitor now watches something else, it is evaluated again, and its ' +
      'open alerts are closed with `closing: changed`.',
  })
  @Can('METADATA_EDIT')
  @ApiOkResponse({ type: MonitorResponse })
  @Throws(MonitorErrors.monitor_not_found, MonitorErrors.monitor_invalid, FilterErrors.filter_invalid)
  async update(
    @CurrentCaller() caller: Caller,
    @Param() path: MonitorPath,
    @Body() body: UpdateMonitorRequest,
  ): Promise<MonitorResponse> {
    const id = path.monitor_id.toLowerCase();
    return toMonitorResponse(await this.monitors.update(caller, id, toMonitorChange(body)));
  }

  @Delete(':monitor_id')
  @ApiOperation({
    summary: 'Delete a monitor with its alerts.',
    description: 'Answers the monitor as it was. Open alerts are closed first, so that receivers get `monitor_closed`.',
  })
  @Can('METADATA_EDIT')
  @ApiOkResponse({ type: MonitorResponse })
  @Throws(MonitorErrors.monitor_not_found)
  async delete(@CurrentCaller() caller: Caller, @Param() path: MonitorPath): Promise<MonitorResponse> {
    return toMonitorResponse(await this.monitors.delete(caller, path.monitor_id.toLowerCase()));
  }
}
