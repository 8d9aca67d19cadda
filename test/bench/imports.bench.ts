import { readFileSync } from 'node:fs';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ApiClient, type SheetRef } from '../support/api-client.js';
import { envelope, llmSpan } from '../support/otlp.js';
import type { Installation, ProductProcess } from '../support/server-processes.js';
import { until } from '../support/until.js';
import { benchNodeOptions, startBenchInstallation } from './bench-installation.js';
import { CopyLimit } from './copy-limit.js';
import { machine, median, printTable } from './report.js';

const LOGS = 50_000;
const SPANS_PER_REQUEST = 1000;
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const FIELDS = [
  'request_id',
  'engine',
  'provider_type',
  'input_tokens',
  'output_tokens',
  'cost',
  'latency_ms',
  'status',
];
const MIB = 1024 * 1024;

let server: Installation;
let db: pg.Client;
let client: ApiClient;
let api: ProductProcess;
let worker: ProductProcess;

beforeAll(async () => {
  server = await startBenchInstallation();
  api = await server.start('api');
  worker = await server.start('worker', benchNodeOptions);
  client = new ApiClient(server.url, server.apiKey);
  db = new pg.Client(server.databaseUrl);
  await db.connect();
  for (let from = 0; from < LOGS; from += SPANS_PER_REQUEST) {
    const spans = Array.from({ length: SPANS_PER_REQUEST }, (_, index) =>
      llmSpan({
        input: `May I get a refund for order ${from + index}?`,
        output: `Order ${from + index} can be returned.`,
      }),
    );
    await client.post('/v1/traces', envelope(spans));
  }
  await untilIndexed();
  await db.query('VACUUM ANALYZE');
});
afterAll(async () => {
  await db.end();
  await server.close();
});

/** Waits until the worker has indexed the logs, which is not part of the measurement. */
async function untilIndexed(): Promise<void> {
  const left = `SELECT (SELECT count(*) FROM request_log_search_queue) + (SELECT count(*) FROM trace_search_queue) AS left`;
  await until(async () => (await db.query<{ left: string }>(left)).rows[0]!.left === '0', 300_000);
}

it('imports 50,000 request logs into 10 columns, and files of the same cells', async () => {
  const rows = [['import', 'cells', 'cells/s', 'of COPY', 'worker MiB', 'api MiB']];
  const logs = { filter_group: { filters: [] }, variables_to_parse: [], include_fields: FIELDS };
  rows.push(await measure('request logs', (sheet) => client.post(`${sheet.path}/imports/request-logs`, logs)));
  const csv = toBase64(textFile(LOGS, 10));
  const file = { file_name: 'data.csv', file_content_base64: csv };
  rows.push(await measure('CSV of 50,000 × 10', (sheet) => client.post(`${sheet.path}/imports/file`, file)));
  const large = { file_name: 'data.csv', file_content_base64: toBase64(textFile(LOGS, 10, 190)) };
  rows.push(await measure('CSV of 99 MB', (sheet) => client.post(`${sheet.path}/imports/file`, large), 1));
  printTable(
    `Imports: from the request until the operation is completed, one worker, median of ${ROUNDS} rounds (99 MB: one)\n` +
      `${await machine(server.databaseUrl)}\nLimit: COPY of the same cells without an index. MiB: largest resident set so far.`,
    rows,
  );
});

async function measure(
  name: string,
  start: (sheet: SheetRef) => Promise<{ status_url: string }>,
  rounds = ROUNDS,
): Promise<string[]> {
  const totals: number[] = [];
  const ratios: number[] = [];
  let cells = 0;
  for (let round = 0; round <= (rounds === 1 ? 0 : rounds); round++) {
    const sheet = await client.createSheet(`${name} ${round}`);
    const began = performance.now();
    const { status_url: url } = await start(sheet);
    await until(async () => {
      const { operation } = await client.get<{ operation: { status: string; error_message: string | null } }>(url);
      expect(operation.error_message).toBeNull();
      return operation.status === 'completed';
    }, 120_000);
    const total = performance.now() - began;
    const { ms, count } = await copyOf(sheet);
    cells = count;
    // The first round warms up.
    if (round > 0 || rounds === 1) {
      totals.push(total);
      ratios.push(ms / total);
    }
  }
  const rate = Math.round(cells / (median(totals) / 1000));
  return [name, `${cells}`, `${rate}`, median(ratios).toFixed(3), peakMib(worker), peakMib(api)];
}

async function copyOf(sheet: SheetRef): Promise<{ ms: number; count: number }> {
  const { rows } = await db.query<{ key: string }>('SELECT key FROM sheet_columns WHERE sheet_id = $1', [sheet.id]);
  const where = `column_key IN (${rows.map(({ key }) => key).join(', ')})`;
  const copy = await CopyLimit.of(server.databaseUrl, [{ table: 'cells', where }]);
  await copy.run();
  const ms = await copy.run();
  const count = copy.rows;
  await copy.close();
  return { ms, count };
}

function textFile(rows: number, columns: number, length = 20): string {
  const titles = Array.from({ length: columns }, (_, index) => `column ${index}`).join(',');
  const text = 'May I get a refund within thirty days of the order? '.repeat(Math.ceil(length / 52)).slice(0, length);
  const lines = Array.from({ length: rows }, (_, row) =>
    Array.from({ length: columns }, (__, index) => `${row}-${index} ${text}`).join(','),
  );
  return `${titles}\n${lines.join('\n')}\n`;
}

const toBase64 = (text: string): string => Buffer.from(text).toString('base64');

/** Largest resident set of the process since its start, from the kernel. */
function peakMib({ pid }: ProductProcess): string {
  const peak = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return ((Number(peak?.[1] ?? 0) * 1024) / MIB).toFixed(0);
}
