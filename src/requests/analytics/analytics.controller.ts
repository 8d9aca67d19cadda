import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '../../access/index.js';
import { EndsWithClient } from '../../platform/http/ends-with-client.js';
import { PlatformErrors } from '../../platform/errors/platform.errors.js';
import { FilterErrors } from '../../platform/filters/errors.js';
import { ExactIntegers } from '../../platform/http/request.js';
import { Throws } from '../../platform/http/throws.js';
import { toAnalyticsResponse } from './analytics-view.js';
import { RequestAnalyticsRequest, RequestAnalyticsResponse, toAnalyticsQuery } from './analytics.dto.js';
import { AnalyticsService } from './analytics.service.js';

@ApiTags('Request logs')
@Controller('api/public/v2/requests/analytics')
export class AnalyticsController {
  constructor(private readonly analytics: AnalyticsService) {}

  @Post()
  @EndsWithClient()
  @HttpCode(200)
  @ExactIntegers()
  @ApiOperation({
    summary: 'Compute statistics of request logs: over time, by model, prompt, provider, tag and so on.',
    description:
      'Takes the same filters as the search. Without filters it covers all logs of the workspace. 400 `filter_invalid`: a filter has an unknown field, operator or value.',
  })
  @ApiOkResponse({ type: RequestAnalyticsResponse })
  @Throws(FilterErrors.filter_invalid, PlatformErrors.reading_timeout, PlatformErrors.reading_busy)
  async read(
    @CurrentCaller() caller: Caller,
    @Body() body: RequestAnalyticsRequest,
  ): Promise<RequestAnalyticsResponse> {
    return toAnalyticsResponse(await this.analytics.read(caller, toAnalyticsQuery(body)));
  }
}
