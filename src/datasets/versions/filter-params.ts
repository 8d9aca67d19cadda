import type { JsonObject } from '../../platform/json.js';
import type { RequestSort } from '../../requests/index.js';
import { MAX_IMPORTED_LOGS, type RequestLogImport, toDatasetImport } from '../../imports/index.js';

/** The request logs of a dataset, as clients name them. */
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
  /** The search to repeat later; null for logs that were named one by one. */
  filterParams: JsonObject | null;
}

/** Validates the request. Named logs take precedence over a search. */
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

/** Default order: descending; default sort: by time. */
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
