import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '../../access/index.js';
import { EndsWithClient } from '../../platform/http/ends-with-client.js';
import { AnswersRequestLogs, answerSearch } from './answer-search.js';
import { ListRequestLogsQuery, toListSearch } from './requests-list.dto.js';
import { type RequestLogsAfterCursor, type RequestLogsPage, toPageChoice } from './search.dto.js';
import { SearchService } from './search.service.js';

/** Two generations of clients use different paths. */
@ApiTags('Request logs')
@Controller(['requests', 'api/public/v2/requests'])
export class RequestsListController {
  constructor(private readonly searches: SearchService) {}

  @EndsWithClient()
  @Get()
  @ApiOperation({
    summary: 'List request logs, newest first, for example those of one user.',
    description: 'With `cursor` or `limit` the answer pages by cursor, otherwise by number.',
  })
  @AnswersRequestLogs()
  list(
    @CurrentCaller() caller: Caller,
    @Query() query: ListRequestLogsQuery,
  ): Promise<RequestLogsPage | RequestLogsAfterCursor> {
    return answerSearch(this.searches, caller, { search: toListSearch(query), choice: toPageChoice(query, 'query') });
  }
}
