import { describeFilterGroup } from '../../platform/filters/filter-group.schema.js';
import { TextField } from '../../platform/http/fields.js';

export const ROW_FILTER =
  'A filter group. Its fields are columns, by title or id, for cell values; `cell_status` and `cell_error`, of the column in ' +
  '`nested_key` or of any; `cell_verdict` (`yes` or `no`), of the column in `nested_key` or of any that holds booleans or judgements; `row_verdict` and `row_score`, of the newest completed calculation of the scorecard, for the row or ' +
  'for the step in `nested_key`; and `row_index`.';

/** The component of the OpenAPI document that describes filters of rows. */
export const ROW_FILTER_GROUP = describeFilterGroup('Row', null, ['AND', 'OR']);

/** A filter in a query string. */
export const RowFilterField = (): PropertyDecorator =>
  TextField({ optional: true, query: true, maxLength: 65_536, description: `JSON text. ${ROW_FILTER}` });
