import type { SqlParameters } from './sql-parameters.js';

/** The value at a key of a flat string map in a jsonb column, as a text[] of one. */
export function flatMapValues(column: string): (key: string, parameters: SqlParameters) => string {
  return (key, parameters) => `ARRAY[${column} ->> ${parameters.add(key)}::text]`;
}

/**
 * The values at a key of a jsonb document, as a text[]: strings as they are, numbers and booleans as JSON writes them,
 * objects as JSON text. The key is a member's name or a path of names joined by dots; arrays on the way are entered,
 * so a key may have several values. Null, {} and [] are no value.
 *
 * A dot may also be part of a name. A path with few dots is read in every way it can be split into names. The document is
 * walked, member by member, only for longer paths and where that leads to nothing: it takes several times as long.
 */
export function jsonValues(column: string): (key: string, parameters: SqlParameters) => string {
  return (key, parameters) => {
    const names = key.split('.');
    const walked = () => walkedValues(`SELECT ${column}, ${parameters.add(key)}::text`);
    if (names.length > MOST_NAMES) return walked();
    const found = foundValues(column, parameters.add(splitsOf(names).map(pathOf)));
    return names.length === 1 ? found : `coalesce(nullif(${found}, '{}'), ${walked()})`;
  };
}

/** Paths with more names are walked: every name doubles the number of ways to split a path. */
const MOST_NAMES = 4;

/** Longer texts, and texts with more lists and objects, do not count as JSON: clients would control the depth of nesting. */
const LONGEST_JSON = 65_536;
const MOST_BRACKETS = 2000;

/** The same for values inside members that are JSON texts. */
export function textValues(column: string): (key: string, parameters: SqlParameters) => string {
  return (key, parameters) => {
    const path = `${parameters.add(key)}::text`;
    const content = `CASE jsonb_typeof(member.value) WHEN 'string' THEN ${jsonIn(`(member.value #>> '{}')`)} END`;
    return walkedValues(
      `SELECT ${content}, ` +
        `${restAfter('member.key', path)} FROM ${membersOf(column)} AS member WHERE ${begins('member.key', path)}`,
    );
  };
}

/** Items of a list in a member that is a JSON text. Unlike for `textValues`, the planner assumes a low cost. */
export function itemsInText(column: string): (key: string, parameters: SqlParameters) => string {
  return (key, parameters) => {
    const json = jsonIn(`(${column} ->> ${parameters.add(key)}::text)`);
    const list = `(SELECT CASE jsonb_typeof(json) WHEN 'array' THEN json END FROM (SELECT ${json} OFFSET 0) AS held(json))`;
    return foundValues(list, parameters.add([ITEMS]));
  };
}

function jsonIn(text: string): string {
  const isJson =
    `left(${text}, 1) IN ('{', '[') AND length(${text}) <= ${LONGEST_JSON} ` +
    `AND length(${text}) - length(translate(${text}, '{[', '')) <= ${MOST_BRACKETS}`;
  return `CASE WHEN ${isJson} THEN json_in_text(${text}) END`;
}

function foundValues(column: string, readings: string): string {
  return (
    `ARRAY(SELECT found.item #>> '{}' FROM unnest(${readings}::jsonpath[]) AS reading(path), ` +
    `jsonb_path_query(${column}, reading.path) AS found(item) ` +
    `WHERE jsonb_typeof(found.item) <> 'array' AND found.item <> '{}')`
  );
}

/** The values at the end of the remaining path, from each position; there the rest is null. */
function walkedValues(places: string): string {
  return (
    `ARRAY(WITH RECURSIVE place(item, rest) AS (${places} ` +
    `UNION ALL SELECT next.item, next.rest FROM place, LATERAL (` +
    `SELECT member.value, ${restAfter('member.key', 'place.rest')} FROM ${membersOf('place.item')} AS member ` +
    `WHERE ${begins('member.key', 'place.rest')} ` +
    `UNION ALL SELECT element, place.rest FROM ${elementsOf('place.item')} AS element` +
    `) AS next(item, rest)) SELECT item #>> '{}' FROM place ` +
    `WHERE rest IS NULL AND jsonb_typeof(item) <> 'array' AND item <> '{}')`
  );
}

const begins = (name: string, path: string): string => `starts_with(${path} || '.', ${name} || '.')`;

const restAfter = (name: string, path: string): string =>
  `CASE WHEN ${name} <> ${path} THEN substr(${path}, length(${name}) + 2) END`;

const membersOf = (json: string): string => `jsonb_each(CASE jsonb_typeof(${json}) WHEN 'object' THEN ${json} END)`;

const elementsOf = (json: string): string =>
  `jsonb_array_elements(CASE jsonb_typeof(${json}) WHEN 'array' THEN ${json} END)`;

/** Every way in which neighbours among the names can belong to one name, joined by a dot. */
function splitsOf([first, ...rest]: string[]): string[][] {
  if (rest.length === 0) return [[first!]];
  return splitsOf(rest).flatMap(([next, ...others]) => [
    [`${first}.${next}`, ...others],
    [first!, next!, ...others],
  ]);
}

/** Items of nested arrays, three levels deep. */
const ITEMS = 'lax $[*][*][*]';

/** A JSON string is a valid name in a path. Nested arrays are entered, three levels deep. */
function pathOf(names: string[]): string {
  return `lax $${names.map((name) => `.${JSON.stringify(name)}[*][*]`).join('')}[*]`;
}
