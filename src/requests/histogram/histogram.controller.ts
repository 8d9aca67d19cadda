import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '../../access/index.js';
import { EndsWithClient } from '../../platform/http/ends-with-client.js';
import { PlatformErrors } from '../../platform/errors/platform.errors.js';
import { FilterErrors } from '../../platform/filters/errors.js';
import { ExactIntegers } from '../../platform/http/request.js';
import { Throws } from '../../platform/http/throws.js';
import { HISTOGRAM_RULES, HistogramResponse, toAskedTime, toHistogramResponse } from '../../rollups/index.js';
import { toLogQuery } from '../search/log-query.dto.js';
import { toSort } from '../search/search.dto.js';
import { RequestHistogramRequest } from './histogram.dto.js';
import { RequestHistogramService } from './histogram.service.js';

@ApiTags('Request logs')
@Controller('api/public/v2/requests/histogram')
export class RequestHistogramController {
  constructor(private readonly histograms: RequestHistogramService) {}

  @Post()
  @EndsWithClient()
  @HttpCode(200)
  @ExactIntegers()
  @ApiOperation({
    summary: 'Count request logs over time.',
    description:
      `${HISTOGRAM_RULES} Answers are quick over any range without filters beside the time, and with one condition that \`engine\`, ` +
      '`provider_type`, `status`, `prompt_id`, `prompt_name` or `user_id` is a value or in a list, or that `tags` contains one. With other ' +
      'filters the logs are read, the newest first.',
  })
  @ApiOkResponse({ type: HistogramResponse })
  @Throws(FilterErrors.filter_invalid, PlatformErrors.reading_timeout, PlatformErrors.reading_busy)
  async read(@CurrentCaller() caller: Caller, @Body() body: RequestHistogramRequest): Promise<HistogramResponse> {
    toSort(body, 'body');
    return toHistogramResponse(await this.histograms.read(caller, toLogQuery(body), toAskedTime(body)));
  }
}
