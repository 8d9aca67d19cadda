import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Dependency, DependencyGraph } from './dependency-graph.js';
import { addLeftEdges } from './left-edges.js';

const column = (id: string, owner: 'sheet' | 'metadata' | 'scorecard' = 'sheet') => ({ id, owner });
const columns = ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => column(id));

/** The columns that each reader reads because they are on its left. */
function leftOf(readers: string[], edges: Dependency[], list = columns): Record<string, string[]> {
  const left = addLeftEdges(new DependencyGraph(edges), list, { reads: ({ id }) => readers.includes(id) });
  return Object.fromEntries([...left].map(([reader, sources]) => [reader, [...sources]]));
}

const reads = (dependent: string, source: string): Dependency => ({ dependent, source });

describe('sources on the left', () => {
  it('are all columns before the reader', () => {
    expect(leftOf(['c'], [])).toEqual({ c: ['a', 'b'] });
    expect(leftOf(['a', 'd'], [])).toEqual({ a: [], d: ['a', 'b', 'c'] });
    expect(leftOf([], [reads('b', 'a')])).toEqual({});
  });

  it('are no columns that the server or a scorecard has added', () => {
    const list = [column('a'), column('price', 'metadata'), column('step', 'scorecard'), column('d')];
    expect(leftOf(['d'], [], list)).toEqual({ d: ['a'] });
  });

  it('are no columns that the config names already', () => {
    expect(leftOf(['c'], [reads('c', 'a')])).toEqual({ c: ['b'] });
  });

  it('are no columns that depend on the reader, directly or indirectly', () => {
    expect(leftOf(['d'], [reads('a', 'b'), reads('b', 'd')])).toEqual({ d: ['c'] });
    expect(leftOf(['b'], [reads('a', 'c'), reads('c', 'b')])).toEqual({ b: [] });
  });

  it('are chosen from left to right where two readers could read each other', () => {
    // a depends on d, and b reads a: so b follows d, which must not read b.
    expect(leftOf(['b', 'd'], [reads('a', 'd')])).toEqual({ b: ['a'], d: ['c'] });
  });
});

const ids = columns.map(({ id }) => id);
/** In some order of the columns every one reads only columns before it, wherever those stand. */
const acyclic = fc
  .tuple(fc.shuffledSubarray(ids, { minLength: 6 }), fc.array(fc.tuple(fc.nat(5), fc.nat(5)), { maxLength: 10 }))
  .map(([order, pairs]) => pairs.filter(([a, b]) => a > b).map(([a, b]) => reads(order[a]!, order[b]!)));

describe('left edges of any sheet', () => {
  it('never make a cycle, and leave out only sources that would', () => {
    fc.assert(
      fc.property(acyclic, fc.subarray(ids), (edges, readers) => {
        const graph = new DependencyGraph(edges);
        const left = addLeftEdges(graph, columns, { reads: ({ id }) => readers.includes(id) });
        for (const id of ids) expect(graph.allSources(graph.directSources(id))).not.toContain(id);
        for (const reader of readers) {
          const named = edges.filter(({ dependent }) => dependent === reader).map(({ source }) => source);
          const expected = ids
            .slice(0, ids.indexOf(reader))
            .filter((id) => !named.includes(id) && !graph.allDependents([reader]).has(id));
          expect([...left.get(reader)!]).toEqual(expected);
        }
      }),
    );
  });

  it('do not change when a column is added at the end', () => {
    fc.assert(
      fc.property(acyclic, fc.subarray(ids), fc.subarray(ids), fc.boolean(), (edges, readers, sources, readsLeft) => {
        const more = [...edges, ...sources.map((source) => reads('new', source))];
        const { new: _, ...others } = leftOf(readsLeft ? [...readers, 'new'] : readers, more, [
          ...columns,
          column('new'),
        ]);
        expect(others).toEqual(leftOf(readers, edges));
      }),
    );
  });
});
