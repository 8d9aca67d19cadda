import { isEmpty, listAt, objectAt, textAt } from '../../shared/json-reading.js';
import { isObject, type JsonObject, type JsonValue } from '../../../platform/json.js';
import { type ContentPart, type Message, newMessage, newChat } from '../../shared/blueprint.js';
import { readMessage, readMessages } from '../../messages/messages.js';
import { readParts, textPart } from '../../messages/parts.js';
import { Assembly, chunksOf } from '../shared/chunks.js';
import type { NativeCall, FormatReading, StreamPiece, VendorFormat } from '../shared/vendor-format.js';
import { reading, toolsOf } from '../shared/reading.js';
import { withServiceTier } from '../../shared/token-usage.js';
import { openAiUsage, reportedCost } from './usage.js';

const USED = ['messages', 'tools', 'tool_choice', 'toolChoice', 'functions', 'function_call'];

/** OpenAI's chat completions, which Azure, Mistral, OpenRouter, Hugging Face and many custom clients speak too. */
export const openAiChat: VendorFormat = {
  reads: ({ request, response }) => Array.isArray(request.messages) && (hasChoices(response) || isEmpty(response)),
  read: readChat,
  streams: isChunk,
  stream: { reads: isChunk, piece: pieceOf, ends: isLast },
};

function isChunk(chunk: JsonObject): boolean {
  return (
    chunk.object === 'chat.completion.chunk' ||
    listAt(chunk, 'choices').some((choice) => objectAt(choice, 'delta') !== null)
  );
}

const WRITTEN = [
  'reasoning',
  'reasoning_content',
  'reasoning_details',
  'tool_calls',
  'function_call',
  'refusal',
  'audio',
];

function pieceOf(chunk: JsonObject): StreamPiece | null {
  const delta = objectAt(firstChoice(chunk), 'delta');
  if (!delta) return null;
  const text = contentText(delta.content);
  return text !== '' || WRITTEN.some((member) => !isEmpty(delta[member] ?? null)) ? { text } : null;
}

function isLast(chunk: JsonObject): boolean {
  return listAt(chunk, 'choices').some((choice) => textAt(choice, 'finish_reason') !== null);
}

function firstChoice(chunk: JsonObject): JsonValue | undefined {
  return listAt(chunk, 'choices').find((choice) => isObject(choice) && (choice.index ?? 0) === 0);
}

/** Some services write it as a list of parts. */
function contentText(content: JsonValue | undefined): string {
  if (typeof content === 'string') return content;
  return Array.isArray(content) ? content.map((part) => textAt(part, 'text') ?? '').join('') : '';
}

function hasChoices(response: JsonValue): boolean {
  return chunksOf(response).some(({ choices }) => Array.isArray(choices));
}

function readChat(call: NativeCall): FormatReading {
  const { request } = call;
  const response = assemble(call.response);
  const choices = listAt(response, 'choices').filter((choice) => isObject(choice));
  const usage = objectAt(response, 'usage');
  return reading({ ...call, response: response ?? call.response }, USED, {
    apiType: 'chat-completions',
    input: newChat(readMessages(request.messages, 'user'), {
      tools: toolsOf(request.tools),
      tool_choice: request.tool_choice ?? request.toolChoice ?? null,
      functions: Array.isArray(request.functions) ? request.functions : null,
      function_call: request.function_call ?? null,
    }),
    output: newChat(choices.flatMap(readChoice)),
    recognised: choices.length > 0,
    usage: withServiceTier(openAiUsage(usage), response?.service_tier, request.service_tier),
    price: reportedCost(usage),
  });
}

/** A choice holds its message, or is the message where a client has put a stream together. */
function readChoice(choice: JsonObject): Message[] {
  const message = objectAt(choice, 'message', 'delta') ?? choice;
  const read = readMessage(message, 'assistant').map(asAnswer);
  const beside = [...readParts(listAt(message, 'images')), ...spoken(message.audio)];
  return beside.length === 0 ? read : [...read.slice(0, -1), withContent(read.at(-1), beside)];
}

/** An answer has the role of the assistant, because some streams leave the role empty. */
function asAnswer(message: Message): Message {
  return message.role === 'tool' ? message : { ...message, role: 'assistant' };
}

/** Some models answer with pictures or speech beside the content. */
function withContent(message: Message | undefined, parts: ContentPart[]): Message {
  const own = message ?? newMessage('assistant', null, []);
  return { ...own, content: [...(own.content ?? []), ...parts] };
}

function spoken(audio: JsonValue | undefined): ContentPart[] {
  if (!isObject(audio)) return [];
  const { data, transcript, ...provider_metadata } = audio;
  const words = typeof transcript === 'string' ? [textPart(transcript)] : [];
  if (typeof data !== 'string') return words;
  const url = `data:audio/wav;base64,${data}`;
  return [
    ...words,
    { type: 'output_media', url, id: null, mime_type: 'audio/wav', media_type: 'audio', provider_metadata },
  ];
}

/** The answer as if it had not been streamed. Some clients wrap each chunk. */
function assemble(response: JsonValue): JsonObject | null {
  if (!Array.isArray(response)) return isObject(response) ? response : null;
  const chunks = chunksOf(response).map((chunk) => objectAt(chunk, 'data') ?? chunk);
  return chunks.reduce((assembly, chunk) => assembly.add(chunk), new Assembly()).whole;
}
