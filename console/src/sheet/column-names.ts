import type { ColumnBody } from '../api/schema.gen';

/** A column, or what stands for one. */
export type Named = Pick<ColumnBody, 'id' | 'title'>;

/** A name without what people write differently: letter case, blanks, `_` and `-`. */
const plain = (name: string): string => name.toLowerCase().replace(/[\s_-]+/g, '');

/** The only column with such a name; null where there is none, or several. */
export function columnNamed(name: string, columns: Named[]): string | null {
  const exact = columns.filter(({ title }) => title === name);
  const found = exact.length > 0 ? exact : columns.filter(({ title }) => plain(title) === plain(name));
  return found.length === 1 ? found[0]!.id : null;
}

/** The columns of names: those that somebody has chosen, and by name what nobody has chosen yet. */
export function mappedByName(
  names: string[],
  columns: Named[],
  given: Record<string, string | null>,
): Record<string, string | null> {
  const mapped = names.map((name) => [name, Object.hasOwn(given, name) ? given[name]! : columnNamed(name, columns)]);
  return Object.fromEntries(mapped.filter(([, column]) => column !== null));
}

/** As the server reads them: doubled braces, and what looks like JSON, are no placeholders. */
const PLACEHOLDER = /(?<!\{)\{([^{}"'\n]+)\}(?!\})/gu;
const NAME = /^[\p{L}_][\p{L}\p{N}_ .-]*$/u;

/** The placeholders of a text, each once. */
export function placeholdersIn(text: unknown): string[] {
  if (typeof text !== 'string') return [];
  const names = [...text.matchAll(PLACEHOLDER)].map(([, name]) => name!.trim());
  return [...new Set(names.filter((name) => NAME.test(name)))];
}

/** What a placeholder for a column is called: its title, as far as placeholders may be called so. */
export function placeholderFor(title: string): string {
  const name = title.replace(/[^\p{L}\p{N}_ .-]+/gu, ' ').trim();
  return NAME.test(name) ? name : `_${name}`.trim();
}

/** The beginning of a placeholder before the cursor: where its brace stands, and what was typed of its name. */
export function openBrace(text: string, cursor: number): { from: number; typed: string } | null {
  const found = /(?<!\{)\{([^{}"'\n]{0,60})$/u.exec(text.slice(0, cursor));
  return found ? { from: found.index, typed: found[1]! } : null;
}
