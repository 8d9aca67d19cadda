import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { TestApp } from '../support/test-app.js';
import {
  code,
  nodesOf,
  outcomes,
  ran,
  resultsOf,
  resultsUrl,
  runUrl,
  saveWorkflow,
  startRun,
} from '../support/workflow-runs.js';

let app: TestApp;
let me: Client;
let stranger: Client;
beforeAll(async () => {
  app = await TestApp.start();
  me = app.client;
  stranger = await app.stranger();
});
afterAll(() => app.stop());

const INPUTS = { text: 'string', size: 'integer', ratio: 'number', flag: 'boolean', data: 'object', list: 'array' };
const GIVEN = { text: ' as sent \n', size: 3, ratio: 0.5, flag: false, data: { a: [1] }, list: [1, 'x'] };

describe('a run', () => {
  it('hands every input on as it was sent', async () => {
    const flow = await saveWorkflow(me, { inputs: INPUTS, nodes: [code('All', 'return data')] });
    expect(outcomes(await ran(me, flow.name, GIVEN))).toEqual({ All: GIVEN });
  });

  it('computes its nodes in the order of their dependencies, and reads nothing else', async () => {
    const flow = await saveWorkflow(me, {
      inputs: { n: 'integer' },
      nodes: [
        code('Sum', 'return [Object.keys(data), data.Left + data.Right]', ['Left', 'Right']),
        code('Left', 'return data.n + 1'),
        code('Right', 'return data.n * 10'),
        code('Other', 'return Object.keys(data)'),
        { ...code('Last', 'return data.Sum[1]', ['Sum']), is_output_node: true },
      ],
    });
    const id = await startRun(me, flow.id, { n: 4 });
    expect(await resultsOf(me, id)).toBe(45);
    expect(outcomes(await nodesOf(me, id))).toEqual({
      Sum: [['n', 'Left', 'Right'], 45],
      Left: 5,
      Right: 40,
      Other: ['n'],
      Last: 45,
    });
  });
});
