import type { Group, Leaf } from './traces-search.groups.js';
import { asText, DEEP, type Json, summaryOf, type TestSpan, type TestTrace } from './traces-search.samples.js';

/** Reference implementation of filters for traces, without SQL and without the code under test. */

export function naive(group: Group, trace: TestTrace): boolean {
  if (group.filters.length === 0) return true;
  if (group.logic?.startsWith('SPAN_')) return trace.spans.some((each) => naiveSpan(group, trace, each));
  const holds = (item: Leaf | Group) => ('filters' in item ? naive(item, trace) : naiveLeaf(item, trace));
  return group.logic === 'OR' ? group.filters.some(holds) : group.filters.every(holds);
}

function naiveSpan(group: Group, trace: TestTrace, each: TestSpan): boolean {
  const holds = (item: Leaf | Group) =>
    'filters' in item ? naiveSpan(item, trace, each) : test(item, spanValues(item, trace, each));
  return group.logic?.endsWith('OR') ? group.filters.some(holds) : group.filters.every(holds);
}

/** Negative operators that deny a value; for spans of a trace they mean that none has it. */
const DENIALS: Record<string, string> = {
  is_not: 'is',
  not_in: 'in',
  not_contains: 'contains',
  neq: 'eq',
  key_not_equals: 'key_equals',
};

function naiveLeaf(item: Leaf, trace: TestTrace): boolean {
  if (isOfTrace(item.field)) return test(item, traceValues(item, trace));
  const positive = DENIALS[item.operator];
  const some = (asked: Leaf) => trace.spans.some((each) => test(asked, spanValues(asked, trace, each)));
  return positive ? !some({ ...item, operator: positive }) : some(item);
}

const isOfTrace = (field: string) => field.startsWith('trace_') || field === 'user_id';

const NUMERIC = /^(?:span_duration_ms|span_workflow_version|trace_depth|trace_span_count)$/;
const TEXTUAL = /^(?:span_(?:name|input|output|exception)|trace_name)$/;

function test(item: Leaf, found: Json[]): boolean {
  const { operator, field } = item;
  const positive = DENIALS[operator];
  if (positive) return !test({ ...item, operator: positive }, found);
  const values = operator.endsWith('_empty') ? found : found.filter((value) => value !== BELOW);
  const given = wanted(item);
  switch (operator) {
    case 'is':
    case 'key_equals':
      if (/_(?:start|end)$/.test(field)) return values.some((value) => within(value, given, given));
      return values.some((value) => str(value) === str(given));
    case 'in':
      return (given as Json[]).some((option) => values.some((value) => str(value) === str(option)));
    case 'contains':
      if (TEXTUAL.test(field)) return values.some((value) => fold(value).includes(fold(given)));
      return values.some((value) => str(value) === str(given));
    case 'key_contains':
      return values.some((value) => fold(value).includes(fold(given)));
    case 'starts_with':
      return values.some((value) => fold(value).startsWith(fold(given)));
    case 'ends_with':
      return values.some((value) => fold(value).endsWith(fold(given)));
    case 'is_null':
      return values.length === 0;
    case 'is_not_null':
      return values.length > 0;
    case 'is_empty':
      return !filled(item, values);
    case 'is_not_empty':
      return filled(item, values);
    case 'is_true':
      return values.includes(true);
    case 'is_false':
      return values.includes(false);
    case 'before':
      return values.some((value) => (value as number) < edges(given)[0]);
    case 'after':
      return values.some((value) => (value as number) > edges(given)[1]);
    case 'between':
      return values.some((value) => within(value, (given as Json[])[0]!, (given as Json[])[1]!));
    default:
      return NUMERIC.test(field) && values.some((value) => compare(operator, Number(value), Number(given)));
  }
}

function filled({ nested_key: key, field }: Leaf, values: Json[]): boolean {
  const isList = field.endsWith('_keys') || field.startsWith('trace_');
  return key === undefined && isList ? values.length > 0 : values.some((value) => value !== '');
}

function compare(operator: string, a: number, b: number): boolean {
  return { eq: a === b, gt: a > b, gte: a >= b, lt: a < b, lte: a <= b }[operator] ?? false;
}

function wanted({ field, operator, value, nested_key: key }: Leaf): Json {
  const plain = (each: Json): Json => {
    if (field === 'trace_workflow_versions' && typeof each === 'object' && each !== null && !Array.isArray(each)) {
      return `${String(each.workflow_id)}:${String(each.version)}`;
    }
    if (field === 'trace_workflow_versions' && key !== undefined && operator !== 'key_contains') {
      return `${key}:${String(each)}`;
    }
    if (/_(?:status|kind)$/.test(field))
      return String(each)
        .replace(/^\w+\./, '')
        .toUpperCase();
    return each;
  };
  if (Array.isArray(value) && !field.endsWith('_start')) return (value as Json[]).map(plain);
  return plain(value as Json);
}

/** Values are milliseconds; a day is its first and last moment. */
function edges(time: Json): [number, number] {
  const start = Date.parse(String(time));
  const micros = /\.(\d{6})Z/.exec(String(time))?.[1] ?? '0';
  const exact = Math.floor(start / 1000) * 1000 + Number(micros) / 1000;
  return String(time).length === 10 ? [start, start + 86_400_000 - 0.001] : [exact, exact];
}
const within = (value: Json, from: Json, to: Json) =>
  (value as number) >= edges(from)[0] && (value as number) <= edges(to)[1];

const str = (value: Json): string =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
const fold = (value: Json): string => str(value).toLowerCase();
const some = (value: Json | undefined): Json[] => (value === null || value === undefined ? [] : [value]);

function traceValues({ field, operator, nested_key: key }: Leaf, trace: TestTrace): Json[] {
  const { root, depth, status, user, session, origin, environment } = summaryOf(trace);
  const spanEnds = trace.spans.flatMap((each) => (each.durationMs === null ? [] : [each.startMs + each.durationMs]));
  const values: Record<string, Json[]> = {
    trace_name: [root.name],
    trace_status: [status],
    trace_origin: [origin],
    trace_environment: some(environment),
    trace_user_id: some(user),
    user_id: some(user),
    trace_session_id: some(session),
    trace_metadata_keys: [...some(user && 'user_id'), ...some(session && 'conversation_id')],
    trace_metadata: key === 'user_id' ? some(user) : key === 'conversation_id' ? some(session) : [],
    trace_depth: [depth],
    trace_span_count: [trace.spans.length],
    trace_start: [Math.min(...trace.spans.map(({ startMs }) => startMs))],
    trace_end: spanEnds.length > 0 ? [Math.max(...spanEnds)] : [],
    trace_models_used: trace.spans.flatMap(({ model }) => some(model)),
    trace_tool_names: trace.spans.flatMap(({ tool }) => some(tool)),
    trace_workflow_ids: trace.spans.flatMap(({ workflow }) => some(workflow?.id)),
    trace_workflow_versions: trace.spans.flatMap(({ workflow }) => {
      if (operator === 'key_contains') return some(workflow?.id === key ? workflow?.version : null);
      return some(workflow ? `${workflow.id}:${workflow.version}` : null);
    }),
    trace_tags: trace.spans.flatMap(({ tags }) => tags),
  };
  return values[field]!;
}

function spanValues({ field, nested_key: key }: Leaf, trace: TestTrace, each: TestSpan): Json[] {
  const version = each.workflow?.version;
  switch (field) {
    case 'span_name':
      return [each.name];
    case 'span_kind':
      return [each.kind];
    case 'span_status':
      return [each.status];
    case 'span_model':
      return some(each.model);
    case 'span_tool_name':
      return some(each.tool);
    case 'span_workflow_id':
      return some(each.workflow?.id);
    case 'span_workflow_version':
      return version !== undefined && /^\d+$/.test(version) ? [Number(version)] : [];
    case 'span_input':
      return some(each.input);
    case 'span_output':
      return each.output === null ? [] : [asText(each.output)];
    case 'span_exception':
      return some(each.exception);
    case 'span_duration_ms':
      return some(each.durationMs);
    case 'span_start':
      return [each.startMs];
    case 'span_end':
      return each.durationMs === null ? [] : [each.startMs + each.durationMs];
    case 'has_request_log':
      return [false];
    case 'subtree_workflow_ids':
      return summaryOf(trace)
        .below(each)
        .flatMap(({ workflow }) => some(workflow?.id));
    case 'span_output_keys':
      return [...pathsOf(each.output, '')];
    default:
      return valuesAt(documentOf(field, each), key);
  }
}

interface Documents {
  /** Whole keys. */
  literal: Record<string, Json>;
  nested: Json;
}

function documentOf(field: string, each: TestSpan): Documents {
  if (field === 'span_output_values') return { literal: {}, nested: each.output };
  if (field === 'span_input_variables') return { literal: {}, nested: each.variables };
  if (field === 'span_resource') return { literal: each.resource, nested: null };
  const deep = each.deep === null ? null : { [DEEP]: each.deep };
  return {
    literal: { ...each.attributes, ...(each.deep !== null && { [DEEP]: JSON.stringify(each.deep) }) },
    nested: deep,
  };
}

function valuesAt({ literal, nested }: Documents, key: string | undefined): Json[] {
  if (key !== undefined && Object.hasOwn(literal, key)) return [literal[key]!];
  const flat = [...flatOf(nested, '')];
  if (key === undefined) return flat.flatMap(([, value]) => some(value));
  const at = flat.filter(([path]) => path === key).flatMap(([, value]) => some(value));
  // A path with nested values is not empty, though it has no text itself.
  const below = [...pathsOf(nested, '')].some((path) => path.startsWith(`${key}.`));
  return below ? [...at, BELOW] : at;
}

/** Stands for a value without text. Only its existence can be asked for. */
const BELOW = '\u0001';

function* flatOf(value: Json, path: string): Generator<[string, Json]> {
  if (Array.isArray(value)) for (const item of value) yield* flatOf(item, path);
  else if (typeof value === 'object' && value !== null) {
    for (const [name, inner] of Object.entries(value)) yield* flatOf(inner, path === '' ? name : `${path}.${name}`);
  } else if (path !== '') yield [path, value];
}

function* pathsOf(value: Json, prefix: string): Generator<string> {
  if (Array.isArray(value)) for (const item of value) yield* pathsOf(item, prefix);
  else if (typeof value === 'object' && value !== null) {
    for (const [name, inner] of Object.entries(value)) {
      yield `${prefix}${name}`;
      yield* pathsOf(inner, `${prefix}${name}.`);
    }
  }
}
