import type { Message } from '../../llm/blueprint.js';
import type { JsonObject, JsonValue } from '../../platform/json.js';
import { isObject, setOwn } from '../otlp/json-objects.js';
import type { NormalizedSpan, SpanEvent } from '../span.js';
import { SpanAttributes, toTexts } from './attributes.js';
import type { Conversation } from './call.js';
import { readIndexed } from './indexed.js';
import { parseIfJson } from './json-text.js';
import type { Role } from './messages.js';
import { readInstructions, readMessage, readMessages } from './messages.js';
import { firstText, isPart } from './parts.js';

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

const BODY_KEYS = ['body', 'event_body'];

/**
 * The conversation of a span in the forms that OpenTelemetry's conventions had over time. Input and output are looked
 * for separately; attributes win over events.
 */
export function readGenAiConversation(span: NormalizedSpan, attributes: SpanAttributes): Conversation {
  const events = inTimeOrder(span.events);
  const details = new SpanAttributes(events.find((event) => event.name === DETAILS_EVENT)?.attributes ?? {});
  const choices = events.filter((event) => event.name === CHOICE_EVENT).map(eventFields);
  const flattenedOutput = readAnyIndexed(attributes, COMPLETION_PREFIXES);
  const input = firstUsable(
    () => readMessages(attributes.get('gen_ai.input.messages'), 'user'),
    () => readAnyIndexed(attributes, PROMPT_PREFIXES).flatMap((message) => readFlattened(message, 'user')),
    () => readMessages(attributes.get('gen_ai.prompt'), 'user'),
    () => readMessages(details.get('gen_ai.input.messages'), 'user'),
    () => readInputEvents(events),
    () => readMessages(eventAttribute(events, 'gen_ai.content.prompt', 'gen_ai.prompt'), 'user'),
  );
  const output = firstUsable(
    () => readMessages(attributes.get('gen_ai.output.messages'), 'assistant'),
    () => flattenedOutput.flatMap((message) => readFlattened(message, 'assistant')),
    () => readMessages(attributes.get('gen_ai.completion'), 'assistant'),
    () => readMessages(details.get('gen_ai.output.messages'), 'assistant'),
    () => choices.flatMap(readChoice),
    () => readMessages(eventAttribute(events, 'gen_ai.content.completion', 'gen_ai.completion'), 'assistant'),
  );
  const instructions = attributes.get('gen_ai.system_instructions') ?? details.get('gen_ai.system_instructions');
  return {
    input: withInstructions(instructions, input),
    output,
    finishReasons: readFinishReasons([attributes, details], [...flattenedOutput, ...choices]),
  };
}

function firstUsable(...sources: (() => Message[])[]): Message[] {
  for (const read of sources) {
    const messages = read();
    if (messages.length > 0) return messages;
  }
  return [];
}

/** Puts the instructions in front, unless the conversation already begins with the same ones. */
function withInstructions(instructions: JsonValue | undefined, messages: Message[]): Message[] {
  const system = readInstructions(instructions);
  if (system === null) return messages;
  const first = messages.find((message) => message.role === 'system' || message.role === 'developer');
  const isKnown = JSON.stringify(first?.content) === JSON.stringify(system.content);
  return isKnown ? messages : [system, ...messages];
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

function inTimeOrder(events: SpanEvent[]): SpanEvent[] {
  return events.toSorted((a, b) => (a.timeNs < b.timeNs ? -1 : a.timeNs > b.timeNs ? 1 : 0));
}

function readInputEvents(events: SpanEvent[]): Message[] {
  return events.flatMap((event) => {
    const role = INPUT_EVENTS.get(event.name);
    return role === undefined ? [] : readFlattened({ role, ...eventFields(event) }, role);
  });
}

/** An event's fields: from a body in JSON, or as attributes, with or without the event's name in front. */
function eventFields(event: SpanEvent): JsonObject {
  const attributes = new SpanAttributes(event.attributes);
  const fields = { ...event.attributes, ...attributes.object(...BODY_KEYS) };
  for (const [name, value] of attributes.below(`${event.name}.`)) setOwn(fields, name, value);
  return fields;
}

function readChoice(fields: JsonObject): Message[] {
  const message = parseIfJson(fields.message);
  const inner = isObject(message) ? message : typeof message === 'string' ? { content: message } : flatMessage(fields);
  return readFlattened({ tool_calls: fields.tool_calls ?? null, ...inner }, 'assistant');
}

function flatMessage(fields: JsonObject): JsonObject {
  const content = fields['message.content'] ?? fields.content ?? null;
  return { role: fields['message.role'] ?? fields.role ?? 'assistant', content };
}

function eventAttribute(events: SpanEvent[], name: string, key: string): JsonValue | undefined {
  const event = events.find((candidate) => candidate.name === name);
  return event && new SpanAttributes(event.attributes).get(key);
}

function readFinishReasons(sources: SpanAttributes[], choices: JsonObject[]): string[] {
  for (const attributes of sources) {
    const reasons = toTexts(attributes.get('gen_ai.response.finish_reasons'));
    if (reasons.length > 0) return reasons;
  }
  const messages = sources.map((attributes) => attributes.json('gen_ai.output.messages')).find(Array.isArray) ?? [];
  return [...messages, ...choices]
    .map((message) => (isObject(message) ? firstText(message.finish_reason) : ''))
    .filter((reason) => reason !== '');
}
