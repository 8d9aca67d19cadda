import {
  derivedFromWords,
  inputWords,
  messageSources,
  outputWords,
  readInputVariables,
  readMetadata,
  readTags,
  SpanAttributes,
  type SpanEvent,
  type Told,
  wordsOf,
} from '../../trace-conventions/index.js';
import { type Message, newChat, type Prompt } from '../../llm/shared/blueprint.js';
import { parseIfJson, parseJson, toText, truncate } from '../../llm/messages/json-text.js';
import { readableJson, readableTexts } from '../../llm/messages/readable-json.js';
import { readableMessages } from '../../llm/messages/readable-messages.js';
import { isObject, type JsonObject, type JsonValue } from '../../platform/json.js';
import { findObject } from '../../llm/records/answer-json.js';
import { OUTPUT_SHAPES, readAnswer, searchedInput, searchedOutput } from '../../llm/records/conversation-facts.js';
import { FlatCollector, type FlatValues, flatValues } from './flat-values.js';

/** Characters of an input, an output or an exception that are searched. */
export const LONGEST_TEXT = 32_000;

/** A span as it is stored, as far as its payload is searched. */
export interface SpanPayload {
  name: string;
  spanType: string;
  statusMessage: string | null;
  attributes: JsonObject;
  events: SpanEvent[];
  resource: JsonObject;
  call: ReportedCall | null;
}

type Payload = Pick<SpanPayload, 'attributes' | 'events' | 'resource'>;

/** A call that was reported beside its span. It adds facts that the span lacks. */
export interface ReportedCall {
  input: Prompt;
  output: Prompt;
  variables: JsonObject;
  tags: string[];
  metadata: Record<string, string>;
}

/** Facts from the payload of a span that its trace is listed by. Texts are cut at 32,000 characters. */
export interface ListedFindings {
  toolName: string | null;
  workflow: Workflow | null;
  /** Tags of its attributes; the call beside it may have others. The same holds for metadata. */
  tags: string[];
  metadata: Record<string, string>;
  readonly input: string | null;
  readonly output: string | null;
}

/** Facts from the payload of a span. Texts are cut at 32,000 characters. */
export interface SpanFindings extends ListedFindings {
  /** Paths of an output that is or holds JSON, or calls tools. */
  outputValues: FlatValues | null;
  inputVariables: FlatValues | null;
  attributesDeep: FlatValues | null;
  exception: string | null;
  /** The output as written, where `output` has lines of its paths and values. */
  answer: string | null;
}

export interface Workflow {
  id: string;
  name: string | null;
  version: string | null;
}

/**
 * Attributes with the input of tools. They are more specific than a value, which may be that of the whole framework.
 */
const TOOL_INPUT_KEYS = [
  'function_input',
  'gen_ai.tool.call.arguments',
  'ai.toolCall.args',
  'tool.parameters',
  'tool_arguments',
  'gcp.vertex.agent.tool_call_args',
  'lk.function_tool.arguments',
];
const TOOL_OUTPUT_KEYS = [
  'function_output',
  'gen_ai.tool.response',
  'tool_response',
  'tool.output',
  'ai.toolCall.result',
  'gen_ai.tool.call.result',
  'gcp.vertex.agent.tool_response',
  'lk.function_tool.output',
];

/** Attributes with inputs and outputs that are no messages. */
const inputKeys = derivedFromWords(() => [...TOOL_INPUT_KEYS, ...wordsOf(inputWords), 'eval.input']);
const outputKeys = derivedFromWords(() => [...TOOL_OUTPUT_KEYS, ...wordsOf(outputWords), 'eval.output']);

const TOOL_KEYS = ['gen_ai.tool.name', 'tool.name', 'tool_name', 'ai.toolCall.name', 'lk.function_tool.name'];
const TOOL_PREFIX = 'Tool: ';

export const WORKFLOW_ID_KEYS = ['promptlayer.workflow.id', 'workflow.id', 'workflow_id', 'gen_ai.workflow.id'];
const WORKFLOW_NAME_KEYS = ['promptlayer.workflow.name', 'workflow.name', 'workflow_name', 'gen_ai.workflow.name'];
const WORKFLOW_VERSION_KEYS = [
  'promptlayer.workflow.version',
  'workflow.version',
  'workflow_version',
  'gen_ai.workflow.version',
];

/** Reads a span for search. Never throws, whatever the attributes hold. */
export function readFindings(span: SpanPayload): SpanFindings {
  const attributes = SpanAttributes.from(span.attributes, span.resource);
  const output = outputOf(span, attributes);
  const variables = readableTexts(readInputVariables(attributes));
  const { call } = span;
  return {
    toolName: readToolName(span, attributes),
    workflow: readWorkflow(attributes),
    tags: readTags(attributes),
    metadata: readMetadata(attributes),
    input: inputOf(span, attributes),
    output: cut(output.text),
    outputValues: output.data === null ? null : flatValues(output.data),
    inputVariables: flatValues(variables) ?? (call && flatValues(call.variables)),
    attributesDeep: readDeep(span.attributes),
    exception: cut(readException(span)),
    answer: cut(output.written),
  };
}

/** Reads the facts that a trace is listed by. Texts are most of the work and are read on demand. */
export function readListedFindings(span: SpanPayload): ListedFindings {
  const attributes = SpanAttributes.from(span.attributes, span.resource);
  return {
    toolName: readToolName(span, attributes),
    workflow: readWorkflow(attributes),
    tags: readTags(attributes),
    metadata: readMetadata(attributes),
    get input() {
      return inputOf(span, attributes);
    },
    get output() {
      return cut(outputOf(span, attributes).text);
    },
  };
}

function inputOf({ events, call }: SpanPayload, attributes: SpanAttributes): string | null {
  return cut(readInput({ attributes, events }) ?? (call && searchedInput(call)));
}

function outputOf({ events, call }: SpanPayload, attributes: SpanAttributes): Output {
  return readOutput({ attributes, events }) ?? (call ? answerIn(call.output) : NOTHING);
}

/** The tool that a span is a run of. */
export function readToolName({ name, spanType }: SpanPayload, attributes: SpanAttributes): string | null {
  const told = attributes.text(...TOOL_KEYS);
  if (told !== null) return told;
  const isTool = spanType === 'TOOL' || attributes.text('traceloop.span.kind')?.toLowerCase() === 'tool';
  const entity = isTool ? attributes.text('traceloop.entity.name') : null;
  if (entity !== null) return entity;
  return name.startsWith(TOOL_PREFIX) ? name.slice(TOOL_PREFIX.length).trim() || null : null;
}

/** An id and a version are short texts; longer ones are cut. */
const LONGEST_ID = 200;

function readWorkflow(attributes: SpanAttributes): Workflow | null {
  const id = attributes.text(...WORKFLOW_ID_KEYS);
  if (id === null) return null;
  const version = attributes.text(...WORKFLOW_VERSION_KEYS);
  return {
    id: truncate(id, LONGEST_ID),
    name: attributes.text(...WORKFLOW_NAME_KEYS),
    version: version && truncate(version, LONGEST_ID),
  };
}

function readInput(told: Told): string | null {
  const messages = messagesOf('input', told);
  if (messages.length > 0) return searchedInput({ input: newChat(messages), output: newChat([]) });
  const value = valueAt(told.attributes, inputKeys());
  return value === undefined ? null : readableJson(toText(value));
}

interface Output {
  text: string | null;
  /** The output as data, when it is a JSON object or list, holds an object, or calls tools. */
  data: JsonValue | null;
  /** The text as written, where `text` is derived from the data. */
  written: string | null;
}

const NOTHING: Output = { text: null, data: null, written: null };

function answerIn(output: Prompt): Output {
  const { shape, data, text: written } = readAnswer(output);
  return { text: searchedOutput(output), data, written: shape === OUTPUT_SHAPES.JSON ? written : null };
}

/** The input of a span, uncut: data where it is JSON. null where the span has none. */
export function readSpanInput({ attributes, events, resource }: Payload): JsonValue {
  const text = readInput({ attributes: SpanAttributes.from(attributes, resource), events });
  return readIfJson(text) ?? text;
}

/** The output of a span, uncut: data where it is JSON. null where the span has none. */
export function readSpanOutput({ attributes, events, resource }: Payload): JsonValue {
  const output = readOutput({ attributes: SpanAttributes.from(attributes, resource), events });
  const text = output && (output.written ?? output.text);
  return readIfJson(text) ?? text;
}

/** Parses texts that are JSON, except numbers and single words. */
function readIfJson(text: string | null): JsonValue | undefined {
  return text !== null && /^\s*[[{"]/.test(text) ? parseJson(text) : undefined;
}

function readOutput(told: Told): Output | null {
  const messages = messagesOf('output', told);
  if (messages.length > 0) return answerIn(newChat(messages));
  const value = valueAt(told.attributes, outputKeys());
  if (value === undefined) return null;
  const [text, data] = [readableJson(toText(value)), parseIfJson(value) ?? null];
  return { text, data: typeof data === 'object' ? data : (findObject(text)?.object ?? null), written: null };
}

function messagesOf(side: 'input' | 'output', told: Told): Message[] {
  for (const source of messageSources()) {
    const messages = source[side](told);
    if (messages.length > 0) return readableMessages(messages);
  }
  return [];
}

function valueAt(attributes: SpanAttributes, keys: readonly string[]): JsonValue | undefined {
  const key = keys.find((each) => {
    const value = attributes.get(each);
    return value !== undefined && value !== '';
  });
  return key === undefined ? undefined : attributes.get(key);
}

/**
 * Values inside attributes that are lists, objects or JSON texts of these, by the key of the attribute and the path in
 * it. A path that is the key of another attribute belongs to that attribute. The shortest come first, so long ones,
 * such as messages, get only the room that the others leave.
 */
export function readDeep(attributes: JsonObject): FlatValues | null {
  const collector = new FlatCollector();
  const deep = deepAttributes(attributes);
  deep.forEach(({ key, value }, index) => collector.add(value, key, deep.length - index - 1));
  const own = Object.entries(collector.values).filter(([path]) => !Object.hasOwn(attributes, path));
  return own.length > 0 ? Object.fromEntries(own) : null;
}

function deepAttributes(attributes: JsonObject): { key: string; value: JsonValue; length: number }[] {
  const deep = Object.keys(attributes).flatMap((key) => {
    const given = attributes[key]!;
    const value = parseIfJson(given);
    if (!Array.isArray(value) && !isObject(value)) return [];
    return [{ key, value, length: (typeof given === 'string' ? given : JSON.stringify(given)).length }];
  });
  return deep.sort((a, b) => a.length - b.length || (a.key < b.key ? -1 : 1));
}

/** Type, message and stack of every exception of a span, or the message of its status. */
function readException({ events, statusMessage }: SpanPayload): string | null {
  const exceptions = events
    .filter(({ name }) => name === 'exception')
    .map(({ attributes }) => exceptionText(attributes));
  return exceptions.length > 0 ? exceptions.join('\n') : readableJson(statusMessage ?? '') || null;
}

function exceptionText(given: JsonObject): string {
  const attributes = SpanAttributes.from(given);
  const [type, message] = [attributes.text('exception.type'), attributes.text('exception.message')];
  const headline = [type, message && readableJson(message)].filter((part) => part !== null).join(': ');
  return [headline, attributes.text('exception.stacktrace')].filter((part) => part !== null && part !== '').join('\n');
}

const cut = (text: string | null): string | null => (text === null ? null : truncate(text, LONGEST_TEXT));
