import { EXAMPLE_SHEET_ID } from '../../platform/example-data.js';

/** Ids of the example data as the API document shows them. The server replaces them by ids that exist. */
export const EXAMPLE_IDS = {
  table_id: 'e0000000-0000-4000-8000-000000000001',
  sheet_id: EXAMPLE_SHEET_ID,
  column_id: 'e0000000-0000-4000-8000-000000000003',
  cell_id: 'e0000000-0000-4000-8000-000000000004',
  version_id: 'e0000000-0000-4000-8000-000000000005',
  operation_id: 'e0000000-0000-4000-8000-000000000006',
  import_id: 'e0000000-0000-4000-8000-000000000007',
  table_to_delete: 'e0000000-0000-4000-8000-000000000008',
  sheet_to_delete: 'e0000000-0000-4000-8000-000000000009',
  column_to_delete: 'e0000000-0000-4000-8000-00000000000a',
  calculation_id: 'e0000000-0000-4000-8000-000000000012',
  earlier_version_id: 'e0000000-0000-4000-8000-000000000013',
  regression_id: 'e0000000-0000-4000-8000-000000000014',
} as const;
