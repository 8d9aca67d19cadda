import { type Info, Parser, type Options } from 'csv-parse';
import { parse } from 'csv-parse/sync';
import { unmarkFormulas } from '../platform/csv.js';

/** A record of a CSV file with its size in bytes and its last line. */
export interface CsvRecord {
  fields: string[];
  start: number;
  end: number;
  line: number;
}

/** Maximum size of a record in bytes: an open quote must not use up the memory of the server. */
const MAX_RECORD_BYTES = 32 * 1024 * 1024;

/**
 * RFC 4180, with any kind of line break and any delimiter. Blank lines are skipped. The caller counts the fields,
 * because it can name the wrong row.
 */
const RFC_4180: Options = {
  relax_column_count: true,
  skip_empty_lines: true,
  record_delimiter: ['\r\n', '\n', '\r'],
  max_record_size: MAX_RECORD_BYTES,
};

/**
 * Parses the records of a CSV text, in batches of those that a piece completes. If the text is invalid, the records
 * before come first and then a CsvFailure is thrown.
 */
export async function* readCsv(
  pieces: Iterable<Buffer> | AsyncIterable<Buffer>,
  delimiter: string,
): AsyncGenerator<CsvRecord[]> {
  let batch: CsvRecord[] = [];
  let start = 0;
  const keep = (fields: string[], { bytes, lines }: Info) => {
    batch.push({ fields: unmarkFormulas(fields), start, end: bytes, line: lines });
    start = bytes;
    // The stream itself emits nothing: records are in the batch.
    return null;
  };
  const parser = new Parser({ ...RFC_4180, delimiter, on_record: keep as Options['on_record'] });
  // Callbacks of `write` report failures.
  parser.on('error', () => undefined);
  const written = (write: (done: (error?: Error | null) => void) => void) =>
    new Promise<Error | null>((resolve) => write((error) => resolve(error ?? null)));
  for await (const piece of pieces) {
    const failure = await written((done) => parser.write(piece, done));
    yield batch;
    if (failure) throw toFailure(failure);
    batch = [];
  }
  const failure = await written((done) => parser.end(done));
  yield batch;
  if (failure) throw toFailure(failure);
}

/** Parses a part of a text that begins and ends with a record. */
export function parseCsv(text: Buffer, delimiter: string): string[][] {
  return (parse(text, { ...RFC_4180, delimiter }) as string[][]).map(unmarkFormulas);
}

/** Parses the first records of a text, and reports whether the text is invalid after them. */
export function beginningOf(text: string, delimiter: string, most: number): { records: string[][]; isBroken: boolean } {
  const records: string[][] = [];
  const keep = (fields: string[]) => {
    records.push(unmarkFormulas(fields));
    return null;
  };
  try {
    parse(text, { ...RFC_4180, delimiter, to: most, on_record: keep as Options['on_record'] });
    return { records, isBroken: false };
  } catch {
    return { records, isBroken: true };
  }
}

/** The error in a CSV text, in words for the person who wrote it. */
export class CsvFailure extends Error {}

function toFailure(error: Error): Error {
  const { code, lines } = error as { code?: string; lines?: number };
  const at = `line ${lines ?? '?'}`;
  switch (code) {
    case 'CSV_QUOTE_NOT_CLOSED':
      return new CsvFailure(`A quoted field is never closed; it was opened before ${at}.`);
    case 'CSV_INVALID_CLOSING_QUOTE':
      return new CsvFailure(`In ${at} something follows the closing quote of a field.`);
    case 'INVALID_OPENING_QUOTE':
      return new CsvFailure(`In ${at} a quote stands inside a field that does not begin with one.`);
    case 'CSV_MAX_RECORD_SIZE':
      return new CsvFailure(`The row that ends after ${at} is longer than ${MAX_RECORD_BYTES} bytes.`);
    default:
      return error;
  }
}
