import { isObject, type JsonObject, type JsonValue } from '../../platform/json.js';
import type { SpanAttributes } from './attributes.js';
import { readIndexed } from './indexed.js';
import { parseIfJson } from './json-text.js';

/** Attributes that hold a list of tools, or an object that has one as a member: the last resort. */
const LIST_KEYS: [key: string, member?: string][] = [
  ['ai.prompt.tools'],
  ['model_request_parameters', 'function_tools'],
  ['mlflow.chat.tools'],
  ['lk.function_tools'],
  ['llm.invocation_parameters', 'tools'],
];

/** Members in which vendors and frameworks put the JSON schema of a function. */
const SCHEMA_MEMBERS = ['parameters', 'input_schema', 'inputSchema', 'parameters_json_schema'];

/** The tools that were offered to the model, as function tools where they are recognised; null when there are none. */
export function readTools(attributes: SpanAttributes): JsonValue[] | null {
  const defined = listAt(attributes, 'gen_ai.tool.definitions');
  const found = defined.length > 0 ? defined : numberedTools(attributes);
  if (found.length > 0) return found;
  for (const [key, member] of LIST_KEYS) {
    const tools = listAt(attributes, key, member);
    if (tools.length > 0) return tools;
  }
  return null;
}

/** Which tool the model had to use: a word or an object; null when not said. */
export function readToolChoice(attributes: SpanAttributes): JsonValue {
  const given = attributes.json('gen_ai.request.tool_choice') ?? attributes.json('ai.prompt.toolChoice') ?? null;
  return isObject(given) ? plainChoice(given) : given;
}

/** The forms of the vendors as one; what is no function is kept as it came. */
export function toTools(tool: JsonValue): JsonValue[] {
  if (!isObject(tool)) return [tool];
  const declarations = tool.functionDeclarations ?? tool.function_declarations;
  if (Array.isArray(declarations)) return declarations.flatMap(toTools);
  if (isObject(tool.function)) return [{ type: 'function', function: toFunction(tool.function) }];
  const isFunction = typeof tool.name === 'string' && (tool.type === 'function' || isObject(schemaOf(tool)));
  return [isFunction ? { type: 'function', function: toFunction(tool) } : tool];
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

function toFunction(tool: JsonObject): JsonObject {
  return {
    name: typeof tool.name === 'string' ? tool.name : '',
    description: typeof tool.description === 'string' ? tool.description : '',
    strict: tool.strict === true,
    parameters: schemaOf(tool) ?? { type: 'object', properties: {} },
  };
}

function schemaOf(tool: JsonObject): JsonValue | undefined {
  return SCHEMA_MEMBERS.map((member) => tool[member]).find((schema) => schema !== undefined && schema !== null);
}

/** The Vercel SDK wraps the words of others, and names a tool in its own way. */
function plainChoice(choice: JsonObject): JsonValue {
  if (choice.type === 'tool' && typeof choice.toolName === 'string') {
    return { type: 'function', function: { name: choice.toolName } };
  }
  const isWord = typeof choice.type === 'string' && /^(?:auto|none|required)$/.test(choice.type);
  return isWord ? (choice.type ?? null) : choice;
}
