import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '../../access/index.js';
import { PlatformErrors } from '../../platform/errors/platform.errors.js';
import { EndsWithClient } from '../../platform/http/ends-with-client.js';
import { Throws } from '../../platform/http/throws.js';
import {
  ScoreNamesResponse,
  ScoreTrendQuery,
  ScoreTrendResponse,
  toScoreTrendAsked,
  toScoreTrendResponse,
} from './score-trends.dto.js';
import { ScoreTrendsService } from './score-trends.service.js';

@ApiTags('Request logs')
@Controller('api/public/v2/requests/scores')
export class ScoreTrendsController {
  constructor(private readonly trends: ScoreTrendsService) {}

  @EndsWithClient()
  @Get()
  @ApiOperation({
    summary: 'List the names of the scores of request logs.',
    description: 'Scores come from clients, from feeds that publish a column, and from review queues.',
  })
  @ApiOkResponse({ type: ScoreNamesResponse })
  @Throws(PlatformErrors.reading_timeout, PlatformErrors.reading_busy)
  async names(@CurrentCaller() caller: Caller): Promise<ScoreNamesResponse> {
    return { success: true, names: await this.trends.names(caller) };
  }

  @EndsWithClient()
  @Get('trend')
  @ApiOperation({
    summary: 'Average a score over time and by model, provider, prompt, user, tag or environment.',
    description:
      'Counts the scores of request logs by the start of the call. A bucket is one hour or longer, so that a range has at most about 90 of them.',
  })
  @ApiOkResponse({ type: ScoreTrendResponse })
  @Throws(PlatformErrors.reading_timeout, PlatformErrors.reading_busy)
  async read(@CurrentCaller() caller: Caller, @Query() query: ScoreTrendQuery): Promise<ScoreTrendResponse> {
    return toScoreTrendResponse(await this.trends.read(caller, toScoreTrendAsked(query)));
  }
}
