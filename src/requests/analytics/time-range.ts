import { parse } from '../../platform/filters/grammar.js';
import type { Bound } from '../../platform/filters/operators.js';
import type { RequestLogQuery } from '../search/request-conditions.js';

/** Whole seconds since 1970, both ends included; null where the filters leave an end open. */
export interface TimeRange {
  first: number | null;
  last: number | null;
}

interface Leaf {
  field?: unknown;
}
interface Group {
  logic?: 'AND' | 'OR' | null;
  filters: (Group | Leaf)[];
}

const START_TIME = { request_start_time: { class: 'datetime', sql: 'request_start_time' } } as const;

/**
 * The time that a query asks about: what its conditions on `request_start_time` leave of all time. Conditions below an
 * OR are no limits, since logs outside them may match as well. The filters must have been checked.
 */
export function timeRangeOf({ filterGroup, filters }: RequestLogQuery): TimeRange {
  const groups = [filterGroup as Group | null | undefined, { filters: (filters ?? []) as Leaf[] }];
  const range: TimeRange = { first: null, last: null };
  for (const group of groups) {
    for (const bound of group ? boundsOf(requiredTimes(group)) : []) narrow(range, bound);
  }
  return range;
}

/** The conditions on the start time that every matching log fulfils. */
function requiredTimes({ logic, filters }: Group): Leaf[] {
  if (logic === 'OR' && filters.length !== 1) return [];
  return filters.flatMap((item) => {
    if ('filters' in item) return requiredTimes(item);
    return item.field === 'request_start_time' ? [item] : [];
  });
}

function boundsOf(leaves: Leaf[]): Bound[] {
  const { filters } = parse({ filters: leaves }, { fields: START_TIME, at: [] });
  return filters.flatMap((leaf) =>
    'condition' in leaf && !leaf.negated && leaf.condition.kind === 'bounds' ? leaf.condition.bounds : [],
  );
}

function narrow(range: TimeRange, { comparison, value }: Bound): void {
  const milliseconds = Date.parse(String(value));
  const second = Math.floor(milliseconds / 1000);
  // The first moment after the end of a second belongs to the next second.
  const isLast = comparison === '>' && /\.9{6}Z$/.test(String(value));
  const first = isLast ? second + 1 : second;
  if (comparison === '>' || comparison === '>=') range.first = Math.max(range.first ?? first, first);
  // The last moment before a full second belongs to the previous second.
  const isFull = comparison === '<' && /\.0+Z$/.test(String(value));
  const last = isFull ? second - 1 : second;
  if (comparison === '<' || comparison === '<=') range.last = Math.min(range.last ?? last, last);
}
