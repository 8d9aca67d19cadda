import { decoded } from '../ui/address';

/** One condition of the filter form, as texts. */
export interface Condition {
  field: string;
  /** Empty where none is given. */
  key: string;
  operator: string;
  value: string;
}

const LINE = /^([a-z_]+)(?:\[([^\]\s]*)\])? ([a-z_]+)(?: (.*))?$/;

/**
 * Conditions of the URL: one per line, such as `engine is gpt-4o` or `metadata[user_id] key_equals 7`. Invalid ones are
 * ignored.
 */
export function readConditions(text: string): Condition[] {
  return text.split('\n').flatMap((line) => {
    const [, field, key = '', operator, value = ''] = LINE.exec(line) ?? [];
    return field && operator ? [{ field, key: decoded(key), operator, value }] : [];
  });
}

export function writeCondition({ field, key, operator, value }: Condition): string {
  const at = key === '' ? '' : `[${encodeURIComponent(key)}]`;
  return `${field}${at} ${operator} ${value.replace(/\s+/g, ' ').trim()}`.trim();
}

/** Operators without a value. Others take several values, separated by commas. */
export const takesNone = (operator: string): boolean => /^is_(not_)?(null|empty)$|^is_(true|false)$/.test(operator);
export const takesMany = (operator: string): boolean => ['in', 'not_in', 'between'].includes(operator);

/** The format of a value, so that the browser can validate it before the request. */
export interface ValueShape {
  /** A regular expression of the whole text. */
  pattern: string;
  /** A sentence for people, shown when a value does not match. */
  title: string;
}

/** Formats of the values of some classes of fields. */
const NOTATIONS = [
  {
    classes: ['number', 'ordinal', 'identifier', 'numbers'],
    pattern: String.raw`[+\-]?(\d+\.?\d*|\.\d+)([eE][+\-]?\d+)?`,
    title: 'A number, such as 12',
  },
  {
    classes: ['datetime'],
    pattern: String.raw`\d{4}-\d\d-\d\d[^,]*|\d+`,
    title: 'A day or a time, such as 2026-11-27 or 2026-11-27 10:00, in your local time',
  },
];

/** The format of values for an operator and a class of fields. Empty when any text is valid. */
export function shapeOfValue(fieldClass: string, operator: string): Partial<ValueShape> {
  const notation = NOTATIONS.find(({ classes }) => classes.includes(fieldClass));
  if (!notation || operator === 'key_contains') return {};
  const { pattern, title } = notation;
  if (!takesMany(operator)) return { pattern, title };
  const more = operator === 'between' ? '{1}' : '*';
  const several = operator === 'between' ? 'two of them, separated by a comma' : 'several are separated by commas';
  return { pattern: `((${pattern})\\s*,\\s*)${more}(${pattern})`, title: `${title}; ${several}` };
}

const LOCAL = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?))?$/i;

/** Days and times as people write them, with those without an offset read in local time: the API takes them for UTC. */
export function fromLocal(value: string): string {
  const parts = value.split(',').map((part) => {
    const [, day, time = '00:00'] = LOCAL.exec(part.trim()) ?? [];
    const moment = new Date(`${day}T${time}`);
    return Number.isNaN(moment.getTime()) ? part.trim() : moment.toISOString();
  });
  return parts.join(', ');
}

/** A condition in the form that the API takes. The server explains what is wrong with one from the URL. */
export function toFilter<Filter>({ field, key, operator, value }: Condition): Filter {
  return {
    field,
    operator,
    ...(key !== '' && { nested_key: key }),
    ...(!takesNone(operator) && { value: takesMany(operator) ? value.split(',').map((each) => each.trim()) : value }),
  } as Filter;
}

const FIELD_NAMES: Record<string, string> = {
  engine: 'model',
  provider_type: 'provider',
  error_group: 'error',
  request_start_time: 'start',
  request_end_time: 'end',
  pl_id: 'id',
  user_id: 'user',
  tags: 'tag',
  scores: 'score',
  latency_ms: 'latency in ms',
  cost: 'cost in dollars',
  error_message: 'words of the error',
  trace_id: 'id of the trace',
  trace_start: 'start',
  trace_end: 'end',
  trace_duration_ms: 'duration in ms',
  trace_total_cost_usd: 'cost in dollars',
  trace_total_tokens: 'tokens',
  trace_span_count: 'number of spans',
  trace_models_used: 'model',
  trace_tool_names: 'tool',
  trace_user_id: 'user of the trace',
  trace_session_id: 'session',
  trace_prompt_ids: 'id of a prompt',
  trace_prompt_versions: 'version of a prompt',
  trace_tags: 'tag',
  trace_scores: 'score',
  trace_name: 'name',
  trace_status: 'status',
  trace_metadata: 'metadata',
  trace_metadata_keys: 'metadata keys',
  trace_environment: 'environment',
  span_model: 'model of a span',
  span_exception: 'words of an exception',
  span_duration_ms: 'duration of a span in ms',
  span_cost_usd: 'cost of a span in dollars',
};

export const nameOfField = (field: string): string => FIELD_NAMES[field] ?? field.replaceAll('_', ' ');

const OPERATOR_NAMES: Record<string, string> = {
  eq: '=',
  neq: '≠',
  gt: '>',
  gte: '≥',
  lt: '<',
  lte: '≤',
  in: 'is one of',
  not_in: 'is none of',
  key_equals: 'is',
  key_not_equals: 'is not',
  key_contains: 'contains',
  not_contains: 'does not contain',
  is_null: 'is not known',
  is_not_null: 'is known',
};

export const nameOfOperator = (operator: string): string => OPERATOR_NAMES[operator] ?? operator.replaceAll('_', ' ');

export function describeCondition({ field, key, operator, value }: Condition): string {
  const name = key === '' ? nameOfField(field) : `${nameOfField(field)} ${key}`;
  return [name, nameOfOperator(operator), value].filter((text) => text !== '').join(' ');
}

/** Fields that people use most, shown first. The others follow by name. */
const OFTEN = (
  'engine trace_models_used tags user_id metadata prompt_name error_message error_type cost latency_ms scores ' +
  'trace_tool_names trace_tags trace_scores trace_session_id trace_metadata trace_duration_ms ' +
  'trace_total_cost_usd span_exception'
).split(' ');

export function inOrder<T extends { field: string }>(fields: readonly T[]): { often: T[]; others: T[] } {
  const often = OFTEN.flatMap((name) => fields.filter(({ field }) => field === name));
  const others = fields.filter(({ field }) => !OFTEN.includes(field));
  return { often, others: others.toSorted((a, b) => nameOfField(a.field).localeCompare(nameOfField(b.field))) };
}
