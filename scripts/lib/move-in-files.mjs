// Reads files of calls and spans piece by piece, however large they are.
import { createReadStream, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { createInterface } from 'node:readline';

/** JSON objects of a file with one in each line, with the number of the line. */
async function* jsonLines(path) {
  let line = 0;
  for await (const text of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
    line++;
    if (text.trim() !== '') yield { line, text };
  }
}

/** Parquet needs the package hyparquet, which is installed for tests; a server for others may not have it. */
async function* parquetRows(path) {
  const { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } = await import('hyparquet').catch(() => {
    throw new Error(`${path}: reading Parquet needs "npm install --no-save hyparquet". JSON lines need nothing.`);
  });
  const file = await asyncBufferFromFile(path);
  const metadata = await parquetMetadataAsync(file);
  const total = Number(metadata.num_rows);
  for (let rowStart = 0; rowStart < total; rowStart += 500) {
    const rows = await parquetReadObjects({ file, metadata, rowStart, rowEnd: Math.min(total, rowStart + 500) });
    for (const [at, row] of rows.entries()) yield { line: rowStart + at + 1, row };
  }
}

/** Messages of OTLP: with their length in four bytes before each, as the collector writes them, or a single one. */
function* protobufMessages(path) {
  const { size } = statSync(path);
  const file = openSync(path, 'r');
  const read = (from, length) => {
    const bytes = Buffer.alloc(length);
    readSync(file, bytes, 0, length, from);
    return bytes;
  };
  const lengthAt = (from) => (from + 4 <= size ? read(from, 4).readUInt32BE() : size);
  // A message begins with the byte 0x0a, which as a length would be more than 160 MB.
  const isFramed = size > 4 && 4 + lengthAt(0) <= size;
  if (!isFramed) return yield { line: 1, bytes: read(0, size) };
  for (let from = 0, line = 1; from < size; line++) {
    const length = lengthAt(from);
    if (from + 4 + length > size) throw new Error(`${path}: it ends in the middle of message ${line}.`);
    yield { line, bytes: read(from + 4, length) };
    from += 4 + length;
  }
}

/** Entries of a line: messages of OTLP as their text, or rows of calls. */
function* entriesOf({ line, text }) {
  let value;
  try {
    value = JSON.parse(text);
  } catch {
    return yield { line, problem: 'it is not JSON' };
  }
  if (value?.resourceSpans ?? value?.resource_spans) return yield { line, otlp: text };
  if (value?.resourceLogs ?? value?.resourceMetrics)
    return yield { line, problem: 'it holds logs or metrics, not spans' };
  for (const row of [value].flat()) yield { line, row };
}

/** Entries of a file, by the end of its name: rows of calls, or messages of OTLP as text or as bytes. */
export async function* readEntries(path) {
  if (path.endsWith('.parquet')) return yield* parquetRows(path);
  if (/\.(pb|binpb|proto|protobuf|otlp)$/.test(path)) return yield* protobufMessages(path);
  const lines = /\.(jsonl|ndjson)$/.test(path) ? jsonLines(path) : [{ line: 1, text: readFileSync(path, 'utf8') }];
  for await (const entry of lines) yield* entriesOf(entry);
}
