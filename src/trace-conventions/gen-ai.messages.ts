import type { MessageSource, Told } from './message-source.js';
import type { Message } from '../llm/shared/blueprint.js';
import { isObject, type JsonObject, type JsonValue, setOwn } from '../platform/json.js';
import type { SpanEvent } from './span.js';
import { SpanAttributes } from './attributes.js';
import { readIndexed } from './indexed.js';
import { parseIfJson } from '../llm/messages/json-text.js';
import { readInstructions, readMessage, readMessages, type Role } from '../llm/messages/messages.js';
import { isPart } from '../llm/messages/parts.js';

/** Older SDKs leaked the name of a constant into the keys. */
const PROMPT_PREFIXES = ['gen_ai.prompt', 'SpanAttributes.LLM_PROMPTS'];
const COMPLETION_PREFIXES = ['gen_ai.completion', 'SpanAttributes.LLM_COMPLETIONS'];

const DETAILS_EVENT = 'gen_ai.client.inference.operation.details';
const CHOICE_EVENT = 'gen_ai.choice';
const INPUT_EVENTS = new Map<string, Role>([
  ['gen_ai.system.message', 'system'],
  ['gen_ai.user.message', 'user'],
  ['gen_ai.assistant.message', 'assistant'],
  ['gen_ai.tool.message', 'tool'],
]);

/** The last one is used by Azure and Semantic Kernel. */
const BODY_KEYS = ['body', 'event_body', 'gen_ai.event.content'];

/** The messages of the current convention. */
export const genAiMessages: MessageSource = {
  keys: ['gen_ai.input.messages', 'gen_ai.output.messages', 'gen_ai.system_instructions'],
  input: ({ attributes }) => readMessages(attributes.get('gen_ai.input.messages'), 'user'),
  output: ({ attributes }) => readMessages(attributes.get('gen_ai.output.messages'), 'assistant'),
};

/** Messages flattened into numbered attributes. */
export const flattenedMessages: MessageSource = {
  keys: ['gen_ai.prompt.N.*', 'gen_ai.completion.N.*'],
  input: ({ attributes }) =>
    readAnyIndexed(attributes, PROMPT_PREFIXES).flatMap((message) => readFlattened(message, 'user')),
  output: ({ attributes }) => flattenedOutput(attributes).flatMap((message) => readFlattened(message, 'assistant')),
};

/** Prompt and completion as one attribute each. */
export const genAiTexts: MessageSource = {
  keys: ['gen_ai.prompt', 'gen_ai.completion'],
  input: ({ attributes }) => readMessages(attributes.get('gen_ai.prompt'), 'user'),
  output: ({ attributes }) => readMessages(attributes.get('gen_ai.completion'), 'assistant'),
};

/** The forms that events had over time. */
export const eventMessages: MessageSource = {
  keys: [
    'events gen_ai.*.message',
    'event gen_ai.choice',
    'event gen_ai.client.inference.operation.details',
    'event gen_ai.content.prompt',
    'event gen_ai.content.completion',
  ],
  input(told) {
    const messages = readMessages(detailsOf(told).get('gen_ai.input.messages'), 'user');
    if (messages.length > 0) return messages;
    const single = readInputEvents(told.events);
    if (single.length > 0) return single;
    return readMessages(eventAttribute(told.events, 'gen_ai.content.prompt', 'gen_ai.prompt'), 'user');
  },
  output(told) {
    const messages = readMessages(detailsOf(told).get('gen_ai.output.messages'), 'assistant');
    if (messages.length > 0) return messages;
    const choices = readChoiceEvents(told.events);
    if (choices.length > 0) return choices;
    return readMessages(eventAttribute(told.events, 'gen_ai.content.completion', 'gen_ai.completion'), 'assistant');
  },
};

/**
 * Attributes of the events that describe the whole call. Some senders emit one such event for the input and one for the
 * output.
 */
export function detailsOf({ events }: Told): SpanAttributes {
  const details = events.filter((event) => event.name === DETAILS_EVENT).map(({ attributes }) => attributes);
  return SpanAttributes.from(details.reduceRight((later, earlier) => ({ ...later, ...earlier }), {}));
}

/** Puts the instructions in front, unless the conversation already begins with the same ones. */
export function withInstructions(told: Told, messages: Message[]): Message[] {
  const key = 'gen_ai.system_instructions';
  const system = readInstructions(told.attributes.get(key) ?? detailsOf(told).get(key));
  if (system === null) return messages;
  const first = messages.find((message) => message.role === 'system' || message.role === 'developer');
  const isKnown = JSON.stringify(first?.content) === JSON.stringify(system.content);
  return isKnown ? messages : [system, ...messages];
}

/** Values that may have a finish reason of their own: messages of the output and choices. */
export function reportedReasons(told: Told): JsonValue[] {
  const sources = [told.attributes, detailsOf(told)];
  const messages = sources.map((attributes) => attributes.json('gen_ai.output.messages')).find(Array.isArray) ?? [];
  return [...messages, ...flattenedOutput(told.attributes), ...choiceFields(told.events)];
}

/** Messages of events that have one message each. */
export function readInputEvents(events: SpanEvent[]): Message[] {
  return events.flatMap((event) => {
    const role = INPUT_EVENTS.get(event.name);
    return role === undefined ? [] : readFlattened({ role, ...eventFields(event) }, role);
  });
}

/** The messages of the choices among events. */
export function readChoiceEvents(events: SpanEvent[]): Message[] {
  return choiceFields(events).flatMap(readChoice);
}

function choiceFields(events: SpanEvent[]): JsonObject[] {
  return events.filter((event) => event.name === CHOICE_EVENT).map(eventFields);
}

function flattenedOutput(attributes: SpanAttributes): JsonObject[] {
  return readAnyIndexed(attributes, COMPLETION_PREFIXES);
}

function readAnyIndexed(attributes: SpanAttributes, prefixes: string[]): JsonObject[] {
  for (const prefix of prefixes) {
    const found = readIndexed(attributes, prefix);
    if (found.length > 0) return found;
  }
  return [];
}

/** Flattened messages and events can only hold text: a list of parts comes as JSON. */
function readFlattened(message: JsonObject, fallback: Role): Message[] {
  return readMessage({ ...message, content: unpackParts(message.content ?? null) }, fallback);
}

function unpackParts(content: JsonValue): JsonValue {
  const value = parseIfJson(content) ?? null;
  return Array.isArray(value) && value.length > 0 && value.every(isPart) ? value : content;
}

/** An event's fields: from a body in JSON, or as attributes, with or without the event's name in front. */
function eventFields(event: SpanEvent): JsonObject {
  const attributes = SpanAttributes.from(event.attributes);
  const fields = { ...event.attributes, ...attributes.object(...BODY_KEYS) };
  for (const [name, value] of attributes.below(`${event.name}.`)) setOwn(fields, name, value);
  return fields;
}

/** A choice has a message, or only its content: a text, or a list of parts. */
function readChoice(fields: JsonObject): Message[] {
  const given = fields.message ?? null;
  const message = parseIfJson(given);
  const inner = isObject(message) ? message : given === null ? flatMessage(fields) : { content: given };
  return readFlattened({ tool_calls: fields.tool_calls ?? null, ...inner }, 'assistant');
}

function flatMessage(fields: JsonObject): JsonObject {
  const content = fields['message.content'] ?? fields.content ?? null;
  return { role: fields['message.role'] ?? fields.role ?? 'assistant', content };
}

function eventAttribute(events: SpanEvent[], name: string, key: string): JsonValue | undefined {
  const event = events.find((candidate) => candidate.name === name);
  return event && SpanAttributes.from(event.attributes).get(key);
}
