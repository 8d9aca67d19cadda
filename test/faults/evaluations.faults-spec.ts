import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiClient } from '../support/api-client.js';
import { deepIt } from '../support/depth.js';
import type { ReportDetail, ReportRows } from '../support/evaluations.js';
import type { Installation } from '../support/server-processes.js';
import { until } from '../support/until.js';
import { inTheMiddle, OneWorker, startFaultInstallation } from './fault-installation.js';

const ROWS = 6_000;

const COLUMNS = [
  { column_type: 'CONTAINS', name: 'Has a 7', configuration: { source: 'text', value: '7' }, is_part_of_score: true },
  { column_type: 'COUNT', name: 'Length', configuration: { source: 'text', type: 'chars' } },
  { column_type: 'REGEX', name: 'Digits', configuration: { source: 'text', regex_pattern: '^[0-9]+$' } },
  { column_type: 'MATH_OPERATOR', name: 'Short', configuration: { sources: ['Length'], operator: 'le', value: 4 } },
];

let server: Installation;
let client: ApiClient;
let db: pg.Client;
let groupId: number;
const worker = new OneWorker(() => server);

beforeAll(async () => {
  ({ server, client } = await startFaultInstallation());
  db = new pg.Client(server.databaseUrl);
  await db.connect();
  await worker.running();
  groupId = await newDataset();
});
afterAll(async () => {
  await db.end();
  await server.close();
});

async function newDataset(): Promise<number> {
  const { dataset_group: group } = await client.post<{ dataset_group: { id: number } }>(
    '/api/public/v2/dataset-groups',
    {
      name: 'Numbers',
    },
  );
  const text = ['text', ...Array.from({ length: ROWS }, (_, row) => String(row))].join('\n');
  await client.post('/api/public/v2/dataset-versions/from-file', {
    dataset_group_id: group.id,
    file_name: 'numbers.csv',
    file_content_base64: Buffer.from(text).toString('base64'),
  });
  const published = `SELECT FROM dataset_versions WHERE group_id = $1 AND number IS NOT NULL`;
  await until(async () => (await db.query(published, [group.id])).rowCount === 1);
  return group.id;
}

const read = (run: number) => client.get<ReportDetail>(`/reports/${run}`);

async function startRun(): Promise<number> {
  const pipeline = await client.post<{ report_id: number }>('/reports', {
    dataset_group_id: groupId,
    columns: COLUMNS,
  });
  const run = await client.post<{ report_id: number }>(`/reports/${pipeline.report_id}/run`, { name: 'Run' });
  return run.report_id;
}

/** Every cell is there and right, the score is known, and the end was announced once. */
async function expectComplete(run: number): Promise<void> {
  await until(async () => (await read(run)).status === 'COMPLETED');
  const { report, stats } = await read(run);
  expect(stats.status_counts).toEqual({ COMPLETED: ROWS * COLUMNS.length, FAILED: 0, QUEUED: 0, RUNNING: 0 });
  const sevens = Array.from({ length: ROWS }, (_, row) => String(row)).filter((text) => text.includes('7'));
  expect(report.score_calculation_error).toBeNull();
  expect(report.score!.overall_score).toBeCloseTo((100 * sevens.length) / ROWS, 9);
  const events = `SELECT FROM outbox_events WHERE type = 'report_finished' AND details ->> 'report_id' = $1`;
  expect((await db.query(events, [String(run)])).rowCount).toBe(1);
  for (const page of [1, 30, 60]) {
    const { rows, total } = await client.get<ReportRows>(
      `/api/public/v2/evaluations/${run}/rows?per_page=100&page=${page}`,
    );
    expect(total).toBe(ROWS);
    const expected = Array.from({ length: 100 }, (_, at) => String((page - 1) * 100 + at));
    expect(rows.map((cells) => cells.map(({ value }) => value))).toEqual(
      expected.map((text) => [text, text.includes('7'), text.length, true, text.length <= 4]),
    );
  }
}

describe('a run is completed, with every cell and one announcement,', () => {
  deepIt('when the worker is killed while it computes', async () => {
    const running = await worker.running();
    const run = await startRun();
    await inTheMiddle(async () => {
      const { stats, status } = await read(run);
      const { COMPLETED: completed } = stats.status_counts;
      return { completed, total: status === 'COMPLETED' ? completed : ROWS * COLUMNS.length };
    });
    await running.kill();
    await worker.running();
    await expectComplete(run);
  });

  it('when the worker is killed while it copies the rows', async () => {
    const running = await worker.running();
    // A lock blocks writers of cells until the worker is gone.
    const blocker = new pg.Client(server.databaseUrl);
    await blocker.connect();
    const pipeline = await client.post<{ report_id: number }>('/reports', {
      dataset_group_id: groupId,
      columns: COLUMNS,
    });
    await until(async () => (await read(pipeline.report_id)).stats.status_counts.COMPLETED === 5 * COLUMNS.length);
    await blocker.query('BEGIN');
    await blocker.query('LOCK TABLE cells IN EXCLUSIVE MODE');
    const { report_id: run } = await client.post<{ report_id: number }>(`/reports/${pipeline.report_id}/run`, {
      name: 'Run',
    });
    const claimed = `SELECT FROM import_operations i JOIN reports r ON r.sheet_id = i.sheet_id WHERE r.id = $1 AND i.claim IS NOT NULL`;
    await until(async () => (await db.query(claimed, [run])).rowCount === 1);
    await running.kill();
    await blocker.query('COMMIT');
    await blocker.end();
    await worker.running();
    await expectComplete(run);
  });

  it('when the worker is killed while it stores the score', async () => {
    const running = await worker.running();
    const run = await startRun();
    // A lock blocks writers of events until the worker is gone.
    const blocker = new pg.Client(server.databaseUrl);
    await blocker.connect();
    await blocker.query('BEGIN');
    await blocker.query('LOCK TABLE outbox_events IN EXCLUSIVE MODE');
    await until(
      async () => (await db.query('SELECT FROM reports WHERE id = $1 AND claim IS NOT NULL', [run])).rowCount === 1,
    );
    await running.kill();
    await blocker.query('COMMIT');
    await blocker.end();
    await worker.running();
    await expectComplete(run);
  });
});
