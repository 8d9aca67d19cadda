import fc from 'fast-check';

/** Random request logs and filters for `request-filters.oracle.ts`. */

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
export interface Part {
  type: string;
  text?: string;
  thinking?: string;
}
export interface Said {
  role: string;
  content: Part[] | null;
  tool_calls?: { function: { name: string; arguments: string } }[] | null;
}
export type Prompt = { type: 'chat'; messages: Said[] } | { type: 'completion'; content: Part[] };

/** A row of `request_logs` by its column names. */
export interface Row {
  id: number;
  model: string;
  provider: string;
  status: string;
  api_type: string | null;
  error_type: string | null;
  error_message: string | null;
  function_name: string;
  trace_id: string | null;
  span_id: string | null;
  group_id: number | null;
  cached_tokens: number | null;
  thinking_tokens: number | null;
  output_tokens: number | null;
  origin: string;
  environment: string | null;
  prompt_id: number | null;
  prompt_version_number: number | null;
  input_tokens: number | null;
  price: number | null;
  latency_ms: number;
  request_start_time: string;
  request_end_time: string;
  tags: string[];
  metadata: Record<string, string>;
  prompt_input_variables: Record<string, Json>;
  input: Prompt;
  output: Prompt;
  /** Kept in a table of their own. */
  scores: Record<string, number>;
}

/** The prompts of the workspace by id. */
export const PROMPTS = ['Paris', 'a.b v2', 'a.b'];

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

const WORDS = [
  'Paris',
  'aris',
  'paris',
  '10%',
  '1000',
  'a_b',
  'aXb',
  'back\\slash',
  "don't",
  'dont',
  'don’t',
  'École',
  'éc',
  '$$',
  '',
];
const MODELS = ['gpt-4o', 'gpt-4', 'GPT-4', 'claude', ''];
const KEYS = ['user', 'user=1', 'a.b', 'a', 'a"b', 'user_id'];
const VALUES = ['1', '1=1', 'true', 'True', 'Paris', 'paris', '', 'a%', '10%', 'sha256:1'];
/** Its text is longer than an entry of an index may be. */
const LONG: Json = { b: { c: `Paris ${'10%'.repeat(99)}` }, d: 'sha256:1', e: {} };
/** Metadata that hold JSON, with what lies in them. */
export const NESTED: Record<string, Json> = {
  '{"b":{"c":"Paris"},"n":1}': { b: { c: 'Paris' }, n: 1 },
  '["1",true]': ['1', true],
  '{"b":[1,{"c":"Paris"}]}': { b: [1, { c: 'Paris' }] },
  [JSON.stringify(LONG)]: LONG,
  '{"b":': '{"b":',
  '{}': {},
  '[]': [],
};
/** Answers that hold JSON, with the object that they are about. */
export const ANSWERS: Record<string, Json> = {
  '{"city":"Paris","tags":["a_b",{"b":true}],"a":{"c":null}}': {
    city: 'Paris',
    tags: ['a_b', { b: true }],
    a: { c: null },
  },
  '{"city":[["Paris",[1]],{"a.b":{"c.d":"a%"}}]}': { city: [['Paris', [1]], { 'a.b': { 'c.d': 'a%' } }] },
  'Sure:\n```json\n{"a":{"b":"10%"}}\n```': { a: { b: '10%' } },
  'The answer is {"user":1e21,"é":"don’t"}': { user: 1e21, é: 'don’t' },
  '{}': {},
  '[{"city":"Paris"}]': null,
  'No {"city": Paris}': null,
};
/** Ids of OpenTelemetry are stored in lower case, those of others as they came. */
const TRACES = ['0af7651916cd43dd8448eb211c80319c', '4bf92f3577b34da6a3ce929d0e0e4736', 'Run 7'];
const SPANS = ['00f067aa0ba902b7', 'b7ad6b7169203331', 'Step 1'];
const ids = [...TRACES, ...SPANS, TRACES[0].toUpperCase(), SPANS[1].toUpperCase(), 'run 7', 'RUN 7', 'nobody'];
const TOOLS = ['search', 'Paris', 'pay'];
export const DAY_US = 86_400_000_000;
const FIRST_DAY = '2026-02-27';
const EPOCH_US = Date.parse(`${FIRST_DAY}T00:00:00Z`) * 1000;

/** Whole days, their edges to the microsecond, and moments between, over four days. */
const moments = fc
  .tuple(
    fc.integer({ min: 0, max: 3 }),
    fc.constantFrom(0, 1, DAY_US - 1, DAY_US - 1000, 36_000_000_000, 36_000_000_500),
  )
  .map(([day, time]) => EPOCH_US + day * DAY_US + time);

/** Some text of one to three of the words. */
export const texts = fc
  .array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 3 })
  .map((words) => words.join(' '));

const parts: fc.Arbitrary<Part[]> = fc.array(
  fc.oneof(
    texts.map((text) => ({ type: 'text', text })),
    texts.map((thinking) => ({ type: 'thinking', text: 'aXb', thinking })),
  ),
  { maxLength: 2 },
);
const calls = fc.array(
  fc.record({
    function: fc.record({ name: fc.constantFrom(...TOOLS), arguments: fc.constantFrom('{"city":"Paris"}', '{') }),
  }),
  { minLength: 1, maxLength: 2 },
);
const answers: fc.Arbitrary<Part[]> = fc.constantFrom(...Object.keys(ANSWERS)).map((text) => [
  { type: 'thinking', thinking: 'hm' },
  { type: 'text', text },
]);
const said: fc.Arbitrary<Said> = fc.record(
  {
    role: fc.constantFrom('user', 'assistant', 'assistant', 'tool'),
    content: fc.option(fc.oneof({ weight: 2, arbitrary: parts }, { weight: 1, arbitrary: answers })),
    tool_calls: fc.option(calls),
  },
  { requiredKeys: ['role', 'content'] },
);
const prompts: fc.Arbitrary<Prompt> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ type: fc.constant('chat' as const), messages: fc.array(said, { maxLength: 3 }) }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('completion' as const), content: parts }) },
);

const scalars = fc.oneof(fc.constantFrom<Json>(...VALUES), fc.constantFrom<Json>(1, true, null, 2.5));
const twigs = fc.dictionary(fc.constantFrom('c', 'f'), scalars, { minKeys: 1, maxKeys: 2 });
const branches = fc.dictionary(
  fc.constantFrom('b', 'c', 'b.c', 'e.f'),
  fc.oneof({ weight: 3, arbitrary: scalars }, { weight: 1, arbitrary: twigs }),
  { maxKeys: 3 },
);
const lists = fc.array(fc.oneof(scalars, branches), { maxLength: 2 });
const variables = fc.oneof(
  scalars,
  branches,
  lists,
  fc.array(fc.oneof(lists, branches), { maxLength: 2 }),
) as fc.Arbitrary<Json>;

export const rows: fc.Arbitrary<Omit<Row, 'id'>> = fc.record({
  model: fc.constantFrom(...MODELS),
  provider: fc.constantFrom('openai', 'anthropic'),
  status: fc.constantFrom('SUCCESS', 'ERROR', 'WARNING'),
  api_type: fc.option(fc.constantFrom('responses', 'chat')),
  error_type: fc.option(fc.constantFrom('PROVIDER_TIMEOUT', 'Paris')),
  error_message: fc.option(fc.constantFrom('Limit 42 reached', 'Limit  7s reached ', 'Paris', '')),
  function_name: fc.constantFrom('openai.chat', 'claude'),
  group_id: fc.option(fc.integer({ min: 1, max: 3 })),
  cached_tokens: fc.option(fc.integer({ min: 0, max: 2 })),
  thinking_tokens: fc.option(fc.integer({ min: 0, max: 2 })),
  output_tokens: fc.option(fc.integer({ min: 0, max: 2 })),
  scores: fc.dictionary(fc.constantFrom('default', 'style'), fc.integer({ min: 0, max: 5 })),
  origin: fc.constantFrom('application', 'application', 'sheet', 'trial'),
  environment: fc.option(fc.constantFrom('production', 'Paris')),
  trace_id: fc.option(fc.constantFrom(...TRACES)),
  span_id: fc.option(fc.constantFrom(...SPANS)),
  prompt_id: fc.option(fc.integer({ min: 1, max: 3 })),
  prompt_version_number: fc.option(fc.integer({ min: 1, max: 3 })),
  input_tokens: fc.option(fc.integer({ min: 0, max: 5 })),
  price: fc.option(fc.constantFrom(0, 0.1, 0.30000000000000004, 2)),
  latency_ms: fc.constantFrom(0, 1.5, 1000),
  request_start_time: moments.map(isoText),
  request_end_time: moments.map(isoText),
  tags: fc.uniqueArray(fc.constantFrom(...VALUES), { maxLength: 3 }),
  metadata: fc.dictionary(fc.constantFrom(...KEYS), fc.constantFrom(...VALUES, ...Object.keys(NESTED)), { maxKeys: 3 }),
  prompt_input_variables: fc.dictionary(fc.constantFrom(...KEYS), variables, { maxKeys: 3 }),
  input: prompts,
  output: prompts,
});

/** Microseconds since 1970 as ISO text. */
function isoText(us: number): string {
  const ms = Math.floor(us / 1000);
  return new Date(ms).toISOString().replace('Z', `${String(us - ms * 1000).padStart(3, '0')}Z`);
}

const scalarOf = (values: readonly unknown[]) => fc.constantFrom(...values);
const leaf = (fields: string[], operators: string[], value: fc.Arbitrary<unknown>): fc.Arbitrary<Leaf> =>
  fc.record({ field: fc.constantFrom(...fields), operator: fc.constantFrom(...operators), value });
const listsOf = (values: readonly unknown[]) => fc.array(fc.constantFrom(...values), { maxLength: 3 });

const names = [
  ...MODELS,
  'Limit # reached',
  'application',
  'sheet',
  'production',
  'openai',
  'SUCCESS',
  'chat',
  'nobody',
  'Paris',
  '1',
];
const numbers = [0, '1', 2, 0.1, '1.5', 1000, -1];
const times = fc.oneof(
  moments.map(isoText),
  moments.map((us) => new Date(us / 1000).toISOString()),
  moments.map((us) => isoText(us + 7_200_000_000).replace('Z', '+02:00')),
  fc.constantFrom('2026-02-27', '2026-02-28', '2026-03-01', '2026-03-05'),
);
const stringFields = [
  'engine',
  'provider_type',
  'status',
  'api_type',
  'error_type',
  'error_group',
  'function_name',
  'origin',
  'environment',
  'user_id',
  'prompt_name',
  'user_intent',
  'agent_intent',
];
export const textFields = ['error_message', 'input_text', 'output_text', 'thinking_text', 'last_user_message'];
const idFields = ['pl_id', 'prompt_id', 'group_id'];
/** Ids of which the letter case does not matter where they were stored in lower case. */
export const otelIdFields = ['trace_id', 'span_id'];
export const timeFields = ['request_start_time', 'request_end_time'];
const numberFields = [
  'prompt_version_number',
  'input_tokens',
  'cost',
  'latency_ms',
  'cached_tokens',
  'thinking_tokens',
  'output_tokens',
  'turn_count',
  'tool_call_count',
];
const arrayFields = ['tags', 'metadata_keys', 'input_variable_keys', 'tool_names', 'output_keys'];
const booleanFields = ['is_tool_call', 'is_json', 'is_plain_text', 'has_trace'];
export const nestedFields = ['metadata', 'input_variables', 'output'];
const members = [...VALUES, ...KEYS, ...TOOLS, 'a.c', 'tags.b', 'tool_calls.function.name', 'user.b.c', true, 1];
const keyed = (filter: fc.Arbitrary<Leaf>) =>
  fc
    .tuple(
      filter,
      fc.constantFrom(
        ...KEYS,
        'a.c',
        'user.b',
        'user.b.c',
        'a.e.f',
        'a.d',
        'a.e',
        'user.d',
        'user.e.f',
        'city',
        'city.a.b.c.d',
        'tags',
        'tool_calls.function.arguments.city',
      ),
    )
    .map(([item, key]) => ({ ...item, nested_key: key }));

const leaves = fc.oneof(
  leaf(stringFields, ['is', 'is_not'], scalarOf(names)),
  leaf(stringFields, ['in', 'not_in'], listsOf(names)),
  leaf(idFields, ['is', 'is_not'], scalarOf([1, '2', 50])),
  leaf(idFields, ['in', 'not_in'], listsOf([1, '2', 50])),
  leaf(
    textFields,
    ['contains', 'not_contains', 'starts_with', 'ends_with'],
    fc.oneof(
      texts,
      scalarOf([
        '[user]: ',
        'PARIS',
        '\n\n[',
        1,
        'city: Paris\ntags: A_B',
        ': Paris',
        ' 1000000000000000000000',
        'Sure',
      ]),
    ),
  ),
  leaf(numberFields, ['eq', 'neq', 'gt', 'gte', 'lt', 'lte'], scalarOf(numbers)),
  leaf(numberFields, ['between'], fc.tuple(scalarOf(numbers), scalarOf(numbers))),
  leaf(numberFields, ['is_null', 'is_not_null'], fc.constant(null)),
  leaf(timeFields, ['is', 'before', 'after'], times),
  leaf(timeFields, ['between'], fc.tuple(times, times)),
  leaf(otelIdFields, ['is', 'is_not'], scalarOf(ids)),
  leaf(otelIdFields, ['in', 'not_in'], listsOf(ids)),
  leaf(booleanFields, ['is_true', 'is_false'], fc.constant(null)),
  leaf(['prompt_id'], ['is', 'is_not'], scalarOf(['Paris', 'a.b v2', 'a.b v1', 'a.b', 'nobody'])),
  leaf(['prompt_id'], ['in', 'not_in'], listsOf(['Paris', 'a.b v2', 1, '2'])),
  leaf(['scores'], ['eq', 'neq', 'gt', 'lte', 'key_equals', 'key_not_equals'], scalarOf([0, '1', 2, 3])),
  leaf(['scores'], ['is_empty', 'is_not_empty'], fc.constant(null)),
  leaf(['scores'], ['eq', 'lt', 'gte'], scalarOf([0, '1', 2, 3])).map((item) => ({ ...item, nested_key: 'style' })),
  leaf(['scores'], ['in', 'not_in'], listsOf([0, '1', 2])).map((item) => ({ ...item, nested_key: 'style' })),
  leaf(['scores'], ['between'], fc.constantFrom([1, 3], ['2', 2])).map((item) => ({ ...item, nested_key: 'style' })),
  leaf(['scores'], ['key_contains'], scalarOf([0, '1'])).map((item) => ({ ...item, nested_key: 'style' })),
  leaf(arrayFields, ['contains', 'not_contains'], scalarOf(members)),
  leaf(arrayFields, ['in', 'not_in'], listsOf(members)),
  leaf(arrayFields, ['is_empty', 'is_not_empty'], fc.constant(null)),
  keyed(leaf(nestedFields, ['key_equals', 'key_not_equals', 'key_contains'], scalarOf([...VALUES, 1, true, 2.5]))),
  keyed(leaf(nestedFields, ['in', 'not_in'], listsOf([...VALUES, 1, true]))),
  keyed(leaf(nestedFields, ['is_empty', 'is_not_empty'], fc.constant(null))),
  leaf(nestedFields, ['is_empty', 'is_not_empty'], fc.constant(null)),
);

export const groups: fc.Arbitrary<Group> = fc.letrec<{ group: Group }>((tie) => ({
  group: fc.record(
    {
      logic: fc.constantFrom('AND', 'OR'),
      filters: fc.array(fc.oneof({ maxDepth: 2 }, leaves, tie('group')), { minLength: 1, maxLength: 3 }),
    },
    { requiredKeys: ['filters'] },
  ),
})).group;
