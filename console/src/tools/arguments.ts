import type { JsonObject } from '../api/schema.gen';
import type { Schema } from '../ui/schema-fields';

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isTextList = (value: unknown): boolean => Array.isArray(value) && value.every((each) => typeof each === 'string');

const areAll = (list: unknown, fits: (value: unknown) => boolean): boolean =>
  list === undefined || (Array.isArray(list) && list.every(fits));

/** Whether a form can be made of it. The parameters of a tool are whatever a client saved. */
function isSchema(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { type, properties = {}, required = [], description = '', enum: values, examples, anyOf, oneOf } = value;
  const isTyped = type === undefined || typeof type === 'string' || isTextList(type);
  const isListed = areAll(values, () => true) && areAll(examples, () => true);
  const isTold = isTextList(required) && typeof description === 'string';
  if (!isTyped || !isListed || !isTold || !isObject(properties)) return false;
  return areAll(anyOf, isSchema) && areAll(oneOf, isSchema) && Object.values(properties).every(isSchema);
}

/** The parameters of a tool as a form; null where they have no fields, or none that a form can show. */
export function formOf(parameters: unknown): Schema | null {
  if (!isSchema(parameters)) return null;
  const schema = parameters as Schema;
  return Object.keys(schema.properties ?? {}).length > 0 ? schema : null;
}

/** Arguments that were written as JSON. Throws for anything that is no object. */
export function readArguments(text: string): JsonObject {
  const value = text === '' ? {} : parsed(text);
  if (!isObject(value)) throw new Error('Arguments are a JSON object, such as {"city": "Kyiv"}.');
  return value;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
