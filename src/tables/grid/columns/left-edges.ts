import type { DependencyGraph } from './dependency-graph.js';
import type { SheetColumn } from './column.entity.js';

/** What is asked of a column to find out who reads it. */
type Candidate = Pick<SheetColumn, 'id' | 'owner'>;

/**
 * Adds to a graph of what configs say what some columns read because it stands to their left, and gives those sources by
 * reader. `columns` are in the order they are shown. Three kinds are left out: what the config of the reader names already,
 * columns that no person has added, and columns that depend on the reader, so that no circle can arise. Readers have their
 * turn from left to right, so adding a column at the end changes nothing for those before it.
 */
export function addLeftEdges<C extends Candidate>(
  graph: DependencyGraph,
  columns: readonly C[],
  readsLeft: (column: C) => boolean,
): Map<string, Set<string>> {
  const readers = new Map<string, Set<string>>();
  columns.forEach((reader, index) => {
    if (!readsLeft(reader)) return;
    const following = graph.allDependents([reader.id]);
    const named = graph.directSources(reader.id);
    const added = columns
      .slice(0, index)
      .filter(({ id, owner }) => owner === 'sheet' && !following.has(id) && !named.has(id));
    for (const { id } of added) graph.add({ dependent: reader.id, source: id });
    readers.set(reader.id, new Set(added.map(({ id }) => id)));
  });
  return readers;
}
