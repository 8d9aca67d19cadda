import { listAt, objectAt, textAt } from '../json-reading.js';
import { isObject, type JsonObject, type JsonValue } from '../../platform/json.js';
import { type Message, newMessage, newChat } from '../blueprint.js';
import { readInstructions, readMessage, readMessages } from '../messages/messages.js';
import { readParts } from '../messages/parts.js';
import type { TokenUsage } from '../token-usage.js';
import { chunksOf } from './chunks.js';
import type { NativeCall, FormatReading, VendorFormat } from './vendor-format.js';
import { reading, toolsOf } from './reading.js';
import { NO_USAGE, tokensAt } from './usage.js';

const USED = ['message', 'messages', 'chat_history', 'chatHistory', 'preamble', 'prompt', 'tools'];

/** Cohere's chat in both its versions, and its older generations. */
export const cohere: VendorFormat = {
  reads: ({ functionName, provider }) => /^cohere\b/.test(functionName) || provider === 'cohere',
  read: readCohere,
};

function readCohere(call: NativeCall): FormatReading {
  const { request } = call;
  const [response = null] = chunksOf(call.response);
  return reading({ ...call, response: response ?? call.response }, USED, {
    apiType: 'chat',
    input: newChat(readRequest(request), { tools: toolsOf(request.tools) }),
    output: newChat(readAnswer(response)),
    recognised: typeof response?.text === 'string' || objectAt(response, 'message') !== null,
    usage: readUsage(response),
  });
}

function readRequest(request: JsonObject): Message[] {
  const preamble = readInstructions(request.preamble);
  const history = listAt(request, 'chat_history', 'chatHistory').map(withContent);
  const asked = [request.message, request.prompt].filter((text) => typeof text === 'string' && text !== '');
  return [
    ...(preamble ? [preamble] : []),
    ...readMessages(history, 'user'),
    ...readMessages(request.messages, 'user'),
    ...asked.map((text) => newMessage('user', null, readParts(text))),
  ];
}

/** Turns of the older version say `message` instead of `content`. */
function withContent(turn: JsonValue): JsonValue {
  if (!isObject(turn) || turn.message === undefined) return turn;
  const { message, ...rest } = turn;
  return { ...rest, content: message };
}

function readAnswer(response: JsonObject | null): Message[] {
  if (!response) return [];
  const message = objectAt(response, 'message');
  if (message) return readMessage({ role: 'assistant', ...message }, 'assistant');
  const generations = listAt(response, 'generations');
  if (generations.length > 0) return generations.flatMap((generation) => said(textAt(generation, 'text'), []));
  return said(textAt(response, 'text'), listAt(response, 'tool_calls', 'toolCalls'));
}

function said(content: string | null, calls: JsonValue[]): Message[] {
  if (content === null && calls.length === 0) return [];
  // The older version calls the arguments parameters.
  const tool_calls = calls.map((call) =>
    isObject(call) && call.parameters !== undefined ? { ...call, arguments: call.parameters } : call,
  );
  return readMessage({ role: 'assistant', content, tool_calls }, 'assistant');
}

function readUsage(response: JsonObject | null): TokenUsage {
  const usage = objectAt(response, 'usage', 'meta');
  if (!usage) return NO_USAGE;
  return {
    ...NO_USAGE,
    input: tokensAt(usage, 'billed_units.input_tokens', 'billedUnits.inputTokens', 'tokens.input_tokens'),
    output: tokensAt(usage, 'billed_units.output_tokens', 'billedUnits.outputTokens', 'tokens.output_tokens'),
  };
}
