import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ApiClient } from '../support/api-client.js';
import { DATASETS, type DatasetList, type DatasetRows, GROUPS, VERSIONS } from '../support/datasets.js';
import { atDepth, deepIt } from '../support/depth.js';
import { envelope, llmSpan } from '../support/otlp.js';
import type { Installation } from '../support/server-processes.js';
import { until } from '../support/until.js';
import { inTheMiddle, OneWorker, startFaultInstallation } from './fault-installation.js';

/** Ten steps of an import. */
const LOGS = atDepth(5_000, 10_000);
const SPANS_PER_REQUEST = 1000;
const ROWS_PER_PAGE = 100;

let server: Installation;
let client: ApiClient;
let db: pg.Client;
const worker = new OneWorker(() => server);

beforeAll(async () => {
  ({ server, client } = await startFaultInstallation());
  db = new pg.Client(server.databaseUrl);
  await db.connect();
  for (let from = 0; from < LOGS; from += SPANS_PER_REQUEST) {
    const spans = Array.from({ length: SPANS_PER_REQUEST }, (_, index) =>
      llmSpan({ output: `Answer ${from + index}` }),
    );
    await client.post('/v1/traces', envelope(spans));
  }
});
afterAll(async () => {
  await db.end();
  await server.close();
});

deepIt('makes one version with every log once, and tells of it once, although the worker is killed', async () => {
  const { groupId, datasetId } = await startVersion({ filter_group: { filters: [] } });
  await killInTheMiddle(datasetId);
  await worker.running();
  await until(async () => (await versionsOf(groupId)).datasets[0]!.version_number === 1);

  expect(await versionsOf(groupId)).toMatchObject({ total: 1, datasets: [{ id: datasetId, version_number: 1 }] });
  const answers = await answersOf(datasetId);
  expect(answers.toSorted()).toEqual(Array.from({ length: LOGS }, (_, index) => `Answer ${index}`).toSorted());
  expect(await eventsAbout(datasetId)).toEqual([
    {
      type: 'dataset_version_created_from_filter_params',
      details: { dataset_id: datasetId, rows_added: LOGS, dataset_version_number: 1 },
    },
  ]);
});

it('copies every row once into a draft that is saved meanwhile, although the worker is killed', async () => {
  const { groupId, datasetId: source } = await startVersion({ filter_group: { filters: [] } });
  await worker.running();
  await until(async () => (await versionsOf(groupId)).datasets[0]!.version_number === 1);
  await (await worker.running()).kill();
  const body = { dataset_group_id: groupId, source_dataset_id: source };
  const { draft_dataset_id: draft } = await client.post<{ draft_dataset_id: number }>(`${VERSIONS}/create-draft`, body);
  await client.post(`${VERSIONS}/save-draft`, { dataset_group_id: groupId });
  await killInTheMiddle(draft);
  await worker.running();
  await until(async () => (await versionsOf(groupId)).datasets[0]!.version_number === 2);

  expect(await answersOf(draft)).toEqual(await answersOf(source));
  expect(await eventsAbout(draft)).toEqual([]);
});

async function startVersion(wishes: object): Promise<{ groupId: number; datasetId: number }> {
  const { dataset_group: group } = await client.post<{ dataset_group: { id: number } }>(GROUPS, {});
  const body = { dataset_group_id: group.id, ...wishes };
  const { dataset_id: datasetId } = await client.post<{ dataset_id: number }>(`${VERSIONS}/from-filter-params`, body);
  return { groupId: group.id, datasetId };
}

async function killInTheMiddle(datasetId: number): Promise<void> {
  let done = 0;
  for (let kill = 0; kill < atDepth(1, 2); kill++) {
    const current = await worker.running();
    done = await inTheMiddle(() => progressOf(datasetId), done);
    await current.kill();
  }
}

/** Progress of a job, read from the database, because no route shows it. */
async function progressOf(datasetId: number): Promise<{ completed: number; total: number }> {
  const { rows } = await db.query<{ progress: number }>(
    `SELECT progress FROM import_operations WHERE sheet_id = (SELECT sheet_id FROM dataset_versions WHERE id = $1)`,
    [datasetId],
  );
  return { completed: rows[0]!.progress, total: 100 };
}

const versionsOf = (groupId: number): Promise<DatasetList> =>
  client.get<DatasetList>(`${DATASETS}?dataset_group_id=${groupId}`);

async function answersOf(datasetId: number): Promise<string[]> {
  const answers: string[] = [];
  for (let page = 1; page <= LOGS / ROWS_PER_PAGE; page++) {
    const url = `${DATASETS}/${datasetId}/rows?per_page=${ROWS_PER_PAGE}&page=${page}`;
    const { columns, rows, total } = await client.get<DatasetRows>(url);
    expect(total).toBe(LOGS);
    answers.push(...rows.map((row) => row[columns.indexOf('response')]!.value));
  }
  return answers;
}

async function eventsAbout(datasetId: number): Promise<object[]> {
  const { rows } = await db.query<object>(
    `SELECT type, details FROM outbox_events WHERE (details ->> 'dataset_id')::int = $1 ORDER BY id`,
    [datasetId],
  );
  return rows;
}
