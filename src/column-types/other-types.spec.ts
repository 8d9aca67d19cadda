import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../platform/json.js';
import { cellOf, parsed } from './column-types.fixture.js';
import { HumanColumnType } from './human.column-type.js';
import { TrajectoryColumnType } from './trajectory.column-type.js';
import { VariableColumnType } from './variable.column-type.js';

describe('VARIABLE', () => {
  it.each<[JsonObject, JsonValue]>([
    [{ value: { type: 'string', value: 'en' } }, 'en'],
    [{ value: { type: 'string', value: 5 } }, '5'],
    [{ value: { type: 'json', value: { a: [1] } } }, { a: [1] }],
    [{ value: { type: 'json', value: '{"a":1}' } }, { a: 1 }],
    [{ value: 'en', value_type: 'string' }, 'en'],
    [{ value: '[1]', value_type: 'JSON' }, [1]],
    [{ value: { a: 1 } }, { a: 1 }],
    [{ value: 'en' }, 'en'],
  ])('%j', async (given, value) => {
    expect(await cellOf(VariableColumnType, parsed(VariableColumnType, given))).toEqual({ value });
  });

  it.each<[JsonObject, string]>([
    [{}, 'value is required'],
    [{ value: { type: 'json', value: '{' } }, 'not valid JSON'],
    [{ value: { type: 'number', value: 5 } }, 'value.type'],
  ])('refuses %j', (config, problem) => expect(() => parsed(VariableColumnType, config)).toThrow(problem));
});

describe('HUMAN', () => {
  const human = new HumanColumnType();
  const config = (given: JsonObject) => parsed(HumanColumnType, given) as never;
  const slider = config({ data_type: 'number', ui_element: { type: 'slider', min: 1, max: 5 } });
  const text = config({ data_type: 'string', ui_element: { type: 'text' } });

  it('accepts valid answers and null', () => {
    expect(human.accept(slider, 3.5)).toBe(3.5);
    expect(human.accept(slider, null)).toBeNull();
    expect(human.accept(text, 'fine')).toBe('fine');
  });

  it.each<[unknown, JsonValue, string]>([
    [slider, 0, '1 or more'],
    [slider, 6, '5 or less'],
    [slider, '3', 'a number'],
    [text, 3, 'a text'],
    [text, { a: 1 }, 'a text'],
  ])('refuses others', (of, value, problem) => expect(() => human.accept(of as never, value)).toThrow(problem));

  it('takes the earlier form', () => {
    expect(config({ input_type: 'numeric', prompt: 'How good?', min: 1, max: 5 })).toEqual({
      data_type: 'number',
      ui_element: { type: 'number', prompt: 'How good?', min: 1, max: 5 },
    });
    expect(config({ input_type: 'text' })).toEqual({ data_type: 'string', ui_element: { type: 'text' } });
  });

  it.each<JsonObject>([
    {},
    { data_type: 'number' },
    { data_type: 'date', ui_element: { type: 'text' } },
    { data_type: 'number', ui_element: { type: 'slider', min: 5, max: 1 } },
    { data_type: 'number', ui_element: { min: 'a' } },
    { input_type: 7 },
  ])('refuses %j', (given) => expect(() => config(given)).toThrow());
});

describe('TRAJECTORY', () => {
  const span = (name: string, start: string, children: JsonValue[] = [], span_id = start) => ({
    name,
    start,
    span_id,
    children,
  });
  const trace = span('agent', '0', [
    span('Tool: answer', '3'),
    span('plan', '1', [span('Tool:search', '2')]),
    span('Toolbox', '2'),
  ]);

  it.each<[string, JsonObject, JsonValue]>([
    ['the same sequence', { accepted_scenarios: [['search', 'answer']] }, true],
    ['another order', { accepted_scenarios: [['answer', 'search']] }, false],
    ['a part, strictly', { accepted_scenarios: [['answer']] }, false],
    ['a part, not strictly', { accepted_scenarios: [['answer']], mode: 'non_strict' }, true],
    ['order, not strictly', { accepted_scenarios: [['answer', 'search']], mode: 'non_strict' }, false],
    ['any scenario', { accepted_scenarios: [['x'], { required_tools: ['search', 'answer'] }] }, true],
    ['none expected', { accepted_scenarios: [[]], mode: 'non_strict' }, false],
    ['expected in a column', { expected_source: '[["search","answer"]]' }, true],
    ['in an object', { expected_source: { accepted_scenarios: [['search', 'answer']] } }, true],
  ])('%s', async (_, config, value) => {
    expect(await cellOf(TrajectoryColumnType, { trace_source: trace, ...config })).toEqual({ value });
    const asText = { trace_source: JSON.stringify(trace), ...config };
    expect(await cellOf(TrajectoryColumnType, asText)).toEqual({ value });
  });

  it('treats a missing trace as one without tools', async () => {
    const config = { trace_source: null, accepted_scenarios: [[]] };
    expect(await cellOf(TrajectoryColumnType, config)).toEqual({ value: true });
  });

  it('orders calls of the same moment by span', async () => {
    const trace_source = [span('Tool: b', '1', [], '2'), span('Tool: a', '1', [], '1')];
    const config = { trace_source, accepted_scenarios: [['a', 'b']] };
    expect(await cellOf(TrajectoryColumnType, config)).toEqual({ value: true });
  });

  it.each<JsonValue>([null, '', 'search', '["search"]', '[]', '{}', '[[""]]', '[[1]]', '{'])(
    'fails when %j is expected',
    async (expected_source) => {
      const outcome = await cellOf(TrajectoryColumnType, { trace_source: trace, expected_source });
      expect(outcome).toEqual({ error: expect.stringMatching(/scenario|not valid JSON/) as string });
    },
  );

  it.each<JsonObject>([
    { trace_source: 'T' },
    { trace_source: 'T', accepted_scenarios: [['a']], expected_source: 'E' },
    { trace_source: 'T', accepted_scenarios: [['']] },
    { trace_source: 'T', accepted_scenarios: [] },
    { trace_source: 'T', accepted_scenarios: ['a'] },
    { trace_source: 'T', accepted_scenarios: [['a']], mode: 'loose' },
  ])('refuses %j', (config) => expect(() => parsed(TrajectoryColumnType, config)).toThrow());
});
