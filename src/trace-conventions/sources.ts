import { isObject, type JsonValue } from '../platform/json.js';
import type { SpanAttributes } from './attributes.js';
import type { Source } from './words.js';

/** The value at a source; undefined when there is none. Attributes may be JSON text. */
export function valueAt(attributes: SpanAttributes, source: Source): JsonValue | undefined {
  if (typeof source === 'string') return attributes.get(source);
  const [key, ...path] = source;
  return path.reduce<JsonValue | undefined>(
    (value, name) => (isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined),
    attributes.json(key),
  );
}

/** `input_tokens` is `inputTokens`. */
export function toCamelCase(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
