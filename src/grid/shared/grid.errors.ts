import { defineErrors } from '../../platform/errors/problem.js';

/** Errors about the content of a sheet, for all owners. */
export const GridErrors = defineErrors({
  column_not_found: { status: 404, message: (id: string) => `Column ${id} was not found in this sheet.` },
  cell_not_found: { status: 404, message: (id: string) => `Cell ${id} was not found in this sheet.` },
  row_not_found: { status: 404, message: (rowIndex: number) => `Row ${rowIndex} was not found in this sheet.` },
  cell_given_twice: {
    status: 400,
    message: (other: string) => `The same cell is written by ${other} as well. Give each cell once.`,
  },
  column_given_twice: {
    status: 400,
    message: (place: string, title: string) => `${place} names the column "${title}" more than once. Name it once.`,
  },
  column_type_not_creatable: {
    status: 400,
    message: (type: string) =>
      `A column of type ${type} cannot be created on this server. GET /api/public/v2/column-types lists those that can.`,
  },
  column_config_invalid: {
    status: 400,
    message: (type: string, problem: string) => `The config does not fit the column type ${type}: ${problem}`,
  },
  column_reference_unknown: {
    status: 400,
    message: (place: string, reference: string) =>
      `${place} refers to "${reference}", which is not a column of this sheet.`,
  },
  column_reference_ambiguous: {
    status: 400,
    message: (place: string, reference: string) =>
      `${place} refers to "${reference}", but several columns have that title. Use the id of one of them.`,
  },
  cycle_detected: {
    status: 400,
    message: (titles: string[]) => `These columns would depend on each other: ${titles.join(' → ')}.`,
  },
  column_type_fixed: {
    status: 400,
    message: (from: string, to: string) => `A column of type ${from} cannot be made one of type ${to}. Add a new one.`,
  },
  column_not_computed: {
    status: 400,
    message: (title: string) => `"${title}" is not computed: there is nothing to recalculate.`,
  },
  sheet_without_columns: { status: 400, message: 'The sheet has no columns. Create one before you add rows.' },
  row_limit_exceeded: { status: 400, message: (limit: number) => `A sheet may have at most ${limit} rows.` },
  cell_value_refused: {
    status: 400,
    message: (title: string, problem: string) => `"${title}" does not take this value: ${problem}`,
  },
  cell_text_only: {
    status: 400,
    message: (title: string) =>
      `"${title}" is not a plain text column: you can change the display_value of its cells, not their value.`,
  },
  column_not_editable: {
    status: 400,
    message: (title: string) => `"${title}" is computed: its cells cannot be written. Change what it reads instead.`,
  },
  column_of_server: {
    status: 400,
    message: (title: string) =>
      `"${title}" is kept by the server and measures another column. Change or delete that column instead.`,
  },
  composition_source_unknown: {
    status: 400,
    message: (id: string) =>
      `Column ${id} cannot be shown here. Name a column of another sheet of this workspace, with the ids of that sheet and its table.`,
  },
});
