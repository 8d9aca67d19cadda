import type { FilterGroup, FilterLeaf } from '../platform/filters/grammar.js';
import type { Bound } from '../platform/filters/operators.js';
import type { TimeRange } from './histogram-range.js';

export interface SplitFilters {
  /** Range that satisfies the conditions on the time. Null marks an open end. */
  from: bigint | null;
  to: bigint | null;
  /** The other conditions, all of which must hold. */
  others: (FilterGroup | FilterLeaf)[];
}

/** Takes the conditions on a time that must hold out of filter groups that must all hold. */
export function splitByTime(groups: readonly FilterGroup[], field: string): SplitFilters {
  const split: SplitFilters = { from: null, to: null, others: [] };
  for (const item of groups.flatMap(requiredItems)) {
    const bounds = 'filters' in item || item.field !== field ? null : boundsOf(item);
    if (!bounds) split.others.push(item);
    for (const bound of bounds ?? []) narrow(split, bound);
  }
  return split;
}

/**
 * Takes the conditions on a field with few values out of conditions that must all hold. `values` are those that they leave of `all`;
 * null where there is no such condition.
 */
export function splitByValue(
  conditions: SplitFilters['others'],
  field: string,
  all: readonly string[],
): { values: string[] | null; others: SplitFilters['others'] } {
  let values: string[] | null = null;
  const others: SplitFilters['others'] = [];
  for (const item of conditions) {
    if ('filters' in item || item.field !== field || item.condition.kind !== 'one_of') others.push(item);
    else {
      const { condition, negated } = item;
      values = (values ?? [...all]).filter((value) => condition.values.includes(value) !== negated);
    }
  }
  return { values, others };
}

/** Intersection of both ranges; null if it is empty. */
export function overlapOf(a: TimeRange, { from, to }: Pick<SplitFilters, 'from' | 'to'>): TimeRange | null {
  const range = {
    from: from === null || from < a.from ? a.from : from,
    to: to === null || to > a.to ? a.to : to,
  };
  return range.from < range.to ? range : null;
}

/** Microseconds of a time as the filter grammar writes it: ISO 8601 in UTC with six digits. */
export const microsecondsOf = (iso: string): bigint => BigInt(Date.parse(iso)) * 1000n + BigInt(iso.slice(-4, -1));

function requiredItems(group: FilterGroup): (FilterGroup | FilterLeaf)[] {
  if (group.filters.length === 0) return [];
  if (group.logic !== 'AND' && !(group.logic === 'OR' && group.filters.length === 1)) return [group];
  return group.filters.flatMap((item) => ('filters' in item ? requiredItems(item) : [item]));
}

function boundsOf({ negated, condition }: FilterLeaf): Bound[] | null {
  return !negated && condition.kind === 'bounds' ? condition.bounds : null;
}

function narrow(split: SplitFilters, { comparison, value }: Bound): void {
  const at = microsecondsOf(String(value));
  const from = comparison === '>' ? at + 1n : comparison === '>=' ? at : null;
  const to = comparison === '<' ? at : comparison === '<=' ? at + 1n : null;
  if (from !== null && (split.from === null || from > split.from)) split.from = from;
  if (to !== null && (split.to === null || to < split.to)) split.to = to;
}
