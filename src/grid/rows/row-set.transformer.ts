import type { ValueTransformer } from 'typeorm';
import { RowSet } from './row-set.js';

/** Lets an entity hold a RowSet where the table holds an int4multirange. */
export const rowSetColumn: ValueTransformer = {
  to: (set: RowSet | undefined) => set?.toString(),
  from: (text: string) => RowSet.parse(text),
};
