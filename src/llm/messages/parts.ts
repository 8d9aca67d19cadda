import type { ContentPart, ToolCall } from '../shared/blueprint.js';
import { isObject, type JsonObject, type JsonValue } from '../../platform/json.js';
import { toText } from './json-text.js';
import { toMediaPart } from './media-parts.js';

/** Reading of an entry of a message's content: content, a tool call, or the result of an earlier call. */
export type Piece =
  | { kind: 'part'; part: ContentPart }
  | { kind: 'call'; call: ToolCall }
  | { kind: 'result'; callId: string; name: string | null; content: ContentPart[] };

/** Part types of the prompt vocabulary and of vendors that are kept as they came. */
const KEPT_TYPES = new Set([
  'redacted_thinking',
  'code',
  'media',
  'media_variable',
  'output_media',
  'server_tool_use',
  'web_search_tool_result',
  'code_execution_result',
  'mcp_list_tools',
  'mcp_call',
  'mcp_approval_request',
  'mcp_approval_response',
  'bash_code_execution_tool_result',
  'text_editor_code_execution_tool_result',
  'shell_call',
  'shell_call_output',
  'apply_patch_call',
  'apply_patch_call_output',
]);

/** Further members that a text part may have. */
const TEXT_EXTRAS = ['id', 'annotations', 'thought_signature'];

type ReadPart = (part: JsonObject) => Piece | null;

/** How parts that name their type are read: OpenTelemetry, OpenAI, Anthropic and Vercel spellings side by side. */
const BY_TYPE = new Map<string, ReadPart>([
  ...each(['text', 'input_text', 'output_text', 'summary_text'], textPiece),
  ...each(['refusal'], (part) => text(part.refusal ?? part.content)),
  ...each(['reasoning', 'thinking'], thinkingPiece),
  ...each(['tool_call', 'tool_use', 'tool-call', 'function', 'function_call'], callPiece),
  ...each(['tool_call_response', 'tool_result', 'tool-result', 'function_call_output'], resultPiece),
  ...each(['server_tool_call'], serverCallPiece),
  ...each(['server_tool_call_response'], serverResultPiece),
]);

/** How parts without a type are recognised: those of Google and of Bedrock. */
const BY_MEMBER: [member: string, read: ReadPart][] = [
  ...each(['functionCall', 'function_call', 'toolUse', 'toolRequest'], (part, member) => callPiece(part[member])),
  ...each(['functionResponse', 'function_response', 'toolResult', 'toolResponse'], (part, member) =>
    resultPiece(part[member]),
  ),
  ...each(['executableCode', 'executable_code'], (part, member) => codePiece(part[member])),
  ...each(['codeExecutionResult', 'code_execution_result'], (part, member) => codeResultPiece(part[member])),
  ...each(['reasoningContent'], (part, member) => bedrockThinking(part[member])),
  ...each(['text'], (part) => (part.thought === true ? thinkingPiece(part) : textPiece(part))),
];

/**
 * Reads the content of a message, whatever convention wrote it. Nothing is dropped: unknown entries become JSON text.
 */
export function readPieces(content: JsonValue | undefined): Piece[] {
  const entries = Array.isArray(content) ? content : [content ?? null];
  return entries.map(readPiece).filter((piece) => piece !== null);
}

/** Reads a content that cannot hold tool calls, such as a tool's result. */
export function readParts(content: JsonValue | undefined): ContentPart[] {
  const pieces = readPieces(content);
  const parts = pieces.flatMap((piece) => (piece.kind === 'part' ? [piece.part] : []));
  return parts.length === pieces.length ? parts : [textPart(toText(content ?? null))];
}

/** Reads a tool call in any vendor's form. */
export function readToolCall(value: JsonValue | undefined): ToolCall | null {
  if (!isObject(value)) return null;
  const call = isObject(value.function) ? value.function : value;
  const args = call.arguments ?? call.args ?? call.input ?? {};
  return {
    id: firstText(value.id, value.call_id, value.toolCallId, value.toolUseId, value.ref, call.id),
    type: 'function',
    tool_id: null,
    function: { name: firstText(call.name, call.toolName), arguments: toText(args) },
  };
}

export function textPart(content: string): ContentPart {
  return { type: 'text', text: content };
}

/** The first of the values that is a text or a number; "" if none is. */
export function firstText(...values: (JsonValue | undefined)[]): string {
  const found = values.find(
    (value) => (typeof value === 'string' && value !== '') || typeof value === 'number' || typeof value === 'bigint',
  );
  return found === undefined ? '' : String(found);
}

/** Whether an object is one part of a content rather than a message or a person's data. */
export function isPart(value: JsonValue): boolean {
  if (!isObject(value)) return false;
  const type = typeof value.type === 'string' ? value.type : null;
  if (type === null) return BY_MEMBER.some(([member]) => Object.hasOwn(value, member));
  return BY_TYPE.has(type) || KEPT_TYPES.has(type) || toMediaPart(value) !== null;
}

function readPiece(entry: JsonValue): Piece | null {
  if (entry === null || entry === '') return null;
  if (!isObject(entry)) return text(entry);
  const type = typeof entry.type === 'string' ? entry.type : '';
  const media = toMediaPart(entry);
  if (media !== null) return { kind: 'part', part: media };
  if (KEPT_TYPES.has(type)) return { kind: 'part', part: entry as ContentPart };
  const read = BY_TYPE.get(type) ?? (type === '' ? readerByMember(entry) : undefined);
  return read ? read(entry) : text(entry);
}

function readerByMember(entry: JsonObject): ReadPart | undefined {
  const known = BY_MEMBER.find(([member]) => Object.hasOwn(entry, member))?.[1];
  // A whole message may carry `reasoning` too, so it does not make an object a part.
  return known ?? (typeof entry.reasoning === 'string' ? thinkingPiece : undefined);
}

function each(names: string[], read: (part: JsonObject, name: string) => Piece | null): [string, ReadPart][] {
  return names.map((name) => [name, (part) => read(part, name)]);
}

function text(value: JsonValue | undefined): Piece | null {
  if (value === undefined || value === null || value === '') return null;
  return { kind: 'part', part: textPart(toText(value)) };
}

function textPiece(part: JsonObject): Piece | null {
  const piece = text(part.text ?? part.content);
  if (piece?.kind !== 'part') return piece;
  for (const name of TEXT_EXTRAS) if (part[name] !== undefined && part[name] !== null) piece.part[name] = part[name];
  return piece;
}

function thinkingPiece(part: JsonObject): Piece {
  const thinking = part.thinking ?? part.content ?? part.text ?? part.reasoning ?? summaryText(part.summary);
  const signature = part.signature ?? part.thoughtSignature ?? null;
  const told = Array.isArray(thinking) ? textsIn(thinking).join('') : toText(thinking);
  return { kind: 'part', part: { type: 'thinking', thinking: told, signature, id: part.id ?? null } };
}

/** OpenAI represents reasoning as a list of summaries. */
function summaryText(summary: JsonValue | undefined): string {
  return textsIn(summary).join('\n');
}

/** Mistral represents thinking as content of its own. */
function textsIn(content: JsonValue | undefined): string[] {
  return readParts(content).map((part) => (typeof part.text === 'string' ? part.text : ''));
}

function bedrockThinking(value: JsonValue): Piece | null {
  if (!isObject(value)) return text(value);
  return thinkingPiece(isObject(value.reasoningText) ? value.reasoningText : value);
}

/** Google's models run code by themselves. */
function codePiece(value: JsonValue): Piece | null {
  if (!isObject(value)) return text(value);
  const part = { type: 'code', code: firstText(value.code), id: value.id ?? null, container_id: null };
  return { kind: 'part', part: value.language ? { ...part, language: value.language } : part };
}

function codeResultPiece(value: JsonValue): Piece | null {
  if (!isObject(value)) return text(value);
  const outcome = firstText(value.outcome) || 'OUTCOME_OK';
  return { kind: 'part', part: { type: 'code_execution_result', output: firstText(value.output), outcome } };
}

function callPiece(value: JsonValue): Piece | null {
  const call = readToolCall(value);
  return call === null ? text(value) : { kind: 'call', call };
}

function resultPiece(value: JsonValue): Piece | null {
  if (!isObject(value)) return text(value);
  const callId = firstText(value.tool_use_id, value.id, value.call_id, value.toolCallId, value.toolUseId, value.ref);
  const name = firstText(value.name, value.toolName) || null;
  const result = value.response ?? value.result ?? value.content ?? value.output ?? null;
  return { kind: 'result', callId, name, content: resultContent(result) };
}

/** Types of results in the Vercel SDK. */
const RESULT_TYPES = new Set(['text', 'json', 'content', 'error-text', 'error-json']);

/** A result is data: only clear content (a list of parts, or a typed value) is read as content. */
function resultContent(result: JsonValue): ContentPart[] {
  if (isObject(result) && RESULT_TYPES.has(firstText(result.type)) && result.value !== undefined)
    return resultContent(result.value);
  if (typeof result === 'string' || result === null) return readParts(result);
  if (Array.isArray(result) && result.every(isPlainPart)) return readParts(result);
  return [textPart(toText(result))];
}

/** A part that has the type of a part, or no other members: data may have a member `text` too. */
function isPlainPart(entry: JsonValue): boolean {
  return isPart(entry) && isObject(entry) && (typeof entry.type === 'string' || Object.keys(entry).length === 1);
}

function serverCallPiece(part: JsonObject): Piece {
  const input = part.server_tool_call ?? part.arguments ?? {};
  return {
    kind: 'part',
    part: { type: 'server_tool_use', id: firstText(part.id), name: firstText(part.name), input },
  };
}

function serverResultPiece(part: JsonObject): Piece | null {
  const response = part.server_tool_call_response ?? part.response ?? null;
  if (!isObject(response)) return text(response);
  const type = firstText(response.type);
  if (type.startsWith('web_search')) {
    const content = response.content ?? response.results ?? [];
    return { kind: 'part', part: { type: 'web_search_tool_result', tool_use_id: firstText(part.id), content } };
  }
  if (type.startsWith('code_') && typeof response.output === 'string') {
    const outcome = firstText(response.outcome) || 'OUTCOME_OK';
    return { kind: 'part', part: { type: 'code_execution_result', output: response.output, outcome } };
  }
  return text(response);
}
