import type { JsonObject } from '../../platform/json.js';
import type { RequestSort } from '../../requests/index.js';
import { MAX_IMPORTED_LOGS, type RequestLogImport, toDatasetImport } from '../../tables/index.js';

/** Which request logs a dataset is made of, as clients say it. */
export interface DatasetWishes {
  request_log_ids?: number[] | null;
  filter_group?: JsonObject | null;
  q?: string | null;
  sort_by?: RequestSort | null;
  sort_order?: 'asc' | 'desc' | null;
  variables_to_parse?: string[] | null;
  limit?: number | null;
}

export interface LogsForDataset {
  request: RequestLogImport;
  /** What is kept to search again later; null for logs that were named one by one. */
  filterParams: JsonObject | null;
}

/** Throws what is wrong with the wishes. Logs that are named win over those that are searched for. */
export function toLogsForDataset(wishes: DatasetWishes): LogsForDataset {
  const { request_log_ids: ids = null, variables_to_parse = null } = wishes;
  if (ids) return { request: toDatasetImport({ request_log_ids: ids, variables_to_parse }), filterParams: null };
  const filterParams = toFilterParams(wishes);
  return { request: toDatasetImport({ ...filterParams, variables_to_parse }), filterParams };
}

/** The import that repeats a search. */
export function repeatSearch(filterParams: JsonObject): RequestLogImport {
  return toLogsForDataset(filterParams as DatasetWishes).request;
}

/** A sort without an order is descending; an order without a sort is that of the time. */
function toFilterParams({
  filter_group = null,
  q = null,
  limit,
  sort_by,
  sort_order,
  variables_to_parse,
}: DatasetWishes) {
  const isSorted = Boolean(sort_by ?? sort_order);
  return {
    filter_group,
    q: q || null,
    sort_by: isSorted ? (sort_by ?? 'request_start_time') : null,
    sort_order: isSorted ? (sort_order ?? 'desc') : null,
    limit: limit ? Math.min(limit, MAX_IMPORTED_LOGS) : null,
    variables_to_parse: variables_to_parse ?? null,
  };
}
