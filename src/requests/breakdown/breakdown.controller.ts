import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '../../access/index.js';
import { PlatformErrors } from '../../platform/errors/platform.errors.js';
import { EndsWithClient } from '../../platform/http/ends-with-client.js';
import { Throws } from '../../platform/http/throws.js';
import { BreakdownQuery, BreakdownResponse, toBreakdownAsked, toBreakdownResponse } from './breakdown.dto.js';
import { BreakdownService } from './breakdown.service.js';

@ApiTags('Request logs')
@Controller('api/public/v2/requests/breakdown')
export class BreakdownController {
  constructor(private readonly breakdowns: BreakdownService) {}

  @EndsWithClient()
  @Get()
  @ApiOperation({
    summary: 'Add request logs up by model, provider, prompt, user, tag or environment.',
    description:
      'The groups with the most calls, from hourly sums, so the answer is quick over any range. The numbers of a listed group are exact. ' +
      'A group is found that is one of the 200 most frequent values of any kind in some hour. Values of more than 200 characters are not listed.',
  })
  @ApiOkResponse({ type: BreakdownResponse })
  @Throws(PlatformErrors.reading_timeout, PlatformErrors.reading_busy)
  async read(@CurrentCaller() caller: Caller, @Query() query: BreakdownQuery): Promise<BreakdownResponse> {
    return toBreakdownResponse(query, await this.breakdowns.read(caller, toBreakdownAsked(query)));
  }
}
