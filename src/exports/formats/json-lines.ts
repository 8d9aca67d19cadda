import type { RowWriter } from './row-writer.js';
import type { ExportColumn, Row, Value } from '../sources/export-column.js';

/** One JSON object per line, with every column. */
export class JsonLinesWriter implements RowWriter {
  private readonly keys: string[];

  constructor(private readonly columns: ExportColumn[]) {
    this.keys = columns.map(({ name }) => JSON.stringify(name));
  }

  start(): Uint8Array {
    return Buffer.alloc(0);
  }

  write(rows: Row[]): Uint8Array {
    return Buffer.from(rows.map((row) => `${this.toLine(row)}\n`).join(''));
  }

  end(): Uint8Array {
    return Buffer.alloc(0);
  }

  private toLine(row: Row): string {
    const fields = row.map((value, index) => `${this.keys[index]}:${toJson(value, this.columns[index]!)}`);
    return `{${fields.join(',')}}`;
  }
}

/** Numbers and JSON go through as they are: reading them here could only lose digits. */
function toJson(value: Value, { type }: ExportColumn): string {
  if (value === null) return 'null';
  return type === 'text' || type === 'timestamp' ? JSON.stringify(value) : value;
}
