import { type ContentPart, type Message, newMessage, type ToolCall } from '../shared/blueprint.js';
import { isObject, type JsonObject, type JsonValue } from '../../platform/json.js';
import { parseIfJson } from './json-text.js';
import { messageObjects } from './message-containers.js';
import type { Piece } from './parts.js';
import { firstText, isPart, readParts, readPieces, readToolCall } from './parts.js';

export type Role = Message['role'];

const ROLES = new Map<string, Role>([
  ['system', 'system'],
  ['developer', 'developer'],
  ['user', 'user'],
  ['human', 'user'],
  ['assistant', 'assistant'],
  ['ai', 'assistant'],
  ['model', 'assistant'],
  ['chatbot', 'assistant'],
  ['tool', 'tool'],
  ['function', 'function'],
  // An item of its own in the newer API of OpenAI.
  ['reasoning', 'assistant'],
]);

/** Members besides `content` in which vendors keep the thinking of a model. */
const THINKING_MEMBERS = ['reasoning_content', 'reasoning', 'thinking'];

/**
 * Reads messages in any form that conventions use: a list of messages, an object that holds such a list, one message, a
 * list of content parts, JSON text of any of these, or plain text. An empty list when there are none.
 *
 * @param fallback the role of messages without one
 */
export function readMessages(value: JsonValue | undefined, fallback: Role): Message[] {
  const given = parseIfJson(value) ?? null;
  if (given === null || given === '') return [];
  // Without any object in it a list is no list of messages, but an answer that is JSON.
  if (typeof value === 'string' && isFilledList(given) && !value.includes('{'))
    return readMessage({ content: value }, fallback);
  if (Array.isArray(given) && given.length > 0 && given.every((entry) => isPart(entry) && !hasRole(entry))) {
    return readMessage({ content: given }, fallback);
  }
  return messageObjects(given).flatMap((entry) => readMessage(toMessageObject(entry), fallback));
}

/** Reads one message. Tool results inside it become tool messages of their own, in their place. */
export function readMessage(message: JsonObject, fallback: Role): Message[] {
  const role = readRole(message, fallback);
  const content = contentOf(message);
  const name = content === message ? null : firstText(message.name) || null;
  const pieces = [...thinkingBeside(message), ...readPieces(content), ...callsBeside(message)];
  if (role !== 'tool') return split(role, name, pieces);
  const callId = firstText(message.tool_call_id, message.id);
  if (pieces.every((piece) => piece.kind === 'part')) return [toolMessage(callId, name, partsOf(pieces))];
  const answers = pieces.map((piece) => answering(piece, { callId, name }));
  return split(role, name, answers);
}

/**
 * The system message for instructions that were given separately from the messages, as a text, as parts or as messages;
 * null when there are none.
 */
export function readInstructions(value: JsonValue | undefined): Message | null {
  const given = parseIfJson(value);
  const entries = Array.isArray(given) ? given : [given ?? null];
  const content = entries.flatMap((entry) => readParts(hasRole(entry) ? contentOf(entry) : entry));
  return content.length === 0 ? null : newMessage('system', null, content);
}

/** A result without the id or the name of its call takes those of the message around it. */
function answering(piece: Piece, beside: { callId: string; name: string | null }): Piece {
  if (piece.kind !== 'result') return piece;
  return { ...piece, callId: piece.callId || beside.callId, name: piece.name ?? beside.name };
}

function toolMessage(callId: string, name: string | null, content: ContentPart[]): Message {
  const message = newMessage('tool', name, content);
  message.tool_call_id = callId;
  return message;
}

function split(role: Role, name: string | null, pieces: Piece[]): Message[] {
  const messages: Message[] = [];
  let pending: Piece[] = [];
  const flush = (): void => {
    if (pending.length > 0) messages.push(ownMessage(role, name, pending));
    pending = [];
  };
  for (const piece of pieces) {
    if (piece.kind === 'result') {
      flush();
      messages.push(toolMessage(piece.callId, piece.name, piece.content));
    } else {
      pending.push(piece);
    }
  }
  flush();
  return messages.length > 0 ? messages : [ownMessage(role, name, [])];
}

/** Only assistants call tools, whatever role was reported. */
function ownMessage(role: Role, name: string | null, pieces: Piece[]): Message {
  const calls = pieces.flatMap((piece) => (piece.kind === 'call' ? [piece.call] : []));
  if (role !== 'assistant' && calls.length === 0) return newMessage(role, name, partsOf(pieces));
  const message = newMessage('assistant', name, partsOf(pieces));
  message.tool_calls = calls.length > 0 ? calls : null;
  return message;
}

function partsOf(pieces: Piece[]): ContentPart[] {
  return pieces.flatMap((piece) => (piece.kind === 'part' ? [piece.part] : []));
}

function readRole(message: JsonObject, fallback: Role): Role {
  const role = firstText(message.role, message.type).toLowerCase();
  return ROLES.get(role) ?? fallback;
}

function hasRole(value: JsonValue): value is JsonObject {
  return isObject(value) && typeof value.role === 'string';
}

/** A list of messages may hold each of them as JSON text. */
function toMessageObject(entry: JsonValue): JsonObject {
  const message = parseIfJson(entry);
  if (isObject(message) && (isObject(entry) || hasRole(message))) return message;
  return { content: entry };
}

/** `parts` of OpenTelemetry and Google, `content` of everyone else; an object without either is its own content. */
function contentOf(message: JsonObject): JsonValue | undefined {
  if (typeof message.type === 'string' && !hasRole(message) && isPart(message)) return message;
  const content = message.parts ?? message.content ?? message.refusal;
  if (content !== undefined && content !== null) return content;
  const isMessage = ['role', 'content', 'parts', 'tool_calls', 'function_call', 'toolCalls'].some((member) =>
    Object.hasOwn(message, member),
  );
  return isMessage || Object.keys(message).length === 0 ? null : message;
}

function thinkingBeside(message: JsonObject): Piece[] {
  if (message.content === undefined && message.parts === undefined) return [];
  const thinking = firstText(...THINKING_MEMBERS.map((member) => message[member]));
  return thinking === '' ? [] : readPieces([{ type: 'thinking', thinking }]);
}

/** Calls beside the content: OpenAI's `tool_calls`, its older `function_call`, LangChain's kwargs. */
function callsBeside(message: JsonObject): Piece[] {
  const extra = isObject(message.additional_kwargs) ? message.additional_kwargs : {};
  const list = [message.tool_calls, extra.tool_calls].map(parseIfJson).find((calls) => isFilledList(calls));
  const read = isFilledList(list) ? list.map(readToolCall) : [readToolCall(parseIfJson(message.function_call))];
  const calls = read.filter((call): call is ToolCall => call !== null);
  if (calls.length === 0) return [];
  const inContent = new Set(callIds(readPieces(message.parts ?? message.content)));
  return calls.filter((call) => call.id === '' || !inContent.has(call.id)).map((call) => ({ kind: 'call', call }));
}

function callIds(pieces: Piece[]): string[] {
  return pieces.flatMap((piece) => (piece.kind === 'call' ? [piece.call.id] : []));
}

function isFilledList(value: JsonValue | undefined): value is JsonValue[] {
  return Array.isArray(value) && value.length > 0;
}
