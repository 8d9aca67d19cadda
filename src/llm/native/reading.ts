import { isObject, type JsonObject, type JsonValue } from '../../platform/json.js';
import type { ChatPrompt, CompletionPrompt, ContentPart, Message, Prompt } from '../blueprint.js';
import { toTools } from '../messages/tool-definitions.js';
import { textPart } from '../messages/parts.js';
import type { NativeCall, ShapeReading } from './native-call.js';
import { NO_USAGE } from './usage.js';

/** LangChain's clients have a name of their own for it. */
const MODEL_MEMBERS = ['model', 'model_name'];

/** What a shape found out; everything else has its default. */
interface Found extends Partial<ShapeReading> {
  input: Prompt;
  output: Prompt;
  /** Whether the response has the form of an answer, be it empty. */
  recognised?: boolean;
}

/** The reading of a call, from what its shape found. `used` are the arguments that are told elsewhere. */
export function reading(
  { request, response }: NativeCall,
  used: string[],
  { recognised = false, ...found }: Found,
): ShapeReading {
  const named = MODEL_MEMBERS.find((member) => textAt(request, member) !== null) ?? 'model';
  const isKnown = recognised || saysAnything(found.output) || isEmpty(response);
  return {
    model: textAt(request, named) ?? textAt(response, 'model'),
    answeredBy: textAt(response, 'model'),
    apiType: null,
    parameters: without(request, ['model', named, ...used]),
    usage: NO_USAGE,
    price: null,
    tellsPositional: false,
    responseUnknown: !isKnown,
    ...found,
  };
}

export function chat(messages: Message[], frame: Partial<ChatPrompt> = {}): ChatPrompt {
  return {
    type: 'chat',
    messages,
    tools: null,
    tool_choice: null,
    functions: null,
    function_call: null,
    input_variables: [],
    ...frame,
  };
}

export function completion(texts: string[]): CompletionPrompt {
  const content: ContentPart[] = texts.filter((text) => text !== '').map(textPart);
  return { type: 'completion', content, input_variables: [], template_format: 'f-string' };
}

/** The tools of a request in one form; null when there are none. */
export function toolsOf(given: JsonValue | undefined): JsonValue[] | null {
  return Array.isArray(given) && given.length > 0 ? given.flatMap(toTools) : null;
}

/** Whether there is a message or content at all. */
export function saysAnything(prompt: Prompt): boolean {
  if (prompt.type === 'completion') return prompt.content.length > 0;
  return prompt.messages.some(
    ({ content, tool_calls, function_call }) =>
      (content?.length ?? 0) > 0 || (tool_calls?.length ?? 0) > 0 || (function_call ?? null) !== null,
  );
}

export function isEmpty(value: JsonValue): boolean {
  if (value === null || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

export function textAt(value: JsonValue | undefined, member: string): string | null {
  if (!isObject(value)) return null;
  const text = value[member];
  return typeof text === 'string' && text !== '' ? text : null;
}

/** The list at a member; empty when there is none. */
export function listAt(value: JsonValue | undefined, ...members: string[]): JsonValue[] {
  if (!isObject(value)) return [];
  const found = members.map((member) => value[member]).find(Array.isArray);
  return (found as JsonValue[] | undefined) ?? [];
}

/** The object at the first member that holds one. */
export function objectAt(value: JsonValue | undefined, ...members: string[]): JsonObject | null {
  if (!isObject(value)) return null;
  const found = members.map((member) => value[member]).find((item) => isObject(item));
  return (found as JsonObject | undefined) ?? null;
}

export function without(value: JsonObject, members: string[]): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([key]) => !members.includes(key)));
}
