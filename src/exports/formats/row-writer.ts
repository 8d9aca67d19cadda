import type { Row } from '../sources/export-column.js';

/** Writes one file in pieces. Every method returns the bytes that are complete, in the order of the file. */
export interface RowWriter {
  start(): Uint8Array;
  write(rows: Row[]): Uint8Array;
  end(): Uint8Array;
}
