import { isObject, type JsonObject, type JsonValue } from '../../platform/json.js';
import { readJsonWithin } from '../../platform/read-json.js';

/** Arguments nest no deeper in practice; deeper ones could be parsed but never written as JSON again. */
export const ARGUMENT_LIMITS = { depth: 64, containers: 100_000 };

/** The text if the value is one and not empty; null otherwise. */
export function textOrNull(value: JsonValue | undefined): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** The objects in a list; nothing for anything that is no list. */
export function objectsIn(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

export function isEmpty(value: JsonValue): boolean {
  if (value === null || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

export function textAt(value: JsonValue | undefined, member: string): string | null {
  if (!isObject(value)) return null;
  const text = value[member];
  return typeof text === 'string' && text !== '' ? text : null;
}

/** The list at a member; empty when there is none. */
export function listAt(value: JsonValue | undefined, ...members: string[]): JsonValue[] {
  if (!isObject(value)) return [];
  const found = members.map((member) => value[member]).find(Array.isArray);
  return (found as JsonValue[] | undefined) ?? [];
}

/** The object at the first member that holds one. */
export function objectAt(value: JsonValue | undefined, ...members: string[]): JsonObject | null {
  if (!isObject(value)) return null;
  const found = members.map((member) => value[member]).find((item) => isObject(item));
  return (found as JsonObject | undefined) ?? null;
}

export function without(value: JsonObject, members: string[]): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([key]) => !members.includes(key)));
}

/** The members with a value: neither undefined, nor null, nor an empty list. */
export function compact(members: Record<string, JsonValue | undefined>): JsonObject {
  const filled = Object.entries(members).filter((entry): entry is [string, JsonValue] => isFilled(entry[1]));
  return Object.fromEntries(filled);
}

/**
 * The arguments of a tool call as an object, whether they are stored as JSON text or as a value. Other values give {}:
 * a history with one broken call can still be sent.
 */
export function argumentsObject(value: JsonValue | undefined): JsonObject {
  const parsed = typeof value === 'string' ? readJsonWithin(value, ARGUMENT_LIMITS) : value;
  return isObject(parsed) ? parsed : {};
}

/** The arguments of a tool call as JSON text; text is unchanged, and "{}" means none. */
export function argumentsText(value: JsonValue | undefined): string {
  if (typeof value === 'string') return value === '' ? '{}' : value;
  return value === undefined || value === null ? '{}' : JSON.stringify(value);
}

function isFilled(value: JsonValue | undefined): boolean {
  return value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0);
}
