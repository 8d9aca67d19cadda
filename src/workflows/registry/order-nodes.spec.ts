import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findCircle, inOrder } from './order-nodes.js';

const nodes = (graph: Record<string, string[]>) =>
  Object.entries(graph).map(([name, dependencies]) => ({ name, dependencies }));
const names = (list: { name: string }[]) => list.map(({ name }) => name).join('');

describe('nodes', () => {
  it.each([
    ['none', {}, ''],
    ['those without dependencies, as they come', { b: [], a: [] }, 'ba'],
    ['those that come before what they depend on', { c: ['b'], b: ['a'], a: [] }, 'abc'],
    ['a diamond', { d: ['b', 'c'], b: ['a'], c: ['a'], a: ['input'] }, 'abcd'],
    ['a dependency given twice', { b: ['a', 'a'], a: [] }, 'ab'],
    ['those in a circle not', { a: [], b: ['c'], c: ['b'], d: ['c'] }, 'a'],
  ] as [string, Record<string, string[]>, string][])('are put in order: %s', (_, graph, order) => {
    expect(names(inOrder(nodes(graph)))).toBe(order);
  });

  it.each([
    [{ a: [], b: ['a'] }, null],
    [{ a: ['a'] }, ['a', 'a']],
    [{ a: ['b'], b: ['a'] }, ['a', 'b', 'a']],
    [{ x: ['a'], a: ['b', 'y'], b: ['c'], c: ['a'], y: [] }, ['a', 'b', 'c', 'a']],
  ] as [Record<string, string[]>, string[] | null][])('have a circle or none: %j', (graph, circle) => {
    expect(findCircle(nodes(graph))).toEqual(circle);
  });

  it('follow their dependencies unless they form a circle', () => {
    const list = fc.array(fc.array(fc.nat(9), { maxLength: 4 }), { maxLength: 10 });
    fc.assert(
      fc.property(list, (given) => {
        const graph = given.map((sources, index) => ({ name: String(index), dependencies: sources.map(String) }));
        const known = new Set(graph.map(({ name }) => name));
        const ordered = inOrder(graph);
        const done = new Set<string>();
        for (const { name, dependencies } of ordered) {
          expect(dependencies.filter((source) => known.has(source) && !done.has(source))).toEqual([]);
          done.add(name);
        }
        const circle = findCircle(graph);
        expect(circle === null).toBe(ordered.length === graph.length);
        const byName = new Map(graph.map((node) => [node.name, node.dependencies]));
        circle?.slice(1).forEach((source, index) => expect(byName.get(circle[index]!)).toContain(source));
        expect(circle?.[0]).toBe(circle?.at(-1));
      }),
    );
  });
});
