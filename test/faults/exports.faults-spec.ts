import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ApiClient } from '../support/api-client.js';
import { atDepth } from '../support/depth.js';
import { EXPORTS, type ExportAnswer } from '../support/exports.js';
import { envelope, llmSpan } from '../support/otlp.js';
import type { Installation } from '../support/server-processes.js';
import { until } from '../support/until.js';
import { inTheMiddle, OneWorker, startFaultInstallation } from './fault-installation.js';

const LOGS = 2000;
/** Logs that are stored. */
let stored = LOGS;
const SPANS_PER_REQUEST = 1000;
/** With about 4 KB a log the file has some ten chunks. */
const PADDING = 'all work and no play '.repeat(200);

let server: Installation;
let client: ApiClient;
const worker = new OneWorker(() => server);

beforeAll(async () => {
  ({ server, client } = await startFaultInstallation());
  for (let from = 0; from < LOGS; from += SPANS_PER_REQUEST) {
    const spans = Array.from({ length: SPANS_PER_REQUEST }, (_, index) =>
      llmSpan({ output: `Answer ${from + index} ${PADDING}` }),
    );
    await client.post('/v1/traces', envelope(spans));
  }
});
afterAll(() => server.close());

it('exports every log once although the worker is killed in the middle', async () => {
  const { status_url: path } = await start();
  for (let kill = 0; kill < atDepth(1, 2); kill++) {
    const current = await worker.running();
    // Another worker begins at the beginning, so the progress of the one before says nothing.
    await until(async () => (await read(path)).status === 'running');
    await inTheMiddle(() => progress(path));
    await current.kill();
  }
  // Spans stored meanwhile are in the complete file of the next worker, not only in half of it.
  await client.post('/v1/traces', envelope([llmSpan({ output: `Answer ${stored++} ${PADDING}` })]));
  await worker.running();
  await until(async () => !['queued', 'running'].includes((await read(path)).status));
  await expectComplete(path, stored);
});

it('is given back by a worker that is asked to stop, or complete by then', async () => {
  const { status_url: path } = await start();
  const first = await worker.running();
  await inTheMiddle(() => progress(path));
  await first.stop();
  expect(['queued', 'completed']).toContain((await read(path)).status);
  await worker.running();
  await until(async () => (await read(path)).status === 'completed');
  await expectComplete(path, stored);
});

async function start(): Promise<ExportAnswer> {
  const body = { source: 'requests', format: 'jsonl', columns: ['request_id', 'output_text', 'output', 'input'] };
  return (await client.post<{ export: ExportAnswer }>(EXPORTS, body)).export;
}

async function read(path: string): Promise<ExportAnswer> {
  return (await client.get<{ export: ExportAnswer }>(path)).export;
}

async function progress(path: string): Promise<{ completed: number; total: number }> {
  return { completed: (await read(path)).progress, total: 100 };
}

async function expectComplete(path: string, rows: number): Promise<void> {
  const done = await read(path);
  expect(done).toMatchObject({ status: 'completed', progress: 100, row_count: rows, total: rows });
  const file = Buffer.from(await (await client.send('GET', done.download_url)).arrayBuffer());
  expect(file).toHaveLength(done.bytes);
  expect(createHash('sha256').update(file).digest('hex')).toBe(done.sha256);
  const numbers = file
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => Number(/^Answer (\d+) /.exec((JSON.parse(line) as { output_text: string }).output_text)?.[1]));
  expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: rows }, (_, index) => index));
}
