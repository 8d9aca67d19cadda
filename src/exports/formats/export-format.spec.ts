import { gunzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import Papa from 'papaparse';
import { describe, expect, it } from 'vitest';
import type { ExportFormat, ExportRequest } from '../export.entity.js';
import type { ExportColumn, Row } from '../sources/export-column.js';
import { writerFor } from './export-format.js';

const COLUMNS: ExportColumn[] = (['text', 'integer', 'number', 'boolean', 'timestamp', 'json'] as const).map(
  (type) => ({ name: `a ${type}`, type, sql: '' }),
);
const REQUEST = { compression: 'none', escapeFormulas: false, bom: false } as ExportRequest;

/** A file of pieces, as an export writes it. */
function fileOf(format: ExportFormat, pieces: Row[][], request: Partial<ExportRequest> = {}): Buffer {
  const writer = writerFor(format, COLUMNS, { ...REQUEST, ...request });
  return Buffer.concat([writer.start(), ...pieces.map((rows) => writer.write(rows)), writer.end()]);
}

const storable = fc.string({ unit: 'binary' }).map((text) => text.toWellFormed());
const orNull = (values: fc.Arbitrary<string>) => fc.option(values, { nil: null });
const rows: fc.Arbitrary<Row[]> = fc.array(
  fc.tuple(
    orNull(fc.oneof(storable, fc.constantFrom('', '=1', '-1', 'a\r\nb', '"', ',', ' '))),
    orNull(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String)),
    orNull(fc.double({ noNaN: true, noDefaultInfinity: true }).map(String)),
    orNull(fc.boolean().map(String)),
    orNull(
      fc
        .date({ min: new Date('1970-01-01'), max: new Date('2200-01-01'), noInvalidDate: true })
        .map((date) => date.toISOString().replace('Z', '000Z')),
    ),
    orNull(fc.json()),
  ),
  { maxLength: 8 },
);
const pieces = fc.array(rows, { maxLength: 4 });

describe('CSV', () => {
  it('preserves any rows, whatever the pieces are', () => {
    fc.assert(
      fc.property(pieces, (given) => {
        const { data } = Papa.parse<string[]>(fileOf('csv', given).toString(), { newline: '\r\n', delimiter: ',' });
        const [header, ...lines] = data.slice(0, -1);
        expect(header).toEqual(COLUMNS.map(({ name }) => name));
        const asText = given
          .flat()
          .map((row) => row.map((value, index) => (index === 2 ? numberText(value) : (value ?? ''))));
        expect(lines).toEqual(asText);
      }),
    );
  });

  it('escapes texts that look like formulas, and leaves numbers unchanged', () => {
    fc.assert(
      fc.property(fc.constantFrom('=', '+', '-', '@', '\t', '\r', '＝', '＋', '－', '＠'), storable, (sign, rest) => {
        const file = fileOf('csv', [[[`${sign}${rest}`, '-5', '-0.5', null, null, null]]], { escapeFormulas: true });
        const { data } = Papa.parse<string[]>(file.toString(), { newline: '\r\n', delimiter: ',' });
        expect(data[1]).toEqual([`'${sign}${rest}`, '-5', '-0.5', '', '', '']);
      }),
    );
  });

  it('distinguishes an empty text from null', () => {
    const lines = fileOf('csv', [
      [
        ['', null, null, null, null, null],
        [null, null, null, null, null, null],
      ],
    ]).toString();
    expect(lines.split('\r\n').slice(1)).toEqual(['"",,,,,', ',,,,,', '']);
  });
});

describe('JSON lines', () => {
  it('preserve any rows, including all digits of large numbers', () => {
    fc.assert(
      fc.property(pieces, (given) => {
        const lines = fileOf('jsonl', given).toString().split('\n').slice(0, -1);
        expect(lines).toHaveLength(given.flat().length);
        for (const [index, row] of given.flat().entries()) {
          const [text, integer, number, boolean, timestamp, json] = row;
          const line = JSON.parse(lines[index]!) as Record<string, unknown>;
          expect(line).toMatchObject({ 'a text': text, 'a timestamp': timestamp });
          expect(line['a boolean']).toBe(boolean === null ? null : boolean === 'true');
          expect(line['a number']).toBe(number === null ? null : Number(number) + 0);
          expect(line['a json']).toEqual(json === null ? null : JSON.parse(json));
          if (integer !== null) expect(lines[index]).toContain(`"a integer":${integer},`);
        }
      }),
    );
  });
});

describe('Parquet', () => {
  it('preserves any rows', async () => {
    await fc.assert(
      fc.asyncProperty(pieces, fc.constantFrom('none' as const, 'gzip' as const), async (given, compression) => {
        const read = await parquetReadObjects({
          file: toArrayBuffer(fileOf('parquet', given, { compression })),
          compressors: { GZIP: (page) => gunzipSync(page) },
        });
        const expected = given.flat().map(([text, integer, number, boolean, timestamp, json]) => ({
          'a text': text,
          'a integer': integer === null ? null : BigInt(integer),
          'a number': number === null ? null : Number(number),
          'a boolean': boolean === null ? null : boolean === 'true',
          'a timestamp': timestamp === null ? null : new Date(timestamp),
          'a json': json,
        }));
        expect(read).toEqual(expected);
      }),
      { numRuns: 50 },
    );
  });

  it('has row groups of bounded size, whatever the pieces are', () => {
    const long = 'x'.repeat(5 * 1024 * 1024);
    const row: Row = [long, '1', null, null, null, null];
    const { row_groups: groups, num_rows: count } = parquetMetadata(
      toArrayBuffer(fileOf('parquet', [[row, row, row], [row, row], [row]])),
    );
    expect([count, groups.map((group) => group.num_rows)]).toEqual([6n, [4n, 2n]]);
    const many = Array.from({ length: 25_000 }, (): Row => ['a', '1', null, null, null, null]);
    const metadata = parquetMetadata(toArrayBuffer(fileOf('parquet', [many])));
    expect(metadata.row_groups.map((group) => group.num_rows)).toEqual([10_000n, 10_000n, 5000n]);
  });
});

/** Normalizes the text of a number: "-0" and exponents take the form of JavaScript. */
const numberText = (value: string | null): string => (value === null ? '' : String(Number(value)));

function toArrayBuffer(bytes: Buffer): ArrayBuffer {
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;
}
