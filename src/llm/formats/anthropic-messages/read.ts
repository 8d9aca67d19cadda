import { objectAt, textAt, without } from '../../shared/json-reading.js';
import { newChat } from '../../shared/blueprint.js';
import { isObject, type JsonObject, type JsonValue } from '../../../platform/json.js';
import { parseJson } from '../../messages/json-text.js';
import { readInstructions, readMessages } from '../../messages/messages.js';
import { Assembly, chunksOf } from '../shared/chunks.js';
import type { NativeCall, FormatReading, VendorFormat } from '../shared/vendor-format.js';
import { reading, toolsOf } from '../shared/reading.js';
import { anthropicUsage } from './usage.js';

const EVENTS = /^(?:message_(?:start|delta|stop)|content_block_\w+|ping)$/;
const USED = ['messages', 'system', 'tools', 'tool_choice'];

/** Anthropic's messages, through its own API, Bedrock's or Vertex AI's client. */
export const anthropicMessages: VendorFormat = {
  reads: ({ functionName, provider, request, response }) =>
    Array.isArray(request.messages) &&
    (isAnthropic(functionName) || isAnthropic(provider) || chunksOf(response).some(isAnswer)),
  read: readAnthropic,
  streams: isEvent,
  stream: {
    reads: isEvent,
    piece(event) {
      const delta = event.type === 'content_block_delta' ? objectAt(event, 'delta') : null;
      return delta && { text: textAt(delta, 'text') ?? '' };
    },
    ends: (event) => event.type === 'message_stop' || textAt(objectAt(event, 'delta') ?? {}, 'stop_reason') !== null,
  },
};

function isEvent({ type }: JsonObject): boolean {
  return typeof type === 'string' && EVENTS.test(type);
}

function isAnthropic(name: string): boolean {
  return /^anthropic(?:\.|$)/.test(name);
}

function isAnswer(chunk: JsonObject): boolean {
  return (chunk.type === 'message' && Array.isArray(chunk.content)) || chunk.type === 'message_start';
}

function readAnthropic(call: NativeCall): FormatReading {
  const { request } = call;
  const response = assemble(call.response);
  const system = readInstructions(request.system);
  const messages = readMessages(request.messages, 'user');
  const content = response?.content ?? null;
  return reading({ ...call, response: response ?? call.response }, USED, {
    apiType: 'messages',
    input: newChat(system ? [system, ...messages] : messages, {
      tools: toolsOf(request.tools),
      tool_choice: request.tool_choice ?? null,
    }),
    output: newChat(content === null ? [] : readMessages([{ role: 'assistant', content }], 'assistant')),
    recognised: Array.isArray(content),
    usage: anthropicUsage(objectAt(response, 'usage')),
  });
}

function assemble(response: JsonValue): JsonObject | null {
  if (!Array.isArray(response)) return isObject(response) ? response : null;
  const stream = new MessageStream();
  for (const event of chunksOf(response)) stream.add(event);
  return stream.message;
}

/** The events of a stream: the frame of the message, then its blocks piece by piece, then why it stopped. */
class MessageStream {
  private frame: JsonObject = {};
  private usage: JsonObject = {};
  private readonly blocks = new Map<JsonValue, Assembly>();

  add(event: JsonObject): void {
    const delta = objectAt(event, 'delta') ?? {};
    if (event.type === 'message_start') this.merge(objectAt(event, 'message') ?? {});
    else if (event.type === 'message_delta') this.merge({ ...delta, usage: event.usage ?? null });
    else if (event.type === 'content_block_start') this.block(event).add(objectAt(event, 'content_block') ?? {});
    else if (event.type === 'content_block_delta') this.block(event).add(toPiece(delta));
  }

  get message(): JsonObject {
    const content = [...this.blocks.values()].map(({ whole }) => withInput(whole));
    return { ...this.frame, usage: this.usage, content };
  }

  /** Repeated counts are newer. */
  private merge({ usage, ...message }: JsonObject): void {
    this.frame = { ...this.frame, ...message };
    if (isObject(usage)) this.usage = { ...this.usage, ...usage };
  }

  private block({ index = 0 }: JsonObject): Assembly {
    const block = this.blocks.get(index) ?? new Assembly();
    this.blocks.set(index, block);
    return block;
  }
}

/** The part of a block that a delta adds. */
function toPiece({ citation, ...told }: JsonObject): JsonObject {
  const delta = without(told, ['type']);
  return citation === undefined ? delta : { ...delta, citations: [citation] };
}

/** The input of a tool comes as pieces of JSON text. */
function withInput({ partial_json: json, ...block }: JsonObject): JsonObject {
  return typeof json === 'string' ? { ...block, input: parseJson(json) ?? json } : block;
}
