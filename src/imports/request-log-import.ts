import { LogSelection, type RequestSelection, type RequestSort } from '../requests/index.js';
import type { JsonObject } from '../platform/json.js';
import { fitsTitle, MAX_COLUMNS, MAX_TITLE_LENGTH } from './headers.js';
import { ImportErrors } from './imports.errors.js';
import { isRequestLogField, REQUEST_LOG_FIELDS } from './request-log-fields.js';

/** Upper limit of imported logs, whatever the request. */
export const MAX_IMPORTED_LOGS = 50_000;

/** The request of an operation that imports request logs. */
export type RequestLogImport = {
  selection: RequestSelection;
  /** Names of input variables; empty means all. */
  variables: string[];
  /** Fields of the log, see `request-log-fields.ts`. */
  fields: string[];
  /** The set of the other columns. Default: those of a sheet. */
  layout?: LogLayout;
};

/**
 * `sheet`: the input and the output. `dataset`: all data of a call under the established titles of datasets; a
 * selection without logs is then no failure.
 */
export type LogLayout = 'sheet' | 'dataset';

/** Options of callers, as sent in requests. */
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

/** Converts the options of a request. Throws the errors in them. `among` restricts the logs further. */
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

/** Does the same for a dataset. Throws the errors in the options. */
export function toDatasetImport(wishes: Omit<LogWishes, 'include_fields'>): RequestLogImport {
  return { ...toRequestLogImport(wishes), layout: 'dataset' };
}

/** The titles of the columns: variables, input, output, further fields. A repeated name is one column. */
export function titlesOf({
  variables,
  fields,
  layout = 'sheet',
}: Pick<RequestLogImport, 'variables' | 'fields' | 'layout'>): string[] {
  return [...new Set([...variables, ...(layout === 'sheet' ? ['input', 'output'] : []), ...fields])];
}
