/** Descriptions of the fields that many requests and answers about sheets have. */

export const TABLE_ID = 'Id of the table.';
export const TABLE_TITLE = 'Title of the table.';
export const SHEET_ID = 'Id of the sheet.';
export const SHEET_TITLE = 'Title of the sheet. Several sheets of a table may have the same one.';
export const COLUMN_ID = 'Id of the column, as in the list of columns of the sheet.';
export const COLUMN_TITLE = 'Title of the column, shown in the header of the sheet.';
export const COLUMN_TYPE = 'Type of the column: one of the names in `GET /api/public/v2/column-types`.';
export const ROW_INDEX = 'Index of the row, from 0. Indexes never change; deleted rows leave gaps.';
export const ROW_COUNT = 'Number of rows in the sheet.';
export const VERSION_ID = 'Id of the version of the sheet, from `GET …/versions`.';

export const CELL_STATUS =
  '`stale`: never computed, or an input has changed since. `queued`, `running`: being computed. `completed`: up to date; text cells always are. `error`: the last computation failed. `cancelled` is reserved.';
export const CELL_VALUE = 'Any JSON value; null while the cell has none. It stays while the cell is stale or failed.';
export const DISPLAY_VALUE = 'The value as the sheet shows it, as text; null when there is nothing to show.';
export const CELL_ERROR = 'Why the last computation failed, in a sentence; null unless the status is `error`.';
export const INPUT_HASH = 'SHA-256 over everything the value was computed from; null for cells that are not computed.';
export const COMPUTED_VERSION =
  'The sheet version in which the value was computed; null for cells that are written, and before the first result.';

export const SYSTEM_COLUMNS =
  'Whether to include the columns that the server keeps itself: the cost and the latency of other columns.';

export const EXECUTION_STATUS =
  '`completed` once every cell is computed or has failed, `failed` when the operation itself could not run, `cancelled` after a cancellation.';
export const OPERATION_ID = 'Id of the operation. Read its progress at `GET …/operations/{operation_id}`.';

export const IMPORT_ID = 'Id of the import: the one that the request chose, or else a UUID.';
export const IMPORT_STATUS =
  '`completed`: all rows are in the sheet. `failed`: none are, and `error_message` says why.';
export const ROWS_ADDED = 'Number of rows that the import added; null until it has completed.';
export const FILE_NAME = 'Name of the imported file; null when the rows do not come from a file.';

export const CONFIDENCE_INTERVAL =
  'Confidence interval of the score; null when there are too few rows to calculate one.';

/** The sentence about pages in descriptions of lists. */
export const CURSOR_PAGES =
  'Pass `next_cursor` as `cursor` to get the next page. A cursor only fits the order and the filters it was made with; with others the response is 400 `cursor_invalid`.';

export const CALCULATION_STATUS =
  '`completed` once every row is scored, also when some rows could not be; `failed` when the calculation itself could not run; `cancelled` after a cancellation or when a newer one replaced it.';
export const STEP_TYPE = 'Column type that computes the step: one of the names in `GET /api/public/v2/column-types`.';
export const STEP_WEIGHT = 'Weight of the step in the aggregate. A weight of 2 counts twice as much as one of 1.';
