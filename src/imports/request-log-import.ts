import { LogSelection, type RequestSelection, type RequestSort } from '../requests/index.js';
import type { JsonObject } from '../platform/json.js';
import { fitsTitle, MAX_COLUMNS, MAX_TITLE_LENGTH } from './headers.js';
import { ImportErrors } from './imports.errors.js';
import { isRequestLogField, REQUEST_LOG_FIELDS } from './request-log-fields.js';

/** However many match, and whatever limit is asked for. */
export const MAX_IMPORTED_LOGS = 50_000;

/** The request of an operation that imports request logs. */
export type RequestLogImport = {
  selection: RequestSelection;
  /** Names of input variables; empty means all that occur. */
  variables: string[];
  /** Facts of the log, see `request-log-fields.ts`. */
  fields: string[];
  /** Which columns there are besides; those of a sheet unless it is said. */
  layout?: LogLayout;
};

/**
 * `sheet`: what went in and came out. `dataset`: everything that is known about a call under the titles that datasets have always
 * had; a selection without logs is then no failure.
 */
export type LogLayout = 'sheet' | 'dataset';

/** What callers can say about the logs they want, as it comes over the wire. */
export interface LogWishes {
  filter_group?: JsonObject | null;
  q?: string | null;
  sort_by?: RequestSort | null;
  sort_order?: 'asc' | 'desc' | null;
  request_log_ids?: number[] | null;
  variables_to_parse?: string[] | null;
  include_fields?: string[] | null;
  limit?: number | null;
}

/** Throws what is wrong with the wishes. `among` narrows the logs further. */
export function toRequestLogImport(wishes: LogWishes, among: RequestSelection['among'] = null): RequestLogImport {
  const { request_log_ids: ids = null, filter_group: filterGroup = null, q = null } = wishes;
  const { sort_by: by, sort_order: order } = wishes;
  if (!by !== !order) throw ImportErrors.import_sort_incomplete();
  const sort = by && order ? { by, order } : null;
  const selection = { ids, filterGroup, q, sort, among, limit: wishes.limit ?? MAX_IMPORTED_LOGS };
  LogSelection.check(selection);
  const [variables, fields] = [wishes.variables_to_parse ?? [], wishes.include_fields ?? []];
  checkNames(variables, fields);
  return { selection, variables, fields };
}

function checkNames(variables: string[], fields: string[]): void {
  const unknown = fields.find((name) => !isRequestLogField(name));
  if (unknown !== undefined) throw ImportErrors.import_field_unknown(unknown, REQUEST_LOG_FIELDS);
  const untitled = [...variables, ...fields].find((name) => name.trim() === '' || !fitsTitle(name));
  if (untitled !== undefined) throw ImportErrors.import_name_no_title(untitled.slice(0, 50), MAX_TITLE_LENGTH);
  const count = titlesOf({ variables, fields }).length;
  if (count > MAX_COLUMNS) throw ImportErrors.import_columns_exceeded(count, MAX_COLUMNS);
}

/** The same for a dataset. Throws what is wrong with the wishes. */
export function toDatasetImport(wishes: Omit<LogWishes, 'include_fields'>): RequestLogImport {
  return { ...toRequestLogImport(wishes), layout: 'dataset' };
}

/** The columns: variables, what went in, what came out, further facts. A name that comes twice is one column. */
export function titlesOf({
  variables,
  fields,
  layout = 'sheet',
}: Pick<RequestLogImport, 'variables' | 'fields' | 'layout'>): string[] {
  return [...new Set([...variables, ...(layout === 'sheet' ? ['input', 'output'] : []), ...fields])];
}
