import { listAt, objectAt, textAt } from '../../shared/json-reading.js';
import { isObject, type JsonObject, type JsonValue } from '../../../platform/json.js';
import { type Message, newChat } from '../../shared/blueprint.js';
import { parseJson } from '../../messages/json-text.js';
import { readInstructions, readMessages } from '../../messages/messages.js';
import { Assembly, chunksOf } from '../shared/chunks.js';
import type { NativeCall, FormatReading, StreamPiece, VendorFormat } from '../shared/vendor-format.js';
import { reading, toolsOf } from '../shared/reading.js';
import { withServiceTier } from '../../shared/token-usage.js';
import { bedrockUsage } from './usage.js';

const USED = ['modelId', 'messages', 'system', 'toolConfig', 'inferenceConfig'];
const EVENTS = [
  'messageStart',
  'contentBlockStart',
  'contentBlockDelta',
  'contentBlockStop',
  'messageStop',
  'metadata',
];

/** Bedrock's Converse, which is the same for all models it offers. */
export const bedrockConverse: VendorFormat = {
  reads: ({ functionName, request, response }) =>
    /converse/i.test(functionName) ||
    (typeof request.modelId === 'string' && Array.isArray(request.messages)) ||
    chunksOf(response).some((chunk) => objectAt(objectAt(chunk, 'output'), 'message') !== null),
  read: readConverse,
  streams: isFrame,
  stream: {
    reads: isFrame,
    piece: pieceOf,
    ends: (event) => isObject(event.messageStop),
    repeats: (event) => isObject(event.contentBlockStop),
  },
};

/** An event of a stream has its name as its one member. */
function isFrame(event: JsonObject): boolean {
  return Object.keys(event).length === 1 && isEvent(event);
}

/** The start of a block has content only where it begins a tool call. */
function pieceOf(event: JsonObject): StreamPiece | null {
  const start = objectAt(objectAt(event, 'contentBlockStart'), 'start');
  const delta = objectAt(objectAt(event, 'contentBlockDelta'), 'delta') ?? start;
  return delta && { text: textAt(delta, 'text') ?? '' };
}

function readConverse(call: NativeCall): FormatReading {
  const { request } = call;
  const response = assemble(call.response);
  const tools = objectAt(request, 'toolConfig');
  const message = objectAt(objectAt(response, 'output'), 'message');
  const read = reading({ ...call, response: response ?? call.response }, USED, {
    model: textAt(request, 'modelId') ?? textAt(request, 'model'),
    apiType: 'converse',
    input: newChat([...instructions(request.system), ...readMessages(request.messages, 'user')], {
      tools: toolsOf(listAt(tools, 'tools').map(toFunctionTool)),
      tool_choice: tools?.toolChoice ?? null,
    }),
    output: newChat(message ? readMessages([message], 'assistant') : []),
    recognised: message !== null,
    usage: withServiceTier(bedrockUsage(objectAt(response, 'usage')), objectAt(response, 'serviceTier')?.type),
  });
  return { ...read, parameters: { ...objectAt(request, 'inferenceConfig'), ...read.parameters } };
}

function instructions(system: JsonValue | undefined): Message[] {
  const message = readInstructions(system);
  return message ? [message] : [];
}

function toFunctionTool(tool: JsonValue): JsonValue {
  const spec = objectAt(tool, 'toolSpec');
  return spec ? { ...spec, type: 'function', parameters: objectAt(spec.inputSchema, 'json') ?? {} } : tool;
}

function assemble(response: JsonValue): JsonObject | null {
  const chunks = chunksOf(response);
  const isStream = Array.isArray(response) || chunks.some(isEvent);
  if (!isStream) return chunks[0] ?? null;
  const blocks = new Map<JsonValue, Assembly>();
  const frame: JsonObject = {};
  for (const chunk of chunks) {
    Object.assign(frame, objectAt(chunk, 'messageStop'), objectAt(chunk, 'metadata'));
    const start = objectAt(chunk, 'contentBlockStart');
    const delta = objectAt(chunk, 'contentBlockDelta');
    addTo(blocks, start, objectAt(start, 'start'));
    addTo(blocks, delta, objectAt(delta, 'delta'));
  }
  const content = [...blocks.values()].map(({ whole }) => withInput(whole));
  return { ...frame, output: { message: { role: 'assistant', content } } };
}

function isEvent(chunk: JsonObject): boolean {
  return EVENTS.some((event) => isObject(chunk[event]) && chunk.output === undefined);
}

function addTo(blocks: Map<JsonValue, Assembly>, event: JsonObject | null, piece: JsonObject | null): void {
  if (!event || !piece) return;
  const index = event.contentBlockIndex ?? 0;
  const block = blocks.get(index) ?? new Assembly();
  blocks.set(index, block.add(piece));
}

/** The input of a tool comes as pieces of JSON text. */
function withInput(block: JsonObject): JsonObject {
  const call = objectAt(block, 'toolUse');
  if (!call || isObject(call.input)) return block;
  const { input = '' } = call;
  if (typeof input !== 'string') return block;
  return { ...block, toolUse: { ...call, input: input === '' ? {} : (parseJson(input) ?? input) } };
}
