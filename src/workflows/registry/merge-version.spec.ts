import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isObject, type JsonObject, type JsonValue } from '../../platform/json.js';
import { mergeVersion, type NodeChange, type VersionChange } from './merge-version.js';
import type { GivenEdge, WorkflowGraph, WorkflowNode } from './workflow-graph.js';

const NAMES = ['A', 'B', 'C', 'D', 'constructor', '__proto__'];
const KEYS = ['a', 'b', 'toString', '__proto__'];

/** Paths of leaves with their values as JSON. A leaf is any value but an object with keys. */
type Leaves = Map<string, string>;

const SEPARATOR = '/';

function leavesOf(value: JsonValue, path = ''): Leaves {
  if (!isObject(value) || Object.keys(value).length === 0) return new Map([[path, JSON.stringify(value)]]);
  return new Map(Object.entries(value).flatMap(([key, item]) => [...leavesOf(item, path + SEPARATOR + key)]));
}

const isBelow = (path: string, other: string) => path === other || path.startsWith(other + SEPARATOR);

/** Expected result of a merge, computed leaf by leaf. */
function mergedLeaves(base: JsonObject, change: JsonObject): Leaves {
  const result = leavesOf(base);
  for (const [path, value] of leavesOf(change)) {
    const below = [...result.keys()].filter((known) => isBelow(known, path));
    const isObjectThere = below.some((known) => known !== path) || result.get(path) === '{}';
    if (value === '{}' && isObjectThere) continue;
    for (const known of result.keys()) if (isBelow(known, path) || isBelow(path, known)) result.delete(known);
    result.set(path, value);
  }
  return result;
}

const json: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue; object: JsonObject }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(null, 1, 'x', true, [1, { a: 2 }]),
    tie('object'),
  ) as fc.Arbitrary<JsonValue>,
  object: fc.array(fc.tuple(fc.constantFrom(...KEYS), tie('value')), { maxLength: 3 }).map(objectOf),
})).object;

/** Defines an own key even when it is `__proto__`. */
function objectOf(entries: [string, JsonValue][]): JsonObject {
  return JSON.parse(`{${entries.map(([key, value]) => `"${key}":${JSON.stringify(value)}`).join(',')}}`) as JsonObject;
}

const names = fc.subarray(NAMES);
const nodeOf = (name: string): fc.Arbitrary<WorkflowNode> =>
  fc.record({
    id: fc.constant(`id of ${name}`),
    name: fc.constant(name),
    node_type: fc.constantFrom('COUNT', 'REGEX'),
    is_output_node: fc.boolean(),
    configuration: json as fc.Arbitrary<JsonObject>,
    dependencies: names,
  });
const changeOf: fc.Arbitrary<NodeChange> = fc.record(
  {
    node_type: fc.constantFrom('COUNT', 'ENDPOINT', null),
    configuration: fc.option(json as fc.Arbitrary<JsonObject>),
    dependencies: fc.option(names),
    is_output_node: fc.option(fc.boolean()),
  },
  { requiredKeys: [] },
);
const edgeBetween = (source: string, target: string) => ({
  id: `${source} ${target}`,
  source_node_name: source,
  target_node_name: target,
  is_and: true,
  conditionals: [],
});
const edges = fc.array(fc.tuple(fc.constantFrom(...NAMES), fc.constantFrom(...NAMES)), { maxLength: 4 });
const inputs = fc.dictionary(fc.constantFrom('x', 'y'), fc.constantFrom('string' as const, 'number' as const));

const bases: fc.Arbitrary<WorkflowGraph> = names
  .chain((list) => fc.tuple(...list.map(nodeOf)))
  .chain((nodes) =>
    fc.record({
      nodes: fc.constant(nodes),
      edges: edges.map((pairs) => pairs.map(([source, target]) => edgeBetween(source, target))),
      requiredInputVariables: inputs,
    }),
  );
const changes: fc.Arbitrary<VersionChange> = fc.record({
  nodes: fc.option(
    fc.array(fc.tuple(fc.constantFrom(...NAMES), fc.option(changeOf)), { maxLength: 4 }).map((list) => new Map(list)),
  ),
  edges: fc.option(edges.map((pairs): GivenEdge[] => pairs.map(([source, target]) => edgeBetween(source, target)))),
  requiredInputVariables: fc.option(inputs),
});

/** Reason why the change is refused. */
function isImpossible(base: WorkflowGraph, { nodes }: VersionChange): boolean {
  const known = new Set(base.nodes.map(({ name }) => name));
  const added = [...(nodes ?? [])].filter(([name]) => !known.has(name));
  return added.some(([, node]) => node === null || node.node_type == null || node.configuration == null);
}

const asJson = (value: unknown) => JSON.stringify(value);

describe('a patch', () => {
  it('follows the rules for each node and leaf', () => {
    fc.assert(
      fc.property(bases, changes, (base, change) => {
        const before = asJson(base);
        if (isImpossible(base, change)) {
          expect(() => mergeVersion(base, change)).toThrow();
          return;
        }
        const result = mergeVersion(base, change);
        const old = new Map(base.nodes.map((node) => [node.name, node]));
        const changed = change.nodes ?? new Map<string, NodeChange | null>();
        const wanted = [...new Set([...old.keys(), ...changed.keys()])].filter((name) => changed.get(name) !== null);
        expect(result.nodes.map(({ name }) => name)).toEqual(wanted);
        for (const node of result.nodes) {
          const [from, to] = [old.get(node.name), changed.get(node.name)];
          expect(node.node_type).toBe(to?.node_type ?? from?.node_type);
          expect(node.is_output_node).toBe(to?.is_output_node ?? from?.is_output_node ?? false);
          expect(node.dependencies).toEqual(to?.dependencies ?? from?.dependencies ?? []);
          const leaves = mergedLeaves(from?.configuration ?? {}, to?.configuration ?? {});
          expect([...leavesOf(node.configuration)].sort()).toEqual([...leaves].sort());
        }
        const removed = new Set([...old.keys()].filter((name) => !wanted.includes(name)));
        const isKept = (edge: GivenEdge) => !removed.has(edge.source_node_name) && !removed.has(edge.target_node_name);
        expect(result.edges).toEqual(change.edges ?? base.edges.filter(isKept));
        expect(result.requiredInputVariables).toEqual(change.requiredInputVariables ?? base.requiredInputVariables);
        expect(asJson(base)).toBe(before);
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['a node to remove that is not there', new Map([['Z', null]]), 'There is no node "Z" to remove.'],
    ['a new node without anything', new Map([['Z', {}]]), 'The node "Z" is new: it needs node_type and configuration.'],
    [
      'a new node without a configuration',
      new Map([['Z', { node_type: 'COUNT' }]]),
      '"Z" is new: it needs configuration.',
    ],
  ] as [string, Map<string, NodeChange | null>, string][])('is refused with %s', (_, nodes, message) => {
    const base = { nodes: [], edges: [], requiredInputVariables: {} };
    const change = { nodes, edges: null, requiredInputVariables: null };
    expect(() => mergeVersion(base, change)).toThrow(message);
  });

  it('finds a node whose name is spelled with other code points', () => {
    const node = {
      id: '',
      name: 'caf\u00e9',
      node_type: 'COUNT',
      is_output_node: true,
      configuration: {},
      dependencies: [],
    };
    const change = {
      nodes: new Map([['cafe\u0301', { is_output_node: false }]]),
      edges: null,
      requiredInputVariables: null,
    };
    const { nodes } = mergeVersion({ nodes: [node], edges: [], requiredInputVariables: {} }, change);
    expect(nodes).toMatchObject([{ name: 'caf\u00e9', is_output_node: false }]);
  });
});
