import type { RowWriter } from './row-writer.js';
import Papa, { type UnparseConfig } from 'papaparse';
import type { ExportRequest } from '../export.entity.js';
import type { ExportColumn, Row, Value } from '../sources/export-column.js';

type CsvOptions = Pick<ExportRequest, 'bom' | 'escapeFormulas'>;

const BOM = '\uFEFF';
const NEWLINE = '\r\n';
/** The library's own expression passes over texts of several lines. The last four are = + - @ in full width. */
const FORMULA = /^[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/;

/**
 * CSV after RFC 4180: a header, lines that end in CR LF, quotes only where they are needed. A missing value is nothing at
 * all and an empty text is "".
 */
export class CsvWriter implements RowWriter {
  private readonly config: UnparseConfig;

  constructor(
    private readonly columns: ExportColumn[],
    private readonly wishes: CsvOptions,
  ) {
    this.config = {
      header: false,
      newline: NEWLINE,
      quotes: (value: unknown) => value === '',
      escapeFormulae: wishes.escapeFormulas ? FORMULA : false,
    };
  }

  start(): Uint8Array {
    return Buffer.from((this.wishes.bom ? BOM : '') + this.toLines([this.columns.map(({ name }) => name)]));
  }

  write(rows: Row[]): Uint8Array {
    return Buffer.from(this.toLines(rows.map((row) => row.map((value, index) => toCell(value, this.columns[index])))));
  }

  end(): Uint8Array {
    return Buffer.alloc(0);
  }

  private toLines(cells: unknown[][]): string {
    return cells.length === 0 ? '' : Papa.unparse(cells, this.config) + NEWLINE;
  }
}

/** Numbers as numbers: the minus of a text would be taken for the beginning of a formula. */
function toCell(value: Value, { type }: ExportColumn): string | number | bigint | null {
  if (value === null) return null;
  if (type === 'integer') return BigInt(value);
  return type === 'number' ? Number(value) : value;
}
