import type { JsonObject } from '../api/schema.gen';
import { parseExactly } from '../ui/exact-json';
import type { Schema } from '../ui/schema-fields';

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isTextList = (value: unknown): boolean => Array.isArray(value) && value.every((each) => typeof each === 'string');

/** Keywords of a schema that a form reads, with a check of their values. */
const PARTS: Record<string, (value: unknown) => boolean> = {
  type: (value) => typeof value === 'string' || isTextList(value),
  description: (value) => typeof value === 'string',
  required: isTextList,
  enum: Array.isArray,
  examples: Array.isArray,
  anyOf: (value) => Array.isArray(value) && value.every(isSchema),
  oneOf: (value) => Array.isArray(value) && value.every(isSchema),
  properties: (value) => isObject(value) && Object.values(value).every(isSchema),
};

/** Whether a form can be made of a value. The parameters of a tool can be any JSON that a client saved. */
function isSchema(value: unknown): boolean {
  if (!isObject(value)) return false;
  return Object.entries(PARTS).every(([name, fits]) => !Object.hasOwn(value, name) || fits(value[name]));
}

/** The parameters of a tool as a form; null when no field can be shown. */
export function formOf(parameters: unknown): Schema | null {
  if (!isSchema(parameters)) return null;
  const schema = parameters as Schema;
  return Object.keys(schema.properties ?? {}).length > 0 ? schema : null;
}

/** Arguments written as JSON. Throws for anything but an object. */
export function readArguments(text: string): JsonObject {
  const value = text === '' ? {} : parsed(text);
  if (!isObject(value)) throw new Error('Arguments are a JSON object, such as {"city": "Kyiv"}.');
  return value;
}

function parsed(text: string): unknown {
  try {
    return parseExactly(text);
  } catch (error) {
    if (error instanceof RangeError) throw error;
    return undefined;
  }
}
