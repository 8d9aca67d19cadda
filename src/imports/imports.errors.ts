import { defineErrors } from '../platform/errors/problem.js';

export const ImportErrors = defineErrors({
  import_selection_missing: {
    status: 400,
    message: 'Say which request logs to import: give request_log_ids or filter_group.',
  },
  import_sort_incomplete: { status: 400, message: 'sort_by and sort_order must be given together.' },
  import_field_unknown: {
    status: 400,
    message: (name: string, known: string[]) =>
      `include_fields cannot hold "${name}". It can hold ${known.join(', ')}, and metadata.<key>.`,
  },
  import_running: { status: 400, message: 'Another import into this sheet is still running. Wait until it has ended.' },
  import_operation_id_taken: {
    status: 400,
    message: (id: string) => `The operation_id "${id}" belongs to an import into another sheet. Choose another one.`,
  },
  import_operation_id_without_source: {
    status: 400,
    message: 'operation_id names an import: it can only be given together with source.',
  },
  import_operation_not_found: { status: 404, message: (id: string) => `Import ${id} was not found in this table.` },
  import_file_name_invalid: {
    status: 400,
    message: (extensions: string[]) => `file_name must end in ${extensions.join(' or ')}.`,
  },
  import_file_not_base64: { status: 400, message: 'file_content_base64 is not valid base64.' },
  import_file_empty: { status: 400, message: 'The file is empty.' },
  import_file_too_large: { status: 400, message: (limit: number) => `The file is larger than ${limit} bytes.` },
  import_file_not_utf8: {
    status: 400,
    message: 'The file is not text in UTF-8 (or UTF-16 with a byte order mark). Save it as UTF-8 and try again.',
  },
  import_file_binary: {
    status: 400,
    message: 'The file holds NUL bytes: it is not a text file. Export it as CSV or JSON in UTF-8 and try again.',
  },
  import_csv_invalid: {
    status: 400,
    message: (problem: string) => `The first row of the CSV is not valid: ${problem}`,
  },
  import_json_invalid: { status: 400, message: (problem: string) => `The JSON cannot be imported: ${problem}` },
  import_headers_missing: {
    status: 400,
    message:
      'The file has no column titles. Put them into the first row of a CSV; in JSON they are the keys of the objects.',
  },
  import_header_blank: { status: 400, message: (column: number) => `The title of column ${column} is blank.` },
  import_header_duplicate: {
    status: 400,
    message: (title: string) => `The title "${title}" occurs more than once. Every column needs a title of its own.`,
  },
  import_header_too_long: {
    status: 400,
    message: (column: number, limit: number) => `The title of column ${column} has more than ${limit} characters.`,
  },
  import_columns_exceeded: {
    status: 400,
    message: (count: number, limit: number) => `The import would have ${count} columns; at most ${limit} are possible.`,
  },
  import_name_no_title: {
    status: 400,
    message: (name: string, limit: number) =>
      `"${name}" cannot be the title of a column: titles have 1 to ${limit} characters that are not all blank.`,
  },
  import_column_computed: {
    status: 400,
    message: (title: string) => `"${title}" is not a plain text column: nothing can be imported into it.`,
  },
});

/** Errors of a file. */
export const FILE_ERRORS = [
  ImportErrors.import_file_name_invalid,
  ImportErrors.import_file_not_base64,
  ImportErrors.import_file_empty,
  ImportErrors.import_file_too_large,
  ImportErrors.import_file_not_utf8,
  ImportErrors.import_file_binary,
  ImportErrors.import_csv_invalid,
  ImportErrors.import_json_invalid,
  ImportErrors.import_headers_missing,
  ImportErrors.import_header_blank,
  ImportErrors.import_header_duplicate,
  ImportErrors.import_header_too_long,
  ImportErrors.import_columns_exceeded,
];

/** Errors of a file as a whole. Callers get them at once, also where a job finds all other errors. */
export const REFUSED_FILES = [
  ImportErrors.import_file_name_invalid,
  ImportErrors.import_file_not_base64,
  ImportErrors.import_file_empty,
  ImportErrors.import_file_too_large,
];

/** Errors in the options of an import of request logs. */
export const LOG_ERRORS = [
  ImportErrors.import_sort_incomplete,
  ImportErrors.import_field_unknown,
  ImportErrors.import_name_no_title,
  ImportErrors.import_columns_exceeded,
];
