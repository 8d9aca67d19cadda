import type { ContentPart, Message } from '../../llm/shared/blueprint.js';
import { isObject, type JsonObject, type JsonValue } from '../../platform/json.js';
import { textOf } from './json-objects.js';

const ROLES = new Set(['system', 'developer', 'user', 'assistant', 'tool', 'function']);

/** A message a caller supplied for a placeholder; null when it is none. Text alone is one text part. */
export function toMessage(value: JsonValue): Message | null {
  if (!isObject(value) || !ROLES.has(String(value.role))) return null;
  const content = toContent(value.content ?? null);
  if (content === undefined) return null;
  const message = { input_variables: [], template_format: 'f-string', ...value, content };
  return message as unknown as Message;
}

function toContent(value: JsonValue): ContentPart[] | null | undefined {
  if (value === null) return null;
  if (typeof value === 'string') return [{ type: 'text', text: value }];
  if (!Array.isArray(value)) return undefined;
  return value.every((part) => isObject(part) && typeof part.type === 'string') ? (value as ContentPart[]) : undefined;
}

/** Converts a supplied value of a tool variable to a function tool; null if it is not one. */
export function toFunctionTool(value: JsonValue): JsonObject | null {
  if (!isObject(value)) return null;
  const definition = value.type === 'function' && isObject(value.function) ? value.function : value;
  const name = textOf(definition.name);
  if (name === null || name === '') return null;
  const schema = definition.parameters ?? definition.input_schema ?? null;
  return {
    type: 'function',
    function: {
      name,
      description: textOf(definition.description) ?? '',
      strict: definition.strict === true,
      parameters: isObject(schema) ? schema : { type: 'object', properties: {} },
    },
  };
}
