import { afterAll, beforeAll, it } from 'vitest';
import type { Installation, ProductProcess } from '../support/server-processes.js';
import { benchNodeOptions, startBenchInstallation } from './bench-installation.js';
import { sendAll } from './http-load.js';
import { otlpBodies } from './otlp-load.js';
import { machine, memoryOf, type ProcessMemory, printTable } from './report.js';

const REQUESTS = Number(process.env.BENCH_REQUESTS ?? 80);
const CLIENTS = 8;
/** A body of 2 MB. */
const SPANS = 620;
/** The process keeps its memory, so what matters is whether it goes on growing. */
const PASSES = 3;

let server: Installation;
let api: ProductProcess;

beforeAll(async () => {
  server = await startBenchInstallation();
  // A new process, so its peak memory comes from this load.
  api = await server.start('api', benchNodeOptions);
});
afterAll(() => server.close());

it('takes in large bodies within little memory', async () => {
  const rows = [['requests so far', 'spans/s', 'MiB now', 'MiB at most'], row('none', '', memoryOf(api.pid))];
  let bytes = 0;
  for (let pass = 1; pass <= PASSES; pass++) {
    const bodies = otlpBodies('json', REQUESTS, SPANS);
    bytes = bodies.reduce((sum, body) => sum + body.length, 0) / bodies.length;
    const headers = { 'content-type': 'application/json', 'x-api-key': server.apiKey };
    const { elapsedMs } = await sendAll({ url: `${server.url}/v1/traces`, headers }, bodies, CLIENTS);
    const speed = Math.round((REQUESTS * SPANS) / (elapsedMs / 1000));
    rows.push(row(String(pass * REQUESTS), String(speed), memoryOf(api.pid)));
  }
  printTable(
    `Memory of the api process: ${CLIENTS} clients at once, OTLP/JSON bodies of ${(bytes / 1e6).toFixed(2)} MB ` +
      `with ${SPANS} spans\n${await machine(server.databaseUrl)}`,
    rows,
  );
});

const row = (requests: string, speed: string, { now, most }: ProcessMemory): string[] => [
  requests,
  speed,
  String(now),
  String(most),
];
