import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Dependency, DependencyGraph } from './dependency-graph.js';

const columns = ['a', 'b', 'c', 'd', 'e', 'f'];
const anyEdges = fc.array(fc.record({ dependent: fc.constantFrom(...columns), source: fc.constantFrom(...columns) }), {
  maxLength: 12,
});
/** Every column only reads columns before it. */
const acyclicEdges = anyEdges.map((edges) => edges.filter(({ dependent, source }) => dependent > source));

/** Columns reachable over one or more edges, worked out by repeated joining. */
function closure(edges: Dependency[], from: string): Set<string> {
  const reached = new Set<string>();
  for (let before = -1; before !== reached.size;) {
    before = reached.size;
    for (const { dependent, source } of edges) if (source === from || reached.has(source)) reached.add(dependent);
  }
  return reached;
}

describe('DependencyGraph', () => {
  it('finds every transitive dependent and source', () => {
    fc.assert(
      fc.property(acyclicEdges, fc.constantFrom(...columns), (edges, column) => {
        const graph = new DependencyGraph(edges);
        const reversed = edges.map(({ dependent, source }) => ({ dependent: source, source: dependent }));
        expect(graph.allDependents([column])).toEqual(closure(edges, column));
        expect(graph.allSources([column])).toEqual(closure(reversed, column));
      }),
    );
  });

  it('ranks a column above everything it reads', () => {
    fc.assert(
      fc.property(acyclicEdges, (edges) => {
        const graph = new DependencyGraph(edges);
        for (const { dependent, source } of edges) expect(graph.rank(dependent)).toBeGreaterThan(graph.rank(source));
      }),
    );
  });

  it('finds the path from a column to one it depends on, if there is one', () => {
    fc.assert(
      fc.property(acyclicEdges, fc.constantFrom(...columns), fc.constantFrom(...columns), (edges, from, to) => {
        const graph = new DependencyGraph(edges);
        const path = graph.path(from, to);
        expect(path !== null).toBe(from === to || graph.allSources([from]).has(to));
        const steps = (path ?? []).slice(1).map((source, index) => ({ dependent: path![index]!, source }));
        for (const step of steps) expect(edges).toContainEqual(step);
      }),
    );
  });
});
