import type { SourceField } from './source-field.js';
import { isObject, type JsonObject, type JsonValue } from '../../platform/json.js';

/** One place of a config that takes its value from a column. */
export interface SourcePlace {
  key: string;
  /** The place in a list; null outside one. */
  position: number | null;
  /** The variable of a map; null outside one. */
  variable: string | null;
}

/** A place and the title or id that stands there. */
export interface SourceReference extends SourcePlace {
  reference: string;
}

/** Maximum length of a list of columns, and of a map. */
export const MAX_SOURCES = 1_000;

/** Maximum length of a variable's name in a message: every failed cell stores its message. */
const MAX_LABEL = 100;

/** Every reference of a config. Those of a map are sorted by variable, so that the order of its keys means nothing. */
export function referencesIn(fields: SourceField[], config: JsonObject): SourceReference[] {
  return fields.flatMap((field) => {
    const value = config[field.key] ?? null;
    if (field.shape === 'map') return mapReferences(field, value);
    if (field.shape === 'one') return referenceAt({ key: field.key, position: null, variable: null }, value);
    const items = Array.isArray(value) ? value : [value];
    return items.flatMap((item, position) => referenceAt({ key: field.key, position, variable: null }, item));
  });
}

/** Whether a value of a map has a meaning other than a column. */
export function isSpecialName({ specialNames = [] }: SourceField, value: JsonValue): boolean {
  return typeof value === 'string' && specialNames.includes(value);
}

export function isSamePlace(a: SourcePlace, b: SourcePlace): boolean {
  return a.key === b.key && a.position === b.position && a.variable === b.variable;
}

/** Metadata that an edge stores about its place, besides the config key. */
export function placeToMeta({ position, variable }: SourcePlace): JsonObject | null {
  if (variable !== null) return { variable_name: variable };
  return position === null ? null : { position };
}

/** The place where an edge puts its value; null for an edge without a place in the field, which only sets the order. */
export function placeFromMeta({ key, shape }: SourceField, meta: JsonObject | null): SourcePlace | null {
  if (shape === 'one') return { key, position: null, variable: null };
  if (shape === 'map') {
    const variable = meta?.variable_name;
    return typeof variable === 'string' ? { key, position: null, variable } : null;
  }
  const position = meta?.position;
  const fits = typeof position === 'number' && Number.isInteger(position) && position >= 0 && position < MAX_SOURCES;
  return fits ? { key, position, variable: null } : null;
}

/** The name of a place in messages. */
export function placeLabel({ key, variable }: SourcePlace): string {
  if (variable === null) return key;
  // Code points, so that no character is cut in half.
  const characters = Array.from(variable.slice(0, 2 * MAX_LABEL + 2));
  return `${key} "${characters.length > MAX_LABEL ? `${characters.slice(0, MAX_LABEL).join('')}…` : variable}"`;
}

function mapReferences(field: SourceField, value: JsonValue): SourceReference[] {
  if (!isObject(value)) return [];
  return Object.keys(value)
    .sort()
    .filter((variable) => !isSpecialName(field, value[variable]!))
    .flatMap((variable) => referenceAt({ key: field.key, position: null, variable }, value[variable]!));
}

/** null for an empty place, which has no column yet. */
function referenceAt(place: SourcePlace, value: JsonValue): SourceReference[] {
  return typeof value === 'string' && value !== '' ? [{ ...place, reference: value }] : [];
}
