import { defineErrors } from '../../platform/errors/problem.js';

export const RowErrors = defineErrors({
  rows_of_version_unfiltered: {
    status: 400,
    message:
      'Rows of an earlier version can be neither filtered nor sorted by a column. Leave out version, or else filter and sort.',
  },
});
