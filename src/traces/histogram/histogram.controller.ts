import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '../../access/index.js';
import { EndsWithClient } from '../../platform/http/ends-with-client.js';
import { PlatformErrors } from '../../platform/errors/platform.errors.js';
import { FilterErrors } from '../../platform/filters/errors.js';
import { ExactIntegers } from '../../platform/http/request.js';
import { Throws } from '../../platform/http/throws.js';
import { HISTOGRAM_RULES, HistogramResponse, toAskedTime, toHistogramResponse } from '../../rollups/index.js';
import { TraceHistogramRequest } from './histogram.dto.js';
import { TraceHistogramService } from './histogram.service.js';

@ApiTags('Traces')
@Controller('api/public/v2/traces/histogram')
export class TraceHistogramController {
  constructor(private readonly histograms: TraceHistogramService) {}

  @Post()
  @EndsWithClient()
  @HttpCode(200)
  @ExactIntegers()
  @ApiOperation({
    summary: 'Count traces over time, by their beginning.',
    description:
      `${HISTOGRAM_RULES} The latency of a trace is its duration. Answers are quick over any range without filters beside \`trace_start\`, and ` +
      'with one condition that `trace_status`, `trace_user_id` or `user_id` is a value or in a list, that `span_model`, `span_provider` or ' +
      '`span_prompt_id` is one, or that `trace_models_used`, `trace_prompt_ids` or `trace_tags` contains one. With other filters the traces are ' +
      'read, the newest first.',
  })
  @ApiOkResponse({ type: HistogramResponse })
  @Throws(FilterErrors.filter_invalid, PlatformErrors.reading_timeout, PlatformErrors.reading_busy)
  async read(@CurrentCaller() caller: Caller, @Body() body: TraceHistogramRequest): Promise<HistogramResponse> {
    const query = { filterGroup: body.filter_group, q: body.q };
    return toHistogramResponse(await this.histograms.read(caller, query, toAskedTime(body)));
  }
}
