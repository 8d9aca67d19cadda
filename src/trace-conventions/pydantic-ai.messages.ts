import type { MessageSource } from './message-source.js';
import { isObject, type JsonObject, type JsonValue } from '../platform/json.js';
import type { SpanEvent } from './span.js';
import type { SpanAttributes } from './attributes.js';
import { readChoiceEvents, readInputEvents } from './gen-ai.messages.js';
import { firstText } from '../llm/messages/parts.js';

/** The first messages of Pydantic AI: a list in one attribute of what others send as events. */
export const pydanticMessages: MessageSource = {
  keys: ['events'],
  input: ({ attributes }) => readInputEvents(listedEvents(attributes)),
  output: ({ attributes }) => readChoiceEvents(listedEvents(attributes)),
};

function listedEvents(attributes: SpanAttributes): SpanEvent[] {
  const events = attributes.json('events');
  if (!Array.isArray(events)) return [];
  return events
    .filter(isObject)
    .map((entry) => ({ name: firstText(entry['event.name']), timeNs: 0n, attributes: withTypes(entry) }));
}

/** Its parts name their kind where others name their type. */
function withTypes(message: JsonObject): JsonObject {
  const typed = {
    ...message,
    content: Array.isArray(message.content) ? message.content.map(withType) : message.content,
  };
  return isObject(message.message) ? { ...typed, message: withTypes(message.message) } : typed;
}

function withType(part: JsonValue): JsonValue {
  if (!isObject(part) || typeof part.kind !== 'string') return part;
  return { ...part, type: part.kind, content: part.binary_content ?? part.content ?? null };
}
