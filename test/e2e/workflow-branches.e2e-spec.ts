import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { TestApp } from '../support/test-app.js';
import {
  code,
  edge,
  outcomes,
  ran,
  resultsOf,
  saveWorkflow,
  startRun,
  type TestEdge,
  type TestNode,
  when,
} from '../support/workflow-runs.js';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.start();
  me = app.client;
});
afterAll(() => app.stop());

const constant = (name: string, value: unknown): TestNode => ({
  name,
  node_type: 'VARIABLE',
  configuration: { value: { type: typeof value === 'string' ? 'string' : 'json', value } },
});
const coalesce = (name: string, ...sources: string[]): TestNode => ({
  name,
  node_type: 'COALESCE',
  configuration: { sources },
  dependencies: sources,
});
const fails = (name: string, dependencies: string[] = []) => code(name, 'throw new Error("no")', dependencies);

/** Runs a workflow with the input `x` and returns the outcomes of its nodes. */
async function outcomeOf(nodes: TestNode[], edges: TestEdge[], x: unknown = 'x'): Promise<Record<string, unknown>> {
  const type = Array.isArray(x) ? 'array' : typeof x;
  const flow = await saveWorkflow(me, { inputs: { x: type }, nodes, edges });
  return outcomes(await ran(me, flow.id, { x }));
}

const TWO_WAYS = [
  code('Classify', 'return data.x.includes("refund") ? "refund" : "other"'),
  code('Refund', 'return "We refund it."', ['Classify']),
  code('Other', 'return "Please wait."', ['Classify']),
  coalesce('Answer', 'Refund', 'Other'),
];
const TWO_EDGES = [
  edge('Classify', 'Refund', when({ of: 'Classify' }, '=', 'refund')),
  edge('Classify', 'Other', when({ of: 'Classify' }, '!=', 'refund')),
];

describe('edges with conditions', () => {
  it('choose a branch, and what reads both goes on with the one that was taken', async () => {
    const flow = await saveWorkflow(me, { inputs: { x: 'string' }, nodes: TWO_WAYS, edges: TWO_EDGES });
    const taken = await startRun(me, flow.id, { x: 'A refund, please' });
    const other = await startRun(me, flow.id, { x: 'Hello' });
    expect(await resultsOf(me, taken)).toBe('We refund it.');
    expect(outcomes((await resultsOf(me, other, '&return_all_outputs=true')) as never)).toEqual({
      Classify: 'other',
      Refund: 'SKIPPED',
      Other: 'Please wait.',
      Answer: 'Please wait.',
    });
  });

  const refuses = edge('A', 'B', when({ of: 'A' }, '=', 'something else'));
  const leads = edge('A', 'B', when({ of: 'A' }, '=', 1));

  const CASES: { name: string; nodes: TestNode[]; edges: TestEdge[]; becomes: Record<string, unknown> }[] = [
    {
      name: 'lead nowhere when they do not hold, nor does what follows',
      nodes: [
        constant('A', 1),
        code('B', 'return 2', ['A']),
        code('C', 'return 3', ['B']),
        code('D', 'return 4', ['C', 'B']),
      ],
      edges: [refuses],
      becomes: { A: 1, B: 'SKIPPED', C: 'SKIPPED', D: 'SKIPPED' },
    },
    {
      name: 'skip columns that the server computes by itself as well',
      nodes: [
        constant('A', 1),
        { ...constant('B', 2), dependencies: ['A'] },
        { name: 'C', node_type: 'COUNT', configuration: { source: 'B', type: 'chars' }, dependencies: ['B'] },
      ],
      edges: [refuses],
      becomes: { A: 1, B: 'SKIPPED', C: 'SKIPPED' },
    },
    {
      name: 'give null for what was skipped where something else was not',
      nodes: [constant('A', 1), code('B', 'return 2', ['A']), code('C', 'return data', ['A', 'B'])],
      edges: [refuses],
      becomes: { A: 1, B: 'SKIPPED', C: { x: 'x', A: 1, B: null } },
    },
    {
      name: 'do not hold up what an input leads to as well',
      nodes: [constant('A', 1), code('B', 'return 2', ['A']), code('C', 'return data', ['x', 'B'])],
      edges: [refuses],
      becomes: { A: 1, B: 'SKIPPED', C: { x: 'x', B: null } },
    },
    {
      name: 'lead on when one of several does',
      nodes: [constant('A', 1), constant('Z', 2), code('B', 'return "on"', ['A', 'Z'])],
      edges: [refuses, edge('Z', 'B', when({ of: 'Z' }, '>', 1))],
      becomes: { A: 1, Z: 2, B: 'on' },
    },
    {
      name: 'need all of their conditions with is_and',
      nodes: [constant('A', 1), code('B', 'return 2', ['A'])],
      edges: [edge('A', 'B', when({ of: 'A' }, '=', 1), when({ of: 'x' }, '=', 'y'))],
      becomes: { A: 1, B: 'SKIPPED' },
    },
    {
      name: 'need any of them without is_and',
      nodes: [constant('A', 1), code('B', 'return 2', ['A'])],
      edges: [{ ...edge('A', 'B', when({ of: 'A' }, '=', 5), when({ of: 'x' }, '=', 'x')), is_and: false }],
      becomes: { A: 1, B: 2 },
    },
    {
      name: 'are not taken from what was skipped',
      nodes: [constant('A', 1), code('B', 'return 2', ['A']), code('C', 'return 3', ['A', 'B'])],
      edges: [refuses, edge('B', 'C', when(1, '=', 1))],
      becomes: { A: 1, B: 'SKIPPED', C: 'SKIPPED' },
    },
    {
      name: 'compare what was skipped as null',
      nodes: [constant('A', 1), code('B', 'return 2', ['A']), code('C', 'return 3', ['A', 'B'])],
      edges: [refuses, edge('A', 'C', when({ of: 'B' }, 'is_null'))],
      becomes: { A: 1, B: 'SKIPPED', C: 3 },
    },
    {
      name: 'compare results that are null',
      nodes: [code('A', 'return null'), code('B', 'return 2', ['A']), code('C', 'return 3', ['A'])],
      edges: [edge('A', 'B', when({ of: 'A' }, 'is_null')), edge('A', 'C', when({ of: 'A' }, 'is_not_null'))],
      becomes: { A: null, B: 2, C: 'SKIPPED' },
    },
    {
      name: 'fail what they lead to when what they come from has failed',
      nodes: [fails('A'), code('B', 'return 2', ['A']), coalesce('C', 'B', 'x')],
      edges: [leads],
      becomes: {
        A: 'FAILED: Error: no (line 1)',
        B: 'FAILED: "A" failed in this row.',
        C: 'FAILED: "B" failed in this row.',
      },
    },
    {
      name: 'skip a node that another source of has failed',
      nodes: [fails('F'), constant('A', 1), code('B', 'return 2', ['A', 'F'])],
      edges: [refuses],
      becomes: { F: 'FAILED: Error: no (line 1)', A: 1, B: 'SKIPPED' },
    },
  ];
  it.each(CASES)('$name', async ({ nodes, edges, becomes }) => {
    expect(await outcomeOf(nodes, edges)).toEqual(becomes);
  });

  it('may begin at an input', async () => {
    const nodes = [{ ...code('B', 'return "big"', ['x']), is_output_node: true }];
    const edges = [edge('x', 'B', when({ of: 'x' }, '>', 10))];
    expect(await outcomeOf(nodes, edges, 11)).toEqual({ B: 'big' });
    expect(await outcomeOf(nodes, edges, 3)).toEqual({ B: 'SKIPPED' });
  });
});

describe('a node that fails', () => {
  it('fails what depends on it, also without reading it, and leaves other branches alone', async () => {
    const nodes = [
      fails('A'),
      { ...constant('B', 'b'), dependencies: ['A'] },
      code('C', 'return "c"'),
      { ...code('D', 'return data.C', ['C']), is_output_node: true },
    ];
    expect(await outcomeOf(nodes, [])).toEqual({
      A: 'FAILED: Error: no (line 1)',
      B: 'FAILED: "A" failed in this row.',
      C: 'c',
      D: 'c',
    });
  });
});

it('computes a run all of whose inputs are empty', async () => {
  const nodes = [{ name: 'N', node_type: 'COUNT', configuration: { source: 'x', type: 'chars' } }];
  expect(await outcomeOf(nodes, [], '')).toEqual({ N: 0 });
});
