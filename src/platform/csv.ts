import Papa from 'papaparse';

const NEWLINE = '\r\n';
/** The last four are = + - @ in full width. Apostrophes before it may be marks that stood there already. */
const FORMULA = /^'*[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/;
const APOSTROPHE = 39;

/** Numbers stay as they are: only a text can be a formula. */
export type CsvValue = string | number | bigint | null;

export interface CsvOptions {
  /** Whether texts that a spreadsheet program would run as a formula get an apostrophe before them. */
  escapeFormulas: boolean;
  /** Whether a field is quoted although nothing in it needs that. */
  quotes(value: unknown): boolean;
}

/** Lines of a CSV after RFC 4180, which end in CR LF. Nothing for no rows. All CSV that leaves the server is written here. */
export function csvLines(rows: readonly (readonly CsvValue[])[], { escapeFormulas, quotes }: CsvOptions): string {
  if (rows.length === 0) return '';
  const config = { header: false, newline: NEWLINE };
  if (!escapeFormulas) return Papa.unparse(rows as CsvValue[][], { ...config, quotes }) + NEWLINE;
  const marked = rows.map((row) => row.map(markFormula));
  return Papa.unparse(marked, { ...config, quotes: (value: unknown) => isFormula(value) || quotes(value) }) + NEWLINE;
}

/**
 * Puts an apostrophe before a text that is a formula, as people do in spreadsheet programs. A text that ends with one gets two, so
 * that `unmarkFormulas` tells it from a text in apostrophes.
 */
function markFormula(value: CsvValue): CsvValue {
  return isFormula(value) ? marksFor(value) + value : value;
}

const isFormula = (value: unknown): value is string => typeof value === 'string' && FORMULA.test(value);

/** Takes the apostrophes of `markFormula` away again, in place. Texts in apostrophes stay, such as '-5'. */
export function unmarkFormulas(fields: string[]): string[] {
  for (const [index, field] of fields.entries()) {
    if (field.charCodeAt(0) !== APOSTROPHE || !FORMULA.test(field)) continue;
    const marks = marksFor(field);
    if (field.startsWith(marks)) fields[index] = field.slice(marks.length);
  }
  return fields;
}

const marksFor = (text: string): string => (text.endsWith("'") ? "''" : "'");
