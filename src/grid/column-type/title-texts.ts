import { uniqueNames } from './unique-names.js';

/** A column that a text of a config can name. */
interface Named {
  id: string;
  title: string;
}

const PLACEHOLDER = /\{([^{}]*)\}/g;

/** The names that a text can use as `{name}` for the values of columns: their titles, made unique, and their ids. */
export function namesOf<C extends Named>(columns: C[]): Map<string, C> {
  const names = uniqueNames(columns.map(({ title }) => title));
  return new Map([
    ...columns.map((column): [string, C] => [column.id, column]),
    ...columns.map((column, index): [string, C] => [names[index]!, column]),
  ]);
}

/** A text with something else in place of each `{name}`. */
export function fillPlaces(text: string, fill: (name: string) => string): string {
  return text.replace(PLACEHOLDER, (_, name: string) => fill(name));
}

/** The first `{name}` of a text that is the name of none of the columns. */
export function unknownName(text: string, columns: Named[]): string | undefined {
  const names = namesOf(columns);
  return [...text.matchAll(PLACEHOLDER)].map(([, name]) => name!).find((name) => !names.has(name));
}

/** A text that names the same columns under other titles. A title with braces cannot stand in a text; the id can. */
export function renameInText(text: string, columns: Named[], newTitles: ReadonlyMap<string, string>): string {
  const renamed = columns.map(({ id, title }) => ({ id, title: newTitles.get(id) ?? title }));
  const newNames = uniqueNames(renamed.map(({ title }) => title));
  const names = namesOf(columns);
  return fillPlaces(text, (name) => {
    const at = columns.findIndex((column) => column === names.get(name));
    if (at < 0 || name === columns[at]!.id) return `{${name}}`;
    return `{${/[{}]/.test(newNames[at]!) ? columns[at]!.id : newNames[at]!}}`;
  });
}
