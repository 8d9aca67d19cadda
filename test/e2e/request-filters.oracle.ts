import {
  ANSWERS,
  DAY_US,
  type Group,
  type Json,
  type Leaf,
  NESTED,
  nestedFields,
  otelIdFields,
  type Part,
  type Prompt,
  PROMPTS,
  type Row,
  type Said,
  textFields,
  timeFields,
} from './request-filters.samples.js';

/** Reference implementation of filters for request logs, without SQL and without the code under test. */

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
    timeFields.includes(field)
      ? timeTest(found, (us) => us >= span(value)[0] && us <= span(value)[1])
      : spellings(field, value).some((text) => found.map(String).includes(text)),
  in: (found, { field, value }) =>
    (value as unknown[]).some((wanted) => spellings(field, wanted).some((text) => found.map(String).includes(text))),
  key_equals: (found, { field, value }) => spellings(field, value).some((text) => found.map(String).includes(text)),
  key_contains: (found, { value }) => found.some((text) => fold(text).includes(fold(value))),
  contains: (found, { field, value }) =>
    textFields.includes(field) ? found.some((text) => fold(text).includes(fold(value))) : found.includes(String(value)),
  starts_with: (found, { value }) => found.some((text) => fold(text).startsWith(fold(value))),
  ends_with: (found, { value }) => found.some((text) => fold(text).endsWith(fold(value))),
  eq: (found, { value }) => found.some((number) => number === Number(value)),
  gt: (found, { value }) => found.some((number) => (number as number) > Number(value)),
  gte: (found, { value }) => found.some((number) => (number as number) >= Number(value)),
  lt: (found, { value }) => found.some((number) => (number as number) < Number(value)),
  lte: (found, { value }) => found.some((number) => (number as number) <= Number(value)),
  between: (found, { field, value }) => {
    const [low, high] = value as unknown[];
    if (timeFields.includes(field)) return timeTest(found, (us) => us >= span(low)[0] && us <= span(high)[1]);
    return found.some((number) => (number as number) >= Number(low) && (number as number) <= Number(high));
  },
  before: (found, { value }) => timeTest(found, (us) => us < span(value)[0]),
  after: (found, { value }) => timeTest(found, (us) => us > span(value)[1]),
  is_true: (found) => found[0] === true,
  is_false: (found) => found[0] === false,
  is_not_null: (found) => found.length > 0,
  is_not_empty: (found, { nested_key: key }) =>
    key === undefined ? found.length > 0 : found.some((text) => !['', '{}', '[]'].includes(text as string)),
};

/** Python writes its booleans with capitals, and some write ids so. */
function spellings(field: string, value: unknown): string[] {
  const text = String(value);
  if (otelIdFields.includes(field)) return [text, text.toLowerCase()];
  return nestedFields.includes(field) && text === 'True' ? ['True', 'true'] : [text];
}

const COLUMNS: Record<string, keyof Row> = { pl_id: 'id', engine: 'model', provider_type: 'provider', cost: 'price' };

/** The values of a field; none for null. */
function valuesOf(item: Leaf, row: Row): unknown[] {
  const { field, nested_key: key } = item;
  switch (field) {
    case 'metadata':
      if (key === undefined) return Object.keys(row.metadata);
      return [...(Object.hasOwn(row.metadata, key) ? [row.metadata[key]] : []), ...insideMetadata(row, key)];
    case 'output':
      return key === undefined ? Object.keys(dataOf(row) ?? {}) : variablesAt(dataOf(row) ?? {}, key);
    case 'output_keys':
      return pathsOf(dataOf(row) ?? {}, '');
    case 'user_id':
      return valuesOf({ ...item, field: 'metadata', nested_key: 'user_id' }, row);
    case 'prompt_id':
      return row.prompt_id === null ? [] : promptNames(row);
    case 'prompt_name':
      return row.prompt_id === null ? [] : [PROMPTS[row.prompt_id - 1]];
    case 'error_group': {
      const error = row.error_message || row.error_type;
      return error
        ? [
            error
              .trim()
              .replace(/\S*\d\S*/g, '#')
              .replace(/\s+/g, ' '),
          ]
        : [];
    }
    case 'scores':
      if (key === undefined && item.operator.startsWith('is_')) return Object.keys(row.scores);
      return some(row.scores[key ?? 'default'] ?? null);
    case 'user_intent':
    case 'agent_intent':
      return [];
    case 'turn_count':
      return [turnsOf(row).filter(({ role }) => role === 'assistant').length + (hasCompletion(row) ? 1 : 0)];
    case 'tool_call_count':
      return [turnsOf(row).flatMap(({ tool_calls: calls }) => calls ?? []).length];
    case 'thinking_text':
      return some(joined(thoughtsOf(row), '\n'));
    case 'last_user_message':
      return some(lastUserMessage(row));
    case 'is_json':
      return [shapeOf(row) === 'json'];
    case 'is_plain_text':
      return [shapeOf(row) === 'text'];
    case 'input_variables':
      return key === undefined ? Object.keys(row.prompt_input_variables) : variablesAt(row.prompt_input_variables, key);
    case 'metadata_keys':
      return Object.entries(row.metadata).flatMap(([name, text]) => [
        name,
        ...pathsOf(NESTED[text] ?? null, `${name}.`),
      ]);
    case 'input_variable_keys':
      return pathsOf(row.prompt_input_variables, '');
    case 'input_text':
      return some(inputText(row));
    case 'output_text':
      return [...some(outputText(row)), ...(shapeOf(row) === 'json' ? [answerText(row)] : [])];
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

/** Values at a path in metadata that hold JSON. */
function insideMetadata(row: Row, key: string): string[] {
  const places = Object.entries(row.metadata).flatMap(([name, text]) => {
    if (!(text in NESTED) || !isContainer(NESTED[text]!)) return [];
    if (key === name) return placesAt(NESTED[text]!, null);
    return key.startsWith(`${name}.`) ? placesAt(NESTED[text]!, key.slice(name.length + 1)) : [];
  });
  return textsOfPlaces(places);
}

const isContainer = (value: Json): boolean => typeof value === 'object' && value !== null;

function promptNames({ prompt_id: id, prompt_version_number: version }: Row): string[] {
  const name = PROMPTS[id! - 1];
  return [String(id), name, ...(version === null ? [] : [`${name} v${version}`])];
}

/** Paths and values in the order of the database: shorter names first, then by their bytes. */
function leavesOf(value: Json, path: string): [string, Json][] {
  if (Array.isArray(value)) return value.flatMap((item) => leavesOf(item, path));
  if (!isObject(value)) return [[path, value]];
  const sorted = Object.keys(value).sort((a, b) => {
    const [left, right] = [Buffer.from(a), Buffer.from(b)];
    return left.length - right.length || Buffer.compare(left, right);
  });
  return sorted.flatMap((name) => leavesOf(value[name], path === '' ? name : `${path}.${name}`));
}

const turnsOf = ({ input, output }: Row): Said[] => [...messagesOf(input), ...messagesOf(output)];
const hasCompletion = ({ output }: Row): boolean => output.type === 'completion' && output.content.length > 0;
const contentOf = (row: Row): Part[] =>
  (row.output.type === 'completion' ? row.output.content : answerOf(row)?.content) ?? [];
const callsOf = (row: Row) => answerOf(row)?.tool_calls ?? [];

function shapeOf(row: Row): 'none' | 'tools' | 'json' | 'text' {
  if (callsOf(row).length > 0) return 'tools';
  if (ANSWERS[textsOf(contentOf(row)).join('')]) return 'json';
  return contentOf(row).length > 0 ? 'text' : 'none';
}

function dataOf(row: Row): { [key: string]: Json } | null {
  const text = textsOf(contentOf(row)).join('');
  if (shapeOf(row) === 'json') return ANSWERS[text] as { [key: string]: Json };
  if (shapeOf(row) !== 'tools') return null;
  const calls = callsOf(row).map(({ function: { name, arguments: given } }) => ({
    type: 'function',
    function: { name, arguments: given === '{' ? '{' : { city: 'Paris' } },
  }));
  return { tool_calls: calls };
}

function thoughtsOf({ output }: Row): string[] {
  const contents = output.type === 'completion' ? [output.content] : output.messages.map(({ content }) => content);
  return contents.flatMap((content) =>
    (content ?? []).flatMap(({ type, thinking }) => (type === 'thinking' ? [thinking!] : [])),
  );
}

function lastUserMessage(row: Row): string | null {
  const last = turnsOf(row).findLast(({ role }) => role === 'user');
  return last ? textsOf(last.content).join('') : null;
}

const some = (value: unknown): unknown[] => (value === null ? [] : [value]);

/** Values at a path, where each dot may separate names or be part of one. */
const variablesAt = (document: Json, key: string): string[] => textsOfPlaces(placesAt(document, key));

/** Null and empty objects are no values. */
function textsOfPlaces(places: Json[]): string[] {
  return places
    .filter((value) => value !== null && !(typeof value === 'object' && Object.keys(value).length === 0))
    .map((value) => (typeof value === 'object' ? JSON.stringify(value) : String(value)));
}

function placesAt(value: Json, rest: string | null): Json[] {
  if (Array.isArray(value)) return value.flatMap((item) => placesAt(item, rest));
  if (rest === null) return [value];
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, item]) => {
    if (name === rest) return placesAt(item, null);
    return rest.startsWith(`${name}.`) ? placesAt(item, rest.slice(name.length + 1)) : [];
  });
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

const answerText = (row: Row): string => textsOf(contentOf(row)).join('');

function outputText(row: Row): string | null {
  const data = dataOf(row);
  const text = answerText(row);
  if (shapeOf(row) === 'json') return shownLines(data!).join('\n') || null;
  return [...(text === '' ? [] : [text]), ...callTexts(row)].join('\n') || null;
}

const shown = (value: Json): string => (value === 1e21 ? '1000000000000000000000' : String(value));
const shownLines = (data: Json): string[] => leavesOf(data, '').map(([path, value]) => `${path}: ${shown(value)}`);

function callTexts(row: Row): string[] {
  return callsOf(row).flatMap(({ function: called }) => [called.name, called.arguments === '{' ? '{' : 'Paris']);
}

/** The texts that a filter of one of these fields looks into. */
export function textsIn(field: 'input_text' | 'output_text', row: Row): string[] {
  return valuesOf({ field, operator: 'contains' }, row) as string[];
}

/** Whether every word of the text begins a word of the row's input or output. */
export function naiveText(q: string, row: Row): boolean {
  const said = messagesOf(row.input).concat(messagesOf(row.output).filter((message) => message !== answerOf(row)));
  const data = dataOf(row);
  const contents = [
    ...(row.input.type === 'completion' ? [textsOf(row.input.content)] : []),
    ...said.map(({ content }) => textsOf(content)),
    textsOf(contentOf(row)),
  ].map((texts) => texts.join(''));
  const text = plain(
    [...contents, ...callTexts(row), ...(shapeOf(row) === 'json' ? shownLines(data!) : [])].join('\n'),
  );
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

/** First and last microsecond of a date, of a moment with three digits or of one with six. */
function span(text: unknown): [number, number] {
  if (String(text).length === 10) {
    const start = Date.parse(`${String(text)}T00:00:00Z`) * 1000;
    return [start, start + DAY_US - 1];
  }
  const [, seconds, digits, zone] = /^(.*)\.(\d{3}|\d{6})(\D.*)$/.exec(String(text)) ?? [];
  const us = Date.parse(`${seconds}${zone}`) * 1000 + Number(digits.padEnd(6, '0'));
  return [us, digits.length === 3 ? us + 999 : us];
}

function timeTest([time]: unknown[], test: (us: number) => boolean): boolean {
  return test(span(time)[0]);
}
