import type { MessageSource } from './message-source.js';
import { type Message, newMessage } from '../llm/shared/blueprint.js';
import { isObject, type JsonObject, type JsonValue } from '../platform/json.js';
import type { SpanAttributes } from './attributes.js';
import { type Words, wordsOf } from './words.js';
import { readMessages, type Role } from '../llm/messages/messages.js';
import { readStream } from '../llm/formats/formats.js';
import { textPart } from '../llm/messages/parts.js';

/** Attributes in which conventions keep the input and the output of a span. */
export const inputWords = ({ values }: Words): string[] | undefined => values?.input;
export const outputWords = ({ values }: Words): string[] | undefined => values?.output;

/** Placeholder from instrumentation that hides content. */
const HIDDEN = '__REDACTED__';

/** Last resort: the value of a span as a conversation. */
export const genericMessages: MessageSource = {
  keys: [],
  input: ({ attributes }) => firstOf(attributes, wordsOf(inputWords), 'user'),
  output: ({ attributes }) => firstOf(attributes, wordsOf(outputWords), 'assistant'),
};

function firstOf(attributes: SpanAttributes, keys: readonly string[], fallback: Role): Message[] {
  for (const key of attributes.present(keys)) {
    const messages = readValue(attributes, key, fallback);
    if (messages.length > 0) return messages;
  }
  return [];
}

function readValue(attributes: SpanAttributes, key: string, fallback: Role): Message[] {
  const value = attributes.get(key);
  if (value === HIDDEN) return [];
  const mime = key.endsWith('.value') ? attributes.text(key.replace('.value', '.mime_type')) : null;
  if (mime === 'text/plain' && typeof value === 'string' && value !== '') {
    return [newMessage(fallback, null, [textPart(value)])];
  }
  const given = attributes.json(key);
  if (isEmpty(given)) return [];
  const streamed = fallback === 'assistant' && isListOfObjects(given) ? readStream(given) : null;
  return streamed?.type === 'chat' ? streamed.messages : readMessages(conversationIn(given), fallback);
}

function isEmpty(value: JsonValue | undefined): boolean {
  return isObject(value) ? Object.keys(value).length === 0 : Array.isArray(value) && value.length === 0;
}

/** Messages of requests and answers under names that would be data elsewhere. */
function conversationIn(value: JsonValue | undefined): JsonValue | undefined {
  if (!isObject(value)) return value;
  if (isObject(value.config) && Array.isArray(value.contents)) {
    // Google's library keeps the instructions beside the parameters.
    return { ...value, system_instruction: value.config.system_instruction ?? null };
  }
  // LiveKit, and the newer API of OpenAI: its request, then its answer.
  const items = [value.items, value.input, value.output].find(isListOfObjects);
  if (items === undefined) return value;
  return { system: value.instructions ?? null, messages: items };
}

function isListOfObjects(value: JsonValue | undefined): value is JsonObject[] {
  return Array.isArray(value) && value.length > 0 && value.every(isObject);
}
