import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ApiClient, type SheetRef } from '../support/api-client.js';
import { builtExtension } from '../support/built-extension.js';
import type { Installation, ProductProcess } from '../support/server-processes.js';
import { until } from '../support/until.js';
import { ADMIN_TOKEN, createWorkspace } from '../support/workspaces.js';
import { benchNodeOptions, startBenchInstallation } from './bench-installation.js';
import { machine, median, memoryOf, printTable } from './report.js';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const CELLS = 10_000;
const ANSWER_MS = 100;
const PLACES = 50;
/** Lower limit: all slots are always taken, and there is nothing to do but wait. */
const IDEAL_MS = (CELLS * ANSWER_MS) / PLACES;
const FORMULAS = 50_000;
const TIMEOUT_MS = 600_000;

const folder = mkdtempSync(path.join(os.tmpdir(), 'tracesheet-extension-'));
let service: ChildProcess;
let url: string;
let server: Installation;
let worker: ProductProcess;
let db: pg.Client;
let client: ApiClient;

beforeAll(async () => {
  service = fork(path.join(import.meta.dirname, 'slow-service.mjs'), [String(ANSWER_MS)]);
  const { port } = await new Promise<{ port: number }>((resolve) => service.once('message', resolve as () => void));
  url = `http://127.0.0.1:${port}`;
  server = await startBenchInstallation({
    ADMIN_TOKEN,
    OUTBOUND_ALLOW_PRIVATE: 'on',
    SECRETS_KEY: randomBytes(32).toString('base64'),
    EXTENSIONS: builtExtension('test/support/waiting.extension.ts', folder),
    EXTERNAL_CONCURRENCY: String(PLACES),
    EXTERNAL_CONCURRENCY_PER_WORKSPACE: String(PLACES),
  });
  await server.start('api');
  worker = await server.start('worker', benchNodeOptions);
  client = new ApiClient(server.url, server.apiKey);
  db = new pg.Client(server.databaseUrl);
  await db.connect();
});
afterAll(async () => {
  await db.end();
  await server.close();
  service.kill();
  rmSync(folder, { recursive: true });
});

it('asks a service about 10,000 cells', async () => {
  await answerAll(await sheetOf(client, 500));
  const ratios: number[] = [];
  for (let round = 0; round < ROUNDS; round++) ratios.push(IDEAL_MS / (await answerAll(await sheetOf(client, CELLS))));
  printTable(
    `Cells that wait: ${CELLS} cells whose service answers after ${ANSWER_MS} ms, ${PLACES} at a time, one worker, ` +
      `${ROUNDS} rounds\n${await machine(server.databaseUrl)}\n` +
      `Ideal: ${IDEAL_MS / 1000} s, when all places are always taken. Memory: the most the worker ever had.`,
    [
      ['of the ideal, median', 'best', 'worker MiB'],
      [median(ratios).toFixed(2), Math.max(...ratios).toFixed(2), String(memoryOf(worker.pid).most)],
    ],
  );
});

it('asks a model about 10,000 cells', async () => {
  const credential = { provider: 'openai', name: 'default', secret: 'sk-bench-0123456789', base_url: `${url}/v1` };
  await client.post('/api/admin/v1/workspaces/1/model-credentials', credential);
  await timeOf(client, await sheetOf(client, 500), PROMPT_COLUMN);
  const ratios: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    ratios.push(IDEAL_MS / (await timeOf(client, await sheetOf(client, CELLS), PROMPT_COLUMN)));
  }
  printTable(
    `Prompts: ${CELLS} cells whose model answers after ${ANSWER_MS} ms, ${PLACES} at a time, one worker; each has a trace and a ` +
      `request log`,
    [
      ['of the ideal, median', 'best', 'worker MiB'],
      [median(ratios).toFixed(2), Math.max(...ratios).toFixed(2), String(memoryOf(worker.pid).most)],
    ],
  );
});

it('computes 50,000 cells of another workspace while external cells wait', async () => {
  const stranger = (await createWorkspace(server, 'Somebody else')).client;
  const theirs = await sheetOf(stranger, FORMULAS);
  await addContains(stranger, theirs, 'Warm-up');
  const [alone, beside]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    alone.push(await addContains(stranger, theirs, `Alone ${round}`));
    const asked = await sheetOf(client, CELLS);
    const answered = answerAll(asked);
    await until(async () => (await countTasks(asked)) > 1);
    beside.push(await addContains(stranger, theirs, `Beside ${round}`));
    expect(await countTasks(asked)).toBeGreaterThan(0);
    await answered;
  }
  const ratios = beside.map((ms, round) => ms / alone[round]!);
  printTable(`A CONTAINS column of ${FORMULAS} cells while ${PLACES} cells of another workspace always wait`, [
    ['alone ms', 'beside ms', 'ratio, median', 'best'],
    [median(alone).toFixed(0), median(beside).toFixed(0), median(ratios).toFixed(2), Math.min(...ratios).toFixed(2)],
  ]);
});

const PROMPT_COLUMN = {
  title: 'Answer',
  type: 'PROMPT_TEMPLATE',
  config: {
    inline_template: {
      inline: true,
      prompt_template: {
        type: 'chat',
        messages: [
          { role: 'system', content: [{ type: 'text', text: 'You answer customers of a bookshop in one sentence.' }] },
          { role: 'user', content: [{ type: 'text', text: '{question}' }] },
        ],
      },
      metadata: { model: { provider: 'openai', name: 'gpt-4.1-mini', parameters: { temperature: 0 } } },
    },
    prompt_template_variable_mappings: { question: 'Column A' },
  },
};

let sheets = 0;

/** A sheet with a text in each row that no other sheet has. The rows only have to be there, so they do not go through the API. */
async function sheetOf(owner: ApiClient, rows: number): Promise<SheetRef> {
  const sheet = await owner.createSheet('Bench');
  await db.query('UPDATE sheets SET rows = int4multirange(int4range(0, $2)) WHERE id = $1', [sheet.id, rows]);
  await db.query(
    `INSERT INTO cells (workspace_id, column_key, row_index, version, value)
     SELECT c.workspace_id, c.key, i, c.version, to_jsonb($2 || ' ' || i || ': may I get a refund within thirty days?')
       FROM sheet_columns c, generate_series(0, $3::int - 1) i WHERE c.sheet_id = $1`,
    [sheet.id, `Question ${++sheets}`, rows],
  );
  await db.query('VACUUM ANALYZE cells');
  return sheet;
}

/** Milliseconds from the request for a column that asks until every cell is stored. */
function answerAll(sheet: SheetRef): Promise<number> {
  return timeOf(client, sheet, { title: 'Answer', type: 'ASK', config: { source: 'Column A', url } });
}

function addContains(owner: ApiClient, sheet: SheetRef, title: string): Promise<number> {
  return timeOf(owner, sheet, { title, type: 'CONTAINS', config: { source: 'Column A', value: 'refund' } });
}

async function timeOf(owner: ApiClient, sheet: SheetRef, column: object): Promise<number> {
  const start = performance.now();
  await owner.post(`${sheet.path}/columns`, column);
  await until(async () => (await countTasks(sheet)) === 0, TIMEOUT_MS);
  return performance.now() - start;
}

async function countTasks(sheet: SheetRef): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM computation_tasks WHERE sheet_id = $1',
    [sheet.id],
  );
  return rows[0]!.count;
}
