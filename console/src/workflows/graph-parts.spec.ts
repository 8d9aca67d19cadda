import { expect, it } from 'vitest';
import { arrowsOf, boxesOf, guardOf } from './graph-parts';
import { textOfInput, valuesOf } from './inputs';

const node = (name: string, ...dependencies: string[]) => ({
  id: name,
  workflow_version_id: 1,
  name,
  node_type: 'COUNT',
  is_output_node: name === 'B',
  configuration: {},
  dependencies,
});
const source = (name: string) => ({ type: 'source' as const, source: { name } });
const edge = {
  id: 'e',
  source_node_name: 'A',
  target_node_name: 'B',
  is_and: false,
  conditionals: [
    { position: 1, operator: 'is_not_null' as const, left_config: source('question'), right_config: null },
    {
      position: 0,
      operator: 'not_in' as const,
      left_config: source('A'),
      right_config: { type: 'static_value' as const, static_value: ['x'] },
    },
  ],
};
const graph = {
  nodes: [node('A', 'question'), node('B', 'A')],
  edges: [edge],
  required_input_variables: { question: 'string' },
};

it('draws inputs, nodes and a single arrow for a source with a guard', () => {
  expect(boxesOf(graph, (type) => type.toLowerCase()).map(({ key, hint }) => [key, hint])).toEqual([
    ['question', 'input · string'],
    ['A', 'count'],
    ['B', 'count · output'],
  ]);
  expect(arrowsOf(graph)).toEqual([
    { from: 'question', to: 'A' },
    { from: 'A', to: 'B', label: 'A not in ["x"] or questi…' },
    { from: 'question', to: 'B' },
  ]);
});

it('writes the conditions of a guard in their order', () => {
  expect(guardOf(edge)).toBe('A not in ["x"] or question is not null');
  expect(guardOf({ ...edge, is_and: true })).toBe('A not in ["x"] and question is not null');
});

it('reads inputs by their types', () => {
  const texts: Record<string, string> = { s: ' 1 ', n: '1.5', b: 'true', a: '[1]', o: '{"a": null}' };
  const types = { s: 'string', n: 'number', b: 'boolean', a: 'array', o: 'object' };
  const values = valuesOf(types, (name) => texts[name]!);
  expect(values).toEqual({ s: ' 1 ', n: 1.5, b: true, a: [1], o: { a: null } });
  for (const [name, value] of Object.entries(values)) {
    expect(valuesOf({ [name]: types[name as keyof typeof types] }, () => textOfInput(value))).toEqual({
      [name]: value,
    });
  }
  expect(() => valuesOf({ n: 'number' }, () => 'two')).toThrow('The input n is a number.');
  expect(() => valuesOf({ n: 'number' }, () => '9007199254740993')).toThrow('The input n: 9007199254740993 would be');
});
