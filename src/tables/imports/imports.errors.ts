import { defineErrors } from '../../platform/errors/problem.js';

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
  import_operation_not_found: { status: 404, message: (id: string) => `Import ${id} was not found in this table.` },
});
