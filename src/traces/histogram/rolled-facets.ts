import type { FilterGroup, FilterLeaf } from '../../platform/filters/grammar.js';
import { facetsOf, normalized } from '../search/leaf-conditions.js';
import { TRACE_FIELDS } from '../search/trace-fields.js';

/** Fields with one value per trace: different values are different traces. */
const SINGLE = ['trace_status', 'trace_user_id', 'user_id', 'trace_environment'];
/** Fields of which a trace may have several values. */
const LISTED = ['trace_models_used', 'trace_prompt_ids', 'trace_tags', 'span_model', 'span_provider', 'span_prompt_id'];

/**
 * The facets whose hourly sums answer these conditions: each matching trace has exactly one of them. Null when hourly
 * sums cannot answer them. The empty facet stands for all traces.
 */
export function rolledFacets(workspaceId: number, conditions: readonly (FilterGroup | FilterLeaf)[]): string[] | null {
  const [leaf, ...others] = conditions;
  if (!leaf) return [''];
  if (others.length > 0 || 'filters' in leaf || leaf.negated || leaf.condition.kind !== 'one_of') return null;
  if (![...SINGLE, ...LISTED].includes(leaf.field)) return null;
  const field = TRACE_FIELDS[leaf.field]!;
  const facets = [...new Set(facetsOf({ workspaceId }, normalized(leaf, field), field) ?? [])];
  return LISTED.includes(leaf.field) && facets.length > 1 ? null : facets;
}
