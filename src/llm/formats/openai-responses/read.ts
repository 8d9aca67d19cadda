import { listAt, objectAt, textAt, without } from '../../shared/json-reading.js';
import { isObject, type JsonObject, type JsonValue } from '../../../platform/json.js';
import { type ContentPart, type Message, newMessage, newChat } from '../../shared/blueprint.js';
import { readInstructions, readMessage } from '../../messages/messages.js';
import { firstText, readParts, readToolCall } from '../../messages/parts.js';
import { toText } from '../../messages/json-text.js';
import { chunksOf } from '../shared/chunks.js';
import type { NativeCall, FormatReading, VendorFormat } from '../shared/vendor-format.js';
import { reading, toolsOf } from '../shared/reading.js';
import { type TokenUsage, withServiceTier } from '../../shared/token-usage.js';
import { openAiUsage } from '../openai-chat/usage.js';

const USED = ['input', 'instructions', 'tools', 'tool_choice'];

/** OpenAI's endpoint for responses: items instead of messages, on both sides. */
export const openAiResponses: VendorFormat = {
  reads: ({ functionName, response }) =>
    /\bresponses\.(?:create|stream|parse)$/.test(functionName) || chunksOf(response).some(isAnswer),
  read: readResponses,
  streams: isEvent,
  stream: {
    reads: isEvent,
    piece(event) {
      if (!textAt(event, 'type')?.endsWith('.delta')) return null;
      return { text: event.type === 'response.output_text.delta' ? (textAt(event, 'delta') ?? '') : '' };
    },
    ends: ({ type }) => typeof type === 'string' && LAST_EVENTS.has(type),
    repeats: ({ type }) => typeof type === 'string' && REPEATING_EVENT.test(type),
  },
};

const LAST_EVENTS = new Set(['response.completed', 'response.incomplete', 'response.failed', 'response.cancelled']);
/** Events that repeat the content of items or of the whole answer. */
const REPEATING_EVENT = /^response\.(?:content_part\.\w+|\w+\.done)$(?<!output_item\.done)/;

function isAnswer(chunk: JsonObject): boolean {
  return chunk.object === 'response' || isEvent(chunk);
}

function isEvent({ type }: JsonObject): boolean {
  return typeof type === 'string' && type.startsWith('response.');
}

function readResponses(call: NativeCall): FormatReading {
  const { request } = call;
  const response = assemble(call.response);
  const system = readInstructions(request.instructions);
  const asked = readItems(Array.isArray(request.input) ? request.input : [request.input ?? ''], 'user');
  return reading({ ...call, response: response ?? call.response }, USED, {
    apiType: 'responses',
    input: newChat(system ? [system, ...asked] : asked, {
      tools: toolsOf(request.tools),
      tool_choice: request.tool_choice ?? null,
    }),
    output: newChat(readItems(listAt(response, 'output'), 'assistant')),
    recognised: Array.isArray(response?.output) && !isObject(response.error),
    usage: usageOf(request, response),
  });
}

/** Calls of these tools are billed separately, at prices that depend on the tool's version and the model. */
const BILLED_CALLS = /^(?:web_search|file_search|code_interpreter|image_generation)_call$/;

function usageOf(request: JsonObject, response: JsonObject | null): TokenUsage {
  const usage = withServiceTier(openAiUsage(objectAt(response, 'usage')), response?.service_tier, request.service_tier);
  const isBilled = listAt(response, 'output').some((item) => BILLED_CALLS.test(textAt(item, 'type') ?? ''));
  return isBilled ? { ...usage, hasOtherCharges: true } : usage;
}

/** The messages that items are. Those in a row that the model made are one message of the assistant. */
export function readItems(items: JsonValue[], fallback: Message['role']): Message[] {
  const messages: Message[] = [];
  for (const item of items) {
    const last = messages.at(-1);
    for (const message of readItem(item, fallback)) {
      if (message.role === 'assistant' && last?.role === 'assistant') append(last, message);
      else messages.push(message);
    }
  }
  return messages;
}

function append(to: Message, more: Message): void {
  to.content!.push(...(more.content ?? []));
  if (more.tool_calls) to.tool_calls = [...(to.tool_calls ?? []), ...more.tool_calls];
}

function readItem(item: JsonValue, fallback: Message['role']): Message[] {
  if (!isObject(item)) return item === '' || item === null ? [] : [newMessage(fallback, null, readParts(item))];
  const type = firstText(item.type);
  if (type === 'function_call' || type === 'custom_tool_call') return [calling(item)];
  if (type.endsWith('_call_output') && item.call_id !== undefined && !KEPT_OUTPUTS.has(type)) return [result(item)];
  if (type === '' || type === 'message') return readMessage(withId(item), fallback);
  return [newMessage('assistant', null, builtIn(type, item))];
}

/** Results of built-in tools that have a part of their own. */
const KEPT_OUTPUTS = new Set(['shell_call_output', 'apply_patch_call_output']);

/** The item has two ids: results name the one of the call. */
function calling(item: JsonObject): Message {
  const call = readToolCall(without(item, ['id']));
  return { ...newMessage('assistant', null, []), tool_calls: call ? [call] : null };
}

function result({ call_id, output }: JsonObject): Message {
  const content = readParts(output ?? '');
  return { ...newMessage('tool', null, content), tool_call_id: firstText(call_id) };
}

/** The text of an answer keeps the id of its message, by which the endpoint recognises it. */
function withId(item: JsonObject): JsonObject {
  const { id, content } = item;
  if (typeof id !== 'string' || !Array.isArray(content)) return item;
  return {
    ...item,
    content: content.map((part) => (isObject(part) && part.type === 'output_text' ? { ...part, id } : part)),
  };
}

function builtIn(type: string, item: JsonObject): ContentPart[] {
  switch (type) {
    case 'reasoning':
      return readParts([{ ...item, content: summaryOf(item) }]);
    case 'web_search_call':
    case 'file_search_call':
    case 'computer_call':
      return [serverToolUse(type, item)];
    case 'code_interpreter_call':
      return codeParts(item);
    case 'image_generation_call':
      return [picture(item)];
    default:
      return [{ ...item, type }];
  }
}

/** Open models send thoughts as content, others as a summary. */
function summaryOf({ summary, content }: JsonObject): string {
  const told = [summary, content].find((list) => Array.isArray(list) && list.length > 0);
  return listOfTexts(told).join('\n');
}

function listOfTexts(list: JsonValue | undefined): string[] {
  return Array.isArray(list) ? list.flatMap((entry) => textAt(entry, 'text') ?? []) : [];
}

function serverToolUse(type: string, { id, action, ...rest }: JsonObject): ContentPart {
  const input = { ...(isObject(action) ? action : {}), ...without(rest, ['type', 'status']) };
  return { type: 'server_tool_use', id: firstText(id), name: type.replace(/_call$/, ''), input };
}

function codeParts({ id = null, container_id = null, code, outputs }: JsonObject): ContentPart[] {
  const results = Array.isArray(outputs) ? outputs.filter((output) => isObject(output)) : [];
  return [
    { type: 'code', code: firstText(code), id, container_id },
    ...results.map((output): ContentPart => ({
      type: 'code_execution_result',
      output: firstText(output.logs, output.url) || toText(output),
      outcome: 'OUTCOME_OK',
    })),
  ];
}

function picture({ id = null, result: data, output_format: format, ...rest }: JsonObject): ContentPart {
  const mime = `image/${firstText(format) || 'png'}`;
  const provider_metadata = without(rest, ['type', 'status']);
  const url = typeof data === 'string' && data !== '' ? `data:${mime};base64,${data}` : '';
  return { type: 'output_media', url, id, mime_type: mime, media_type: 'image', provider_metadata };
}

/** The last event of a stream has the whole answer; a stream that broke off has the items that were done. */
function assemble(response: JsonValue): JsonObject | null {
  if (!Array.isArray(response)) return isObject(response) ? (eventResponse(response) ?? response) : null;
  const events = chunksOf(response);
  const whole = events.map(eventResponse).findLast((found) => found !== null) ?? {};
  if (listAt(whole, 'output').length > 0) return whole;
  const done = events.flatMap((event) => (event.type === 'response.output_item.done' ? [event.item ?? null] : []));
  const text = events
    .map((event) => (event.type === 'response.output_text.delta' ? textAt(event, 'delta') : ''))
    .join('');
  const said = text === '' ? [] : [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] }];
  return { ...whole, output: done.length > 0 ? done : said };
}

function eventResponse(event: JsonObject): JsonObject | null {
  return isEvent(event) ? objectAt(event, 'response') : null;
}
