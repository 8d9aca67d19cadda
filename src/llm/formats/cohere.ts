import { compact, listAt, objectAt, textAt, without } from '../shared/json-reading.js';
import { isObject, type JsonObject, type JsonValue } from '../../platform/json.js';
import { type Message, newMessage, newChat } from '../shared/blueprint.js';
import { readInstructions, readMessage, readMessages } from '../messages/messages.js';
import { readParts } from '../messages/parts.js';
import type { TokenUsage } from '../shared/token-usage.js';
import { Assembly, chunksOf } from './shared/chunks.js';
import type { NativeCall, FormatReading, StreamPiece, VendorFormat } from './shared/vendor-format.js';
import { reading, toolsOf } from './shared/reading.js';
import { NO_USAGE, tokensAt } from './shared/usage.js';

const USED = ['message', 'messages', 'chat_history', 'chatHistory', 'preamble', 'prompt', 'tools'];

/** Cohere's chat in both its versions, and its older generations. */
export const cohere: VendorFormat = {
  reads: ({ functionName, provider }) => /^cohere\b/.test(functionName) || provider === 'cohere',
  read: readCohere,
  streams: isEvent,
  stream: {
    reads: isEvent,
    piece: pieceOf,
    ends: ({ type }) => type === 'message-end',
    repeats: ({ type }) => typeof type === 'string' && REPEATING.test(type),
  },
};

/** Events of the second version. */
const EVENTS = /^(?:message-(?:start|end)|tool-plan-delta|(?:content|tool-call|citation)-(?:start|delta|end))$/;
const WRITTEN = /^(?:content-delta|tool-plan-delta|tool-call-(?:start|delta))$/;
const REPEATING = /^(?:content|tool-call|citation)-end$/;

function isEvent({ type }: JsonObject): boolean {
  return typeof type === 'string' && EVENTS.test(type);
}

function pieceOf(event: JsonObject): StreamPiece | null {
  if (!WRITTEN.test(String(event.type))) return null;
  return { text: textAt(objectAt(messageIn(event), 'content'), 'text') ?? '' };
}

const messageIn = (event: JsonObject): JsonObject | null => objectAt(objectAt(event, 'delta'), 'message');

function readCohere(call: NativeCall): FormatReading {
  const { request } = call;
  const response = assemble(call.response);
  return reading({ ...call, response: response ?? call.response }, USED, {
    apiType: 'chat',
    input: newChat(readRequest(request), { tools: toolsOf(request.tools) }),
    output: newChat(readAnswer(response)),
    recognised: typeof response?.text === 'string' || objectAt(response, 'message') !== null,
    usage: readUsage(response),
  });
}

function assemble(response: JsonValue): JsonObject | null {
  const chunks = chunksOf(response);
  return chunks.some(isEvent)
    ? chunks.reduce((stream, event) => stream.add(event), new ChatStream()).whole
    : (chunks[0] ?? null);
}

/**
 * The events of a stream: the frame of the message, then pieces of its lists, one list at a time, then the reason why
 * it stopped.
 */
class ChatStream {
  private readonly message = new Assembly();
  private end: JsonObject = {};

  add(event: JsonObject): this {
    const { index = 0, type } = event;
    if (type === 'message-end') this.end = objectAt(event, 'delta') ?? {};
    const message = Object.entries(messageIn(event) ?? {}).map(([member, value]) => [
      member,
      LISTS.includes(member) && isObject(value) ? [{ index, ...value }] : value,
    ]);
    this.message.add(Object.fromEntries(message) as JsonObject);
    return this;
  }

  get whole(): JsonObject {
    const frame = without(this.message.whole, LISTS);
    const lists = LISTS.map((member) => [member, listAt(this.message.whole, member).map(withoutIndex)] as const);
    return { ...this.end, message: { ...frame, ...compact(Object.fromEntries(lists)) } };
  }
}

/** Members that an answer has as lists. */
const LISTS = ['content', 'tool_calls', 'citations'];

const withoutIndex = (value: JsonValue): JsonValue => (isObject(value) ? without(value, ['index']) : value);

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

/** Turns of the older version have `message` instead of `content`. */
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
