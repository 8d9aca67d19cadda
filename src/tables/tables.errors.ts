import { defineErrors } from '../platform/errors/problem.js';

export const TableErrors = defineErrors({
  table_not_found: { status: 404, message: (id: string) => `Table ${id} was not found in this workspace.` },
  sheet_not_found: { status: 404, message: (id: string) => `Sheet ${id} was not found in this table.` },
  column_not_found: { status: 404, message: (id: string) => `Column ${id} was not found in this sheet.` },
  cell_not_found: { status: 404, message: (id: string) => `Cell ${id} was not found in this sheet.` },
  operation_not_found: { status: 404, message: (id: string) => `Operation ${id} was not found.` },
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
      `${place} refers to "${reference}", which is no column of this sheet.`,
  },
  column_reference_ambiguous: {
    status: 400,
    message: (place: string, reference: string) =>
      `${place} refers to "${reference}", but several columns have that title. Use the id of one of them.`,
  },
  column_not_computed: {
    status: 400,
    message: (title: string) => `"${title}" is not computed: there is nothing to recalculate.`,
  },
  cell_state_unknown: {
    status: 400,
    message: (name: string, known: readonly string[]) =>
      `statuses cannot hold "${name}". It can hold ${known.join(', ')}.`,
  },
  sheet_without_columns: { status: 400, message: 'The sheet has no columns. Create one before you add rows.' },
  row_limit_exceeded: { status: 400, message: (limit: number) => `A sheet may have at most ${limit} rows.` },
  column_not_editable: {
    status: 400,
    message: (title: string) => `"${title}" is computed: its cells cannot be written. Change what it reads instead.`,
  },
});
