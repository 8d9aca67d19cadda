import { api } from '../api/client';
import type { SearchFields, SuggestedField } from '../search/filter-form';

/** Fields whose suggestions have the name of the field. */
const SAME: readonly string[] = [
  'engine',
  'provider_type',
  'status',
  'environment',
  'tags',
  'tool_names',
  'output_keys',
  'input_variable_keys',
  'metadata_keys',
] satisfies SuggestedField[];
/** Fields with keys. */
const KEYED: Record<string, string> = { metadata: 'metadata', output: 'output', input_variables: 'input_variable' };

/** Fields by which requests can be filtered. */
export const LOG_FIELDS: SearchFields = {
  title: 'Filter requests where …',
  queryKey: ['log-fields'],
  read: (signal) => api('GET /api/public/v2/requests/search/fields', { signal }),
  suggested: (field) => {
    const prefix = Object.hasOwn(KEYED, field) ? KEYED[field] : null;
    if (prefix) return { values: `${prefix}_values` as SuggestedField, keys: `${prefix}_keys` as SuggestedField };
    if (field === 'prompt_name') return { values: 'prompt', keys: null };
    return { values: SAME.includes(field) ? (field as SuggestedField) : null, keys: null };
  },
};
