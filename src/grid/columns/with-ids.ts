import { isObject, type JsonValue } from '../../platform/json.js';

/** Replaces ids of columns everywhere in a config: nothing else looks like one. */
export function withIds<T extends JsonValue>(value: T, ids: ReadonlyMap<string, string>): T {
  const replaced = (given: JsonValue): JsonValue => {
    if (typeof given === 'string') return ids.get(given.toLowerCase()) ?? given;
    if (Array.isArray(given)) return given.map(replaced);
    if (!isObject(given)) return given;
    return Object.fromEntries(Object.entries(given).map(([key, item]) => [key, replaced(item)]));
  };
  return replaced(value) as T;
}
