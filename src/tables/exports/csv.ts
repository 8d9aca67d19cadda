import Papa from 'papaparse';
import type { JsonValue } from '../../platform/json.js';
import { asText } from '../grid/column-type/values.js';

const NEWLINE = '\r\n';

/**
 * CSV after RFC 4180 with the texts as they are: what was exported can be imported again and is the same. A spreadsheet
 * program may therefore take a text that begins with = + - or @ for a formula; in XLSX it cannot.
 */
export class CsvSheetWriter {
  constructor(private readonly columns: string[]) {}

  start(): Uint8Array {
    return this.toLines([this.columns]);
  }

  write(rows: JsonValue[][]): Uint8Array {
    return this.toLines(rows.map((row) => row.map(asText)));
  }

  end(): Uint8Array {
    return Buffer.alloc(0);
  }

  private toLines(rows: string[][]): Uint8Array {
    const single = this.columns.length === 1;
    // Readers pass over blank lines, which is what a row of one empty field would be.
    const quotes = (value: unknown) => single && value === '';
    if (this.columns.length === 0 || rows.length === 0) return Buffer.alloc(0);
    return Buffer.from(Papa.unparse(rows, { header: false, newline: NEWLINE, quotes }) + NEWLINE);
  }
}
