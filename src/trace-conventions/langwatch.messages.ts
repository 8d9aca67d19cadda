import type { MessageSource } from './message-source.js';
import { isObject, type JsonValue } from '../platform/json.js';
import { readMessages } from '../llm/messages/messages.js';
import type { SpanAttributes } from './attributes.js';

/** Input and output, each as a value with a type. */
export const langWatchMessages: MessageSource = {
  keys: ['langwatch.input', 'langwatch.output'],
  input: ({ attributes }) => readMessages(typedValue(attributes, 'langwatch.input'), 'user'),
  output: ({ attributes }) => readMessages(typedValue(attributes, 'langwatch.output'), 'assistant'),
};

/** `{type, value}`. */
function typedValue(attributes: SpanAttributes, key: string): JsonValue | undefined {
  const given = attributes.json(key);
  return isObject(given) && typeof given.type === 'string' && given.value !== undefined ? given.value : given;
}
