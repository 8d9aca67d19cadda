import type { JsonObject } from '../platform/json.js';

/** Config with its `type` in lower case, and `object` for `json`. */
export function withKnownType(config: JsonObject): JsonObject {
  if (typeof config.type !== 'string') return config;
  const type = config.type.toLowerCase();
  return { ...config, type: type === 'json' ? 'object' : type };
}
