import type { MessageSource } from './message-source.js';
import type { Message } from '../llm/shared/blueprint.js';
import { isObject, type JsonObject, type JsonValue } from '../platform/json.js';
import type { SpanAttributes } from './attributes.js';
import { readIndexed } from './indexed.js';
import { parseIfJson } from '../llm/messages/json-text.js';
import { readMessage, readMessages, type Role } from '../llm/messages/messages.js';
import { firstText } from '../llm/messages/parts.js';

/** The messages of OpenInference, flattened into numbered attributes. */
export const openInferenceMessages: MessageSource = {
  keys: ['llm.input_messages.N.message.*', 'llm.output_messages.N.message.*'],
  input: ({ attributes }) => read(attributes, 'llm.input_messages', 'user'),
  output: ({ attributes }) => read(attributes, 'llm.output_messages', 'assistant'),
};

function read(attributes: SpanAttributes, prefix: string, fallback: Role): Message[] {
  const flattened = readIndexed(attributes, prefix);
  if (flattened.length === 0) return readMessages(attributes.get(prefix), fallback);
  return flattened.flatMap((entry) => readMessage(toPlain(entry), fallback));
}

/** Every object of this convention is inside a member named after it. */
function inside(value: JsonValue | undefined, member: string): JsonObject {
  if (!isObject(value)) return {};
  const inner = value[member];
  return isObject(inner) ? inner : {};
}

function toPlain(entry: JsonObject): JsonObject {
  const message = inside(entry, 'message');
  const parts = Array.isArray(message.contents) ? message.contents.map(toPart) : [];
  const calls = Array.isArray(message.tool_calls) ? message.tool_calls.map((call) => inside(call, 'tool_call')) : [];
  return {
    role: message.role ?? null,
    name: message.name ?? null,
    content: parts.length > 0 ? parts : (message.content ?? null),
    tool_calls: calls.map(toCall),
    tool_call_id: message.tool_call_id ?? null,
    function_call: functionCall(message),
  };
}

function toCall(call: JsonObject): JsonObject {
  return { id: call.id ?? '', function: inside(call, 'function') };
}

function functionCall(message: JsonObject): JsonValue {
  const name = firstText(message.function_call_name);
  return name === '' ? null : { name, arguments: message.function_call_arguments_json ?? '{}' };
}

function toPart(entry: JsonValue): JsonValue {
  const part = inside(entry, 'message_content');
  switch (firstText(part.type)) {
    case 'image':
      return { type: 'image_url', image_url: { url: inside(inside(part, 'image'), 'image').url ?? null } };
    case 'audio':
      return toAudio(part);
    case 'reasoning':
      return toThinking(part);
    case 'tool_use':
      return toUse(part, inside(entry, 'tool_call'));
    default:
      return part;
  }
}

/** A tool call in its position among the parts. Its fields are in the part or beside the part's type. */
function toUse(part: JsonObject, call: JsonObject): JsonObject {
  const { name, arguments: given } = { ...part, ...inside(call, 'function') };
  return { ...part, id: part.id ?? call.id ?? '', name: name ?? '', input: parseIfJson(part.input ?? given) ?? {} };
}

function toAudio(part: JsonObject): JsonObject {
  const outer = inside(part, 'audio');
  const audio = isObject(outer.audio) ? outer.audio : outer;
  return { type: 'uri', uri: audio.url ?? null, mime_type: audio.mime_type ?? 'audio/wav' };
}

/** Thinking that a vendor hides comes as data only. */
function toThinking(part: JsonObject): JsonObject {
  const hidden = part.text === undefined && part.data !== undefined;
  return hidden ? { type: 'redacted_thinking', data: part.data } : part;
}
