import { applyDecorators, Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, ApiOperation, ApiTags, getSchemaPath } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '../../access/index.js';
import { PlatformErrors } from '../../platform/errors/platform.errors.js';
import { FilterErrors } from '../../platform/filters/errors.js';
import { readFilterText } from '../../platform/filters/filter-text.js';
import { ExactIntegers } from '../../platform/http/request.js';
import { Throws, Validates } from '../../platform/http/throws.js';
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
  'With `cursor` or `limit` the answer pages by cursor, otherwise by number. The last 200 changed traces of a workspace, up to ' +
  '4,000 spans together, are found as they are; when more change at once, or a trace is larger, search follows within about half a ' +
  'minute. Inputs, outputs and exceptions are searched in their first 32,000 characters; of the JSON of an output, of the input ' +
  'variables and of the attributes of a span, 500 paths and 32,000 characters count, and of each value 2,000; no attribute ' +
  'takes more than its share as long as others need theirs.';

/** Documents the answers and refusals of both searches. */
function AnswersTraces(): MethodDecorator {
  const models = [TracesPage, TracesAfterCursor];
  return applyDecorators(
    ApiExtraModels(...models),
    ApiOkResponse({ schema: { oneOf: models.map((model) => ({ $ref: getSchemaPath(model) })) } }),
    Validates(),
    Throws(FilterErrors.filter_invalid, PlatformErrors.cursor_invalid, PlatformErrors.reading_timeout),
  );
}

@ApiTags('Traces')
@Controller('api/public/v2/traces/search')
export class TraceSearchController {
  constructor(private readonly searches: TraceSearchService) {}

  @Post()
  @HttpCode(200)
  @ExactIntegers()
  @ApiOperation({ summary: 'Search traces by filters and free text.', description: DESCRIPTION })
  @AnswersTraces()
  search(@CurrentCaller() caller: Caller, @Body() body: SearchTracesRequest): Promise<TracesPage | TracesAfterCursor> {
    const choice = toTracePageChoice(body, 'body');
    return this.answer(caller, toTraceSearch(body, withOutputs(body), 'body'), choice);
  }

  @Get()
  @ApiOperation({ summary: 'The same search with its parameters in the query string.', description: DESCRIPTION })
  @AnswersTraces()
  list(@CurrentCaller() caller: Caller, @Query() query: SearchTracesQuery): Promise<TracesPage | TracesAfterCursor> {
    const choice = toTracePageChoice(query, 'query');
    return this.answer(
      caller,
      toTraceSearch(query, readFilterText(query.filter_group, 'filter_group'), 'query'),
      choice,
    );
  }

  @Get('fields')
  @ApiOperation({ summary: 'What traces can be searched by, with the operators of each field.' })
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
