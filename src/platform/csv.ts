import Papa from 'papaparse';

const NEWLINE = '\r\n';
/** The library's own expression passes over texts of several lines. The last four are = + - @ in full width. */
const FORMULA = /^[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/;

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
  const escapeFormulae = escapeFormulas ? FORMULA : false;
  return Papa.unparse(rows as CsvValue[][], { header: false, newline: NEWLINE, quotes, escapeFormulae }) + NEWLINE;
}
