import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';
import { WaitingService } from '../support/waiting-service.js';
import {
  code,
  edge,
  freshName,
  nodesOf,
  outcomes,
  ran,
  resultsOf,
  resultsUrl,
  runUrl,
  saveWorkflow,
  startRun,
  type TestNode,
  when,
} from '../support/workflow-runs.js';

let app: TestApp;
let me: Client;
let stranger: Client;
let service: WaitingService;
beforeAll(async () => {
  service = await WaitingService.start();
  app = await TestApp.start({ env: { OUTBOUND_ALLOW_PRIVATE: 'on' } });
  me = app.client;
  stranger = await app.stranger();
});
beforeEach(() => service.reset());
afterAll(async () => {
  await app.stop();
  await service.stop();
});

const messageOf = async (client: Client, status: number, url: string, body?: object): Promise<string> => {
  const answer = body ? client.post(url, body, status) : client.get(url, status);
  return ((await answer) as { message: string }).message;
};

/** Asks the service, which may hold its answer. */
const asks = (name: string, dependencies: string[] = []): TestNode => ({
  name,
  node_type: 'ENDPOINT',
  configuration: { url: service.url },
  dependencies,
});

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

  it('is a run of its own each time, and many at the same time are', async () => {
    const flow = await saveWorkflow(me, { inputs: { n: 'integer' }, nodes: [code('Twice', 'return data.n * 2')] });
    const numbers = Array.from({ length: 60 }, (_, index) => index % 30);
    const ids = await Promise.all(numbers.map((n) => startRun(me, flow.id, { n })));
    expect(new Set(ids).size).toBe(60);
    const results = await Promise.all(ids.map((id) => resultsOf(me, id)));
    expect(results).toEqual(numbers.map((n) => n * 2));
  });

  it('is one run for the same Idempotency-Key', async () => {
    const flow = await saveWorkflow(me, { nodes: [code('One', 'return 1')] });
    const client = me.with({ 'idempotency-key': randomUUID() });
    expect(await startRun(client, flow.id)).toBe(await startRun(client, flow.id));
  });

  it('is of the version that is asked for, also while others are saved', async () => {
    const flow = await saveWorkflow(me, { nodes: [code('V', 'return 1')], release_labels: ['live'] });
    const running = [startRun(me, flow.name, {}, { workflow_version_number: 1 })];
    const second = saveWorkflow(me, { workflow_name: flow.name, nodes: [code('V', 'return 2')] });
    running.push(startRun(me, flow.name, {}, { workflow_label_name: 'live' }));
    await second;
    running.push(startRun(me, flow.name), startRun(me, flow.name, {}, { workflow_version_number: 1 }));
    const results = await Promise.all(running.map(async (id) => resultsOf(me, await id)));
    expect(results).toEqual([1, 1, 2, 1]);
  });

  it('goes on in a branch when another one has failed', async () => {
    const flow = await saveWorkflow(me, {
      nodes: [
        { ...code('Bad', 'throw new Error("broken")'), is_output_node: true },
        code('After', 'return 1', ['Bad']),
        { ...code('Good', 'return "fine"'), is_output_node: true },
      ],
    });
    const id = await startRun(me, flow.id);
    expect(await resultsOf(me, id)).toBe('fine');
    const nodes = await nodesOf(me, id);
    expect(nodes.Bad).toEqual({
      status: 'FAILED',
      value: null,
      error_message: 'Error: broken (line 1)',
      raw_error_message: 'Error: broken (line 1)',
      is_output_node: true,
    });
    expect(nodes.After).toMatchObject({ status: 'FAILED', is_output_node: false });
    expect(nodes.Good).toMatchObject({ status: 'SUCCESS', value: 'fine', error_message: null });
  });

  it('gives all nodes when no output node has succeeded', async () => {
    const flow = await saveWorkflow(me, { nodes: [code('Bad', 'throw new Error("broken")')] });
    expect(await resultsOf(me, await startRun(me, flow.id))).toMatchObject({ Bad: { status: 'FAILED' } });
  });

  it('ends when code takes too long', async () => {
    const hasty = await TestApp.start({ env: { CODE_TIME_LIMIT_MS: '1000' } });
    const flow = await saveWorkflow(hasty.client, { nodes: [code('Endless', 'for (;;) {}')] });
    expect(outcomes(await ran(hasty.client, flow.id))).toEqual({ Endless: expect.stringMatching(/took longer than/) });
    await hasty.stop();
  });

  it('can have 200 nodes', async () => {
    const nodes = Array.from({ length: 200 }, (_, index) =>
      index === 0
        ? code('N0', 'return 1')
        : {
            name: `N${index}`,
            node_type: 'COALESCE',
            configuration: { sources: [`N${Math.floor((index - 1) / 4)}`, 'x'] },
          },
    ).map((node, index) => ({ ...node, dependencies: index === 0 ? [] : [`N${Math.floor((index - 1) / 4)}`] }));
    const flow = await saveWorkflow(me, { inputs: { x: 'string' }, nodes });
    const id = await startRun(me, flow.id, { x: '' });
    expect(await resultsOf(me, id)).toBe(1);
    expect(Object.keys(await nodesOf(me, id))).toHaveLength(200);
  });

  it('has outputs of megabytes', async () => {
    const flow = await saveWorkflow(me, {
      nodes: [
        code('Large', 'return {text: "é".repeat(2_000_000)}'),
        code('Size', 'return data.Large.text.length', ['Large']),
      ],
    });
    const id = await startRun(me, flow.id);
    expect(await resultsOf(me, id)).toBe(2_000_000);
    expect((await nodesOf(me, id)).Large!.value).toEqual({ text: 'é'.repeat(2_000_000) });
  });

  it('takes values that are unusual', async () => {
    const flow = await saveWorkflow(me, {
      inputs: { constructor: 'string', 'ein „Name"': 'object' },
      nodes: [code('__proto__', 'return 1'), code('All', 'return [data.constructor, data["ein „Name\\""]]')],
    });
    const nodes = await ran(me, flow.id, { constructor: 'a\u0000b\ud800', 'ein „Name"': { deep: [[[[]]]], n: null } });
    expect(nodes.All!.value).toEqual(['a\ufffdb\ufffd', { deep: [[[[]]]], n: null }]);
    expect(Object.keys(nodes)).toContain('__proto__');
  });

  it('survives when its workflow is deleted, but no other begins', async () => {
    const flow = await saveWorkflow(me, { nodes: [code('One', 'return 1')] });
    const id = await startRun(me, flow.id);
    await app.sql('UPDATE workflows SET deleted_at = now() WHERE id = $1', [flow.id]);
    expect(await resultsOf(me, id)).toBe(1);
    expect(await messageOf(me, 404, runUrl(flow.id), {})).toBe(`Workflow ${flow.id} was not found in this workspace.`);
  });
});

describe('starting a run', () => {
  const REFUSED: [string, object, RegExp][] = [
    ['without its inputs', {}, /input "text" is missing. Send a string.*"size" is missing.*1 more fault/s],
    ['with null', { ...GIVEN, text: null }, /input "text" is null, but should be a string/],
    ['with a number for a text', { ...GIVEN, text: 5 }, /"text" is a number, but should be a string/],
    ['with a text for a number', { ...GIVEN, ratio: '5' }, /"ratio" is a string, but should be a number/],
    ['with a fraction for an integer', { ...GIVEN, size: 1.5 }, /"size" is a number, but should be an integer/],
    ['with a list for an object', { ...GIVEN, data: [] }, /"data" is an array, but should be an object/],
    ['with an object for a list', { ...GIVEN, list: {} }, /"list" is an object, but should be an array/],
    ['with 0 for false', { ...GIVEN, flag: 0 }, /"flag" is a number, but should be true or false/],
  ];
  it.each(REFUSED)('%s is refused', async (_, input_variables, why) => {
    const flow = await saveWorkflow(me, { inputs: INPUTS, nodes: [code('All', 'return data')] });
    expect(await messageOf(me, 400, runUrl(flow.id), { input_variables })).toMatch(why);
  });

  it('with more than its inputs says what is not used', async () => {
    const flow = await saveWorkflow(me, { inputs: { a: 'string' }, nodes: [code('All', 'return data')] });
    const body = { input_variables: { a: 'x', b: 1, toString: 2 }, metadata: null, channel_name_suffix: null };
    const answer = await me.post(runUrl(flow.name), body, 201);
    expect(answer).toEqual({
      success: true,
      message: 'Workflow execution created successfully',
      warning: 'The workflow has no such inputs, so they were not used: "b", "toString".',
      workflow_version_execution_id: expect.any(Number),
    });
  });

  it('answers 404 for a missing workflow, version or label', async () => {
    const flow = await saveWorkflow(me, { nodes: [code('One', 'return 1')], release_labels: ['live'] });
    const absent: [Client, string | number, object][] = [
      [me, freshName('no'), {}],
      [me, 2_000_000_000, {}],
      [stranger, flow.id, {}],
      [stranger, flow.name, {}],
      [me, flow.id, { workflow_version_number: 2 }],
      [me, flow.id, { workflow_label_name: 'dead' }],
    ];
    for (const [client, name, body] of absent) await client.post(runUrl(name), body, 404);
    const both = { workflow_version_number: 1, workflow_label_name: 'live' };
    expect(await messageOf(me, 400, runUrl(flow.id), both)).toMatch('not both');
  });

  const UNREADABLE: [string, object][] = [
    ['metadata that is no text', { metadata: { a: 1 } }],
    ['metadata that is a list', { metadata: ['a'] }],
    ['inputs that are a list', { input_variables: [] }],
    ['a version that is no number', { workflow_version_number: 'one' }],
    ['version 0', { workflow_version_number: 0 }],
    ['a label that is a number', { workflow_label_name: 5 }],
    ['a callback_url that is a number', { callback_url: 5 }],
    ['a long channel_name_suffix', { channel_name_suffix: 'x'.repeat(65) }],
  ];
  it.each(UNREADABLE)('with %s is refused', async (_, body) => {
    const flow = await saveWorkflow(me, { nodes: [code('One', 'return 1')] });
    await me.post(runUrl(flow.id), body, 422);
  });

  it.each(['ftp://example.com', 'http://user:secret@example.com', 'nowhere'])(
    'with the callback_url %s is refused',
    async (callback_url) => {
      const flow = await saveWorkflow(me, { nodes: [code('One', 'return 1')] });
      expect(await messageOf(me, 400, runUrl(flow.id), { callback_url })).toMatch(
        'This callback_url cannot be called.',
      );
    },
  );
});

describe('results', () => {
  it('are 202 with the states of the nodes until the last one is final', async () => {
    service.delayMs = null;
    const flow = await saveWorkflow(me, {
      nodes: [code('First', 'return 1'), asks('Held', ['First']), code('Last', 'return data.Held', ['Held'])],
    });
    const id = await startRun(me, flow.id);
    await until(async () => {
      const nodes = Object.values((await me.get(resultsUrl(id), 202)) as object) as { status: string }[];
      return nodes.map(({ status }) => status).join() === 'SUCCESS,RUNNING,QUEUED';
    });
    const [first, held] = flow.nodes;
    expect(await me.get(resultsUrl(id, `&workflow_node_id=${first!.id.toUpperCase()}`))).toBe(1);
    expect(await me.get(resultsUrl(id, '&workflow_node_name=First&return_all_outputs=true'))).toMatchObject({
      First: { status: 'SUCCESS', value: 1 },
    });
    await me.get(resultsUrl(id, `&workflow_node_id=${held!.id}`), 202);
    service.release();
    expect(await resultsOf(me, id)).toEqual({ FIRST: 1 });
  });

  it('are not found for a missing run or node', async () => {
    const flow = await saveWorkflow(me, { nodes: [code('One', 'return 1')] });
    const id = await startRun(me, flow.id);
    await stranger.get(resultsUrl(id), 404);
    await me.get(resultsUrl(id + 1_000_000), 404);
    await me.get(resultsUrl(id, '&workflow_node_name=Two'), 404);
    await me.get(resultsUrl(id, `&workflow_node_id=${randomUUID()}`), 404);
    await me.get(resultsUrl(id, '&workflow_node_id=x'), 422);
    await me.get('/workflow-version-execution-results', 422);
    for (const wrong of [0, -1, 1.5, 'x', 1e300]) await me.get(resultsUrl(wrong as number), 422);
  });
});

describe('cancelling a run', () => {
  const cancelUrl = (id: number) => `/workflow-version-executions/${id}/cancel`;

  it('ends what is computed for it, and nothing of other runs', async () => {
    service.delayMs = null;
    const flow = await saveWorkflow(me, {
      inputs: { x: 'string' },
      nodes: [code('First', 'return data.x'), asks('Held', ['First']), code('Last', 'return data.Held', ['Held'])],
    });
    const [id, other] = [await startRun(me, flow.id, { x: 'a' }), await startRun(me, flow.id, { x: 'b' })];
    await until(() => Promise.resolve(service.open === 2));
    // A step begins before the results of those before it are stored.
    await until(async () => {
      const nodes = (await me.get(resultsUrl(id), 202)) as Record<string, { status: string }>;
      return nodes.First!.status === 'SUCCESS';
    });
    await stranger.post(cancelUrl(id), undefined, 404);
    expect(await me.post(cancelUrl(id))).toEqual({
      success: true,
      workflow_version_execution_id: id,
      status: 'cancelled',
    });
    const cancelled = 'FAILED: The run was cancelled before this node was computed.';
    expect(outcomes(await nodesOf(me, id))).toEqual({ First: 'a', Held: cancelled, Last: cancelled });
    await until(() => Promise.resolve(service.hungUp === 1));
    service.release();
    expect(await resultsOf(me, other)).toEqual({ X: 'B', FIRST: 'B' });
    expect(await me.post(cancelUrl(other))).toMatchObject({ status: 'finished' });
    expect(await me.post(cancelUrl(id))).toMatchObject({ status: 'cancelled' });
  });
});

it('lists the runs of a workflow, the latest first', async () => {
  const flow = await saveWorkflow(me, { nodes: [code('One', 'return 1')] });
  const ids: number[] = [];
  for (const n of [1, 2, 3]) ids.push(await startRun(me, flow.id, {}, { metadata: { n: String(n) } }));
  for (const id of ids) await resultsOf(me, id);
  const list = (query: string) =>
    me.get(`/workflows/${flow.id}/runs${query}`) as Promise<{ items: object[]; has_more: boolean }>;
  const page = await list('?limit=2');
  expect(page).toMatchObject({
    has_more: true,
    items: [
      { workflow_version_execution_id: ids[2], status: 'finished', version_number: 1, metadata: { n: '3' } },
      { workflow_version_execution_id: ids[1], finished_at: expect.any(String) },
    ],
  });
  const listed = (await me.get(`/workflows?name=${encodeURIComponent(flow.name)}`)) as { items: object[] };
  expect(listed.items).toMatchObject([
    { last_run: { workflow_version_execution_id: ids[2], status: 'finished', created_at: expect.any(String) } },
  ]);
  const rest = await list(`?limit=2&before=${ids[1]}`);
  expect(rest).toMatchObject({ has_more: false, items: [{ workflow_version_execution_id: ids[0] }] });
  await stranger.get(`/workflows/${flow.id}/runs`, 404);
});

it('reads a run with its inputs, as they were given, and the trace that it writes', async () => {
  const inputs = { text: '"Ünï" \\ {x}', list: [1, { a: null }], large: 'x'.repeat(300_000) };
  const flow = await saveWorkflow(me, {
    inputs: { text: 'string', list: 'array', large: 'string' },
    nodes: [code('One', 'return 1')],
  });
  const id = await startRun(me, flow.id, inputs, { metadata: { n: '1' } });
  await resultsOf(me, id);
  const url = `/workflow-version-executions/${id}`;
  const { run } = (await me.get(url)) as { run: { trace_id: string } };
  expect(run).toMatchObject({
    workflow_version_execution_id: id,
    workflow_id: flow.id,
    version_number: 1,
    status: 'finished',
    metadata: { n: '1' },
    input_variables: inputs,
  });
  await until(async () => (await me.request('GET', `/api/public/v2/traces/${run.trace_id}`)).status === 200);
  await stranger.get(url, 404);
  await me.get('/workflow-version-executions/9007199254740991', 404);
  await me.get('/workflow-version-executions/nothing', 422);
  const without = await saveWorkflow(me, { nodes: [code('One', 'return 1')] });
  const bare = await startRun(me, without.id);
  expect(await me.get(`/workflow-version-executions/${bare}`)).toMatchObject({ run: { input_variables: {} } });
});

it('opens another sheet when one is full', async () => {
  const flow = await saveWorkflow(me, {
    inputs: { x: 'string' },
    nodes: [code('A', 'return data.x'), code('B', 'return data.A', ['A'])],
    edges: [edge('A', 'B', when({ of: 'A' }, '=', 'b'))],
  });
  const first = await ran(me, flow.id, { x: 'a' });
  await app.sql(`UPDATE sheets s SET rows = '{[0,10000)}' FROM workflow_run_sheets r
                  JOIN workflow_versions v ON v.id = r.workflow_version_id
                 WHERE s.id = r.sheet_id AND v.workflow_id = ${flow.id}`);
  const second = await ran(me, flow.id, { x: 'b' });
  expect([outcomes(first), outcomes(second)]).toEqual([
    { A: 'a', B: 'SKIPPED' },
    { A: 'b', B: 'b' },
  ]);
  const [sheets] = await app.sql(
    `SELECT count(*)::int FROM workflow_run_sheets r JOIN workflow_versions v ON v.id = r.workflow_version_id
      WHERE v.workflow_id = $1`,
    [flow.id],
  );
  expect(sheets).toEqual({ count: 2 });
});
