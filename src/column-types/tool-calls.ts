import type { Message } from '../llm/shared/blueprint.js';
import { parseIfJson, toText } from '../llm/messages/json-text.js';
import { readMessages } from '../llm/messages/messages.js';
import { readToolCall } from '../llm/messages/parts.js';
import { readNativeCall } from '../llm/formats/formats.js';
import { isObject, type JsonObject, type JsonValue } from '../platform/json.js';
import { SourceColumn } from '../grid/column-type/source-fields.js';

/** A call of a tool: requested by a model, or made, as a span shows. */
export interface ToolCall {
  tool: string;
  /** JSON, unless the model wrote something else; null when a span does not have it. */
  arguments: string | null;
}

export class ToolCallsConfig {
  @SourceColumn({
    description:
      'A column that holds a trace, an answer of a model or a conversation. `trace_source` is another word for it.',
  })
  source: JsonValue;
}

/** Key of the source in earlier configs. */
export const TOOL_CALL_KEYS = { trace_source: 'source' };

/**
 * The tool calls in a span tree, or else in an assistant message, a conversation or an answer in the form of any vendor; also
 * in the JSON text of one. A text that is none of these holds no calls.
 */
export function readToolCalls(source: JsonValue | undefined): ToolCall[] {
  const given = parseIfJson(source) ?? null;
  return isSpanTree(given) ? callsInTree(given) : callsInAnswer(given);
}

/** The tools that a span tree called, in the order they started; none for any other value. */
export function callsInTree(trace: JsonValue): ToolCall[] {
  const calls: (ToolCall & { start: string; spanId: string })[] = [];
  const waiting: JsonValue[] = [trace];
  for (let span = waiting.pop(); span !== undefined; span = waiting.pop()) {
    if (Array.isArray(span)) {
      for (const inner of span) waiting.push(inner);
    } else if (isObject(span)) {
      const tool = toolOf(span);
      const place = { start: textOf(span.start), spanId: textOf(span.span_id) };
      if (tool !== null) calls.push({ tool, arguments: argumentsOf(span), ...place });
      if (Array.isArray(span.children)) waiting.push(span.children);
    }
  }
  return calls
    .sort((a, b) => order(a.start, b.start) || order(a.spanId, b.spanId))
    .map(({ tool, arguments: given }) => ({ tool, arguments: given }));
}

const TOOL = /^Tool:\s*(.*)$/s;

function toolOf({ name }: JsonObject): string | null {
  const tool = typeof name === 'string' ? TOOL.exec(name)?.[1]!.trim() : undefined;
  return tool ?? null;
}

function isSpanTree(value: JsonValue): boolean {
  if (Array.isArray(value)) return value.some(isSpanTree);
  if (!isObject(value)) return false;
  return Array.isArray(value.children) || Object.hasOwn(value, 'span_id') || toolOf(value) !== null;
}

/** Attributes that hold the arguments of a tool and nothing else. */
const ARGUMENTS = ['gen_ai.tool.call.arguments', 'ai.toolCall.args', 'tool.parameters', 'tool_arguments'];
/** Attributes with the arguments of a function, in the notation of its language. */
const INPUTS = ['function_input', 'input.value'];

function argumentsOf(span: JsonObject): string | null {
  const attributes = isObject(span.attributes) ? span.attributes : {};
  const given = ARGUMENTS.map((key) => attributes[key] ?? null).find((value) => value !== null);
  if (given !== undefined) return toText(given);
  const input = INPUTS.map((key) => parseIfJson(attributes[key])).find((value) => typeof value === 'object' && value);
  const named = input === undefined ? null : namedArguments(input);
  return named && JSON.stringify(named);
}

/** The named arguments of a function; null for positional ones, whose meaning only the function knows. */
function namedArguments(input: JsonValue): JsonObject | null {
  if (Array.isArray(input)) return input.length === 1 && isObject(input[0]) ? input[0] : null;
  if (!isObject(input)) return null;
  const { args, kwargs, ...others } = input;
  if (!isObject(kwargs) || Object.keys(others).length > 0) return input;
  return Array.isArray(args) && args.length > 0 ? null : kwargs;
}

function callsInAnswer(given: JsonValue): ToolCall[] {
  const bare = bareCalls(given);
  if (bare) return bare;
  const read = callsIn(readMessages(given, 'assistant'));
  return read.length > 0 || !isObject(given) ? read : callsIn(answerOf(given));
}

/** Calls without a message around them: columns of prompts show an answer that consists of calls this way. */
function bareCalls(given: JsonValue): ToolCall[] | null {
  const entries = Array.isArray(given) ? given : [given];
  return entries.length > 0 && entries.every(isBareCall) ? entries.map(toCall) : null;
}

function isBareCall(entry: JsonValue): boolean {
  if (!isObject(entry) || typeof entry.role === 'string') return false;
  if (isObject(entry.function)) return typeof entry.function.name === 'string';
  return typeof entry.name === 'string' && ['arguments', 'args', 'input'].some((key) => Object.hasOwn(entry, key));
}

function toCall(entry: JsonValue): ToolCall {
  const { name, arguments: given } = readToolCall(entry)!.function;
  return { tool: name, arguments: given };
}

function callsIn(messages: Message[]): ToolCall[] {
  return messages
    .flatMap(({ tool_calls: calls }) => calls ?? [])
    .map(({ function: called }) => ({ tool: called.name, arguments: called.arguments }));
}

/** The messages of an answer as the API of a vendor gives it. */
function answerOf(response: JsonObject): Message[] {
  const { output } = readNativeCall({ functionName: '', provider: '', args: [], kwargs: {}, response });
  return output.type === 'chat' ? output.messages : [];
}

function textOf(value: JsonValue | undefined): string {
  return value === null || value === undefined ? '' : String(value as string);
}

function order(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
