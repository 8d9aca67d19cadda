import type { MessageSource } from './message-source.js';
import { type Message, newMessage } from '../llm/shared/blueprint.js';
import { isObject, type JsonObject, type JsonValue } from '../platform/json.js';
import type { SpanAttributes } from './attributes.js';
import { readIndexed } from './indexed.js';
import type { Role } from '../llm/messages/messages.js';
import { firstText, textPart } from '../llm/messages/parts.js';

/** Texts and their continuations, as APIs before chat had them. */
export const completionTexts: MessageSource = {
  keys: ['llm.prompts', 'llm.choices', 'llm.completions'],
  isCompletion: true,
  input({ attributes }) {
    return read(attributes, 'llm.prompts', 'user', (entry) => memberText(entry.prompt) || firstText(entry.content));
  },
  output({ attributes }) {
    const choices = read(attributes, 'llm.choices', 'assistant', (entry) => memberText(entry.completion));
    return choices.length > 0
      ? choices
      : read(attributes, 'llm.completions', 'assistant', (entry) => memberText(entry.completion) || contentOf(entry));
  },
};

type ReadEntry = (entry: JsonObject) => string;

function read(attributes: SpanAttributes, key: string, role: Role, readEntry: ReadEntry): Message[] {
  const numbered = readIndexed(attributes, key).map(readEntry);
  const texts = numbered.length > 0 ? numbered : listed(attributes.json(key), readEntry);
  return texts.filter((text) => text !== '').map((text) => newMessage(role, null, [textPart(text)]));
}

function listed(value: JsonValue | undefined, readEntry: ReadEntry): string[] {
  const entries = Array.isArray(value) ? value : [value ?? null];
  return entries.map((entry) => (isObject(entry) ? readEntry(entry) : firstText(entry)));
}

function memberText(value: JsonValue | undefined): string {
  return isObject(value) ? firstText(value.text) : firstText(value);
}

function contentOf(entry: JsonObject): string {
  return firstText(entry.content, entry.text);
}
