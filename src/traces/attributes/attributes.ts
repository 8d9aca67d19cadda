import type { JsonObject, JsonValue } from '../../platform/json.js';
import type { KeySequence } from './key-sequence.js';

/** The attributes of a span: flat keys as received, values decoded from AnyValue. */
export interface Attributes {
  readonly keys: KeySequence;
  /** undefined when there is none of that key. */
  get(key: string): JsonValue | undefined;
  /** These without some keys; they themselves if there are none such. */
  without(keys: readonly string[]): Attributes;
  /** One JSON object, as text or as its UTF-8. */
  toJson(): string | Buffer;
}

/** All of them as an object. */
export function toObject(attributes: Attributes): JsonObject {
  // Not by assignment: a key may be "__proto__".
  return Object.fromEntries(Array.from(attributes.keys.distinct, (key) => [key, attributes.get(key)!]));
}
