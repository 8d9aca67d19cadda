import fc from 'fast-check';

/** Random request logs and filters, and what the filters mean, told without SQL and without the code under test. */

type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
interface Part {
  type: string;
  text?: string;
}
interface Said {
  role: string;
  content: Part[] | null;
  tool_calls?: { function: { name: string; arguments: string } }[] | null;
}
type Prompt = { type: 'chat'; messages: Said[] } | { type: 'completion'; content: Part[] };

/** A row of `request_logs` by its column names. */
export interface Row {
  id: number;
  model: string;
  provider: string;
  status: string;
  api_type: string | null;
  trace_id: string | null;
  prompt_id: number | null;
  prompt_version_number: number | null;
  input_tokens: number | null;
  price: number | null;
  latency_ms: number;
  request_start_time: string;
  tags: string[];
  metadata: Record<string, string>;
  prompt_input_variables: Record<string, Json>;
  input: Prompt;
  output: Prompt;
}

interface Leaf {
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
const KEYS = ['user', 'user=1', 'a.b', 'a', 'a"b'];
const VALUES = ['1', '1=1', 'true', 'Paris', 'paris', '', 'a%', '10%'];
const TOOLS = ['search', 'Paris', 'pay'];
const DAY_US = 86_400_000_000;
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
    fc.constant({ type: 'thinking', text: 'aXb' }),
  ),
  { maxLength: 2 },
);
const calls = fc.array(
  fc.record({
    function: fc.record({ name: fc.constantFrom(...TOOLS), arguments: fc.constantFrom('{"city":"Paris"}', '{') }),
  }),
  { minLength: 1, maxLength: 2 },
);
const said: fc.Arbitrary<Said> = fc.record(
  {
    role: fc.constantFrom('user', 'assistant', 'assistant', 'tool'),
    content: fc.option(parts),
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
const branches = fc.dictionary(fc.constantFrom('b', 'c'), scalars, { maxKeys: 2 });
const variables = fc.oneof(
  scalars,
  branches,
  fc.array(fc.oneof(scalars, branches), { maxLength: 2 }),
) as fc.Arbitrary<Json>;

export const rows: fc.Arbitrary<Omit<Row, 'id'>> = fc.record({
  model: fc.constantFrom(...MODELS),
  provider: fc.constantFrom('openai', 'anthropic'),
  status: fc.constantFrom('SUCCESS', 'ERROR', 'WARNING'),
  api_type: fc.option(fc.constantFrom('responses', 'chat')),
  trace_id: fc.option(fc.constant('0af7651916cd43dd8448eb211c80319c')),
  prompt_id: fc.option(fc.integer({ min: 1, max: 3 })),
  prompt_version_number: fc.option(fc.integer({ min: 1, max: 3 })),
  input_tokens: fc.option(fc.integer({ min: 0, max: 5 })),
  price: fc.option(fc.constantFrom(0, 0.1, 0.30000000000000004, 2)),
  latency_ms: fc.constantFrom(0, 1.5, 1000),
  request_start_time: moments.map(isoText),
  tags: fc.uniqueArray(fc.constantFrom(...VALUES), { maxLength: 3 }),
  metadata: fc.dictionary(fc.constantFrom(...KEYS), fc.constantFrom(...VALUES), { maxKeys: 3 }),
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

const names = [...MODELS, 'openai', 'SUCCESS', 'chat', 'nobody'];
const numbers = [0, '1', 2, 0.1, '1.5', 1000, -1];
const times = fc.oneof(
  moments.map(isoText),
  moments.map((us) => isoText(us + 7_200_000_000).replace('Z', '+02:00')),
  fc.constantFrom('2026-02-27', '2026-02-28', '2026-03-01', '2026-03-05'),
);
const stringFields = ['engine', 'provider_type', 'status', 'api_type'];
const idFields = ['pl_id', 'prompt_id'];
const numberFields = ['prompt_version_number', 'input_tokens', 'cost', 'latency_ms'];
const arrayFields = ['tags', 'metadata_keys', 'input_variable_keys', 'tool_names'];
const members = [...VALUES, ...KEYS, ...TOOLS, 'a.c', true, 1];
const keyed = (filter: fc.Arbitrary<Leaf>) =>
  fc.tuple(filter, fc.constantFrom(...KEYS, 'a.c', 'user.b')).map(([item, key]) => ({ ...item, nested_key: key }));

const leaves = fc.oneof(
  leaf(stringFields, ['is', 'is_not'], scalarOf(names)),
  leaf(stringFields, ['in', 'not_in'], listsOf(names)),
  leaf(idFields, ['is', 'is_not'], scalarOf([1, '2', 50])),
  leaf(idFields, ['in', 'not_in'], listsOf([1, '2', 50])),
  leaf(
    ['input_text', 'output_text'],
    ['contains', 'not_contains', 'starts_with', 'ends_with'],
    fc.oneof(texts, scalarOf(['[user]: ', 'PARIS', '\n\n[', 1])),
  ),
  leaf(numberFields, ['eq', 'neq', 'gt', 'gte', 'lt', 'lte'], scalarOf(numbers)),
  leaf(numberFields, ['between'], fc.tuple(scalarOf(numbers), scalarOf(numbers))),
  leaf(numberFields, ['is_null', 'is_not_null'], fc.constant(null)),
  leaf(['request_start_time'], ['is', 'before', 'after'], times),
  leaf(['request_start_time'], ['between'], fc.tuple(times, times)),
  leaf(['is_tool_call', 'has_trace'], ['is_true', 'is_false'], fc.constant(null)),
  leaf(arrayFields, ['contains', 'not_contains'], scalarOf(members)),
  leaf(arrayFields, ['in', 'not_in'], listsOf(members)),
  leaf(arrayFields, ['is_empty', 'is_not_empty'], fc.constant(null)),
  keyed(
    leaf(
      ['metadata', 'input_variables'],
      ['key_equals', 'key_not_equals', 'key_contains'],
      scalarOf([...VALUES, 1, true, 2.5]),
    ),
  ),
  keyed(leaf(['metadata', 'input_variables'], ['in', 'not_in'], listsOf([...VALUES, 1, true]))),
  keyed(leaf(['metadata', 'input_variables'], ['is_empty', 'is_not_empty'], fc.constant(null))),
  leaf(['metadata', 'input_variables'], ['is_empty', 'is_not_empty'], fc.constant(null)),
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

/** Whether the row fulfils the group. */
export function naive(group: Group, row: Row): boolean {
  const holds = (item: Leaf | Group) => ('filters' in item ? naive(item, row) : naiveLeaf(item, row));
  if (group.filters.length === 0) return true;
  return group.logic === 'OR' ? group.filters.some(holds) : group.filters.every(holds);
}

const NEGATIVES: Record<string, string> = {
  is_not: 'is',
  not_in: 'in',
  not_contains: 'contains',
  neq: 'eq',
  key_not_equals: 'key_equals',
  is_null: 'is_not_null',
  is_empty: 'is_not_empty',
};

function naiveLeaf(item: Leaf, row: Row): boolean {
  const positive = NEGATIVES[item.operator];
  return positive
    ? !naiveLeaf({ ...item, operator: positive }, row)
    : OPERATORS[item.operator](valuesOf(item, row), item);
}

const OPERATORS: Record<string, (found: unknown[], item: Leaf) => boolean> = {
  is: (found, { field, value }) =>
    field === 'request_start_time'
      ? timeTest(found, (us) => us >= span(value)[0] && us <= span(value)[1])
      : found.map(String).includes(String(value)),
  in: (found, { value }) => (value as unknown[]).some((wanted) => found.map(String).includes(String(wanted))),
  key_equals: (found, { value }) => found.includes(String(value)),
  key_contains: (found, { value }) => found.some((text) => fold(text).includes(fold(value))),
  contains: (found, { field, value }) =>
    field.endsWith('_text') ? found.some((text) => fold(text).includes(fold(value))) : found.includes(String(value)),
  starts_with: (found, { value }) => found.some((text) => fold(text).startsWith(fold(value))),
  ends_with: (found, { value }) => found.some((text) => fold(text).endsWith(fold(value))),
  eq: (found, { value }) => found.some((number) => number === Number(value)),
  gt: (found, { value }) => found.some((number) => (number as number) > Number(value)),
  gte: (found, { value }) => found.some((number) => (number as number) >= Number(value)),
  lt: (found, { value }) => found.some((number) => (number as number) < Number(value)),
  lte: (found, { value }) => found.some((number) => (number as number) <= Number(value)),
  between: (found, { field, value }) => {
    const [low, high] = value as unknown[];
    if (field === 'request_start_time') return timeTest(found, (us) => us >= span(low)[0] && us <= span(high)[1]);
    return found.some((number) => (number as number) >= Number(low) && (number as number) <= Number(high));
  },
  before: (found, { value }) => timeTest(found, (us) => us < span(value)[0]),
  after: (found, { value }) => timeTest(found, (us) => us > span(value)[1]),
  is_true: (found) => found[0] === true,
  is_false: (found) => found[0] === false,
  is_not_null: (found) => found.length > 0,
  is_not_empty: (found, { nested_key: key }) =>
    key === undefined ? found.length > 0 : found.some((text) => text !== ''),
};

const COLUMNS: Record<string, keyof Row> = { pl_id: 'id', engine: 'model', provider_type: 'provider', cost: 'price' };

/** The values of a field; none for null. */
function valuesOf({ field, nested_key: key }: Leaf, row: Row): unknown[] {
  switch (field) {
    case 'metadata':
      if (key === undefined) return Object.keys(row.metadata);
      return Object.hasOwn(row.metadata, key) ? [row.metadata[key]] : [];
    case 'input_variables':
      return key === undefined ? Object.keys(row.prompt_input_variables) : variablesAt(row.prompt_input_variables, key);
    case 'metadata_keys':
      return Object.keys(row.metadata);
    case 'input_variable_keys':
      return pathsOf(row.prompt_input_variables, '');
    case 'input_text':
      return some(inputText(row));
    case 'output_text':
      return some(outputText(row));
    case 'tool_names':
      return (answerOf(row)?.tool_calls ?? []).map((call) => call.function.name);
    case 'is_tool_call':
      return [(answerOf(row)?.tool_calls ?? []).length > 0];
    case 'has_trace':
      return [row.trace_id !== null];
    case 'tags':
      return row.tags;
    default:
      return some(row[COLUMNS[field] ?? (field as keyof Row)]);
  }
}

const some = (value: unknown): unknown[] => (value === null ? [] : [value]);

function variablesAt(document: Json, key: string): unknown[] {
  const literal = stepInto([document], key);
  const path = key.includes('.') ? key.split('.').reduce(stepInto, [document]) : [];
  return [...literal, ...path]
    .flatMap((value) => (Array.isArray(value) ? value : [value]))
    .filter((value) => value !== null && !(typeof value === 'object' && Object.keys(value).length === 0))
    .map((value) => (typeof value === 'object' ? JSON.stringify(value) : String(value)));
}

function stepInto(values: Json[], name: string): Json[] {
  return values
    .flatMap((value) => (Array.isArray(value) ? value : [value]))
    .flatMap((value) => (isObject(value) && Object.hasOwn(value, name) ? [value[name]] : []));
}

function pathsOf(value: Json, prefix: string): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => pathsOf(item, prefix));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, item]) => [`${prefix}${key}`, ...pathsOf(item, `${prefix}${key}.`)]);
}

function isObject(value: Json): value is { [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const messagesOf = (prompt: Prompt): Said[] => (prompt.type === 'chat' ? prompt.messages : []);
const answerOf = ({ output }: Row): Said | undefined => messagesOf(output).findLast(({ role }) => role === 'assistant');
const textsOf = (content: Part[] | null | undefined): string[] =>
  (content ?? []).filter(({ type }) => type === 'text').map(({ text }) => text ?? '');
const joined = (found: string[], separator: string): string | null => (found.length > 0 ? found.join(separator) : null);

function inputText(row: Row): string | null {
  if (row.input.type === 'completion') return joined(textsOf(row.input.content), '');
  const before = [...row.input.messages, ...messagesOf(row.output).filter((message) => message !== answerOf(row))];
  return joined(
    before.map(({ role, content }) => `[${role}]: ${textsOf(content).join('')}`),
    '\n\n',
  );
}

function outputText(row: Row): string | null {
  const { output } = row;
  const content = output.type === 'completion' ? output.content : answerOf(row)?.content;
  return joined([...some(joined(textsOf(content), '')), ...callTexts(row)].map(String), '\n') || null;
}

function callTexts(row: Row): string[] {
  return (answerOf(row)?.tool_calls ?? []).flatMap((call) => [call.function.name, call.function.arguments]);
}

/** Whether every word of the text begins a word of the row's input or output. */
export function naiveText(q: string, row: Row): boolean {
  const contents = [row.input, row.output].flatMap((prompt) =>
    prompt.type === 'chat' ? prompt.messages.flatMap(({ content }) => textsOf(content)) : textsOf(prompt.content),
  );
  const text = plain([...contents, ...callTexts(row)].join('\n'));
  const words = wordsOf(text);
  return plain(q)
    .split(/\s+/)
    .every((chunk) =>
      wordsOf(chunk).length === 0
        ? text.includes(chunk)
        : wordsOf(chunk).every((wanted) => words.some((word) => word.startsWith(wanted))),
    );
}

const fold = (text: unknown): string => String(text).toLowerCase();
const plain = (text: string): string => fold(text).replace(/['’]/g, '');
const wordsOf = (text: string): string[] => text.split(/[^a-z0-9_é]+/).filter((word) => word !== '');

/** First and last microsecond of a date or of a moment with six digits. */
function span(text: unknown): [number, number] {
  if (String(text).length === 10) {
    const start = Date.parse(`${String(text)}T00:00:00Z`) * 1000;
    return [start, start + DAY_US - 1];
  }
  const [, seconds, micros, zone] = /^(.*)\.(\d{6})(.*)$/.exec(String(text)) ?? [];
  const us = Date.parse(`${seconds}${zone}`) * 1000 + Number(micros);
  return [us, us];
}

function timeTest([time]: unknown[], test: (us: number) => boolean): boolean {
  return test(span(time)[0]);
}
