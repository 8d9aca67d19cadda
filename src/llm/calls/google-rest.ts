import { isObject, type JsonObject, type JsonValue } from '../../platform/json.js';
import { objectsIn } from '../shared/json-reading.js';
import { type ModelRequest, requestBody } from './connection.js';

/** Members of the configuration that the REST interface expects beside it. */
const BESIDE_THE_CONFIG = new Set([
  'system_instruction',
  'tools',
  'tool_config',
  'safety_settings',
  'cached_content',
  'labels',
]);

/**
 * The body of `generateContent`: clients take one configuration, the service expects it in parts. The spelling of names
 * may be that of `toKwargs`. The model is part of the address.
 */
export function generateContentBody(request: ModelRequest): JsonObject {
  const { history, contents, generation_config, model: _, ...rest } = requestBody(request);
  const config = isObject(generation_config) ? { ...generation_config, ...rest } : rest;
  const entries = Object.entries(config);
  return {
    contents: objectsIn(history ?? contents ?? null).map(withRole),
    ...Object.fromEntries(entries.filter(([name]) => BESIDE_THE_CONFIG.has(name)).map(asContent)),
    generation_config: Object.fromEntries(entries.filter(([name]) => !BESIDE_THE_CONFIG.has(name))),
  };
}

const withRole = (content: JsonObject): JsonObject => ({ role: 'user', ...content });

/** Clients take an instruction as text as well. */
function asContent([name, value]: [string, JsonValue]): [string, JsonValue] {
  return [name, name === 'system_instruction' && typeof value === 'string' ? { parts: [{ text: value }] } : value];
}
