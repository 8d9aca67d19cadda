import { applyDecorators } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, getSchemaPath } from '@nestjs/swagger';
import type { Caller } from '../../access/index.js';
import { PlatformErrors } from '../../platform/errors/platform.errors.js';
import { FilterErrors } from '../../platform/filters/errors.js';
import { numberedPage } from '../../platform/http/numbered-page.js';
import { Throws } from '../../platform/http/throws.js';
import { type PageChoice, RequestLogsAfterCursor, RequestLogsPage, toRequestLogItems } from './search.dto.js';
import type { RequestSearch, SearchService } from './search.service.js';

/** Documents the answers and errors of a handler that returns `answerSearch`. */
export function AnswersRequestLogs(): MethodDecorator {
  const models = [RequestLogsPage, RequestLogsAfterCursor];
  return applyDecorators(
    ApiExtraModels(...models),
    ApiOkResponse({ schema: { oneOf: models.map((model) => ({ $ref: getSchemaPath(model) })) } }),
    Throws(FilterErrors.filter_invalid, PlatformErrors.cursor_invalid, PlatformErrors.reading_timeout),
  );
}

/** A page of logs in the form that was chosen: by number or by cursor. */
export async function answerSearch(
  searches: SearchService,
  caller: Caller,
  { search, choice }: { search: RequestSearch; choice: PageChoice },
): Promise<RequestLogsPage | RequestLogsAfterCursor> {
  const success = true as const;
  if ('limit' in choice) {
    const { nextCursor, isPartial, ...found } = await searches.searchAfter(caller, search, choice);
    const position = { next_cursor: nextCursor, has_more: nextCursor !== null, limit: choice.limit };
    return { success, items: toRequestLogItems(found), ...position, ...partial(isPartial) };
  }
  const { total, isExact, isPartial, ...found } = await searches.searchPage(caller, search, choice);
  const page = numberedPage(choice.page, choice.perPage, total);
  return { success, items: toRequestLogItems(found), ...page, total_is_exact: isExact, ...partial(isPartial) };
}

const partial = (isPartial: boolean): { partial?: true } => (isPartial ? { partial: true } : {});
