import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Base64Text, Base64Failure, decodeBase64, decodedLength } from '../../platform/http/base64.js';
import type { JsonObject } from '../../platform/json.js';
import { CsvFailure, readCsv } from './csv-records.js';
import { LineCounter, toUtf8 } from './file-text.js';
import { FileSteps, type FileFormat, type FilePlan } from './file-plan.js';
import { checkColumnCount, checkHeaders, checkTitle } from './headers.js';
import { ImportErrors } from './imports.errors.js';
import { JsonElements, JsonFailure } from './json-elements.js';

/** A file as a request brings it. */
export interface SentFile {
  name: string;
  content: Base64Text;
}

/** A file that can be imported: nothing is wrong with its encoding and its headers. */
export interface ImportFile {
  name: string;
  titles: string[];
  /** What the importer needs to know. */
  request: FileImport;
  /** No more rows than these. */
  mostRows: number;
  /** The text in UTF-8, again at every call. */
  text(): Iterable<Buffer>;
}

/** The request of an operation that imports a file. */
export interface FileImport {
  format: FileFormat;
  titles: string[];
  /** What is known about the rows, where reading the headers meant reading them all. */
  plan: FilePlan | null;
}

const EXTENSIONS: Record<string, FileFormat> = { '.csv': 'csv', '.json': 'json' };

/**
 * Looks at a file before anything is stored: all of its encoding, all of a JSON file, the first row of a CSV. Throws what
 * is wrong with it.
 */
export async function openFile(
  { name, content }: SentFile,
  limits: { maxBytes: number; extensions: string[] },
): Promise<ImportFile> {
  const extension = limits.extensions.find((each) => name.toLowerCase().endsWith(each));
  if (!extension) throw ImportErrors.import_file_name_invalid(limits.extensions);
  const format = EXTENSIONS[extension]!;
  const text = () => toUtf8(decode(content, limits.maxBytes));
  const headers = format === 'csv' ? await readCsvHeaders(text) : await readJson(text);
  return { name, text, titles: headers.titles, mostRows: headers.mostRows, request: { format, ...headers.request } };
}

function* decode(content: Base64Text, maxBytes: number): Generator<Buffer> {
  // Line breaks in the base64 do not count, so only what is far too long is refused before it is decoded.
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

async function readCsvHeaders(text: () => Iterable<Buffer>): Promise<Headers> {
  const counter = new LineCounter();
  for await (const piece of unhurried(text())) counter.add(piece);
  const titles = await firstRecord(text());
  checkHeaders(titles);
  return { titles, mostRows: counter.lines - 1, request: { titles, plan: null } };
}

async function firstRecord(text: Iterable<Buffer>): Promise<string[]> {
  try {
    for await (const [record] of readCsv(text)) if (record) return record.fields;
  } catch (error) {
    throw error instanceof CsvFailure ? ImportErrors.import_csv_invalid(error.message) : error;
  }
  throw ImportErrors.import_headers_missing();
}

/** The titles are the keys of all objects in the order in which they come, so all have to be read. */
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
  return { titles: list, mostRows: plan.rowCount, request: { titles: list, plan } };
}

function addTitle(titles: Set<string>, key: string): void {
  if (titles.has(key)) return;
  checkTitle(key, titles.size);
  titles.add(key);
  checkColumnCount(titles.size);
}

/** Lets the process do something else between two pieces: a large file takes a second. */
async function* unhurried(pieces: Iterable<Buffer>): AsyncGenerator<Buffer> {
  for (const piece of pieces) {
    yield piece;
    await nextTurn();
  }
}

export function toFileImport(request: JsonObject): FileImport {
  return request as unknown as FileImport;
}
