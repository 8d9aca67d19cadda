import type { MessageSource } from './message-source.js';
import type { JsonValue } from '../platform/json.js';
import { parseIfJson, toText } from '../llm/messages/json-text.js';
import { readMessage, readMessages } from '../llm/messages/messages.js';
import type { SpanAttributes } from './attributes.js';

const REQUESTS = ['gen_ai.request.messages', 'ai.input_messages'];
const TEXTS = ['gen_ai.response.text', 'ai.responses'];
const OBJECTS = ['gen_ai.response.object'];
const CALLS = ['gen_ai.response.tool_calls', 'ai.tool_calls'];

/** Requests as messages; answers as their texts, and beside them their calls of tools. */
export const sentryMessages: MessageSource = {
  keys: [
    'gen_ai.request.messages',
    'ai.input_messages',
    'gen_ai.response.text',
    'gen_ai.response.object',
    'gen_ai.response.tool_calls',
    'ai.responses',
    'ai.tool_calls',
  ],
  input: ({ attributes }) => readMessages(attributes.get(attributes.present(REQUESTS)[0] ?? ''), 'user'),
  output({ attributes }) {
    const calls = listAt(attributes, CALLS);
    const texts = textsIn(attributes);
    if (calls.length === 0 && texts.length === 0) return [];
    if (calls.length === 0 && texts.every(isMessage)) return readMessages(texts, 'assistant');
    const content = texts.map((text) => ({ type: 'text', text: toText(text) }));
    return readMessage({ role: 'assistant', content, tool_calls: calls }, 'assistant');
  },
};

/** One text, or the JSON text of a list of texts or of messages. */
function textsIn(attributes: SpanAttributes): JsonValue[] {
  const [key] = attributes.present([...TEXTS, ...OBJECTS]);
  const given = key === undefined ? undefined : attributes.get(key);
  if (given === undefined || given === '') return [];
  const parsed = OBJECTS.includes(key!) ? given : (parseIfJson(given) ?? given);
  return Array.isArray(parsed) ? parsed : [given];
}

function listAt(attributes: SpanAttributes, keys: string[]): JsonValue[] {
  const [key] = attributes.present(keys);
  const list = key === undefined ? undefined : attributes.json(key);
  return Array.isArray(list) ? list.map((entry) => parseIfJson(entry) ?? entry) : [];
}

const isMessage = (value: JsonValue): boolean => typeof value === 'object' && value !== null && 'role' in value;
