import type { JsonValue } from '../../platform/json.js';
import { CsvSheetWriter, type SheetCsvOptions } from './csv.js';
import { JsonLinesSheetWriter } from './json-lines.js';
import { type XlsxSheet, XlsxSheetWriter } from './xlsx.js';

export const EXPORT_FORMATS = ['csv', 'jsonl', 'xlsx'] as const;
export type SheetExportFormat = (typeof EXPORT_FORMATS)[number];

/** Writes one file piece by piece: every method returns the next bytes of the file. */
export interface SheetWriter {
  start(): Uint8Array;
  /** A value per column. */
  write(rows: JsonValue[][]): Uint8Array;
  end(): Uint8Array;
}

export const EXPORT_TYPES: Record<SheetExportFormat, string> = {
  csv: 'text/csv; charset=utf-8',
  jsonl: 'application/x-ndjson',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
};

export function writerFor(format: SheetExportFormat, sheet: XlsxSheet, options: SheetCsvOptions): SheetWriter {
  switch (format) {
    case 'csv':
      return new CsvSheetWriter(sheet.columns, options);
    case 'jsonl':
      return new JsonLinesSheetWriter(sheet.columns);
    case 'xlsx':
      return new XlsxSheetWriter(sheet);
  }
}
