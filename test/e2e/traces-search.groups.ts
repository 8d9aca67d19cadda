import fc from 'fast-check';
import { KEYS, MODELS, NAMES, sentences, TOOLS, VALUES, WORDS } from './traces-search.samples.js';

/** Random filters of traces. */

export interface Leaf {
  field: string;
  operator: string;
  value?: unknown;
  nested_key?: string;
}
export interface Group {
  logic?: string;
  filters: (Leaf | Group)[];
}

const oneOf = (values: readonly unknown[]) => fc.constantFrom(...values);
const listOf = (values: readonly unknown[]) => fc.array(fc.constantFrom(...values), { maxLength: 3 });
const leaf = (fields: string[], operators: string[], value: fc.Arbitrary<unknown>): fc.Arbitrary<Leaf> =>
  fc.record({ field: fc.constantFrom(...fields), operator: fc.constantFrom(...operators), value });
const keyed = (filter: fc.Arbitrary<Leaf>, keys: string[]) =>
  fc.tuple(filter, fc.constantFrom(...keys)).map(([item, key]) => ({ ...item, nested_key: key }));

const times = fc.constantFrom('2026-03-01', '2026-03-02', '2026-03-02T12:00:00Z', '2026-03-03T00:00:00.000001Z');
const numbers = [0, 1, 1.5, '2', 3, 10, 1000];
const texts = fc.oneof(sentences, oneOf([...WORDS, ...NAMES, 'a', 'PARIS']));
const strings = [...NAMES, ...MODELS, ...TOOLS, 'OK', 'StatusCode.ERROR', 'SpanKind.CLIENT', 'SERVER', 'w1', 'nobody'];

export const textLeaves = leaf(
  ['span_name', 'span_input', 'span_output'],
  ['contains', 'starts_with', 'ends_with'],
  texts,
);

const spanLeaves = fc.oneof(
  leaf(
    ['span_name', 'span_kind', 'span_status', 'span_model', 'span_tool_name', 'span_workflow_id'],
    ['is', 'is_not'],
    oneOf(strings),
  ),
  leaf(['span_name', 'span_model', 'span_tool_name'], ['in', 'not_in'], listOf(strings)),
  leaf(
    ['span_name', 'span_input', 'span_output', 'span_exception'],
    ['contains', 'not_contains', 'starts_with', 'ends_with'],
    texts,
  ),
  leaf(['span_duration_ms', 'span_workflow_version'], ['eq', 'neq', 'gt', 'gte', 'lt', 'lte'], oneOf(numbers)),
  leaf(['span_duration_ms'], ['is_null', 'is_not_null'], fc.constant(null)),
  leaf(['span_start', 'span_end'], ['is', 'before', 'after'], times),
  leaf(['span_start'], ['between'], fc.tuple(times, times)),
  leaf(['subtree_workflow_ids'], ['contains', 'not_contains'], oneOf(['w1', 'w2', 'w3'])),
  leaf(['span_output_keys'], ['contains', 'not_contains'], oneOf(['a', 'a.b', 'city', 'c'])),
  leaf(['span_output_keys'], ['in', 'not_in'], listOf(['a', 'a.b', 'city'])),
  leaf(['span_output_keys'], ['is_empty', 'is_not_empty'], fc.constant(null)),
  keyed(
    leaf(
      ['span_output_values', 'span_attributes', 'span_input_variables', 'span_resource'],
      ['key_equals', 'key_not_equals', 'key_contains'],
      oneOf([...VALUES, 'Paris', 1, 2.5, true, 'shop']),
    ),
    [...KEYS, 'city', 'a.c', 'doc.a', 'doc.a.b', 'service.name', 'env'],
  ),
  keyed(leaf(['span_output_values', 'span_attributes'], ['in', 'not_in'], listOf([...VALUES, 'Paris'])), [
    ...KEYS,
    'doc.city',
  ]),
  keyed(
    leaf(
      ['span_output_values', 'span_attributes', 'span_input_variables'],
      ['is_empty', 'is_not_empty'],
      fc.constant(null),
    ),
    [...KEYS, 'doc.a'],
  ),
  leaf(['span_output_values'], ['key_equals', 'key_not_equals', 'key_contains'], oneOf(['x', 'Paris', '1'])),
  leaf(['has_request_log'], ['is_true', 'is_false'], fc.constant(null)),
);

const traceLeaves = fc.oneof(
  leaf(
    ['trace_name'],
    ['is', 'is_not', 'contains', 'not_contains', 'starts_with', 'ends_with'],
    oneOf([...NAMES, 'an']),
  ),
  leaf(['trace_status'], ['is', 'is_not'], oneOf(['OK', 'StatusCode.ERROR', 'UNSET'])),
  leaf(['trace_origin', 'trace_environment'], ['is', 'is_not'], oneOf(['application', 'sheet', 'evaluation', 'x'])),
  leaf(['trace_origin', 'trace_environment'], ['in', 'not_in'], listOf(['application', 'sheet', 'shop'])),
  leaf(['trace_user_id', 'user_id'], ['is', 'is_not'], oneOf(['ada', 'bob', 'nobody'])),
  leaf(['trace_session_id'], ['is', 'is_not'], oneOf(['chat-1', 'chat/2', 'nobody'])),
  leaf(['trace_session_id'], ['in', 'not_in'], listOf(['chat-1', 'ada'])),
  leaf(['trace_depth', 'trace_span_count'], ['eq', 'neq', 'gt', 'lte'], oneOf([1, '2', 3])),
  leaf(['trace_start', 'trace_end'], ['is', 'before', 'after'], times),
  leaf(
    ['trace_models_used', 'trace_tool_names', 'trace_workflow_ids', 'trace_tags'],
    ['contains', 'not_contains'],
    oneOf([...MODELS, ...TOOLS, 'w1', 'eu']),
  ),
  leaf(
    ['trace_models_used', 'trace_tool_names', 'trace_tags'],
    ['in', 'not_in'],
    listOf([...MODELS, ...TOOLS, 'eu', 'x']),
  ),
  leaf(['trace_models_used', 'trace_tags', 'trace_workflow_versions'], ['is_empty', 'is_not_empty'], fc.constant(null)),
  leaf(
    ['trace_workflow_versions'],
    ['contains', 'not_contains'],
    oneOf(['w1:1', { workflow_id: 'w2', version: 'beta' }]),
  ),
  keyed(leaf(['trace_workflow_versions'], ['key_equals', 'key_not_equals', 'key_contains'], oneOf(['1', 2, 'ET'])), [
    'w1',
    'w2',
  ]),
  keyed(leaf(['trace_metadata'], ['key_equals', 'key_not_equals'], oneOf(['ada', 'bob', 'chat-1'])), [
    'user_id',
    'conversation_id',
    'none',
  ]),
  leaf(['trace_metadata_keys'], ['contains', 'not_contains'], oneOf(['user_id', 'conversation_id', 'none'])),
);

export const groups: fc.Arbitrary<Group> = fc.letrec<{ group: Group; ofSpan: Group }>((tie) => ({
  group: fc.record(
    {
      logic: fc.constantFrom('AND', 'OR'),
      filters: fc.array(fc.oneof({ maxDepth: 2 }, spanLeaves, traceLeaves, tie('group'), tie('ofSpan')), {
        minLength: 1,
        maxLength: 3,
      }),
    },
    { requiredKeys: ['filters'] },
  ),
  ofSpan: fc.record({
    logic: fc.constantFrom('SPAN_AND', 'SPAN_OR'),
    filters: fc.array(
      fc.oneof(
        { maxDepth: 1 },
        { weight: 4, arbitrary: spanLeaves },
        {
          weight: 1,
          arbitrary: fc.record({
            logic: fc.constantFrom('AND', 'OR', 'SPAN_AND', 'SPAN_OR'),
            filters: fc.array(spanLeaves, { minLength: 1, maxLength: 2 }),
          }),
        },
      ),
      { minLength: 1, maxLength: 3 },
    ),
  }),
})).group;
