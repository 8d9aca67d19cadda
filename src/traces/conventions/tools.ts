import { isObject, type JsonObject, type JsonValue } from '../../platform/json.js';
import type { SpanAttributes } from './attributes.js';
import { readIndexed } from './indexed.js';
import { parseIfJson } from '../../llm/messages/json-text.js';
import { plainChoice, toTools } from '../../llm/messages/tool-definitions.js';

/** Attributes that hold a list of tools, or an object that has one as a member: the last resort. */
const LIST_KEYS: [key: string, member?: string][] = [
  ['ai.prompt.tools'],
  ['model_request_parameters', 'function_tools'],
  ['mlflow.chat.tools'],
  ['lk.function_tools'],
  ['langfuse.observation.input', 'tools'],
  ['request_data', 'tools'],
  ['llm.invocation_parameters', 'tools'],
];

/** The tools that were offered to the model, as function tools where they are recognised; null when there are none. */
export function readTools(attributes: SpanAttributes): JsonValue[] | null {
  const defined = listAt(attributes, 'gen_ai.tool.definitions');
  const found = defined.length > 0 ? defined : numberedTools(attributes);
  if (found.length > 0) return found;
  for (const [key, member] of attributes.among(LIST_KEYS, ([key]) => [key])) {
    const tools = listAt(attributes, key, member);
    if (tools.length > 0) return tools;
  }
  return null;
}

/** Which tool the model had to use: a word or an object; null when not said. */
export function readToolChoice(attributes: SpanAttributes): JsonValue {
  const given = attributes.json('ai.prompt.toolChoice') ?? attributes.json('gen_ai.request.tool_choice') ?? null;
  return isObject(given) ? plainChoice(given) : given;
}

function listAt(attributes: SpanAttributes, key: string, member?: string): JsonValue[] {
  const value = attributes.json(key);
  const list = member === undefined ? value : isObject(value) ? value[member] : undefined;
  // The Vercel SDK writes each tool as JSON text of its own.
  return Array.isArray(list) ? list.flatMap((tool) => toTools(parseIfJson(tool) ?? tool)) : [];
}

function numberedTools(attributes: SpanAttributes): JsonValue[] {
  const offered = readIndexed(attributes, 'llm.tools').flatMap(({ tool }) =>
    isObject(tool) ? [tool.json_schema] : [],
  );
  const found = offered.length > 0 ? offered : readIndexed(attributes, 'llm.request.functions').map(asFunction);
  return found.flatMap((tool) => toTools(parseIfJson(tool) ?? null)).filter((tool) => tool !== null);
}

function asFunction({ parameters, ...tool }: JsonObject): JsonObject {
  return { ...tool, type: 'function', parameters: parseIfJson(parameters) ?? null };
}
