import type { Row } from '../sources/export-column.js';

/** Writes one file, piece by piece. Every method gives the bytes that have become known, in the order of the file. */
export interface RowWriter {
  start(): Uint8Array;
  write(rows: Row[]): Uint8Array;
  end(): Uint8Array;
}
