import type { MessageSource } from './message-source.js';
import type { Message } from '../llm/shared/blueprint.js';
import { isObject, type JsonObject, type JsonValue } from '../platform/json.js';
import type { SpanAttributes } from './attributes.js';
import { parseIfJson, toText } from '../llm/messages/json-text.js';
import { readMessage, readMessages } from '../llm/messages/messages.js';

/** Older versions write `result` for `response`. */
const RESPONSE_PREFIXES = ['ai.response', 'ai.result'];

/** The messages of the Vercel AI SDK. */
export const vercelMessages: MessageSource = {
  keys: ['ai.prompt.messages', 'ai.prompt', 'ai.response.*', 'ai.result.*'],
  input({ attributes }) {
    const messages = readMessages(attributes.get('ai.prompt.messages'), 'user');
    return messages.length > 0 ? messages : readPrompt(attributes.json('ai.prompt'));
  },
  output({ attributes }) {
    const content = [...reasoning(attributes), ...answer(attributes)];
    const calls = toolCalls(attributes);
    if (content.length === 0 && calls.length === 0) return [];
    return readMessage({ role: 'assistant', content, tool_calls: calls }, 'assistant');
  },
};

/** `{system, prompt}` or `{system, messages}`, or a plain text. */
function readPrompt(prompt: JsonValue | undefined): Message[] {
  if (!isObject(prompt) || Array.isArray(prompt.messages)) return readMessages(prompt, 'user');
  const asked = prompt.prompt ?? null;
  if (asked === null) return readMessages(prompt, 'user');
  return readMessages({ system: prompt.system ?? null, messages: Array.isArray(asked) ? asked : [asked] }, 'user');
}

function valueOf(attributes: SpanAttributes, member: string): JsonValue | undefined {
  for (const prefix of RESPONSE_PREFIXES) {
    const value = attributes.get(`${prefix}.${member}`);
    if (value !== undefined && value !== '') return value;
  }
  return undefined;
}

/** The answer of an object call stays JSON text, because it is not a list of parts. */
function answer(attributes: SpanAttributes): JsonObject[] {
  const text = valueOf(attributes, 'text') ?? valueOf(attributes, 'object');
  return text === undefined ? [] : [{ type: 'text', text: toText(text) }];
}

function reasoning(attributes: SpanAttributes): JsonObject[] {
  const given = parseIfJson(valueOf(attributes, 'reasoning'));
  if (given === undefined) return [];
  const entries = Array.isArray(given) ? given : [given];
  return entries.map((entry) => (isObject(entry) ? { ...entry, type: 'reasoning' } : thinking(toText(entry))));
}

const thinking = (text: string): JsonObject => ({ type: 'reasoning', text });

function toolCalls(attributes: SpanAttributes): JsonValue[] {
  const calls = parseIfJson(valueOf(attributes, 'toolCalls'));
  return Array.isArray(calls) ? calls : [];
}
