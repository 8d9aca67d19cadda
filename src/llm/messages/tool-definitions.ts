import { isObject, type JsonObject, type JsonValue } from '../../platform/json.js';

/** Members in which vendors and frameworks put the JSON schema of a function. */
const SCHEMA_MEMBERS = ['parameters', 'input_schema', 'inputSchema', 'parameters_json_schema'];

/** Converts the forms of all vendors into one; values that are no function are kept unchanged. */
export function toTools(tool: JsonValue): JsonValue[] {
  if (!isObject(tool)) return [tool];
  const declarations = tool.functionDeclarations ?? tool.function_declarations;
  if (Array.isArray(declarations)) return declarations.flatMap(toTools);
  if (isObject(tool.function)) return [{ type: 'function', function: toFunction(tool.function) }];
  const isFunction = typeof tool.name === 'string' && (tool.type === 'function' || isObject(schemaOf(tool)));
  return [isFunction ? { type: 'function', function: toFunction(tool) } : tool];
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
export function plainChoice(choice: JsonObject): JsonValue {
  if (choice.type === 'tool' && typeof choice.toolName === 'string') {
    return { type: 'function', function: { name: choice.toolName } };
  }
  const isWord = typeof choice.type === 'string' && /^(?:auto|none|required)$/.test(choice.type);
  return isWord ? (choice.type ?? null) : choice;
}
