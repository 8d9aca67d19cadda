import { listAt } from '../shared/json-reading.js';
import { isObject, type JsonObject, type JsonValue } from '../../platform/json.js';

/** The origin of an answer. */
export interface AnsweringModel {
  provider: string;
  model: string;
}

/**
 * An answer in the format of its vendor's API, which the readers in this folder read. It is made from the arguments
 * that would send the answer back as part of a conversation, because these contain messages in the vendor's format.
 */
export function toNativeAnswer(by: AnsweringModel, kwargs: JsonObject): JsonObject {
  if (Array.isArray(kwargs.input)) return { object: 'response', output: kwargs.input.map(toItem) };
  const contents = listAt(kwargs, 'history', 'contents');
  if (contents.length > 0) return { candidates: contents.filter(isObject).map(toCandidate) };
  const messages = listAt(kwargs, 'messages').filter(isAnswer);
  const last = messages.at(-1);
  if (last) return answerOf(by, messages, last);
  if (typeof kwargs.prompt !== 'string') return {};
  return isAnthropic(by) ? { completion: kwargs.prompt } : { choices: [{ index: 0, text: kwargs.prompt }] };
}

function answerOf(by: AnsweringModel, messages: JsonObject[], last: JsonObject): JsonObject {
  if (isAnthropic(by)) return { type: 'message', role: 'assistant', content: last.content ?? [] };
  if (by.provider === 'amazon.bedrock') return { output: { message: last } };
  if (by.provider === 'cohere') return { message: last };
  return { choices: messages.map((message, index) => ({ index, message })) };
}

function isAnthropic({ provider, model }: AnsweringModel): boolean {
  return provider.startsWith('anthropic') || (provider === 'vertexai' && /(?:^|\/)claude/.test(model));
}

const isAnswer = (message: JsonValue): message is JsonObject => isObject(message) && message.role === 'assistant';

/** The arguments of a completion have no roles. */
const toCandidate = (content: JsonObject): JsonObject => ({ content: { ...content, role: 'model' } });

/** Requests may give a message as plain text; answers never do. */
function toItem(item: JsonValue): JsonValue {
  if (!isObject(item) || typeof item.content !== 'string') return item;
  return { type: 'message', ...item, content: [{ type: 'output_text', text: item.content }] };
}
