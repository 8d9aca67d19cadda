import { type CsvOptions, csvLines, type CsvValue } from '../../platform/csv.js';
import type { JsonValue } from '../../platform/json.js';
import { asText } from '../../grid/column-type/values.js';

export type SheetCsvOptions = Pick<CsvOptions, 'escapeFormulas'>;

/** Writes a header, and every value as text. Importing the file gives the same values. */
export class CsvSheetWriter {
  private readonly options: CsvOptions;

  constructor(
    private readonly columns: string[],
    { escapeFormulas }: SheetCsvOptions,
  ) {
    const single = columns.length === 1;
    // A row with one empty field would be a blank line, which readers skip.
    this.options = { escapeFormulas, quotes: (value) => single && value === '' };
  }

  start(): Uint8Array {
    return this.toLines([this.columns]);
  }

  write(rows: JsonValue[][]): Uint8Array {
    return this.toLines(rows.map((row) => row.map(toField)));
  }

  end(): Uint8Array {
    return Buffer.alloc(0);
  }

  private toLines(rows: CsvValue[][]): Uint8Array {
    return Buffer.from(this.columns.length === 0 ? '' : csvLines(rows, this.options));
  }
}

const toField = (value: JsonValue): CsvValue =>
  typeof value === 'number' || typeof value === 'bigint' ? value : asText(value);
