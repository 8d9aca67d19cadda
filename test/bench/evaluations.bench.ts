import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ApiClient } from '../support/api-client.js';
import type { ReportDetail } from '../support/evaluations.js';
import type { Installation } from '../support/server-processes.js';
import { until } from '../support/until.js';
import { benchNodeOptions, startBenchInstallation } from './bench-installation.js';
import { machine, median, printTable, quantile } from './report.js';

const ROWS = 10_000;
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 7);

const COLUMNS = [
  ['CONTAINS', { source: 'answer', value: 'refund' }],
  ['COUNT', { source: 'answer', type: 'words' }],
  ['COMPARE', { sources: ['answer', 'expected'], comparison_type: { type: 'STRING' } }],
  ['MATH_OPERATOR', { sources: ['Column 1'], operator: 'gt', value: 5 }],
  ['COMBINE_COLUMNS', { sources: ['Column 0', 'Column 2'] }],
].map(([type, config], at) => ({ type: type as string, config: config as object, title: `Column ${at}` }));

let server: Installation;
let client: ApiClient;
let db: pg.Client;
let dataset: { id: number; groupId: number };

beforeAll(async () => {
  server = await startBenchInstallation();
  await server.start('api');
  await server.start('worker', benchNodeOptions);
  client = new ApiClient(server.url, server.apiKey);
  db = new pg.Client(server.databaseUrl);
  await db.connect();
  dataset = await newDataset();
});
afterAll(async () => {
  await db.end();
  await server.close();
});

it('runs five columns over 10,000 rows, compared with the same sheet', async () => {
  const pipeline = await newPipeline();
  await run(pipeline);
  await sheet();
  const runs: number[] = [];
  const sheets: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    runs.push(await timeOf(() => run(pipeline)));
    sheets.push(await timeOf(sheet));
  }
  const row = (name: string, times: number[]) => [
    name,
    `${median(times).toFixed(0)} ms`,
    `${quantile(times, 0.99).toFixed(0)} ms`,
    Math.round((ROWS * COLUMNS.length * 1000) / median(times)).toLocaleString('en'),
  ];
  printTable(
    `${COLUMNS.length} columns over ${ROWS} rows of a dataset, rows copied, cells computed; a run also scored, ${ROUNDS} rounds\n` +
      (await machine(server.databaseUrl)),
    [
      ['', 'p50', 'p99', 'cells/s'],
      row('run, until it is completed', runs),
      row('sheet, until its cells are computed', sheets),
      ['run / sheet', (median(sheets) / median(runs)).toFixed(2), '', ''],
    ],
  );
});

async function newDataset(): Promise<{ id: number; groupId: number }> {
  const { dataset_group: group } = await client.post<{ dataset_group: { id: number } }>(
    '/api/public/v2/dataset-groups',
    {
      name: 'Bench',
    },
  );
  const lines = Array.from(
    { length: ROWS },
    (_, at) => `Question ${at},You get a refund ${at},You get a refund ${at - (at % 2)}`,
  );
  const created = await client.post<{ dataset_id: number }>('/api/public/v2/dataset-versions/from-file', {
    dataset_group_id: group.id,
    file_name: 'bench.csv',
    file_content_base64: Buffer.from(['question,answer,expected', ...lines].join('\n')).toString('base64'),
  });
  const published = 'SELECT FROM dataset_versions WHERE id = $1 AND number IS NOT NULL';
  await until(async () => (await db.query(published, [created.dataset_id])).rowCount === 1);
  return { id: created.dataset_id, groupId: group.id };
}

async function newPipeline(): Promise<number> {
  const columns = COLUMNS.map(({ title, type, config }) => ({ name: title, column_type: type, configuration: config }));
  const body = { dataset_group_id: dataset.groupId, columns };
  const { report_id: id } = await client.post<{ report_id: number }>('/reports', body);
  await until(async () => (await read(id)).stats.status_counts.COMPLETED === 5 * COLUMNS.length);
  return id;
}

const read = (id: number) => client.get<ReportDetail>(`/reports/${id}`);

async function run(pipeline: number): Promise<void> {
  const { report_id: id } = await client.post<{ report_id: number }>(`/reports/${pipeline}/run`, { name: 'Bench' });
  await until(async () => (await read(id)).status === 'COMPLETED');
  expect((await read(id)).stats.status_counts).toMatchObject({ COMPLETED: ROWS * COLUMNS.length });
}

async function sheet(): Promise<void> {
  const copied = await client.post<{ table_id: string; sheet_id: string; status_url: string }>(
    `/api/public/v2/datasets/${dataset.id}/to-table`,
    {},
  );
  const path = `/api/public/v2/tables/${copied.table_id}/sheets/${copied.sheet_id}`;
  await until(
    async () =>
      (await client.get<{ operation: { status: string } }>(copied.status_url)).operation.status === 'completed',
  );
  for (const column of COLUMNS) await client.post(`${path}/columns`, column);
  await client.untilComputed({ id: copied.sheet_id, tableId: copied.table_id, path });
}

async function timeOf(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
