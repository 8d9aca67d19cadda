import { ORIGINS } from '../llm/records/origin.js';
import type { JsonObject, JsonValue } from '../platform/json.js';
import type { Definition, Measure, Span } from './definition.js';
import { READERS } from './sources.js';

/** The items of a verdict. */
interface ItemsOf {
  /** Empty for all. */
  group: string;
  window: Span;
}

interface Condition {
  field: string;
  operator: string;
  value?: JsonValue;
  nested_key?: string;
}

const PATHS = { requests: '/console/logs', traces: '/console/traces' };

const isOfFailures = ({ measure }: Definition): boolean => measure === 'failed_share';

/** The operator that marks the items of a measure of scores. */
const OF_SCORES: { [M in Measure]?: Pick<Condition, 'operator' | 'value'> } = {
  score_mean: { operator: 'is_not_null' },
  score_false_share: { operator: 'eq', value: 0 },
  unscored_share: { operator: 'is_null' },
};

function scoreConditions({ source, measure, score }: Definition): Condition[] {
  const marked = OF_SCORES[measure];
  return marked && score !== null ? [{ field: READERS[source].fields.scores, ...marked, nested_key: score }] : [];
}

/** The filter group of the items, as searches take it, with their time. */
export function itemsFilter(definition: Definition, { group, window }: ItemsOf): JsonObject {
  const { fields } = READERS[definition.source];
  const filters: (Condition | JsonObject)[] = [
    ...(definition.filterGroup === null ? [] : [definition.filterGroup]),
    ...groupConditions(definition, group),
    ...originConditions(definition),
    ...(isOfFailures(definition) ? [{ field: fields.status, operator: 'is', value: 'ERROR' }] : []),
    ...scoreConditions(definition),
    // The operator includes its end.
    { field: fields.start, operator: 'between', value: [iso(window.from), iso(window.to - 1)] },
  ];
  return { logic: 'AND', filters: filters as JsonObject[] };
}

const iso = (ms: number): string => new Date(ms).toISOString();

function groupConditions({ source, by }: Definition, group: string): Condition[] {
  if (by === null || group === '') return [];
  const [field, operator] = READERS[source].fields.groups[by];
  return [{ field, operator, value: group }];
}

function originConditions({ source, origin }: Definition): Condition[] {
  if (origin === 'all') return [];
  const field = READERS[source].fields.origin;
  return [
    origin === 'server'
      ? { field, operator: 'is_not', value: 'application' }
      : { field, operator: 'is', value: origin },
  ];
}

/** The path of the list of the console that shows the items; null for filters that its URL cannot state. */
export function itemsPath(definition: Definition, { group, window }: ItemsOf): string | null {
  const lines = linesOf(definition.filterGroup);
  if (lines === null) return null;
  const { origin, q } = definition;
  const isChoice = ['all', 'server'].includes(origin);
  const isNamed = !isChoice && origin !== 'application' && (ORIGINS as readonly string[]).includes(origin);
  const own = [
    ...groupConditions(definition, group),
    ...scoreConditions(definition),
    ...(isNamed ? originConditions(definition) : []),
  ];
  const query = new URLSearchParams({
    ...(isChoice && { origin }),
    ...(isNamed && { origin: 'all' }),
    ...(q !== null && { q }),
    ...(isOfFailures(definition) && { status: 'ERROR' }),
    from: iso(window.from),
    to: iso(window.to),
  });
  const conditions = [...lines, ...own.map((condition) => lineOf(condition)!)];
  if (conditions.length > 0) query.set('f', conditions.join('\n'));
  return `${PATHS[definition.source]}?${query.toString()}`;
}

function linesOf(group: JsonObject | null): string[] | null {
  if (group === null) return [];
  const { filters, logic } = group as { filters?: JsonObject[]; logic?: string };
  if (!Array.isArray(filters) || (filters.length > 1 && logic !== undefined && logic !== 'AND')) return null;
  const lines = filters.map((filter) => ('filters' in filter ? null : lineOf(filter as unknown as Condition)));
  return lines.includes(null) ? null : (lines as string[]);
}

/** A condition as a line of the URL of lists; null for values that lines cannot hold. */
function lineOf({ field, operator, value, nested_key: key }: Condition): string | null {
  const values = value === undefined || value === null ? [] : Array.isArray(value) ? value : [value];
  const texts = values.map((each) => (typeof each === 'object' ? null : String(each)));
  const isSeveral = Array.isArray(value);
  if (texts.some((text) => text === null || /\n/.test(text) || (isSeveral && text.includes(',')))) return null;
  const at = key === undefined ? '' : `[${encodeURIComponent(key)}]`;
  return `${field}${at} ${operator} ${texts.join(',')}`.trim();
}
