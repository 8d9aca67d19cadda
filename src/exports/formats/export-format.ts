import type { RowWriter } from './row-writer.js';
import type { Compression, ExportFormat, ExportRequest } from '../export.entity.js';
import type { ExportColumn } from '../sources/export-column.js';
import { CsvWriter } from './csv.js';
import { JsonLinesWriter } from './json-lines.js';
import { ParquetRowWriter } from './parquet.js';

export function writerFor(format: ExportFormat, columns: ExportColumn[], request: ExportRequest): RowWriter {
  switch (format) {
    case 'csv':
      return new CsvWriter(columns, request);
    case 'jsonl':
      return new JsonLinesWriter(columns);
    case 'parquet':
      return new ParquetRowWriter(columns, request.compression);
  }
}

/** Parquet compresses its pages itself: its file is never wrapped. */
export function isWrapped(format: ExportFormat, compression: Compression): boolean {
  return compression === 'gzip' && format !== 'parquet';
}

const CONTENT_TYPES: Record<ExportFormat, string> = {
  csv: 'text/csv; charset=utf-8',
  jsonl: 'application/x-ndjson',
  parquet: 'application/vnd.apache.parquet',
};
export const DOWNLOAD_TYPES = [...Object.values(CONTENT_TYPES), 'application/gzip'];

export function contentTypeOf(format: ExportFormat, compression: Compression): string {
  return isWrapped(format, compression) ? 'application/gzip' : CONTENT_TYPES[format];
}

/** Without the dot. */
export function extensionOf(format: ExportFormat, compression: Compression): string {
  return isWrapped(format, compression) ? `${format}.gz` : format;
}
