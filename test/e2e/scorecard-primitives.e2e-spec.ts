import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { addColumn, cellsOf, newSheet, settled } from '../support/factories.js';
import { calculateScorecard, readResult, readScorecard } from '../support/scorecards.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.start();
  me = app.client;
});
afterAll(() => app.stop());

const call = (name: string, args: string) => ({ id: name, type: 'function', function: { name, arguments: args } });
const ANSWER = { role: 'assistant', content: null, tool_calls: [call('search', '{"q":"a"}'), call('answer', '{}')] };
const TRACE = {
  name: 'agent',
  start: '0',
  children: [
    { name: 'Tool: search', start: '1' },
    { name: 'Tool: answer', start: '2' },
  ],
};
const SEARCH = {
  type: 'function',
  function: { name: 'search', parameters: { type: 'object', properties: { q: { type: 'number' } } } },
};

async function valuesOf(texts: unknown[], type: string, config: object) {
  const sheet = await newSheet(me, texts);
  const column = await addColumn(me, sheet, { title: 'Check', type, config: { source: 'Column A', ...config } });
  await settled(me, sheet);
  return (await cellsOf(me, sheet, column.id)).map(({ status, value }) => (status === 'completed' ? value : status));
}

describe('checks of tool calls and structures', () => {
  const texts = [JSON.stringify(ANSWER), JSON.stringify(TRACE), 'No calls.', '{"answer":'];

  it.each<[string, object, unknown[]]>([
    ['MAX_TOOL_CALLS', { max_tool_calls: 1 }, [false, false, true, true]],
    ['max_tool_calls', { max_tool_calls: 2 }, [true, true, true, true]],
    ['TOOL_EVALUATOR', { expected_tools: ['search', 'answer'] }, [true, true, false, false]],
    ['TOOL_EVALUATOR', { expected_tools: ['answer', 'search'], mode: 'ANY_ORDER' }, [true, true, false, false]],
    ['NO_INVALID_TOOL_CALLS', { allowed_tools: ['search', 'answer'] }, [true, true, true, true]],
    ['NO_INVALID_TOOL_CALLS', { allowed_tools: ['search'] }, [false, false, true, true]],
    ['NO_INVALID_TOOL_CALLS', { allowed_tools: [SEARCH, 'answer'] }, [false, true, true, true]],
    ['STRUCTURE', {}, [true, true, false, false]],
    ['STRUCTURE', { schema: { required: ['tool_calls'] } }, [true, false, false, false]],
  ])('%s with %j', async (type, config, expected) => {
    expect(await valuesOf(texts, type, config)).toEqual(expected);
  });

  it('compute nothing where nothing is written', async () => {
    expect(await valuesOf([null, 'x'], 'MAX_TOOL_CALLS', { max_tool_calls: 0 })).toEqual([null, true]);
  });

  it('take the source by its name for traces, also as a dependency', async () => {
    const sheet = await newSheet(me, [JSON.stringify(TRACE)]);
    const dependencies = [{ column_id: sheet.columnId, reference_type: 'value', config_key: 'trace_source' }];
    const body = { type: 'MAX_TOOL_CALLS', config: { trace_source: sheet.columnId, max_tool_calls: 1 }, dependencies };
    const column = await addColumn(me, sheet, { title: 'Calls', ...body });
    await settled(me, sheet);
    expect(await cellsOf(me, sheet, column.id)).toMatchObject([{ status: 'completed', value: false }]);
  });

  it('fail only the rows in which a schema takes too long', async () => {
    // Every level is tried in both ways: 2 to the power of its depth.
    const schema = {
      $ref: '#/$defs/n',
      $defs: { n: { anyOf: [1, 2].map(() => ({ items: { $ref: '#/$defs/n' }, type: 'array' })) } },
    };
    const deep = `${'['.repeat(40)}1${']'.repeat(40)}`;
    expect(await valuesOf(['[]', deep, '[[]]'], 'STRUCTURE', { schema })).toEqual([true, 'error', true]);
  });
});

describe('as steps of a scorecard they', () => {
  const steps = (columnId: string) =>
    Object.entries({
      STRUCTURE: { schema: { required: ['answer'] } },
      MAX_TOOL_CALLS: { max_tool_calls: 1 },
      NO_INVALID_TOOL_CALLS: { allowed_tools: ['search'] },
      TOOL_EVALUATOR: { expected_tools: ['search'] },
    }).map(([primitive_type, config]) => ({
      title: primitive_type,
      primitive_type,
      primitive_config: { source: columnId, ...config },
      evidence_mode: 'raw',
    }));

  it('fail with false and an explanation', async () => {
    const sheet = await newSheet(me, [JSON.stringify(ANSWER), '{"answer":1}']);
    const { status, aggregate_score: score } = await calculateScorecard(me, sheet, steps(sheet.columnId));
    expect([status, score]).toEqual(['completed', 3 / 8]);
    const { scorecard } = await readScorecard(me, sheet);
    const resultsOf = async (row: number) => {
      const { step_results: found } = await readResult(me, sheet, row);
      return Object.fromEntries(scorecard!.steps.map(({ id, title }) => [title, found[id]]));
    };
    const observed = ['search', 'answer'];
    const failed = (explanation: object) => ({
      verdict: 'fail',
      score: 0,
      raw_value: false,
      evidence: { result: false, explanation },
    });
    expect(await resultsOf(0)).toMatchObject({
      STRUCTURE: failed({ problems: ["The JSON must have required property 'answer'."] }),
      MAX_TOOL_CALLS: failed({ count: 2, observed }),
      NO_INVALID_TOOL_CALLS: failed({ offenders: [{ tool: 'answer', problem: 'This tool is not allowed.' }] }),
      TOOL_EVALUATOR: failed({ observed, expected: ['search'] }),
    });
    const passed = { verdict: 'pass', score: 1, raw_value: true };
    expect(await resultsOf(1)).toMatchObject({
      STRUCTURE: passed,
      MAX_TOOL_CALLS: { ...passed, evidence: { explanation: { count: 0 } } },
      NO_INVALID_TOOL_CALLS: passed,
      TOOL_EVALUATOR: { verdict: 'fail', raw_value: false },
    });
  });

  it('are refused with a config that is wrong', async () => {
    const sheet = await newSheet(me);
    const [step] = steps(sheet.columnId);
    const schema = { $ref: 'https://example.com/s.json' };
    const wrong = { ...step, primitive_config: { ...step!.primitive_config, schema } };
    const body = { name: 'x', aggregation: { method: 'mean' }, steps: [wrong] };
    const answer = await me.request('PATCH', `${sheet.path}/scorecard`, body);
    expect(answer).toMatchObject({ status: 400, body: { success: false } });
    expect((answer.body as { message: string }).message).toContain('resolve reference');
  });
});

it.each<[string, object, string]>([
  ['STRUCTURE', { schema: { type: 'text' } }, 'not a valid JSON Schema'],
  ['STRUCTURE', { schema: { $ref: 'https://example.com/s.json' } }, 'resolve reference'],
  ['STRUCTURE', { schema: { pattern: '(a+)+\\1' } }, 'backreferences'],
  ['STRUCTURE', { schema: 7 }, 'schema'],
  ['MAX_TOOL_CALLS', {}, 'max_tool_calls'],
  ['MAX_TOOL_CALLS', { max_tool_calls: -1 }, 'max_tool_calls'],
  ['TOOL_EVALUATOR', { expected_tools: [''] }, 'name'],
  ['NO_INVALID_TOOL_CALLS', { allowed_tools: [{}] }, 'name'],
])('refuses %s with %j', async (type, config, words) => {
  const sheet = await newSheet(me);
  const body = { title: 'x', type, config: { source: 'Column A', ...config } };
  const answer = await me.request('POST', `${sheet.path}/columns`, body);
  expect(answer).toMatchObject({ status: 400, body: { error: 'column_config_invalid' } });
  expect((answer.body as { message: string }).message).toContain(words);
});
