import { defineEvent } from '../../events/index.js';

/** Events of datasets. `dataset_id` is the id of the version. */
export const DatasetEvents = {
  createdByFile: defineEvent<{ dataset_id: number; dataset_version_number: number }>(
    'dataset_version_created_by_file',
    'A version of a dataset was made from a file.',
  ),
  fileFailed: defineEvent<{ dataset_id: number; error_message: string }>(
    'dataset_version_created_by_file_failed',
    'A version of a dataset could not be made from a file.',
  ),
  createdFromFilterParams: defineEvent<{ dataset_id: number; rows_added: number; dataset_version_number: number }>(
    'dataset_version_created_from_filter_params',
    'A version of a dataset was made from request logs.',
  ),
};
