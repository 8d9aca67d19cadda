import type { Caller } from '../../access/index.js';
import { AnswersPages } from '../../platform/filters/answers-pages.js';
import { numberedPage } from '../../platform/http/numbered-page.js';
import { type PageChoice, RequestLogsAfterCursor, RequestLogsPage, toRequestLogItems } from './search.dto.js';
import type { RequestSearch, SearchService } from './search.service.js';

/** Documents the answers and errors of a handler that returns `answerSearch`. */
export const AnswersRequestLogs = (): MethodDecorator => AnswersPages(RequestLogsPage, RequestLogsAfterCursor);

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
