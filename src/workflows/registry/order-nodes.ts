import type { WorkflowNode } from './workflow-graph.js';

type Ordered = Pick<WorkflowNode, 'name' | 'dependencies'>;

/** Sorts nodes after their dependencies, and otherwise keeps their order. Drops nodes that depend on each other. */
export function inOrder<N extends Ordered>(nodes: readonly N[]): N[] {
  const names = new Set(nodes.map(({ name }) => name));
  const missing = new Map(nodes.map((node) => [node.name, nodesBefore(node, names).length]));
  const readers = new Map<string, N[]>();
  for (const node of nodes) {
    for (const source of nodesBefore(node, names)) readers.set(source, [...(readers.get(source) ?? []), node]);
  }
  const ordered = nodes.filter(({ name }) => missing.get(name) === 0);
  for (const { name } of ordered) {
    for (const reader of readers.get(name) ?? []) {
      const left = missing.get(reader.name)! - 1;
      missing.set(reader.name, left);
      if (left === 0) ordered.push(reader);
    }
  }
  return ordered;
}

/** The names of nodes that depend on each other in a circle, the first one again at the end; null when there are none. */
export function findCircle(nodes: readonly Ordered[]): string[] | null {
  const ordered = new Set(inOrder(nodes));
  const circular = new Map(nodes.filter((node) => !ordered.has(node)).map((node) => [node.name, node]));
  const [start] = circular.keys();
  if (start === undefined) return null;
  // Each of these depends on another of them, so this must come back to one that was there before.
  const trail: string[] = [];
  let name = start;
  while (!trail.includes(name)) {
    trail.push(name);
    name = circular.get(name)!.dependencies.find((source) => circular.has(source))!;
  }
  return [...trail.slice(trail.indexOf(name)), name];
}

function nodesBefore({ dependencies }: Ordered, names: ReadonlySet<string>): string[] {
  return [...new Set(dependencies)].filter((name) => names.has(name));
}
