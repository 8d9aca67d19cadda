import { beginningOf } from './csv-records.js';

/** The dialect of a CSV. */
export interface CsvDialect {
  delimiter: string;
  /** The file begins with a line such as `sep=;` that says so. */
  hasSeparatorLine: boolean;
  /** The delimiter that was probably meant, when the file has only one column. */
  suspect: string | null;
}

/** Delimiters in order of precedence, which decides when a file reads well with several. */
const DELIMITERS = [',', ';', '\t', '|'];
const [COMMA] = DELIMITERS as [string];
/** Rows that are examined. */
const ROWS = 100;

/** A comma that is neither in a decimal number nor before a blank, as in a sentence. */
const DIVIDING_COMMA = /(?:^|\D),(?! )|\d,(?![\d ])/;

const SEPARATOR_LINE = /^\s*"?sep=([^\w"\r\n])"?\1*(?:\r\n|\n|\r|$)/i;

/**
 * Detects the dialect of a CSV from its beginning. The delimiter is the given one, the one that the file names, or the
 * one that divides the titles and the rows into the same number of fields. `sample` ends between two lines.
 */
export function detectDialect(sample: string, given: string | null): CsvDialect {
  const named = SEPARATOR_LINE.exec(sample);
  const hasSeparatorLine = named !== null;
  const delimiter = given ?? named?.[1];
  if (delimiter) return { delimiter, hasSeparatorLine, suspect: null };
  const readings = DELIMITERS.map((each) => read(sample, each)).filter((reading) => reading !== null);
  const best = readings.reduce<Reading | null>((a, b) => (a && !isBetter(b, a) ? a : b), null);
  if (!best) return { delimiter: COMMA, hasSeparatorLine, suspect: null };
  // A single title may contain a delimiter by chance, so at least half of the rows must fit, too.
  const isCertain = best.delimiter === COMMA || best.fitting >= 0.5;
  return {
    delimiter: isCertain ? best.delimiter : COMMA,
    hasSeparatorLine,
    suspect: isCertain ? null : best.delimiter,
  };
}

/** The fields of a record without blank ones at its end, which spreadsheets write after wider rows were deleted. */
export function withoutBlankEnd(fields: string[]): string[] {
  let length = fields.length;
  while (length > 0 && fields[length - 1]!.trim() === '') length--;
  return fields.slice(0, length);
}

/** Whether a record has a value for each title, and only blanks besides. Some callers accept short records. */
export function fits(fields: string[], titles: number, mayBeShort = false): boolean {
  return (mayBeShort || fields.length >= titles) && withoutBlankEnd(fields).length <= titles;
}

/** A line of blanks is no row. */
export function isBlankLine(fields: string[], titles: number): boolean {
  return titles > 1 && fields.length === 1 && fields[0]!.trim() === '';
}

/** A reading of a file with one delimiter. */
interface Reading {
  delimiter: string;
  titles: number;
  /** The share of the rows with a field for each title, from 0 to 1. */
  fitting: number;
  /** Whether all of its delimiters look like parts of a text or a number. */
  isDoubtful: boolean;
}

/** Null where the delimiter does not divide the titles. */
function read(sample: string, delimiter: string): Reading | null {
  const { records, isBroken } = beginningOf(sample, delimiter, ROWS + 1);
  const [header, ...lines] = records;
  if (!header || header.length < 2) return null;
  const titles = withoutBlankEnd(header).length;
  if (titles === 0) return null;
  const rows = lines.filter((fields) => !isBlankLine(fields, titles));
  const all = rows.length + (isBroken ? 1 : 0);
  const fitting = all === 0 ? 1 : rows.filter((fields) => fits(fields, titles)).length / all;
  return { delimiter, titles, fitting, isDoubtful: delimiter === COMMA && !DIVIDING_COMMA.test(sample) };
}

function isBetter(a: Reading, b: Reading): boolean {
  if (a.fitting !== b.fitting) return a.fitting > b.fitting;
  if (a.isDoubtful !== b.isDoubtful) return b.isDoubtful;
  return a.titles > b.titles;
}
