import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ApiClient } from '../support/api-client.js';
import { deepIt } from '../support/depth.js';
import type { Installation, ProductProcess } from '../support/server-processes.js';
import { until } from '../support/until.js';
import { WaitingService } from '../support/waiting-service.js';
import { Receiver } from '../support/webhooks.js';
import type { NodeMap } from '../support/workflow-runs.js';
import { OneWorker, startFaultInstallation } from './fault-installation.js';

const RUNS = 40;

let service: WaitingService;
let receiver: Receiver;
let server: Installation;
let client: ApiClient;
let db: pg.Client;
let workflow: number;
let column: number;
const worker = new OneWorker(() => server);

beforeAll(async () => {
  service = await WaitingService.start();
  receiver = await Receiver.start();
  const env = { OUTBOUND_ALLOW_PRIVATE: 'on', CALLBACK_BACKOFF_MS: '50', EXTERNAL_CONCURRENCY_PER_WORKSPACE: '10' };
  ({ server, client } = await startFaultInstallation(env));
  db = new pg.Client(server.databaseUrl);
  await db.connect();
  workflow = await save('Flow', [
    node('Before', 'CODE_EXECUTION', { language: 'JAVASCRIPT', code: 'return data.x + "!"' }),
    node('Asked', 'ENDPOINT', { url: service.url }, ['Before']),
    node('Again', 'ENDPOINT', { url: service.url }, ['Asked']),
    node('Length', 'COUNT', { source: 'Again', type: 'chars' }, ['Again']),
  ]);
  column = await save('Outer', [
    node('Inner', 'WORKFLOW', { workflow_id: workflow, input_mappings: { x: 'x' } }),
    node('Length', 'COUNT', { source: 'Inner', type: 'chars' }, ['Inner']),
  ]);
});
afterAll(async () => {
  await db.end();
  await server.close();
  await service.stop();
  await receiver.stop();
});

beforeEach(() => {
  service.reset();
  receiver.requests.length = 0;
});
afterEach(() => service.release());

const node = (name: string, node_type: string, configuration: object, dependencies: string[] = []) => ({
  name,
  node_type,
  configuration,
  dependencies,
  is_output_node: name === 'Length',
});

async function save(name: string, nodes: object[]): Promise<number> {
  const body = { name, nodes, required_input_variables: { x: 'string' } };
  return (await client.post<{ workflow_id: number }>('/rest/workflows', body)).workflow_id;
}

let count = 0;

/** Starts runs with new inputs, and returns their ids. */
async function startRuns(of: number): Promise<number[]> {
  const starts = Array.from({ length: RUNS }, () => {
    const body = { input_variables: { x: `run ${++count}` }, callback_url: receiver.url };
    return client.post<{ workflow_version_execution_id: number }>(`/workflows/${of}/run`, body);
  });
  return (await Promise.all(starts)).map(({ workflow_version_execution_id: id }) => id);
}

/** Expects that every run has its value and a notification. */
async function expectFinished(ids: number[]): Promise<void> {
  for (const id of ids) {
    const url = `/workflow-version-execution-results?workflow_version_execution_id=${id}&return_all_outputs=true`;
    await until(async () => (await client.send('GET', url)).status === 200, 120_000);
    const nodes = Object.values(await client.get<NodeMap>(url));
    expect(nodes.map(({ status, error_message }) => error_message ?? status)).toEqual(nodes.map(() => 'SUCCESS'));
  }
  const told = () => new Set(receiver.payloads.map((payload) => payload.workflow_version_execution_id));
  await until(() => Promise.resolve(ids.every((id) => told().has(id))));
  const events = `SELECT DISTINCT details ->> 'agent_execution_id' AS id FROM outbox_events WHERE type = 'agent_run_finished'`;
  const { rows } = await db.query<{ id: string }>(events);
  expect(rows.map(({ id }) => Number(id))).toEqual(expect.arrayContaining(ids));
}

/** Number of stored answers of the service. */
async function stored(): Promise<number> {
  const { rows } = await db.query<{ count: string }>(
    `SELECT count(*) FROM cells c JOIN sheet_columns s ON s.workspace_id = c.workspace_id AND s.key = c.column_key
      WHERE s.type = 'ENDPOINT' AND c.value IS NOT NULL`,
  );
  return Number(rows[0]!.count);
}

/** Starts runs, and does something to their worker when the second calls of some of them wait for their answers. */
async function inTheMiddle(of: number, act: (running: ProductProcess) => Promise<void>): Promise<number[]> {
  const running = await worker.running();
  const before = await stored();
  service.delayMs = 20;
  const ids = await startRuns(of);
  await until(() => Promise.resolve(service.total >= RUNS + 5));
  service.delayMs = null;
  const isStored = async () => (await stored()) - before === service.total - service.open;
  await until(async () => service.held > 0 && service.held === service.open && (await isStored()));
  await act(running);
  service.delayMs = 0;
  service.release();
  await worker.running();
  return ids;
}

/** No answer that had come was asked for again: only calls that were cut off are made twice. */
function expectAskedAgain(most: number): void {
  const times = [...service.calls.values()];
  expect(Math.max(...times)).toBeLessThanOrEqual(2);
  expect(times.filter((each) => each === 2).length).toBeLessThanOrEqual(most);
}

describe('runs of workflows all end, are told of, and compute nothing again that was finished,', () => {
  it('when the worker is killed', async () => {
    let cutOff = 0;
    const ids = await inTheMiddle(workflow, async (running) => {
      cutOff = service.open;
      await running.kill();
    });
    await expectFinished(ids);
    expectAskedAgain(cutOff);
  });

  deepIt('when the worker is killed while runs wait for runs that they have started', async () => {
    let cutOff = 0;
    const ids = await inTheMiddle(column, async (running) => {
      cutOff = service.open;
      await running.kill();
    });
    await expectFinished(ids);
    expectAskedAgain(cutOff);
    const { rows } = await db.query<{ count: string }>(
      'SELECT count(*) FROM workflow_runs WHERE workflow_id = $1 AND cause IS NOT NULL',
      [workflow],
    );
    expect(rows[0]!.count).toBe(String(RUNS));
  });

  it('when the worker is asked to stop', async () => {
    const ids = await inTheMiddle(workflow, async (running) => {
      const stopped = running.stop();
      service.release();
      await stopped;
    });
    await expectFinished(ids);
  });
});
