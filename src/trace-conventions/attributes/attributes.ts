import type { JsonObject, JsonValue } from '../../platform/json.js';
import type { KeySequence } from './key-sequence.js';

/** The attributes of a span: flat keys as received, values decoded from AnyValue. */
export interface Attributes {
  readonly keys: KeySequence;
  /** undefined when there is no such key. */
  get(key: string): JsonValue | undefined;
  /** The attributes without some keys; this object itself if there are no such keys. */
  without(keys: readonly string[]): Attributes;
  /** One JSON object, as text or as its UTF-8. */
  toJson(): string | Buffer;
}

/** All attributes as an object. */
export function toObject(attributes: Attributes): JsonObject {
  // Not by assignment: a key may be "__proto__".
  return Object.fromEntries(Array.from(attributes.keys.distinct, (key) => [key, attributes.get(key)!]));
}
