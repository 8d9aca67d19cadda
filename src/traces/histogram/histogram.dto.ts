import { JsonObjectField, TextField } from '../../platform/http/fields.js';
import { Closed } from '../../platform/http/validation.pipe.js';
import type { JsonObject } from '../../platform/json.js';
import {
  type AskedTimeBody,
  HistogramBucketsField,
  HistogramEndField,
  HistogramStartField,
} from '../../rollups/index.js';
import { FORGIVEN } from '../../text-search/index.js';
import { TRACE_FILTER_GROUP } from '../search/trace-fields.js';

/** Filters and time range of the traces to count. */
@Closed()
export class TraceHistogramRequest implements AskedTimeBody {
  @JsonObjectField({
    optional: true,
    nullable: true,
    like: TRACE_FILTER_GROUP,
    description: 'Selects traces like the search of traces. No filters means all.',
    example: { filters: [{ field: 'trace_models_used', operator: 'contains', value: 'gpt-4o' }] },
  })
  filter_group?: JsonObject | null;

  @TextField({
    optional: true,
    nullable: true,
    maxLength: 1000,
    description: `Words that must all occur in the names, inputs or outputs of spans. ${FORGIVEN}`,
  })
  q?: string | null;

  @HistogramStartField()
  start_time?: unknown;

  @HistogramEndField()
  end_time?: unknown;

  @HistogramBucketsField()
  buckets?: number | null;
}
