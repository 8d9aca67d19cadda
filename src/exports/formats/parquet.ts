import type { RowWriter } from './row-writer.js';
import { gzipSync } from 'node:zlib';
import type { SchemaElement } from 'hyparquet';
import { ByteWriter, type ColumnSource, ParquetWriter } from 'hyparquet-writer';
import type { Compression } from '../export.entity.js';
import type { ColumnType, ExportColumn, Row } from '../sources/export-column.js';

/** Limits of a row group, which is held in memory as a whole. The first one reached ends it. */
const ROW_GROUP = { rows: 10_000, chars: 16 * 1024 * 1024 };

const ELEMENTS: Record<ColumnType, Omit<SchemaElement, 'name'>> = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
  json: { type: 'BYTE_ARRAY', logical_type: { type: 'JSON' } },
  integer: { type: 'INT64' },
  number: { type: 'DOUBLE' },
  boolean: { type: 'BOOLEAN' },
  timestamp: {
    type: 'INT64',
    converted_type: 'TIMESTAMP_MICROS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
  },
};

/** Apache Parquet with row groups of bounded size. Pages are compressed with Snappy, or with gzip where asked for. */
export class ParquetRowWriter implements RowWriter {
  private readonly bytes = new ByteWriter();
  private readonly file: ParquetWriter;
  private rows: Row[] = [];
  private chars = 0;

  constructor(
    private readonly columns: ExportColumn[],
    compression: Compression,
  ) {
    const elements = columns.map(({ name, type }) => ({
      name,
      repetition_type: 'OPTIONAL' as const,
      ...ELEMENTS[type],
    }));
    this.file = new ParquetWriter({
      writer: this.bytes,
      schema: [{ name: 'root', num_children: columns.length }, ...elements],
      codec: compression === 'gzip' ? 'GZIP' : 'SNAPPY',
      compressors: { GZIP: (page) => gzipSync(page) },
      createdBy: 'tracesheet',
    });
  }

  start(): Uint8Array {
    return this.taken();
  }

  write(rows: Row[]): Uint8Array {
    for (const row of rows) {
      this.rows.push(row);
      this.chars += row.reduce((sum, value) => sum + (value?.length ?? 0), 0);
      if (this.rows.length === ROW_GROUP.rows || this.chars >= ROW_GROUP.chars) this.endRowGroup();
    }
    return this.taken();
  }

  end(): Uint8Array {
    this.endRowGroup();
    void this.file.finish();
    return this.taken();
  }

  private endRowGroup(): void {
    if (this.rows.length === 0) return;
    const columnData = this.columns.map((column, index) => toColumn(column, this.rows, index));
    void this.file.write({ columnData, rowGroupSize: this.rows.length });
    [this.rows, this.chars] = [[], 0];
  }

  /** Takes the bytes since the last call. The writer keeps its offset but reuses its memory. */
  private taken(): Uint8Array {
    const bytes = Buffer.from(this.bytes.getBytes());
    this.bytes.index = 0;
    return bytes;
  }
}

function toColumn({ name, type }: ExportColumn, rows: Row[], index: number): ColumnSource {
  const toValue = TO_VALUE[type];
  const data = rows.map((row) => {
    const value = row[index];
    return value === null ? null : toValue(value);
  });
  // Bounds of JSON values would be whole documents, which no query uses.
  return { name, data, statistics: type !== 'json' };
}

const TO_VALUE: Record<ColumnType, (value: string) => unknown> = {
  text: (value) => value,
  json: (value) => Buffer.from(value),
  integer: (value) => BigInt(value),
  number: Number,
  boolean: (value) => value === 'true',
  timestamp: toMicroseconds,
};

/** Converts ISO 8601 in UTC with six fractional digits. */
function toMicroseconds(iso: string): bigint {
  return BigInt(Date.parse(`${iso.slice(0, -4)}Z`)) * 1000n + BigInt(iso.slice(-4, -1));
}
