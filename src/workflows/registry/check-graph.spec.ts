import 'reflect-metadata';
import { describe, expect, it } from 'vitest';
import { TextField } from '../../platform/http/fields.js';
import type { JsonObject, JsonValue } from '../../platform/json.js';
import { ColumnType, type ColumnTypeOptions, type RegisteredColumnType } from '../../grid/column-type/column-type.js';
import { SourceColumn, SourceColumns, SourceMap } from '../../grid/column-type/source-fields.js';
import { checkGraph } from './check-graph.js';
import type { NodeTypes } from './check-nodes.js';
import type { GivenConditional, GivenEdge, GivenGraph, GivenNode } from './workflow-graph.js';

class OneConfig {
  @SourceColumn()
  source: JsonValue;
}

@ColumnType({
  name: 'ONE',
  title: 'One',
  description: '',
  kind: 'deterministic',
  output: 'json',
  config: OneConfig,
  aliases: ['single'],
  olderKeys: { column: 'source' },
})
class OneColumnType {}

class ManyConfig {
  @SourceColumns({ minItems: 1 })
  sources: JsonValue[];

  @TextField({ optional: true })
  format?: string;
}

@ColumnType({
  name: 'MANY',
  title: 'Many',
  description: '',
  kind: 'deterministic',
  output: 'json',
  config: ManyConfig,
  titleTexts: ['format'],
})
class ManyColumnType {}

class MappedConfig {
  @SourceMap({ specialNames: ['loop_index'] })
  variables: JsonObject;
}

@ColumnType({
  name: 'MAPPED',
  title: 'Mapped',
  description: '',
  kind: 'external',
  output: 'json',
  config: MappedConfig,
})
class MappedColumnType {}

const KNOWN = [OneColumnType, ManyColumnType, MappedColumnType].map((type): RegisteredColumnType => ({
  options: Reflect.getMetadata('plugin:column type', type) as ColumnTypeOptions,
  plugin: new type(),
}));

const types: NodeTypes = {
  computedTypes: () => KNOWN,
  findComputedType: (name) =>
    KNOWN.find(({ options }) =>
      [options.name, ...(options.aliases ?? [])].some((each) => each.toUpperCase() === name.toUpperCase()),
    ) ?? null,
};

const node = (name: string, source: string, rest: Partial<GivenNode> = {}): GivenNode => ({
  name,
  node_type: 'ONE',
  configuration: { source },
  dependencies: [],
  is_output_node: true,
  ...rest,
});
const A = node('A', 'x');
const B = node('B', 'A', { dependencies: ['A'] });
const valueOf = (name: string) => ({ type: 'source', source: { name } });
const given = (value: JsonValue) => ({ type: 'static_value', static_value: value });
const condition = (rest: Partial<GivenConditional> = {}): GivenConditional => ({
  position: 0,
  operator: '=',
  left_config: valueOf('A'),
  right_config: given(1),
  ...rest,
});
const edge = (rest: Partial<GivenEdge> = {}): GivenEdge => ({
  source_node_name: 'A',
  target_node_name: 'B',
  is_and: true,
  conditionals: [condition()],
  ...rest,
});
const graph = (nodes: GivenNode[], rest: Partial<GivenGraph> = {}): GivenGraph => ({
  nodes,
  edges: [],
  requiredInputVariables: { x: 'string' },
  ...rest,
});
const withEdge = (rest: Partial<GivenEdge>) => graph([A, B], { edges: [edge(rest)] });
const withCondition = (rest: Partial<GivenConditional>) => withEdge({ conditionals: [condition(rest)] });
const many = (count: number) => Array.from({ length: count }, (_, index) => node(`n${index}`, 'x'));
const inputs = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`x${i}`, 'string']));

const REFUSED: [what: string, graph: GivenGraph, message: string][] = [
  ['nothing', graph([]), 'No node is an output node.'],
  ['no output', graph([{ ...A, is_output_node: false }]), 'No node is an output node.'],
  ['a blank name', graph([node(' ', 'x')]), '" " cannot be a name.'],
  ['a long name', graph([node('é'.repeat(256), 'x')]), 'cannot be a name.'],
  [
    'an input without a name',
    graph([A], { requiredInputVariables: { x: 'string', '': 'string' } }),
    '"" cannot be a name.',
  ],
  ['a name twice', graph([A, A]), 'Two nodes are named "A".'],
  ['a name in two spellings', graph([node('e\u0301', 'x'), node('\u00e9', 'x')]), 'Two nodes are named "é".'],
  ['the name of an input', graph([node('x', 'x')]), 'A node and an input are both named "x".'],
  [
    'an unknown input type',
    graph([A], { requiredInputVariables: { x: 'text' } }),
    'The input "x" has "text" as its type. Use one of string, number,',
  ],
  [
    'an input type that is no text',
    graph([A], { requiredInputVariables: { x: ['string'] } }),
    'The input "x" has a value that is no text as its type.',
  ],
  [
    'an unknown type',
    graph([{ ...A, node_type: 'NOPE' }]),
    'The node "A" has the type "NOPE", which no node can have. Use one of ONE, MANY, MAPPED.',
  ],
  ['a condition', graph([{ ...A, node_type: 'condition' }]), 'Conditions are no nodes: put them into an edge'],
  [
    'a configuration without what it needs',
    graph([{ ...A, configuration: {} }]),
    'The node "A" cannot be computed: The config does not fit the column type ONE: source is required.',
  ],
  [
    'a configuration of a wrong type',
    graph([{ ...A, configuration: { source: 7 } }]),
    'The node "A" cannot be computed:',
  ],
  [
    'a source that is not there',
    graph([node('A', 'y')]),
    'The node "A" names "y" as source, which is neither an input nor a node.',
  ],
  [
    'a source under an older key',
    graph([{ ...A, configuration: { column: 'y' } }]),
    'The node "A" names "y" as source,',
  ],
  ['a name in other letter case', graph([node('A', 'X')]), 'Names are exact, letter case included.'],
  [
    'a source in a list',
    graph([{ ...A, node_type: 'MANY', configuration: { sources: ['x', 'y'] } }]),
    'names "y" as sources,',
  ],
  [
    'a source in a map',
    graph([{ ...A, node_type: 'MAPPED', configuration: { variables: { v: 'y' } } }]),
    'names "y" as variables "v",',
  ],
  [
    'a name in a text',
    graph([{ ...A, node_type: 'MANY', configuration: { sources: ['x'], format: '{y}' } }]),
    'format names "y", which is none of the sources.',
  ],
  [
    'a source it does not depend on',
    graph([A, node('B', 'A')]),
    'The node "B" names "A" as source without depending on it. Add it to the dependencies',
  ],
  [
    'a source it depends on by way of another',
    graph([A, B, node('C', 'A', { dependencies: ['B'] })]),
    'The node "C" names "A" as source without depending on it.',
  ],
  ['itself as a source', graph([node('A', 'A')]), 'The node "A" names "A" as source without depending on it.'],
  [
    'a dependency that is not there',
    graph([{ ...A, dependencies: ['Z'] }]),
    'The node "A" depends on "Z", which is neither an input nor a node.',
  ],
  ['itself as a dependency', graph([{ ...A, dependencies: ['A'] }]), 'The node "A" depends on itself.'],
  [
    'a circle',
    graph([
      node('A', 'C', { dependencies: ['C'] }),
      B,
      node('C', 'B', { dependencies: ['B'] }),
      node('D', 'A', { dependencies: ['A'] }),
    ]),
    'These nodes depend on each other: A → C → B → A.',
  ],
  [
    'an edge from nowhere',
    withEdge({ source_node_name: 'Z' }),
    'The edge from "Z" to "B" begins at what is neither an input nor a node.',
  ],
  ['an edge to nowhere', withEdge({ target_node_name: 'Z' }), 'The edge from "A" to "Z" ends at what is no node.'],
  ['an edge to an input', withEdge({ target_node_name: 'x' }), 'ends at what is no node.'],
  [
    'an edge against the dependency',
    withEdge({ source_node_name: 'B', target_node_name: 'A' }),
    'The edge from "B" to "A" ends at a node that does not depend on "B". Add it to the dependencies of "A".',
  ],
  [
    'an edge twice',
    graph([A, B], { edges: [edge(), edge({ is_and: false })] }),
    'There are two edges from "A" to "B". Put their conditions into one of them.',
  ],
  [
    'a side of no known form',
    withCondition({ left_config: { type: 'value', value: 1 } }),
    'The condition at position 0 of the edge from "A" to "B" has a left_config that should be {"type": "source",',
  ],
  [
    'a source without a name',
    withCondition({ left_config: { type: 'source', source: 'A' } }),
    'has a left_config that should be',
  ],
  [
    'a value that is missing',
    withCondition({ right_config: { type: 'static_value' } }),
    'has a right_config that should be',
  ],
  ['a missing side', withCondition({ right_config: null }), 'has no right_config, which = compares with.'],
  [
    'a side that is not there',
    withCondition({ right_config: valueOf('Z') }),
    'has a right_config that names "Z", which is neither an input nor a node.',
  ],
  [
    'a side that its target does not depend on',
    graph([A, B, node('C', 'x')], { edges: [edge({ conditionals: [condition({ right_config: valueOf('C') })] })] }),
    'names "C", on which "B" does not depend.',
  ],
  ['too many nodes', graph(many(201)), 'A workflow has at most 200 nodes, and this has 201.'],
  [
    'too many inputs',
    graph([A], { requiredInputVariables: inputs(201) }),
    'A workflow has at most 200 inputs, and this has 201.',
  ],
  [
    'too much',
    graph([{ ...A, configuration: { source: 'x', more: 'x'.repeat(5 << 20) } }]),
    'take at most 5242880 bytes as JSON',
  ],
];

const TAKEN: [what: string, graph: GivenGraph][] = [
  [
    'an input of every type',
    graph([A], {
      requiredInputVariables: { x: 'string', n: 'number', i: 'integer', b: 'boolean', o: 'object', a: 'array' },
    }),
  ],
  ['an input as a dependency', graph([{ ...A, dependencies: ['x'] }])],
  [
    'a node without any source',
    graph([{ ...A, node_type: 'MAPPED', configuration: { variables: {} } }], { requiredInputVariables: {} }),
  ],
  [
    'a variable that stands for nothing, or for something else',
    graph([{ ...A, node_type: 'MAPPED', configuration: { variables: { v: '', w: null, i: 'loop_index' } } }]),
  ],
  ['names in any order', graph([B, A])],
  [
    'names that objects have',
    graph([node('__proto__', 'x'), node('constructor', '__proto__', { dependencies: ['__proto__'] })]),
  ],
  [
    'an edge from an input',
    graph([{ ...A, dependencies: ['x'] }], {
      edges: [
        edge({
          source_node_name: 'x',
          target_node_name: 'A',
          conditionals: [condition({ left_config: valueOf('x') })],
        }),
      ],
    }),
  ],
  ['a condition on one side', withCondition({ operator: 'is_null', right_config: null })],
  ['a value of null', withCondition({ right_config: given(null) })],
  ['a list of values', withCondition({ operator: 'in', right_config: given([1, 'a', null]) })],
  ['a text with sources', graph([{ ...A, node_type: 'MANY', configuration: { sources: ['x'], format: '{x}!' } }])],
  ['200 nodes', graph(many(200))],
];

describe('a graph', () => {
  it.each(REFUSED)('is refused with %s', (_, refused, message) => {
    expect(() => checkGraph(refused, types)).toThrow(message);
  });

  it.each(TAKEN)('is accepted with %s', (_, taken) => {
    const { graph: checked } = checkGraph(taken, types);
    expect(checked.nodes.map(({ name }) => name)).toEqual(taken.nodes.map(({ name }) => name));
    expect(new Set([...checked.nodes, ...checked.edges].map(({ id }) => id)).size).toBe(
      checked.nodes.length + checked.edges.length,
    );
  });

  it('has names of types, inputs and nodes in their original spelling', () => {
    const composed = node('caf\u00e9', 'x', { node_type: 'single' });
    const reader = node('B', 'cafe\u0301', { node_type: 'one', dependencies: ['cafe\u0301', 'caf\u00e9', 'x'] });
    const spelled = edge({
      source_node_name: 'cafe\u0301',
      conditionals: [condition({ left_config: valueOf('cafe\u0301') })],
    });
    const { graph: checked } = checkGraph(
      graph([composed, reader], { edges: [spelled], requiredInputVariables: { x: 'String' } }),
      types,
    );
    expect(checked.nodes).toMatchObject([
      { node_type: 'ONE' },
      { node_type: 'ONE', dependencies: ['caf\u00e9', 'x'], configuration: { source: 'cafe\u0301' } },
    ]);
    expect(checked.edges).toMatchObject([
      { source_node_name: 'caf\u00e9', conditionals: [{ left_config: valueOf('caf\u00e9') }] },
    ]);
    expect(checked.requiredInputVariables).toEqual({ x: 'string' });
  });

  it('has conditions in the order of their positions, without the unused side of unary operators', () => {
    const conditionals = [
      condition({ position: 2, operator: 'is_null', right_config: {} }),
      condition({ position: 1, operator: 'is_not_null', right_config: given(7) }),
    ];
    const [checked] = checkGraph(withEdge({ conditionals }), types).graph.edges;
    expect(checked!.conditionals).toEqual([
      { position: 1, operator: 'is_not_null', left_config: valueOf('A'), right_config: given(7) },
      { position: 2, operator: 'is_null', left_config: valueOf('A'), right_config: null },
    ]);
  });

  it('is refused with the first and last nodes of a long circle', () => {
    const names = Array.from({ length: 200 }, (_, index) => `n${index}`);
    const circle = names.map((name, index) => node(name, 'x', { dependencies: [names.at(index - 1)!] }));
    expect(() => checkGraph(graph(circle), types)).toThrow(/: n0 → n199 → n198 → [^.]* → n191 → … → n0\. Take/);
  });

  it('is refused with the first faults and the number of the others', () => {
    const faulty = Array.from({ length: 8 }, (_, index) => node(`n${index}`, 'nothing'));
    expect(() => checkGraph(graph(faulty), types)).toThrow(/"n0".*"n1".*"n4".*There are 3 more faults\.$/);
  });
});
