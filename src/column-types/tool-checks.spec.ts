import { afterAll, describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../platform/json.js';
import { cellOf, endSandbox, explained, parsed } from './column-types.fixture.js';
import { CountColumnType } from './count.column-type.js';
import { MaxToolCallsColumnType } from './max-tool-calls.column-type.js';
import { NoInvalidToolCallsColumnType } from './no-invalid-tool-calls.column-type.js';
import { StructureColumnType } from './structure.column-type.js';
import { ToolEvaluatorColumnType } from './tool-evaluator.column-type.js';
import { TrajectoryColumnType } from './trajectory.column-type.js';

afterAll(endSandbox);

const answer = (...calls: [name: string, args?: string][]): JsonValue => ({
  role: 'assistant',
  content: null,
  tool_calls: calls.map(([name, args = '{}']) => ({ id: name, type: 'function', function: { name, arguments: args } })),
});

describe('MAX_TOOL_CALLS', () => {
  it.each<[number, number, boolean]>([
    [0, 0, true],
    [1, 0, false],
    [2, 2, true],
    [3, 2, false],
  ])('answers for %i calls with a limit of %i: %s', async (made, max_tool_calls, value) => {
    const source = answer(...Array.from({ length: made }, (): [string] => ['search']));
    const config = { source, max_tool_calls };
    expect(await cellOf(MaxToolCallsColumnType, config)).toEqual({ value });
    const observed = Array(made).fill('search');
    expect(await explained(MaxToolCallsColumnType, config)).toEqual({ count: made, observed });
  });

  it('accepts trace_source as another word for source', () => {
    expect(parsed(MaxToolCallsColumnType, { trace_source: 'Trace', max_tool_calls: 1 })).toMatchObject({
      source: 'Trace',
    });
  });

  it.each<JsonObject>([
    { source: 'a' },
    { max_tool_calls: 1 },
    { source: 'a', max_tool_calls: -1 },
    { source: 'a', max_tool_calls: 1.5 },
    { source: 'a', max_tool_calls: '2' },
    { source: 'a', max_tool_calls: null },
  ])('refuses %j', (config) => expect(() => parsed(MaxToolCallsColumnType, config)).toThrow());
});

describe('TOOL_EVALUATOR', () => {
  const called = answer(['plan'], ['search'], ['search'], ['answer']);

  it.each<[string[], string, boolean]>([
    [['plan', 'search', 'search', 'answer'], 'strict', true],
    [['plan', 'search', 'answer'], 'strict', false],
    [['plan', 'answer'], 'non_strict', true],
    [['answer', 'plan'], 'non_strict', false],
    [['answer', 'plan'], 'any_order', true],
    [['search', 'search'], 'any_order', true],
    [['plan', 'plan'], 'any_order', false],
    [[], 'any_order', false],
    [[], 'strict', false],
  ])('expects %j, %s: %s', async (expected_tools, mode, value) => {
    expect(await cellOf(ToolEvaluatorColumnType, { source: called, expected_tools, mode })).toEqual({ value });
  });

  it('has the mode strict by default and reads modes in any letter case', () => {
    const config = { source: 'a', expected_tools: [] };
    expect(parsed(ToolEvaluatorColumnType, { ...config, mode: 'ANY_ORDER' })).toMatchObject({ mode: 'any_order' });
    expect(parsed(ToolEvaluatorColumnType, { ...config, mode: null })).toMatchObject({ mode: 'strict' });
  });

  it('explains which tools were called', async () => {
    expect(await explained(ToolEvaluatorColumnType, { source: called, expected_tools: ['x'] })).toEqual({
      observed: ['plan', 'search', 'search', 'answer'],
      expected: ['x'],
    });
  });

  it.each<JsonObject>([
    { source: 'a' },
    { source: 'a', expected_tools: 'search' },
    { source: 'a', expected_tools: [' '] },
    { source: 'a', expected_tools: [1] },
    { source: 'a', expected_tools: [], mode: 'sometimes' },
  ])('refuses %j', (config) => expect(() => parsed(ToolEvaluatorColumnType, config)).toThrow());
});

describe('NO_INVALID_TOOL_CALLS', () => {
  const parameters = {
    type: 'object',
    properties: { q: { type: 'string' } },
    required: ['q'],
    additionalProperties: false,
  };
  const definitions: [string, JsonObject][] = [
    ['OpenAI', { type: 'function', function: { name: 'search', parameters } }],
    ['the newer OpenAI', { type: 'function', name: 'search', parameters }],
    ['Anthropic', { name: 'search', description: 'Finds', input_schema: parameters }],
    ['Google', { functionDeclarations: [{ name: 'search', parameters }] }],
    ['MCP', { name: 'search', inputSchema: parameters }],
  ];

  it.each(definitions)('reads definitions of %s', async (_, definition) => {
    const check = (args: string) =>
      cellOf(NoInvalidToolCallsColumnType, { source: answer(['search', args]), allowed_tools: [definition] });
    expect(await check('{"q":"a"}')).toEqual({ value: true });
    expect(await check('{"q":1}')).toEqual({ value: false });
    expect(await check('{}')).toEqual({ value: false });
  });

  it.each<[string, JsonValue, JsonValue[], string[]]>([
    ['no calls', 'Just a text.', ['search'], []],
    ['allowed names', answer(['search', '{"any":1}'], ['plan']), ['search', 'plan'], []],
    ['another name', answer(['search'], ['drop_table']), ['search'], ['drop_table']],
    ['nothing is allowed', answer(['search']), [], ['search']],
    ['arguments that are no JSON', answer(['search', '{"q":']), ['search'], ['search']],
    ['blank arguments', answer(['search', ' ']), ['search'], []],
    ['names that objects inherit', answer(['constructor'], ['__proto__']), ['search'], ['constructor', '__proto__']],
    ['a span that tells no arguments', { name: 'Tool: search' }, [definitions[0]![1]], []],
  ])('%s', async (_, source, allowed_tools, offenders) => {
    const config = { source, allowed_tools };
    expect(await cellOf(NoInvalidToolCallsColumnType, config)).toEqual({ value: offenders.length === 0 });
    const evidence = (await explained(NoInvalidToolCallsColumnType, config)) as {
      offenders: { tool: string }[];
    } | null;
    expect(evidence?.offenders.map(({ tool }) => tool) ?? []).toEqual(offenders);
  });

  it('explains which call is invalid and why', async () => {
    const source = answer(['search', '{"q":"a"}'], ['search', '{"q":1,"r":2}']);
    expect(await explained(NoInvalidToolCallsColumnType, { source, allowed_tools: [definitions[0]![1]] })).toEqual({
      offenders: [{ tool: 'search', problem: 'The JSON must NOT have additional properties: "r".' }],
    });
  });

  it.each<[JsonObject, RegExp]>([
    [{ source: 'a' }, /allowed_tools/],
    [{ source: 'a', allowed_tools: 'search' }, /allowed_tools/],
    [{ source: 'a', allowed_tools: [1] }, /allowed_tools/],
    [{ source: 'a', allowed_tools: [''] }, /needs a name/],
    [{ source: 'a', allowed_tools: [{ type: 'function' }] }, /needs a name/],
    [{ source: 'a', allowed_tools: [{ name: 'a', input_schema: { type: 'text' } }] }, /not a valid JSON Schema/],
  ])('refuses %j', (config, message) => {
    expect(() => parsed(NoInvalidToolCallsColumnType, config)).toThrow(message);
  });
});

describe('STRUCTURE', () => {
  const schema = { type: 'object', required: ['answer'], properties: { answer: { type: 'string' } } };

  it.each<[JsonValue, JsonObject | null, boolean]>([
    ['{"answer":"yes"}', schema, true],
    [{ answer: 'yes' }, schema, true],
    ['{"answer":7}', schema, false],
    ['{}', schema, false],
    ['[1', schema, false],
    ['', schema, false],
    [null, null, false],
    ['{}', null, true],
    ['7', null, true],
    ['An answer.', null, false],
    ['{"a": 12345678901234567890}', { properties: { a: { type: 'integer' } } }, true],
  ])('%j against %j: %s', async (source, given, value) => {
    expect(await cellOf(StructureColumnType, { source, schema: given })).toEqual({ value });
  });

  it('explains the problems', async () => {
    expect(await explained(StructureColumnType, { source: '{"answer":7}', schema })).toEqual({
      problems: ['/answer must be string.'],
    });
    expect(await explained(StructureColumnType, { source: '{"answer":"yes"}', schema })).toBeNull();
  });

  it('reads a schema that is JSON text', () => {
    expect(parsed(StructureColumnType, { source: 'a', schema: JSON.stringify(schema) })).toMatchObject({ schema });
  });

  it.each<[JsonValue, RegExp]>([
    [{ type: 'text' }, /not a valid JSON Schema/],
    [{ $ref: 'https://example.com/schema.json' }, /can't resolve reference/],
    [{ $ref: '#/$defs/none' }, /can't resolve reference/],
    [{ $schema: 'http://json-schema.org/draft-04/schema#' }, /draft 6/],
    [{ pattern: '(?=a)' }, /lookahead/],
    ['{"type":', /schema/],
    [[], /schema/],
    [{ description: 'x'.repeat(100_001) }, /characters/],
  ])('refuses the schema %j', (given, message) => {
    expect(() => parsed(StructureColumnType, { source: 'a', schema: given })).toThrow(message);
  });
});

describe('the explanation of a check', () => {
  it('is the count for COUNT', async () => {
    expect(await explained(CountColumnType, { source: 'two words', type: 'words', min_count: 3 })).toEqual({
      count: 2,
    });
  });

  it('is the expected and the observed calls for TRAJECTORY', async () => {
    const config = { trace_source: { name: 'Tool: search' }, accepted_scenarios: [['answer'], { required_tools: [] }] };
    expect(await explained(TrajectoryColumnType, config)).toEqual({ observed: ['search'], expected: [['answer'], []] });
  });
});
