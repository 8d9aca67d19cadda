import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ApiClient } from '../support/api-client.js';
import { DATASETS, type DatasetList, type DatasetRows, GROUPS, VERSIONS } from '../support/datasets.js';
import { envelope, llmSpan } from '../support/otlp.js';
import type { Installation } from '../support/server-processes.js';
import { until } from '../support/until.js';
import { benchNodeOptions, startBenchInstallation } from './bench-installation.js';
import { machine, median, printTable } from './report.js';

const LOGS = 50_000;
const SPANS_PER_REQUEST = 1000;
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const READS = 20;
const ALL = { filter_group: { filters: [] }, variables_to_parse: ['order'] };
/** A sheet with as many columns as a dataset of the same logs has: a variable, what went in and out, and two facts. */
const FIELDS = ['tags', 'request_id'];

let server: Installation;
let db: pg.Client;
let client: ApiClient;

beforeAll(async () => {
  server = await startBenchInstallation();
  await server.start('api');
  await server.start('worker', benchNodeOptions);
  client = new ApiClient(server.url, server.apiKey);
  db = new pg.Client(server.databaseUrl);
  await db.connect();
  for (let from = 0; from < LOGS; from += SPANS_PER_REQUEST) {
    const spans = Array.from({ length: SPANS_PER_REQUEST }, (_, index) =>
      llmSpan({
        input: `May I get a refund for order ${from + index}?`,
        output: `Order ${from + index} can be returned.`,
        more: { 'promptlayer.prompt.input_variables': `{"order":"${from + index}"}` },
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

it('makes a dataset of 50,000 request logs, copies it, and shows any page of it', async () => {
  const ratios: number[] = [];
  const [sheets, datasets, copies]: number[][] = [[], [], []];
  let last = 0;
  // The first round warms up.
  for (let round = 0; round <= ROUNDS; round++) {
    const sheet = await timed(() => importIntoSheet(`Round ${round}`));
    const dataset = await timed(async () => void (last = await makeDataset()));
    const copy = await timed(() => copyIntoDraft(last));
    if (round === 0) continue;
    sheets!.push(sheet);
    datasets!.push(dataset);
    copies!.push(copy);
    ratios.push(sheet / dataset);
  }
  const [page, search] = [await timedReads(last, 'page=500'), await timedReads(last, 'q=order%2049999')];
  printTable(
    `Datasets of 50,000 request logs, one worker, median of ${ROUNDS} rounds\n${await machine(server.databaseUrl)}`,
    [
      ['what', 'ms', 'aim'],
      ['import of the same logs into a sheet', median(sheets!).toFixed(0), ''],
      ['from-filter-params', median(datasets!).toFixed(0), `${median(ratios).toFixed(2)} of the import, at least 0.8`],
      ['create-draft with all rows', median(copies!).toFixed(0), ''],
      ['last page of 100 rows', page.toFixed(1), 'less than 30'],
      ['search over all cells', search.toFixed(1), ''],
    ],
  );
});

async function timed(work: () => Promise<void>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

async function timedReads(datasetId: number, query: string): Promise<number> {
  const times: number[] = [];
  for (let read = 0; read < READS; read++) {
    times.push(
      await timed(async () => {
        const { rows } = await client.get<DatasetRows>(`${DATASETS}/${datasetId}/rows?per_page=100&${query}`);
        expect(rows.length).toBeGreaterThan(0);
      }),
    );
  }
  return median(times);
}

async function importIntoSheet(title: string): Promise<void> {
  const sheet = await client.createSheet(title);
  const { status_url: url } = await client.post<{ status_url: string }>(`${sheet.path}/imports/request-logs`, {
    ...ALL,
    include_fields: FIELDS,
  });
  await until(async () => {
    const { operation } = await client.get<{ operation: { status: string } }>(url);
    return operation.status === 'completed';
  }, 120_000);
}

async function makeDataset(): Promise<number> {
  const { dataset_group: group } = await client.post<{ dataset_group: { id: number } }>(GROUPS, {});
  const body = { dataset_group_id: group.id, ...ALL };
  const { dataset_id: id } = await client.post<{ dataset_id: number }>(`${VERSIONS}/from-filter-params`, body);
  await untilNumbered(group.id, id);
  return id;
}

async function copyIntoDraft(sourceId: number): Promise<void> {
  const { datasets } = await client.get<DatasetList>(`${DATASETS}?per_page=1`);
  const group = { dataset_group_id: datasets[0]!.dataset_group_id };
  const { draft_dataset_id: id } = await client.post<{ draft_dataset_id: number }>(`${VERSIONS}/create-draft`, {
    ...group,
    source_dataset_id: sourceId,
  });
  await client.post(`${VERSIONS}/save-draft`, group);
  await untilNumbered(group.dataset_group_id, id);
}

async function untilNumbered(groupId: number, id: number): Promise<void> {
  await until(async () => {
    const { datasets } = await client.get<DatasetList>(`${DATASETS}?dataset_group_id=${groupId}`);
    return datasets.find((dataset) => dataset.id === id)!.version_number > 0;
  }, 120_000);
}
