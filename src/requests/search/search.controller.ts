import { Body, Controller, Get, HttpCode, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '../../access/index.js';
import { EndsWithClient } from '../../platform/http/ends-with-client.js';
import { RateLimit } from '../../platform/http/rate-limit.js';
import { ExactIntegers } from '../../platform/http/request.js';
import { describeRequestFields } from '../shared/request-filters.js';
import { AnswersRequestLogs, answerSearch } from './answer-search.js';
import {
  type RequestLogsAfterCursor,
  type RequestLogsPage,
  SearchRequestLogsRequest,
  toPageChoice,
  toRequestSearch,
} from './search.dto.js';
import { RequestFieldsResponse, toRequestFieldsResponse } from './request-fields.dto.js';
import { SearchService } from './search.service.js';

@ApiTags('Request logs')
@Controller('api/public/v2/requests')
export class RequestSearchController {
  constructor(private readonly searches: SearchService) {}

  @Post('search')
  @EndsWithClient()
  @HttpCode(200)
  @ExactIntegers()
  @RateLimit({ name: 'requests.search', perMinute: 'searchesPerMinute', noun: 'searches' })
  @ApiOperation({
    summary: 'Search request logs by filters and free text.',
    description: 'With `cursor` or `limit` the answer pages by cursor, otherwise by number.',
  })
  @AnswersRequestLogs()
  search(
    @CurrentCaller() caller: Caller,
    @Body() body: SearchRequestLogsRequest,
  ): Promise<RequestLogsPage | RequestLogsAfterCursor> {
    return answerSearch(this.searches, caller, { search: toRequestSearch(body), choice: toPageChoice(body, 'body') });
  }

  @Get('search/fields')
  @ApiOperation({
    summary: 'List the fields that request logs can be filtered by, with their operators.',
    description:
      'For building filter forms. The list is the same for every workspace; keys inside a field, such as those of metadata, go into `nested_key`.',
  })
  @ApiOkResponse({ type: RequestFieldsResponse })
  fields(): RequestFieldsResponse {
    return toRequestFieldsResponse(describeRequestFields());
  }
}
