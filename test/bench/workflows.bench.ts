import { randomBytes } from 'node:crypto';
import { WebSocket } from 'ws';
import { afterAll, beforeAll, it } from 'vitest';
import { ApiClient } from '../support/api-client.js';
import type { Installation } from '../support/server-processes.js';
import { benchNodeOptions, startBenchInstallation } from './bench-installation.js';
import { machine, median, printTable, quantile } from './report.js';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const RUNS = Number(process.env.BENCH_RUNS ?? 500);
const CLIENTS = 32;
const NODES = 10;
const ALONE = Number(process.env.BENCH_ALONE ?? 20);

let server: Installation;
let client: ApiClient;
let workflow: number;

beforeAll(async () => {
  server = await startBenchInstallation({ SECRETS_KEY: randomBytes(32).toString('base64') });
  await server.start('api', benchNodeOptions);
  await server.start('worker', benchNodeOptions);
  client = new ApiClient(server.url, server.apiKey);
  const nodes = Array.from({ length: NODES }, (_, index) => ({
    name: `Node ${index}`,
    node_type: 'CODE_EXECUTION',
    configuration: {
      language: 'JAVASCRIPT',
      code: index === 0 ? 'return data.n' : `return data["Node ${index - 1}"] + 1`,
    },
    dependencies: index === 0 ? [] : [`Node ${index - 1}`],
    is_output_node: index === NODES - 1,
  }));
  const body = { name: 'Ten steps', nodes, required_input_variables: { n: 'integer' } };
  workflow = (await client.post<{ workflow_id: number }>('/rest/workflows', body)).workflow_id;
});
afterAll(() => server.close());

/** Connection that receives updates of runs, like clients that wait by push. */
class Push {
  private readonly waiting = new Map<string, (at: number) => void>();

  private constructor(
    private readonly socket: WebSocket,
    private id: number,
  ) {
    socket.on('message', (data: Buffer) => {
      for (const line of data.toString().split('\n')) this.hear(line);
    });
  }

  /** Time of the notification about the run, in milliseconds. */
  static async of(run: number): Promise<number> {
    const channel = `workflow_updates:${run}`;
    const answer = await client.post<{ token_details: { token: string } }>(
      `/ws-token-request-library?capability=${channel}`,
      {},
    );
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}/connection/websocket`);
    await new Promise((resolve) => socket.once('open', resolve));
    const push = new Push(socket, 0);
    const told = new Promise<number>((resolve) => push.waiting.set(channel, resolve));
    push.send({ connect: { token: answer.token_details.token } });
    push.send({ subscribe: { channel } });
    return told.finally(() => socket.terminate());
  }

  private send(command: object): void {
    this.socket.send(JSON.stringify({ id: ++this.id, ...command }));
  }

  private hear(line: string): void {
    const { push } = JSON.parse(line) as { push?: { channel: string } };
    if (push) this.waiting.get(push.channel)?.(performance.now());
  }
}

const start = async (n: number): Promise<number> => {
  const body = { input_variables: { n } };
  const url = `/workflows/${workflow}/run`;
  return (await client.post<{ workflow_version_execution_id: number }>(url, body)).workflow_version_execution_id;
};

/** Milliseconds from the request to the result, by push. */
async function timeOf(n: number): Promise<number> {
  const began = performance.now();
  return (await Push.of(await start(n))) - began;
}

/** Runs that so many clients ask for one after the other; gives the time of each. */
async function load(runs: number): Promise<{ elapsedMs: number; latencies: number[] }> {
  const latencies: number[] = [];
  let next = 0;
  const began = performance.now();
  const each = async () => {
    while (next < runs) latencies.push(await timeOf(next++));
  };
  await Promise.all(Array.from({ length: CLIENTS }, each));
  return { elapsedMs: performance.now() - began, latencies };
}

/** Milliseconds from the end of the last node, as the database has it, to the message. */
async function pushDelay(n: number): Promise<number> {
  const run = await start(n);
  await Push.of(run);
  const at = Date.now();
  const { items } = await client.get<{ items: { workflow_version_execution_id: number; finished_at: string }[] }>(
    `/workflows/${workflow}/runs?limit=1`,
  );
  return at - Date.parse(items[0]!.finished_at);
}

it(`runs a workflow of ${NODES} nodes of code in a row`, async () => {
  await load(CLIENTS * 2);
  const [alone, delays, rates, latencies]: number[][] = [[], [], [], []];
  for (let n = 0; n < ALONE; n++) alone!.push(await timeOf(n));
  for (let n = 0; n < ALONE; n++) delays!.push(await pushDelay(n));
  for (let round = 0; round < ROUNDS; round++) {
    const result = await load(RUNS);
    rates!.push((RUNS / result.elapsedMs) * 1000);
    latencies!.push(...result.latencies);
  }
  printTable(
    `Workflows: ${NODES} nodes of code in a row, one worker, ${CLIENTS} clients that wait by push, ${ROUNDS} rounds of ${RUNS} runs\n` +
      `${await machine(server.databaseUrl)}`,
    [
      ['runs/s, median', 'best', 'p50 ms', 'p95 ms', 'alone p50 ms', 'push after the end, p50 ms', 'p95 ms'],
      [
        median(rates!).toFixed(1),
        Math.max(...rates!).toFixed(1),
        median(latencies!).toFixed(0),
        quantile(latencies!, 0.95).toFixed(0),
        median(alone!).toFixed(0),
        median(delays!).toFixed(0),
        quantile(delays!, 0.95).toFixed(0),
      ],
    ],
  );
}, 600_000);
