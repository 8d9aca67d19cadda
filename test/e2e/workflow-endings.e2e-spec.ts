import { randomUUID } from 'node:crypto';
import { Centrifuge, type PublicationContext } from 'centrifuge';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { Client } from '../support/client.js';
import { addressOf, LiveSocket, TOKENS, tokenFor } from '../support/live.js';
import { sweepUntil } from '../support/sweeps.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';
import { Customers, IMPATIENT, NEWS, Receiver, type Treatment } from '../support/webhooks.js';
import { code, nodesOf, resultsOf, type SavedWorkflow, saveWorkflow, startRun } from '../support/workflow-runs.js';

let app: TestApp;
let me: Client;
let stranger: Client;
let url: string;
let flow: SavedWorkflow;
beforeAll(async () => {
  app = await TestApp.start({ env: { ...IMPATIENT, CALLBACK_BACKOFF_MS: '1', CALLBACK_TIMEOUT_MS: '60000' } });
  me = app.client;
  stranger = await app.stranger();
  url = await addressOf(app.app);
  flow = await saveWorkflow(me, {
    inputs: { x: 'string' },
    nodes: [code('Twice', 'return data.x + data.x'), code('Out', 'return data.Twice + "!"', ['Twice'])],
  });
});
afterAll(() => app.stop());

const opened: { close(): void }[] = [];
const receivers: Receiver[] = [];
afterEach(async () => {
  opened.splice(0).forEach((each) => each.close());
  await Promise.all(receivers.splice(0).map((each) => each.stop()));
});

interface Completion {
  workflow_version_execution_id: number;
  final_output: unknown;
  result_code: string;
}

const NODES = {
  Twice: { status: 'SUCCESS', value: 'aa', error_message: null, raw_error_message: null, is_output_node: false },
  Out: { status: 'SUCCESS', value: 'aa!', error_message: null, raw_error_message: null, is_output_node: true },
};

/** Completions that a published client receives on a channel. */
async function follow(channel: string): Promise<Completion[]> {
  const { token } = await tokenFor(me, channel);
  const client = new Centrifuge(url, { token, websocket: WebSocket });
  opened.push({ close: () => client.disconnect() });
  const heard: Completion[] = [];
  const subscription = client.newSubscription(channel);
  subscription.on('publication', ({ data }: PublicationContext) => {
    const { message_name, data: text } = data as { message_name: string; data: string };
    expect(message_name).toBe('SET_WORKFLOW_COMPLETE');
    heard.push(JSON.parse(text) as Completion);
  });
  subscription.subscribe();
  client.connect();
  await subscription.ready();
  return heard;
}

/** Sweeps until nothing is left to be done for runs that have ended. */
const ends = () =>
  sweepUntil(app, ['workflow-run-ends'], async () => {
    return (await app.sql('SELECT FROM workflow_run_ends')).length === 0;
  });

const comes = (heard: unknown[]) => until(() => Promise.resolve(heard.length > 0));

describe('a client that waits by push', () => {
  it.each([
    ['its output', {}, 'aa!'],
    ['all its nodes', { return_all_outputs: true }, NODES],
  ])('receives %s when it subscribed before the run started', async (_, wish, final_output) => {
    const channel_name_suffix = randomUUID().replaceAll('-', '');
    const heard = await follow(`workflows:${flow.id}:run:${channel_name_suffix}`);
    const id = await startRun(me, flow.id, { x: 'a' }, { channel_name_suffix, ...wish });
    await comes(heard);
    expect(heard[0]).toEqual({ workflow_version_execution_id: id, final_output, result_code: 'OK' });
  });

  it('is notified at once of a run that ended before it subscribes', async () => {
    const channel_name_suffix = randomUUID().replaceAll('-', '').toUpperCase();
    const id = await startRun(me, flow.id, { x: 'a' }, { channel_name_suffix });
    await resultsOf(me, id);
    for (const channel of [`workflow_updates:${id}`, `workflows:${flow.id}:run:${channel_name_suffix}`]) {
      const heard = await follow(channel);
      await comes(heard);
      expect(heard[0]).toMatchObject({ workflow_version_execution_id: id, result_code: 'OK' });
    }
  });

  it('is notified of a run that ends while it waits, also by cancellation', async () => {
    const slow = await saveWorkflow(me, { nodes: [code('Slow', 'for (;;) {}')] });
    const id = await startRun(me, slow.id);
    const heard = await follow(`workflow_updates:${id}`);
    await me.post(`/workflow-version-executions/${id}/cancel`);
    await comes(heard);
    expect(heard[0]!.final_output).toMatchObject({ Slow: { status: 'FAILED' } });
  });

  it('fetches what is too large for a message', async () => {
    const large = await saveWorkflow(me, { nodes: [code('Large', 'return "x".repeat(2_000_000)')] });
    const id = await startRun(me, large.id);
    const heard = await follow(`workflow_updates:${id}`);
    await comes(heard);
    expect(heard[0]).toEqual({
      workflow_version_execution_id: id,
      final_output: null,
      result_code: 'EXCEEDS_SIZE_LIMIT',
    });
    expect(await resultsOf(me, id)).toHaveLength(2_000_000);
  });

  it('gets a token for runs and workflows of its own workspace only', async () => {
    const id = await startRun(me, flow.id, { x: 'a' });
    const [run, workflow] = [`workflow_updates:${id}`, `workflows:${flow.id}:run:abc`];
    for (const channel of [run, workflow]) {
      await stranger.post(`${TOKENS}?capability=${channel}`, undefined, 404);
    }
    for (const channel of [`workflow_updates:${id + 1_000_000}`, `workflows:${flow.id + 1_000_000}:run:abc`]) {
      await me.post(`${TOKENS}?capability=${channel}`, undefined, 404);
    }
    const live = await LiveSocket.connect(url, (await tokenFor(me, run)).token);
    opened.push(live);
    expect((await live.ask({ subscribe: { channel: workflow } })).error).toMatchObject({ code: 103 });
  });
});

describe('a callback', () => {
  const receive = async (treat?: Treatment) => {
    const receiver = await Receiver.start(treat);
    receivers.push(receiver);
    return receiver;
  };

  it('gets what became of every node', async () => {
    const receiver = await receive();
    const id = await startRun(me, flow.id, { x: 'a' }, { callback_url: receiver.url });
    await comes(receiver.requests);
    expect(receiver.payloads).toEqual([{ workflow_version_execution_id: id, final_output: NODES }]);
    expect(receiver.requests[0]!.headers).toMatchObject({ 'content-type': 'application/json' });
  });

  it('is tried again until it is taken', async () => {
    const receiver = await receive((response, count) => {
      if (count === 1) response.destroy();
      else if (count < 4) response.writeHead(503).end();
      else response.end();
    });
    const id = await startRun(me, flow.id, { x: 'a' }, { callback_url: receiver.url });
    await comes(receiver.requests);
    await ends();
    expect(receiver.payloads.at(-1)).toMatchObject({ workflow_version_execution_id: id });
    expect(receiver.requests).toHaveLength(4);
  });

  it('is given up after eight tries', async () => {
    const receiver = await receive((response) => response.writeHead(404).end());
    await startRun(me, flow.id, { x: 'a' }, { callback_url: receiver.url });
    await comes(receiver.requests);
    await ends();
    expect(receiver.requests).toHaveLength(8);
  });

  it('never reaches a private address when that is not allowed', async () => {
    const guarded = await TestApp.own({ works: false });
    const other = await saveWorkflow(guarded.client, { nodes: [code('Out', 'return 1')] });
    const body = { callback_url: 'http://127.0.0.1:1/x' };
    expect(await guarded.client.post(`/workflows/${other.id}/run`, body, 400)).toMatchObject({
      error: 'workflow_callback_refused',
    });
    await guarded.stop();
  });
});

it('is announced to webhooks', async () => {
  const customers = new Customers(() => app);
  const { me: customer, id: workspaceId } = await customers.newWorkspace();
  const receiver = await Receiver.start();
  receivers.push(receiver);
  const hook = { url: receiver.url, event_types: ['agent_run_finished'] };
  await customer.post(`/api/admin/v1/workspaces/${workspaceId}/webhooks`, hook, 201);
  const own = await saveWorkflow(customer, { name: 'Agent 007', nodes: [code('Out', 'return 7')] });
  const outer = await saveWorkflow(customer, {
    nodes: [{ name: 'In', node_type: 'WORKFLOW', configuration: { workflow_id: own.id, input_mappings: {} } }],
  });
  const ids = [await startRun(customer, own.id), await startRun(customer, outer.id)];
  await sweepUntil(app, NEWS, () => Promise.resolve(receiver.requests.length === 2));
  const details = receiver.payloads.map(({ event_type, details: told }) => ({ event_type, ...(told as object) }));
  expect(details).toContainEqual({
    event_type: 'agent_run_finished',
    agent_name: 'Agent 007',
    agent_id: own.id,
    agent_execution_id: ids[0],
  });
  // Not of the run that a node has started.
  expect(details).toContainEqual(expect.objectContaining({ agent_id: outer.id, agent_execution_id: ids[1] }));
});

interface TraceSpan {
  span_id: string;
  parent_id: string | null;
  name: string;
  status: { status_code: string; description: string | null };
  attributes: Record<string, unknown>;
  request_log_id: number | null;
}

describe('the trace of a run', () => {
  const ECHO = {
    inline: true,
    prompt_template: { type: 'chat', messages: [{ role: 'user', content: [{ type: 'text', text: 'Say {x}' }] }] },
    metadata: { model: { provider: 'tracesheet', name: 'echo', parameters: {} } },
  };

  async function traceOf(workflow: SavedWorkflow): Promise<{ trace_id: string; spans: TraceSpan[] }> {
    const filters = {
      logic: 'AND',
      filters: [{ field: 'trace_workflow_ids', operator: 'contains', value: String(workflow.id) }],
    };
    let found: { trace_id: string }[] = [];
    await until(async () => {
      const body = { filter_group: filters };
      found = ((await me.post('/api/public/v2/traces/search', body)) as { items: { trace_id: string }[] }).items;
      return found.length > 0;
    });
    await ends();
    expect(found).toHaveLength(1);
    const { trace_id } = found[0]!;
    return { trace_id, ...((await me.get(`/api/public/v2/traces/${trace_id}`)) as { spans: TraceSpan[] }) };
  }

  it('has a span for the run, one for each node, and the calls of models below theirs', async () => {
    const traced = await saveWorkflow(me, {
      inputs: { x: 'string' },
      nodes: [
        { name: 'Length', node_type: 'COUNT', configuration: { source: 'x', type: 'chars' } },
        {
          name: 'Echo',
          node_type: 'PROMPT_TEMPLATE',
          configuration: { inline_template: ECHO, prompt_template_variable_mappings: { x: 'x' } },
          dependencies: ['Length'],
        },
        code('Bad', 'throw new Error("oh")', ['Echo']),
        { ...code('Out', 'return [data.Length, data.Echo]', ['Length', 'Echo']), is_output_node: true },
      ],
    });
    const id = await startRun(me, traced.id, { x: 'abc' }, { metadata: { customer: 'acme' } });
    expect(await resultsOf(me, id)).toEqual([3, 'Say abc']);
    const { spans } = await traceOf(traced);
    const roots = spans.filter(({ parent_id }) => parent_id === null);
    expect(roots).toHaveLength(1);
    const [root] = roots;
    expect(root).toMatchObject({ name: traced.name, status: { status_code: 'StatusCode.OK' } });
    expect(root!.attributes).toMatchObject({
      node_type: 'WORKFLOW',
      workflow_id: traced.id,
      workflow_name: traced.name,
      workflow_version: 1,
      workflow_version_execution_id: id,
    });
    expect(JSON.parse(root!.attributes.function_input as string)).toEqual({ x: 'abc' });
    expect(JSON.parse(root!.attributes.function_output as string)).toEqual([3, 'Say abc']);
    const children = spans.filter(({ parent_id }) => parent_id === root!.span_id);
    expect(children.map(({ name, status }) => [name, status.status_code]).sort()).toEqual([
      ['Bad', 'StatusCode.ERROR'],
      ['Echo', 'StatusCode.OK'],
      ['Length', 'StatusCode.OK'],
      ['Out', 'StatusCode.OK'],
    ]);
    const echo = children.find(({ name }) => name === 'Echo')!;
    const calls = spans.filter(({ request_log_id }) => request_log_id !== null);
    expect(calls).toHaveLength(1);
    expect(calls[0]!.parent_id).toBe(echo.span_id);
  });

  it('says which node took over a known result, and has no call for it', async () => {
    const configuration = { inline_template: ECHO, prompt_template_variable_mappings: { x: 'x' } };
    const graph = { inputs: { x: 'string' }, nodes: [{ name: 'Echo', node_type: 'PROMPT_TEMPLATE', configuration }] };
    const [first, second] = [await saveWorkflow(me, graph), await saveWorkflow(me, graph)];
    await nodesOf(me, await startRun(me, first.id, { x: 'known' }));
    await nodesOf(me, await startRun(me, second.id, { x: 'known' }, { reuse: true }));
    const echo = ({ spans }: { spans: TraceSpan[] }) => spans.find(({ name }) => name === 'Echo')!;
    expect(echo(await traceOf(first)).attributes).not.toHaveProperty('reused_from');
    const { spans } = await traceOf(second);
    expect(echo({ spans }).attributes.reused_from).toMatch(/^\d{4}-/);
    expect(spans.filter(({ request_log_id }) => request_log_id !== null)).toEqual([]);
  });

  it('says that a run has failed', async () => {
    const bad = await saveWorkflow(me, { nodes: [code('Bad', 'throw new Error("oh")')] });
    await nodesOf(me, await startRun(me, bad.id));
    const { spans } = await traceOf(bad);
    expect(spans.find(({ parent_id }) => parent_id === null)).toMatchObject({
      status: { status_code: 'StatusCode.ERROR', description: 'Bad: Error: oh (line 1)' },
    });
    expect(spans).toHaveLength(2);
  });
});
