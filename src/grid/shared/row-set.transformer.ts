import type { ValueTransformer } from 'typeorm';
import { RowSet } from './row-set.js';

/** Converts between a RowSet in an entity and an int4multirange in the table. */
export const rowSetColumn: ValueTransformer = {
  to: (set: RowSet | undefined) => set?.toString(),
  from: (text: string) => RowSet.parse(text),
};
