import type { JsonObject, JsonValue } from '../../platform/json.js';
import { isObject } from '../otlp/json-objects.js';
import type { SpanAttributes } from './attributes.js';

/** The tools that were offered to the model, as function tools where they are recognised; null when there are none. */
export function readTools(attributes: SpanAttributes): JsonValue[] | null {
  const given = attributes.json('gen_ai.tool.definitions');
  if (!Array.isArray(given) || given.length === 0) return null;
  return given.flatMap(toTools);
}

/** Which tool the model had to use: a word or an object; null when not said. */
export function readToolChoice(attributes: SpanAttributes): JsonValue {
  return attributes.json('gen_ai.request.tool_choice') ?? null;
}

/** The forms of the vendors as one; what is no function is kept as it came. */
export function toTools(tool: JsonValue): JsonValue[] {
  if (!isObject(tool)) return [tool];
  const declarations = tool.functionDeclarations ?? tool.function_declarations;
  if (Array.isArray(declarations)) return declarations.flatMap(toTools);
  if (isObject(tool.function)) return [{ type: 'function', function: toFunction(tool.function) }];
  const schema = tool.parameters ?? tool.input_schema;
  const isFunction = typeof tool.name === 'string' && (tool.type === 'function' || isObject(schema));
  return [isFunction ? { type: 'function', function: toFunction(tool) } : tool];
}

function toFunction(tool: JsonObject): JsonObject {
  return {
    name: typeof tool.name === 'string' ? tool.name : '',
    description: typeof tool.description === 'string' ? tool.description : '',
    strict: tool.strict === true,
    parameters: tool.parameters ?? tool.input_schema ?? { type: 'object', properties: {} },
  };
}
