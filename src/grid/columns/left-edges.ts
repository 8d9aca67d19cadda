import type { DependencyGraph } from './dependency-graph.js';
import type { SheetColumn } from './column.entity.js';

/** What is asked of a column to find out who reads it. */
type Candidate = Pick<SheetColumn, 'id' | 'owner'>;

/** Which columns read what is to their left, and what of that. */
export interface LeftReading<C extends Candidate> {
  reads: (column: C) => boolean;
  /** Whether a reader gets this column without naming it; any column when it is left out. */
  gets?: (reader: C, column: C) => boolean;
}

/**
 * Adds to a graph of what configs say what some columns read because it stands to their left, and gives those sources by
 * reader. `columns` are in the order they are shown. Three kinds are left out: what the config of the reader names already,
 * columns that no person has added, and columns that depend on the reader, so that no circle can arise. Readers have their
 * turn from left to right, so adding a column at the end changes nothing for those before it.
 */
export function addLeftEdges<C extends Candidate>(
  graph: DependencyGraph,
  columns: readonly C[],
  { reads, gets = () => true }: LeftReading<C>,
): Map<string, Set<string>> {
  const readers = new Map<string, Set<string>>();
  columns.forEach((reader, index) => {
    if (!reads(reader)) return;
    const following = graph.allDependents([reader.id]);
    const named = graph.directSources(reader.id);
    const added = columns
      .slice(0, index)
      .filter((column) => column.owner === 'sheet' && !following.has(column.id) && !named.has(column.id))
      .filter((column) => gets(reader, column));
    for (const { id } of added) graph.add({ dependent: reader.id, source: id });
    readers.set(reader.id, new Set(added.map(({ id }) => id)));
  });
  return readers;
}
