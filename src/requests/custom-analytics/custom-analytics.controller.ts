import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '../../access/index.js';
import { CHART_ERRORS } from '../../charts/index.js';
import { EndsWithClient } from '../../platform/http/ends-with-client.js';
import { ExactIntegers } from '../../platform/http/request.js';
import { Throws } from '../../platform/http/throws.js';
import {
  RequestCustomAnalyticsRequest,
  RequestCustomAnalyticsResponse,
  toRequestLogQuery,
} from './custom-analytics.dto.js';
import { RequestCustomAnalyticsService } from './custom-analytics.service.js';

@ApiTags('Request logs')
@Controller('api/public/v2/requests/analytics')
export class RequestCustomAnalyticsController {
  constructor(private readonly analytics: RequestCustomAnalyticsService) {}

  @Post('custom-analytics')
  @EndsWithClient()
  @HttpCode(200)
  @ExactIntegers()
  @ApiOperation({
    summary: 'Compute custom charts over request logs.',
    description:
      'Up to 50 charts over the logs that match the filters. 400 `chart_invalid`: a chart has contradictory or missing fields. 400 `chart_too_large`: the response would have too many values.',
  })
  @ApiOkResponse({ type: RequestCustomAnalyticsResponse })
  @Throws(...CHART_ERRORS)
  async read(
    @CurrentCaller() caller: Caller,
    @Body() body: RequestCustomAnalyticsRequest,
  ): Promise<RequestCustomAnalyticsResponse> {
    const customCharts = await this.analytics.read(caller, toRequestLogQuery(body), body.customCharts);
    return { success: true, customCharts };
  }
}
