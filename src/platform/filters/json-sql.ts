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
 *
 * A path is read with its dots between names. Only where that leads to nothing it is walked, member by member, to find
 * names with dots in them: that takes several times as long.
 */
export function jsonValues(column: string): (key: string, parameters: SqlParameters) => string {
  return (key, parameters) => {
    const found = foundValues(column, parameters.add(readingsOf(key)));
    return key.includes('.') ? `coalesce(nullif(${found}, '{}'), ${walkedValues(column, parameters.add(key))})` : found;
  };
}

function foundValues(column: string, readings: string): string {
  return (
    `ARRAY(SELECT found.item #>> '{}' FROM unnest(${readings}::jsonpath[]) AS reading(path), ` +
    `jsonb_path_query(${column}, reading.path) AS found(item) ` +
    `WHERE jsonb_typeof(found.item) <> 'array' AND found.item <> '{}')`
  );
}

/** The rest of a path is null where all of it was walked. */
function walkedValues(column: string, key: string): string {
  return (
    `ARRAY(WITH RECURSIVE place(item, rest) AS (SELECT ${column}, ${key}::text ` +
    `UNION ALL SELECT next.item, next.rest FROM place, LATERAL (` +
    `SELECT member.value, CASE WHEN member.key <> place.rest THEN substr(place.rest, length(member.key) + 2) END ` +
    `FROM ${membersOf('place.item')} AS member WHERE starts_with(place.rest || '.', member.key || '.') ` +
    `UNION ALL SELECT element, place.rest FROM ${elementsOf('place.item')} AS element` +
    `) AS next(item, rest)) SELECT item #>> '{}' FROM place ` +
    `WHERE rest IS NULL AND jsonb_typeof(item) <> 'array' AND item <> '{}')`
  );
}

const membersOf = (json: string): string => `jsonb_each(CASE jsonb_typeof(${json}) WHEN 'object' THEN ${json} END)`;

const elementsOf = (json: string): string =>
  `jsonb_array_elements(CASE jsonb_typeof(${json}) WHEN 'array' THEN ${json} END)`;

function readingsOf(key: string): string[] {
  const names = key.split('.');
  return names.length === 1 ? [pathOf(names)] : [pathOf([key]), pathOf(names)];
}

/** A JSON string is a name of a path as it stands. Arrays directly in arrays are entered, too, three deep. */
function pathOf(names: string[]): string {
  return `lax $${names.map((name) => `.${JSON.stringify(name)}[*][*]`).join('')}[*]`;
}
