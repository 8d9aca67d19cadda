import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '../../access/index.js';
import { AnswersPages } from '../../platform/filters/answers-pages.js';
import { readFilterText } from '../../platform/filters/filter-text.js';
import { EndsWithClient } from '../../platform/http/ends-with-client.js';
import { ExactIntegers } from '../../platform/http/request.js';
import { withOutputs } from './output-filters.js';
import { describeFields } from './trace-fields.js';
import {
  type PageChoice,
  SearchTracesQuery,
  SearchTracesRequest,
  toFieldsResponse,
  toTracePageChoice,
  toTracesAfterCursor,
  toTraceSearch,
  toTracesPage,
  TraceFieldsResponse,
  TracesAfterCursor,
  TracesPage,
} from './trace-search.dto.js';
import { type TraceSearchRequest, TraceSearchService } from './trace-search.service.js';

const DESCRIPTION =
  'With `cursor` or `limit` the answer pages by cursor, otherwise by number. A trace is found as soon as it is ' +
  'stored. When more than 200 traces or 4,000 spans of a workspace have just changed, or a trace is larger than that, search follows ' +
  'within about half a minute. Until then answers that may miss some of them have `partial`. The first 32,000 characters of inputs, ' +
  'outputs and exceptions are searched. Of the JSON of an ' +
  'output, of the input variables and of the attributes of a span, 500 paths and 32,000 characters are searched, and 2,000 ' +
  'characters of each value. An attribute gets more than its share of these only when others leave some.';

@ApiTags('Traces')
@Controller('api/public/v2/traces/search')
export class TraceSearchController {
  constructor(private readonly searches: TraceSearchService) {}

  @EndsWithClient()
  @Post()
  @HttpCode(200)
  @ExactIntegers()
  @ApiOperation({ summary: 'Search traces by filters and free text.', description: DESCRIPTION })
  @AnswersPages(TracesPage, TracesAfterCursor)
  search(@CurrentCaller() caller: Caller, @Body() body: SearchTracesRequest): Promise<TracesPage | TracesAfterCursor> {
    const choice = toTracePageChoice(body, 'body');
    return this.answer(caller, toTraceSearch(body, withOutputs(body), 'body'), choice);
  }

  @EndsWithClient()
  @Get()
  @ApiOperation({ summary: 'The same search with its parameters in the query string.', description: DESCRIPTION })
  @AnswersPages(TracesPage, TracesAfterCursor)
  list(@CurrentCaller() caller: Caller, @Query() query: SearchTracesQuery): Promise<TracesPage | TracesAfterCursor> {
    const choice = toTracePageChoice(query, 'query');
    return this.answer(
      caller,
      toTraceSearch(query, readFilterText(query.filter_group, 'filter_group'), 'query'),
      choice,
    );
  }

  @Get('fields')
  @ApiOperation({
    summary: 'List the fields that traces can be filtered by, with their operators.',
    description:
      'For building filter forms. The list is the same for every workspace; keys inside a field, such as those of attributes, go into `nested_key`.',
  })
  @ApiOkResponse({ type: TraceFieldsResponse })
  fields(): TraceFieldsResponse {
    return toFieldsResponse(describeFields());
  }

  private async answer(
    caller: Caller,
    search: TraceSearchRequest,
    choice: PageChoice,
  ): Promise<TracesPage | TracesAfterCursor> {
    if ('limit' in choice) return toTracesAfterCursor(await this.searches.searchAfter(caller, search, choice));
    return toTracesPage(await this.searches.searchPage(caller, search, choice), choice);
  }
}
