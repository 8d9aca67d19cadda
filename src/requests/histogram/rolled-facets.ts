import type { EntityManager } from 'typeorm';
import type { FilterGroup, FilterLeaf } from '../../platform/filters/grammar.js';
import { findPromptIds } from '../../prompts/index.js';
import { type FilterScope, promptNamesIn, requestFields } from '../shared/request-filters.js';

/** Fields with one value per log, so that logs with different values are different logs. */
const SINGLE = ['engine', 'provider_type', 'status', 'prompt_id', 'prompt_name', 'user_id', 'environment'];
/** Fields with several values per log. */
const LISTED = ['tags'];

/**
 * Facets whose hourly sums answer these conditions: every matching log has exactly one of them. Null when hourly sums
 * cannot answer them. The empty facet stands for all logs.
 */
export async function rolledFacets(
  tx: EntityManager,
  workspaceId: number,
  conditions: readonly (FilterGroup | FilterLeaf)[],
): Promise<string[] | null> {
  const [leaf, ...others] = conditions;
  if (!leaf) return [''];
  if (others.length > 0 || 'filters' in leaf || leaf.negated || leaf.condition.kind !== 'one_of') return null;
  if (![...SINGLE, ...LISTED].includes(leaf.field)) return null;
  const promptIds = await findPromptIds(tx, workspaceId, promptNamesIn({ logic: 'AND', filters: [leaf] }));
  const facets = facetsOf(leaf.field, leaf.condition.values, { workspaceId, promptIds });
  const areApart = !LISTED.includes(leaf.field) && !facets.some((facet) => hasPart(facets, facet));
  return facets.length > 1 && !areApart ? null : facets;
}

/** Calls of a version of a prompt are calls of the prompt. */
const hasPart = (facets: string[], whole: string): boolean => facets.some((facet) => facet.startsWith(`${whole}:`));

function facetsOf(name: string, values: string[], scope: FilterScope): string[] {
  const field = requestFields(scope)[name]!;
  if (!('facet' in field) || !field.facet || 'values' in field) return [];
  const { facet } = field;
  return [...new Set(values.flatMap((value) => facet(value)))];
}
