import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '../../access/index.js';
import { CHART_ERRORS } from '../../charts/index.js';
import { EndsWithClient } from '../../platform/http/ends-with-client.js';
import { ExactIntegers, RefuseInvalidWith400 } from '../../platform/http/request.js';
import { Throws } from '../../platform/http/throws.js';
import { TraceCustomAnalyticsRequest, TraceCustomAnalyticsResponse } from './custom-analytics.dto.js';
import { TraceCustomAnalyticsService } from './custom-analytics.service.js';

@ApiTags('Traces')
@Controller('api/public/v2/traces/analytics')
export class TraceCustomAnalyticsController {
  constructor(private readonly analytics: TraceCustomAnalyticsService) {}

  @Post('custom-analytics')
  @EndsWithClient()
  @HttpCode(200)
  @ExactIntegers()
  @RefuseInvalidWith400()
  @ApiOperation({
    summary: 'Compute custom charts over traces and their spans.',
    description:
      'Up to ten charts over the traces that match the filter. 400 `chart_invalid`: a chart has contradictory or missing fields. 400 `chart_too_large`: the response would have too many values.',
  })
  @ApiOkResponse({ type: TraceCustomAnalyticsResponse })
  @Throws(...CHART_ERRORS)
  async read(
    @CurrentCaller() caller: Caller,
    @Body() body: TraceCustomAnalyticsRequest,
  ): Promise<TraceCustomAnalyticsResponse> {
    const { charts, isPartial } = await this.analytics.read(caller, body.filter_group, body.customCharts);
    return { success: true, customCharts: charts, ...(isPartial && { partial: true }) };
  }
}
