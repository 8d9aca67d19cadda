import type { ChartField, ChartGroup } from '../../charts/index.js';
import { promptLabels } from '../../prompts/index.js';
import { valuesOf } from '../shared/request-filters.js';
import { metadataKeyGroup } from './metadata-groups.js';

/** Higher prices are mistakes, and sums of them would exceed the range of a number. */
const HIGHEST_PRICE = 1e15;

/** Fields that charts of request logs aggregate, over the columns of `request_logs`. */
export const REQUEST_CHART_FIELDS = {
  input_tokens: { title: 'Input tokens', unit: 'tokens', sql: 'input_tokens', exact: true },
  output_tokens: { title: 'Output tokens', unit: 'tokens', sql: 'output_tokens', exact: true },
  // `least` of a number and null would be the number.
  cost: {
    title: 'Cost',
    unit: 'currency',
    sql: `CASE WHEN price > ${HIGHEST_PRICE} THEN ${HIGHEST_PRICE} ELSE price END`,
    exact: false,
  },
  latency_ms: {
    title: 'Latency',
    unit: 'duration_seconds',
    sql: 'latency_ms',
    exact: false,
    divisor: 1000,
  },
  prompt_version_number: { title: 'Prompt version', unit: 'number', sql: 'prompt_version_number', exact: true },
  turn_count: { title: 'Turns', unit: 'count', sql: 'turn_count', exact: true },
  tool_call_count: { title: 'Tool calls', unit: 'count', sql: 'tool_call_count', exact: true },
  cached_tokens: { title: 'Cached tokens', unit: 'tokens', sql: 'cached_tokens', exact: true },
  thinking_tokens: { title: 'Thinking tokens', unit: 'tokens', sql: 'thinking_tokens', exact: true },
} satisfies Record<string, ChartField>;

export const REQUEST_GROUP_FIELDS = [
  'engine',
  'provider_type',
  'prompt_id',
  'prompt_version_number',
  'status',
  'error_type',
  'error_group',
  'tags',
  'metadata_keys',
  'output_keys',
  'input_variable_keys',
  'tool_names',
  'origin',
  'environment',
] as const;
export type RequestGroupField = (typeof REQUEST_GROUP_FIELDS)[number];

/** Fields by which charts of request logs group, in a workspace. */
export function requestGroup(workspaceId: number, field: RequestGroupField): ChartGroup {
  if (field === 'metadata_keys') return metadataKeyGroup(workspaceId);
  return field === 'prompt_id' ? promptGroup(workspaceId) : plainGroup(field);
}

function plainGroup(field: RequestGroupField): ChartGroup {
  const { sql, many } = valuesOf(field);
  return { sql: () => (many ? sql : `${sql}::text`), many };
}

function promptGroup(workspaceId: number): ChartGroup {
  return {
    ...plainGroup('prompt_id'),
    labels: promptLabels(workspaceId),
  };
}
