import type { SqlParameters } from './sql-parameters.js';

/** The value at a key of a flat string map in a jsonb column, as a text[] of one. */
export function flatMapValues(column: string): (key: string, parameters: SqlParameters) => string {
  return (key, parameters) => `ARRAY[${column} ->> ${parameters.add(key)}::text]`;
}

/** The keys of a flat string map in a jsonb column, as a text[]. */
export function flatMapKeys(column: string): string {
  return `ARRAY(SELECT jsonb_object_keys(${column}))`;
}

/**
 * The values at a key of a jsonb document, as a text[]: strings as they are, numbers and booleans as JSON writes them,
 * objects as JSON text. The key is a member's name or a path of names joined by dots; arrays on the way are entered,
 * so a key may have several values. Null, {} and [] are no value.
 */
export function jsonValues(column: string): (key: string, parameters: SqlParameters) => string {
  return (key, parameters) =>
    `ARRAY(SELECT found.item #>> '{}' FROM unnest(${parameters.add(readingsOf(key))}::jsonpath[]) AS reading(path), ` +
    `jsonb_path_query(${column}, reading.path) AS found(item) WHERE found.item NOT IN ('{}', '[]'))`;
}

/** Every path of a jsonb document, names joined by dots and array positions left out, as a text[] that may repeat. */
export function jsonPaths(column: string): string {
  return (
    `ARRAY(WITH RECURSIVE place(path, item) AS (SELECT top.key, top.value FROM ${membersOf(column)} AS top ` +
    `UNION ALL SELECT inner_place.path, inner_place.item FROM place, LATERAL (` +
    `SELECT place.path || '.' || member.key, member.value FROM ${membersOf('place.item')} AS member ` +
    `UNION ALL SELECT place.path, element FROM ${elementsOf('place.item')} AS element` +
    `) AS inner_place(path, item)) SELECT place.path FROM place)`
  );
}

const membersOf = (json: string): string => `jsonb_each(CASE jsonb_typeof(${json}) WHEN 'object' THEN ${json} END)`;

const elementsOf = (json: string): string =>
  `jsonb_array_elements(CASE jsonb_typeof(${json}) WHEN 'array' THEN ${json} END)`;

function readingsOf(key: string): string[] {
  const names = key.split('.');
  return names.length === 1 ? [pathOf(names)] : [pathOf([key]), pathOf(names)];
}

/** A JSON string is a name of a path as it stands. */
function pathOf(names: string[]): string {
  return `lax $${names.map((name) => `.${JSON.stringify(name)}`).join('')}[*]`;
}
