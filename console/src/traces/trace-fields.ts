import { api } from '../api/client';
import type { SearchFields, SuggestedField } from '../search/filter-form';

/** Fields whose suggestions are those of a field of requests. */
const LIKE: Record<string, SuggestedField> = {
  trace_models_used: 'engine',
  span_model: 'engine',
  span_provider: 'provider_type',
  trace_tool_names: 'tool_names',
  span_tool_name: 'tool_names',
  trace_tags: 'tags',
  trace_prompt_ids: 'prompt_id',
  span_prompt_id: 'prompt_id',
  trace_environment: 'environment',
  trace_metadata_keys: 'metadata_keys',
};

/** Fields by which traces can be filtered. */
export const TRACE_FIELDS: SearchFields = {
  title: 'Filter traces where …',
  queryKey: ['trace-fields'],
  read: (signal) => api('GET /api/public/v2/traces/search/fields', { signal }),
  suggested: (field) => {
    if (field === 'trace_metadata') return { values: 'metadata_values', keys: 'metadata_keys' };
    if (field === 'span_input_variables') return { values: 'input_variable_values', keys: 'input_variable_keys' };
    return { values: Object.hasOwn(LIKE, field) ? LIKE[field]! : null, keys: null };
  },
};
