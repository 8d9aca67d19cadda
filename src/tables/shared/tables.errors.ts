import { defineErrors } from '../../platform/errors/problem.js';

/** Errors about tables, sheets and operations. */
export const TableErrors = defineErrors({
  table_not_found: { status: 404, message: (id: string) => `Table ${id} was not found in this workspace.` },
  sheet_not_found: { status: 404, message: (id: string) => `Sheet ${id} was not found in this table.` },
  operation_not_found: { status: 404, message: (id: string) => `Operation ${id} was not found.` },
  cell_state_unknown: {
    status: 400,
    message: (name: string, known: readonly string[]) =>
      `statuses cannot hold "${name}". It can hold ${known.join(', ')}.`,
  },
  cell_ids_missing: {
    status: 400,
    message: 'No cell is named. Give cell_ids, or column_ids together with row_indices.',
  },
});
