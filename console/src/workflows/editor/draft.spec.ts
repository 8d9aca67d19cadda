import { expect, it } from 'vitest';
import { ApiError } from '../../api/client';
import { configured, type Draft, freeName, readableBy, readDraft, renamed, textOf, without } from './draft';
import { faultsOf } from './faults';

const node = (name: string, configuration: object, dependencies: string[]) => ({
  name,
  node_type: 'COUNT',
  configuration: configuration as Record<string, unknown>,
  dependencies,
  is_output_node: false,
});
const draft: Draft = {
  required_input_variables: { question: 'string' },
  nodes: [node('A', { source: 'question', text: 'A' }, ['question']), node('B', { sources: ['A'] }, ['A'])],
  edges: [
    {
      source_node_name: 'A',
      target_node_name: 'B',
      is_and: true,
      conditionals: [
        {
          position: 0,
          operator: '=',
          left_config: { type: 'source', source: { name: 'A' } },
          right_config: { type: 'static_value', static_value: 'A' },
        },
      ],
    },
  ],
};
const keys = () => ['source', 'sources'];

it('reads its own JSON, and names errors in other JSON', () => {
  expect(readDraft(textOf(draft))).toEqual(draft);
  expect(() => readDraft('{')).toThrow('This is no valid JSON');
  expect(() => readDraft('{"nodes": [9007199254740993]}')).toThrow('9007199254740993 would be rounded');
  expect(() => readDraft('{"nodes": [{"name": 1}]}')).toThrow('nodes: a list of objects');
  expect(() => readDraft('{"nodes": [], "edges": [{}]}')).toThrow('edges: a list of objects');
  expect(readDraft('{"nodes": []}')).toEqual({ required_input_variables: {}, nodes: [], edges: [] });
});

it('offers what a node may read', () => {
  expect(readableBy(draft, 'A')).toEqual(['question']);
  expect(readableBy(draft, 'B')).toEqual(['question', 'A']);
});

it('depends on what a configuration reads', () => {
  const [first, second] = draft.nodes;
  expect(configured(second!, { sources: ['question'] }, keys()).dependencies).toEqual(['question']);
  expect(configured({ ...first!, dependencies: ['question', 'X'] }, {}, keys()).dependencies).toEqual(['X']);
});

it('renames a node wherever it is read, and nothing else', () => {
  const changed = renamed(draft, 'A', 'First', keys);
  expect(changed.nodes).toMatchObject([
    { name: 'First', configuration: { text: 'A' } },
    { name: 'B', configuration: { sources: ['First'] }, dependencies: ['First'] },
  ]);
  expect(changed.edges[0]).toMatchObject({
    source_node_name: 'First',
    conditionals: [{ left_config: { source: { name: 'First' } }, right_config: { static_value: 'A' } }],
  });
  expect(renamed(changed, 'First', 'A', keys)).toEqual(draft);
  expect(renamed(draft, 'question', 'q', keys)).toMatchObject({
    required_input_variables: { q: 'string' },
    nodes: [{ configuration: { source: 'q' }, dependencies: ['q'] }, {}],
  });
});

it('removes a node with its edges', () => {
  expect(without(draft, 'A')).toMatchObject({ nodes: [{ name: 'B', dependencies: [] }], edges: [] });
  expect(freeName(draft, 'A')).toBe('A 2');
});

it('finds the node that a fault speaks of', () => {
  const refused = (body: object) => new ApiError({ status: 400, code: 'workflow_invalid', message: '', body });
  const faults = [
    'The node "B" names "A" as source.',
    'The condition at position 0 of the edge from "A" to "B" names "x".',
    'No node is an output node.',
  ];
  expect(faultsOf(refused({ faults }), draft)).toEqual({ B: faults.slice(0, 2), '': [faults[2]] });
  const detail = [{ loc: ['body', 'nodes', 1, 'name'], msg: 'too long' }];
  expect(faultsOf(refused({ detail }), draft)).toEqual({ B: ['name: too long'] });
  expect(faultsOf(refused({}), draft)).toBeNull();
  const pattern = String.raw`The pattern "\d+\w" of the node "B" does not match "A".`;
  expect(faultsOf(refused({ faults: [pattern] }), draft)).toEqual({ B: [pattern] });
});
