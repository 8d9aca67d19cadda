import Papa from 'papaparse';

const NEWLINE = '\r\n';
/** The last four characters are = + - @ in full width. Apostrophes before them may be marks that were there already. */
const FORMULA = /^'*[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/;
const APOSTROPHE = 39;

/** Numbers stay as they are: only a text can be a formula. */
export type CsvValue = string | number | bigint | null;

export interface CsvOptions {
  /** Whether texts that a spreadsheet program would run as a formula get an apostrophe before them. */
  escapeFormulas: boolean;
  /** Whether a field is quoted without need. */
  quotes(value: unknown): boolean;
}

/** Lines of a CSV by RFC 4180, ending in CR LF. Empty for no rows. All CSV of the server is written here. */
export function csvLines(rows: readonly (readonly CsvValue[])[], { escapeFormulas, quotes }: CsvOptions): string {
  if (rows.length === 0) return '';
  const config = { header: false, newline: NEWLINE };
  if (!escapeFormulas) return Papa.unparse(rows as CsvValue[][], { ...config, quotes }) + NEWLINE;
  const marked = rows.map((row) => row.map(markFormula));
  return Papa.unparse(marked, { ...config, quotes: (value: unknown) => isFormula(value) || quotes(value) }) + NEWLINE;
}

/**
 * Puts an apostrophe before a formula, as people do in spreadsheet programs. A text that ends with an apostrophe gets
 * two, so that `unmarkFormulas` can distinguish it from a text in apostrophes.
 */
function markFormula(value: CsvValue): CsvValue {
  return isFormula(value) ? marksFor(value) + value : value;
}

const isFormula = (value: unknown): value is string => typeof value === 'string' && FORMULA.test(value);

/** Removes the apostrophes of `markFormula` in place. Texts in apostrophes stay, such as '-5'. */
export function unmarkFormulas(fields: string[]): string[] {
  for (const [index, field] of fields.entries()) {
    if (field.charCodeAt(0) !== APOSTROPHE || !FORMULA.test(field)) continue;
    const marks = marksFor(field);
    if (field.startsWith(marks)) fields[index] = field.slice(marks.length);
  }
  return fields;
}

const marksFor = (text: string): string => (text.endsWith("'") ? "''" : "'");
