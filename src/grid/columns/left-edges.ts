import type { DependencyGraph } from './dependency-graph.js';
import type { SheetColumn } from './column.entity.js';

/** Fields of a column that decide which columns read it. */
type Candidate = Pick<SheetColumn, 'id' | 'owner'>;

/** Decides which columns read the columns to their left, and which of these. */
export interface LeftReading<C extends Candidate> {
  reads: (column: C) => boolean;
  /** Whether a reader gets this column without naming it. Default: any column. */
  gets?: (reader: C, column: C) => boolean;
}

/**
 * Adds edges to columns on the left to a graph of explicit edges, and returns these sources by reader. `columns` are in
 * the order they are shown. Three kinds are left out: sources that the config of the reader names already, columns that
 * no person has added, and columns that depend on the reader, which would make a cycle. Readers are handled from left
 * to right, so adding a column at the end changes nothing for those before it.
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
