import type { MessageSource } from './message-source.js';
import { isObject, type JsonObject } from '../platform/json.js';
import { parseIfJson } from '../llm/messages/json-text.js';
import { readMessage } from '../llm/messages/messages.js';

/** An answer as one object: the text, the thinking of the model, and its tool calls. */
export const openRouterMessages: MessageSource = {
  keys: ['gen_ai.completion'],
  input: () => [],
  output({ attributes }) {
    const answer = attributes.json('gen_ai.completion');
    return isObject(answer) && isAnswer(answer) ? readMessage(toMessage(answer), 'assistant') : [];
  },
};

const CALLS = ['toolCalls', 'tool_calls'];

function isAnswer(answer: JsonObject): boolean {
  return ['completion', ...CALLS].some((member) => Object.hasOwn(answer, member)) && !Object.hasOwn(answer, 'role');
}

function toMessage(answer: JsonObject): JsonObject {
  const calls = CALLS.map((member) => parseIfJson(answer[member])).find(Array.isArray) ?? [];
  return {
    role: 'assistant',
    content: parseIfJson(answer.completion) ?? answer.content ?? '',
    reasoning: answer.reasoning ?? null,
    tool_calls: calls,
  };
}
