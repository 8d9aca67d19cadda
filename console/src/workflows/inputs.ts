import { parseExactly } from '../ui/exact-json';
import type { JsonObject, JsonValue } from '../api/schema.gen';

/** The text of an input's value in a field. */
export function textOfInput(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

/** The values of typed texts, by the types of the inputs. Throws where a text has no such value. */
export function valuesOf(types: Record<string, string>, textFor: (name: string) => string): JsonObject {
  return Object.fromEntries(Object.entries(types).map(([name, type]) => [name, valueOf(name, type, textFor(name))]));
}

function valueOf(name: string, type: string, text: string): JsonValue {
  if (type === 'string') return text;
  try {
    return parseExactly(text) as JsonValue;
  } catch (error) {
    if (error instanceof RangeError) throw new Error(`The input ${name}: ${error.message}`);
    throw new Error(`The input ${name} is ${EXPECTED[type] ?? 'JSON'}.`);
  }
}

const EXPECTED: Record<string, string> = {
  number: 'a number',
  integer: 'an integer',
  boolean: 'true or false',
  object: 'a JSON object, such as {"city": "Kyiv"}',
  array: 'a JSON list, such as ["a", "b"]',
};
