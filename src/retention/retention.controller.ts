import { Body, Controller, Get, HttpCode, Param, Post, Put, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  AccessErrors,
  type AuthenticatedRequest,
  OperatorToo,
  WorkspacePath,
  WorkspacesService,
} from '../access/index.js';
import { PlatformErrors } from '../platform/errors/platform.errors.js';
import { EndsWithClient } from '../platform/http/ends-with-client.js';
import { Throws } from '../platform/http/throws.js';
import {
  RetentionDryRunRequest,
  RetentionDryRunResponse,
  RetentionRequest,
  RetentionResponse,
  toDryRunResponse,
  toRetentionResponse,
} from './retention.dto.js';
import { RetentionService } from './retention.service.js';

@ApiTags('Retention')
@Controller('api/admin/v1/workspaces/:workspace_id/retention')
export class RetentionController {
  constructor(
    private readonly retention: RetentionService,
    private readonly workspaces: WorkspacesService,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'Read the retention limits of a workspace.',
    description: 'A limit of null, the default, means that nothing is deleted because of its age.',
  })
  @OperatorToo('ADMIN')
  @ApiOkResponse({ type: RetentionResponse })
  @Throws(AccessErrors.workspace_not_found)
  async get(@Req() request: AuthenticatedRequest, @Param() path: WorkspacePath): Promise<RetentionResponse> {
    const caller = await this.workspaces.callerIn(request, path.workspace_id);
    return toRetentionResponse(await this.retention.get(caller));
  }

  @Put()
  @ApiOperation({
    summary: 'Set the retention limits of a workspace.',
    description: 'Older data is deleted permanently within seconds. Try the limits with a dry run first.',
  })
  @OperatorToo('ADMIN')
  @ApiOkResponse({ type: RetentionResponse })
  @Throws(AccessErrors.workspace_not_found)
  async set(
    @Req() request: AuthenticatedRequest,
    @Param() path: WorkspacePath,
    @Body() { traces_days: tracesDays, request_logs_days: requestLogsDays }: RetentionRequest,
  ): Promise<RetentionResponse> {
    const caller = await this.workspaces.callerIn(request, path.workspace_id);
    return toRetentionResponse(await this.retention.set(caller, { tracesDays, requestLogsDays }));
  }

  @EndsWithClient()
  @Post('dry-run')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Count what retention limits would delete now, without deleting it.',
    description:
      'Limits missing in the request are those in force, so an empty body counts what is about to be deleted. Set limits with `PUT …/retention`.',
  })
  @OperatorToo('ADMIN')
  @ApiOkResponse({ type: RetentionDryRunResponse })
  @Throws(AccessErrors.workspace_not_found, PlatformErrors.reading_timeout, PlatformErrors.reading_busy)
  async dryRun(
    @Req() request: AuthenticatedRequest,
    @Param() path: WorkspacePath,
    @Body() { traces_days: tracesDays, request_logs_days: requestLogsDays }: RetentionDryRunRequest,
  ): Promise<RetentionDryRunResponse> {
    const caller = await this.workspaces.callerIn(request, path.workspace_id);
    const { limits, expiring } = await this.retention.tryOut(caller, { tracesDays, requestLogsDays });
    return toDryRunResponse(limits, expiring);
  }
}
