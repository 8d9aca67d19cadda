import { isObject, type JsonObject, type JsonValue } from '../../../platform/json.js';
import { textOrNull } from '../../shared/json-reading.js';

/** Required form of an answer: the parameter `response_format` in the spelling of OpenAI's chats. */
export type ResponseFormat =
  | { type: 'json_schema'; schema: JsonObject; name: string; rest: JsonObject }
  | { type: 'json_object' }
  | { type: 'text' };

/** null for values that are no response format in that spelling. */
export function readResponseFormat(value: JsonValue | undefined): ResponseFormat | null {
  if (!isObject(value)) return null;
  if (value.type === 'json_object' || value.type === 'text') return { type: value.type };
  if (value.type !== 'json_schema') return null;
  const given = isObject(value.json_schema) ? value.json_schema : value;
  const { schema, name, type: _type, ...rest } = given;
  return isObject(schema) ? { type: 'json_schema', schema, name: textOrNull(name) ?? 'response', rest } : null;
}
