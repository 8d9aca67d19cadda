import { isObject, type JsonValue } from '../../platform/json.js';

/** A text, or null. */
export function textOf(value: JsonValue | undefined): string | null {
  return typeof value === 'string' ? value : null;
}

/** A node that stands for something supplied by name: `{type, name}`. */
export function isNamed(value: JsonValue | undefined, type: string): value is { type: string; name: string } {
  return isObject(value) && value.type === type && typeof value.name === 'string';
}

/** Everything the texts inside a value are changed to; keys stay. */
export function mapTexts(value: JsonValue, change: (text: string) => JsonValue): JsonValue {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapTexts(item, change)]));
}
