import { isObject, type JsonObject, type JsonValue } from '../platform/json.js';
import type { SpanAttributes } from './attributes.js';
import { readIndexed } from './indexed.js';
import { rankedKeys, type Words, wordsOf } from './words.js';
import { parseIfJson } from '../llm/messages/json-text.js';
import { plainChoice, toTools } from '../llm/messages/tool-definitions.js';

const toolWords = ({ tools }: Words): Words['tools'] => tools;
const CHOICE = rankedKeys(({ toolChoice }) => toolChoice);

/** The tools that were offered to the model, as function tools where they are recognised; null when there are none. */
export function readTools(attributes: SpanAttributes): JsonValue[] | null {
  const defined = listAt(attributes, 'gen_ai.tool.definitions');
  const found = defined.length > 0 ? defined : numberedTools(attributes);
  if (found.length > 0) return found;
  for (const [key, member] of attributes.among(wordsOf(toolWords), ([key]) => [key])) {
    const tools = listAt(attributes, key, member);
    if (tools.length > 0) return tools;
  }
  return null;
}

/** The tool that the model had to use, as a word or an object; null when there is none. */
export function readToolChoice(attributes: SpanAttributes): JsonValue {
  const [key] = attributes.present(CHOICE());
  const given = key === undefined ? null : (attributes.json(key) ?? null);
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
