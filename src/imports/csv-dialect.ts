import { beginningOf } from './csv-records.js';

/** How a CSV is written. */
export interface CsvDialect {
  delimiter: string;
  /** The file begins with a line such as `sep=;` that says so. */
  hasSeparatorLine: boolean;
  /** What may have been meant to separate columns, where the file has one column only. */
  suspect: string | null;
}

/** The first is the standard; where a file reads well with several, the earlier one counts. */
const DELIMITERS = [',', ';', '\t', '|'];
const [COMMA] = DELIMITERS as [string];
/** How many rows are looked at. */
const ROWS = 100;

/** Neither in a decimal number nor before a blank, as in a sentence. */
const DIVIDING_COMMA = /(?:^|\D),(?! )|\d,(?![\d ])/;

const SEPARATOR_LINE = /^\s*"?sep=([^\w"\r\n])"?\1*(?:\r\n|\n|\r|$)/i;

/**
 * How a CSV is written, as far as its beginning tells: the delimiter somebody has named, the one the file names, or the one
 * that divides the titles and, the same number of times, the rows. `sample` ends between two lines.
 */
export function detectDialect(sample: string, given: string | null): CsvDialect {
  const named = SEPARATOR_LINE.exec(sample);
  const hasSeparatorLine = named !== null;
  const delimiter = given ?? named?.[1];
  if (delimiter) return { delimiter, hasSeparatorLine, suspect: null };
  const readings = DELIMITERS.map((each) => read(sample, each)).filter((reading) => reading !== null);
  const best = readings.reduce<Reading | null>((a, b) => (a && !isBetter(b, a) ? a : b), null);
  if (!best) return { delimiter: COMMA, hasSeparatorLine, suspect: null };
  // A single title may hold anything, so it takes more than that to divide it.
  const isCertain = best.delimiter === COMMA || best.fitting >= 0.5;
  return {
    delimiter: isCertain ? best.delimiter : COMMA,
    hasSeparatorLine,
    suspect: isCertain ? null : best.delimiter,
  };
}

/** The fields of a record without blank ones at its end: spreadsheets write those where a sheet was wider once. */
export function withoutBlankEnd(fields: string[]): string[] {
  let length = fields.length;
  while (length > 0 && fields[length - 1]!.trim() === '') length--;
  return fields.slice(0, length);
}

/** Whether a record has a value for each title, and nothing but blanks besides. Some take short records as blank at their end. */
export function fits(fields: string[], titles: number, mayBeShort = false): boolean {
  return (mayBeShort || fields.length >= titles) && withoutBlankEnd(fields).length <= titles;
}

/** A line of nothing but blanks is no row. */
export function isBlankLine(fields: string[], titles: number): boolean {
  return titles > 1 && fields.length === 1 && fields[0]!.trim() === '';
}

/** How a file looks with a delimiter. */
interface Reading {
  delimiter: string;
  titles: number;
  /** The part of the rows that have a field for each title, from 0 to 1. */
  fitting: number;
  /** Every one of its delimiters looks like one inside a text or a number. */
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
