import type { ColumnBody } from '../api/schema.gen';

/** A column, or an item that replaces one. */
export type Named = Pick<ColumnBody, 'id' | 'title'>;

/** Removes differences in spelling: letter case, blanks, `_` and `-`. */
const plain = (name: string): string => name.toLowerCase().replace(/[\s_-]+/g, '');

/** The only column with this name; null when there is none, or several. */
export function columnNamed(name: string, columns: Named[]): string | null {
  const exact = columns.filter(({ title }) => title === name);
  const found = exact.length > 0 ? exact : columns.filter(({ title }) => plain(title) === plain(name));
  return found.length === 1 ? found[0]!.id : null;
}

/** Maps names to columns: chosen ones first, then columns of the same name. */
export function mappedByName(
  names: string[],
  columns: Named[],
  given: Record<string, string | null>,
): Record<string, string | null> {
  const mapped = names.map((name) => [name, Object.hasOwn(given, name) ? given[name]! : columnNamed(name, columns)]);
  return Object.fromEntries(mapped.filter(([, column]) => column !== null));
}

/** Follows the server: doubled braces, and text that looks like JSON, are no placeholders. */
const PLACEHOLDER = /(?<!\{)\{([^{}"'\n]+)\}(?!\})/gu;
const NAME = /^[\p{L}_][\p{L}\p{N}_ .-]*$/u;

/** The placeholders of a text, each once. */
export function placeholdersIn(text: unknown): string[] {
  if (typeof text !== 'string') return [];
  const names = [...text.matchAll(PLACEHOLDER)].map(([, name]) => name!.trim());
  return [...new Set(names.filter((name) => NAME.test(name)))];
}

/** The placeholder for a column: its title, without characters that placeholders must not have. */
export function placeholderFor(title: string): string {
  const name = title.replace(/[^\p{L}\p{N}_ .-]+/gu, ' ').trim();
  return NAME.test(name) ? name : `_${name}`.trim();
}

/** An unfinished placeholder before the cursor: the position of its brace, and the typed part of its name. */
export function openBrace(text: string, cursor: number): { from: number; typed: string } | null {
  const found = /(?<!\{)\{([^{}"'\n]{0,60})$/u.exec(text.slice(0, cursor));
  return found ? { from: found.index, typed: found[1]! } : null;
}
