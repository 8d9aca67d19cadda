import { isObject } from '../../platform/json.js';
import type { SpanEvent } from '../span.js';
import type { SpanAttributes } from './attributes.js';
import type { MessageSource } from './conversation.js';
import { readChoiceEvents, readInputEvents } from './gen-ai.messages.js';
import { firstText } from '../../llm/messages/parts.js';

/** The first messages of Pydantic AI: what others send as events, as a list in one attribute. */
export const pydanticMessages: MessageSource = {
  input: ({ attributes }) => readInputEvents(listedEvents(attributes)),
  output: ({ attributes }) => readChoiceEvents(listedEvents(attributes)),
};

function listedEvents(attributes: SpanAttributes): SpanEvent[] {
  const events = attributes.json('events');
  if (!Array.isArray(events)) return [];
  return events
    .filter(isObject)
    .map((entry) => ({ name: firstText(entry['event.name']), timeNs: 0n, attributes: entry }));
}
