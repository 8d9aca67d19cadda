import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Base64Text, Base64Failure, decodeBase64, decodedLength } from '../platform/http/base64.js';
import type { JsonObject } from '../platform/json.js';
import { type CsvDialect, detectDialect, withoutBlankEnd } from './csv-dialect.js';
import { beginningOf, CsvFailure, readCsv } from './csv-records.js';
import { inPiecesOf, LineCounter, toUtf8 } from './file-text.js';
import { FileSteps, type FileFormat, type FilePlan } from './file-plan.js';
import { checkColumnCount, checkHeaders, checkTitle } from './headers.js';
import { ImportErrors } from './imports.errors.js';
import { JsonElements, JsonFailure } from './json-elements.js';

/** The file of a request. */
export interface SentFile {
  name: string;
  content: Base64Text;
  /** Delimiter of a CSV; detected by default. */
  delimiter?: string | null;
}

/** A file that can be imported: its encoding and its headers are valid. */
export interface ImportFile {
  name: string;
  titles: string[];
  /** The request of the importer. */
  request: FileImport;
  /** Upper limit of the number of rows. */
  mostRows: number;
  /** Reads the text in UTF-8, from the start at every call. */
  text(): Iterable<Buffer>;
}

/** The request of an operation that imports a file. */
export type FileImport = {
  format: FileFormat;
  titles: string[];
  /** The plan of the rows, if reading the headers took reading all rows. */
  plan: FilePlan | null;
  /** Dialect of a CSV. */
  dialect: CsvDialect | null;
  /** Rows of a CSV may have fewer fields than there are titles: the missing ones are blank. */
  padsShortRows?: boolean;
};

/** Size of the sample for detecting the dialect of a file. */
const SAMPLE_BYTES = 64 * 1024;
const SAMPLE_ROWS = 1000;

const EXTENSIONS: Record<string, FileFormat> = { '.csv': 'csv', '.json': 'json' };

/**
 * Validates a file before anything is stored: all of its encoding, all of a JSON file, the first row of a CSV. Throws
 * the errors in it.
 */
export async function openFile(
  { name, content, delimiter = null }: SentFile,
  limits: { maxBytes: number; extensions: string[]; padsShortRows?: boolean },
): Promise<ImportFile> {
  const extension = limits.extensions.find((each) => name.toLowerCase().endsWith(each));
  if (!extension) throw ImportErrors.import_file_name_invalid(limits.extensions);
  const format = EXTENSIONS[extension]!;
  const text = () => toUtf8(decode(content, limits.maxBytes));
  const headers = format === 'csv' ? await readCsvHeaders(text, delimiter) : await readJson(text);
  const { titles, mostRows, request } = headers;
  const { padsShortRows } = limits;
  return { name, text, titles, mostRows, request: { format, ...request, padsShortRows } };
}

function* decode(content: Base64Text, maxBytes: number): Generator<Buffer> {
  // Line breaks in the base64 do not count, so only a text of more than twice the limit is rejected before decoding.
  if (decodedLength(content) > 2 * maxBytes) throw ImportErrors.import_file_too_large(maxBytes);
  let bytes = 0;
  try {
    for (const piece of decodeBase64(content)) {
      bytes += piece.length;
      if (bytes > maxBytes) throw ImportErrors.import_file_too_large(maxBytes);
      yield piece;
    }
  } catch (error) {
    throw error instanceof Base64Failure ? ImportErrors.import_file_not_base64() : error;
  }
  if (bytes === 0) throw ImportErrors.import_file_empty();
}

interface Headers {
  titles: string[];
  mostRows: number;
  request: Omit<FileImport, 'format'>;
}

async function readCsvHeaders(text: () => Iterable<Buffer>, delimiter: string | null): Promise<Headers> {
  const counter = new LineCounter();
  for await (const piece of unhurried(text())) counter.add(piece);
  const sample = sampleOf(text());
  const dialect = detectDialect(sample, delimiter);
  const header = await firstRecord(text(), dialect);
  const titles = withoutBlankEnd(header);
  checkHeaders(titles);
  // A sample is enough for most files. In a longer one, a later check names the row with such a value.
  if (titles.length < header.length) checkUntitled(sample, dialect, titles.length);
  const suspect = titles.length === 1 ? dialect.suspect : null;
  return { titles, mostRows: counter.lines - 1, request: { titles, plan: null, dialect: { ...dialect, suspect } } };
}

/** Throws import_header_blank when rows have values in a column without a title. */
function checkUntitled(sample: string, { delimiter }: CsvDialect, titles: number): void {
  const { records } = beginningOf(sample, delimiter, SAMPLE_ROWS);
  if (records.some((fields) => withoutBlankEnd(fields).length > titles)) {
    throw ImportErrors.import_header_blank(titles + 1);
  }
}

/** The beginning of a text, up to the end of a line unless that line is longer. */
function sampleOf(text: Iterable<Buffer>): string {
  const [piece] = inPiecesOf(SAMPLE_BYTES, text);
  const sample = piece?.toString('utf8') ?? '';
  if ((piece?.length ?? 0) < SAMPLE_BYTES) return sample;
  return sample.slice(0, Math.max(sample.lastIndexOf('\n'), sample.lastIndexOf('\r')) + 1) || sample;
}

async function firstRecord(text: Iterable<Buffer>, { delimiter, hasSeparatorLine }: CsvDialect): Promise<string[]> {
  let before = hasSeparatorLine ? 1 : 0;
  try {
    for await (const records of readCsv(text, delimiter)) {
      if (records.length > before) return records[before]!.fields;
      before -= records.length;
    }
  } catch (error) {
    throw error instanceof CsvFailure ? ImportErrors.import_csv_invalid(error.message) : error;
  }
  throw ImportErrors.import_headers_missing();
}

/** The titles are the keys of all objects in the order in which they occur, so all objects have to be read. */
async function readJson(text: () => Iterable<Buffer>): Promise<Headers> {
  const titles = new Set<string>();
  const elements = new JsonElements();
  const steps = new FileSteps();
  try {
    for await (const piece of unhurried(text())) {
      for (const { value, start, end } of elements.add(piece)) {
        for (const key of Object.keys(value)) addTitle(titles, key);
        steps.add(start, end);
      }
    }
    elements.end();
  } catch (error) {
    throw error instanceof JsonFailure ? ImportErrors.import_json_invalid(error.message) : error;
  }
  const list = [...titles];
  checkHeaders(list);
  const plan = steps.plan(list.length);
  return { titles: list, mostRows: plan.rowCount, request: { titles: list, plan, dialect: null } };
}

function addTitle(titles: Set<string>, key: string): void {
  if (titles.has(key)) return;
  checkTitle(key, titles.size);
  titles.add(key);
  checkColumnCount(titles.size);
}

/** Yields to other work between two pieces: a large file takes a second. */
async function* unhurried(pieces: Iterable<Buffer>): AsyncGenerator<Buffer> {
  for (const piece of pieces) {
    yield piece;
    await nextTurn();
  }
}

/** A remark for people about how a file was read; null for none. */
export function remarkOn(request: JsonObject): string | null {
  const { dialect, titles } = toFileImport(request);
  if (!dialect?.suspect) return null;
  const shown = JSON.stringify(dialect.suspect);
  return `The file was read as a single column, ${JSON.stringify(titles[0])}. If ${shown} divides its columns, give it as delimiter.`;
}

export function toFileImport(request: JsonObject): FileImport {
  return request as FileImport;
}
