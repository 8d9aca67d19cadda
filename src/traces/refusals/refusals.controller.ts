import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '../../access/index.js';
import { RefusalCounts } from './refusal-counts.js';
import { DEFAULT_HOURS, RefusalsQuery, RefusalsResponse } from './refusals.dto.js';

@ApiTags('Ingestion')
@Controller('api/public/v2/ingest/refusals')
export class RefusalsController {
  constructor(private readonly refusals: RefusalCounts) {}

  @Get()
  @ApiOperation({
    summary: 'Count what was rejected at ingestion, by reason.',
    description:
      'Requests that were sent with a key of the workspace and answered with an error, and spans that were left out of requests. ' +
      'Every process adds what it has counted every few seconds. Counts are kept as long as receipts.',
  })
  @ApiOkResponse({ type: RefusalsResponse })
  async list(
    @CurrentCaller() { workspaceId }: Caller,
    @Query() { hours = DEFAULT_HOURS }: RefusalsQuery,
  ): Promise<RefusalsResponse> {
    const { since, counts } = await this.refusals.read(workspaceId, hours);
    const data = counts.map(({ lastAt, ...rest }) => ({ ...rest, last_at: lastAt.toISOString() }));
    return { success: true, since: since.toISOString(), data };
  }
}
