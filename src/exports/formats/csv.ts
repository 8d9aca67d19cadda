import { type CsvOptions, csvLines, type CsvValue } from '../../platform/csv.js';
import type { ExportRequest } from '../export.entity.js';
import type { ExportColumn, Row, Value } from '../sources/export-column.js';
import type { RowWriter } from './row-writer.js';

const BOM = '\uFEFF';

/** A header, and quotes only where they are needed. A missing value is nothing at all and an empty text is "". */
export class CsvWriter implements RowWriter {
  private readonly options: CsvOptions;

  constructor(
    private readonly columns: ExportColumn[],
    private readonly wishes: Pick<ExportRequest, 'bom' | 'escapeFormulas'>,
  ) {
    this.options = { escapeFormulas: wishes.escapeFormulas, quotes: (value) => value === '' };
  }

  start(): Uint8Array {
    return Buffer.from((this.wishes.bom ? BOM : '') + csvLines([this.columns.map(({ name }) => name)], this.options));
  }

  write(rows: Row[]): Uint8Array {
    const cells = rows.map((row) => row.map((value, index) => toCell(value, this.columns[index])));
    return Buffer.from(csvLines(cells, this.options));
  }

  end(): Uint8Array {
    return Buffer.alloc(0);
  }
}

/** Numbers as numbers: the minus of a text would be taken for the beginning of a formula. */
function toCell(value: Value, { type }: ExportColumn): CsvValue {
  if (value === null) return null;
  if (type === 'integer') return BigInt(value);
  return type === 'number' ? Number(value) : value;
}
