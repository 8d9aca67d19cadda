import { composed } from '../platform/comparable-text.js';
import { ImportErrors } from './imports.errors.js';

export const MAX_COLUMNS = 999;
export const MAX_TITLE_LENGTH = 255;

/** Validates the titles of columns in a file. Throws the errors in them. */
export function checkHeaders(titles: string[]): void {
  if (titles.every((title) => title.trim() === '')) throw ImportErrors.import_headers_missing();
  checkColumnCount(titles.length);
  const seen = new Set<string>();
  for (const [index, title] of titles.entries()) {
    checkTitle(title, index);
    // Columns of sheets are found by their titles in any Unicode form.
    const key = composed(title);
    if (seen.has(key)) throw ImportErrors.import_header_duplicate(title);
    seen.add(key);
  }
}

export function checkColumnCount(count: number): void {
  if (count > MAX_COLUMNS) throw ImportErrors.import_columns_exceeded(count, MAX_COLUMNS);
}

export function checkTitle(title: string, index: number): void {
  if (title.trim() === '') throw ImportErrors.import_header_blank(index + 1);
  if (!fitsTitle(title)) throw ImportErrors.import_header_too_long(index + 1, MAX_TITLE_LENGTH);
}

/** Counted in code points. */
export function fitsTitle(title: string): boolean {
  return title.length <= MAX_TITLE_LENGTH || [...title].length <= MAX_TITLE_LENGTH;
}
