import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ApiClient, SheetRef } from '../support/api-client.js';
import { atDepth } from '../support/depth.js';
import type { Installation, ProductProcess } from '../support/server-processes.js';
import { until } from '../support/until.js';
import { addComputedColumns, computedValues, readOperations, readSheet, textSheet } from './computed-sheet.js';
import { inTheMiddle, OneWorker, SHORT_LEASES, startFaultInstallation } from './fault-installation.js';

/** Times five computed columns: 15,000 cells in 15 tasks. What a killed worker has left is computed in small pieces. */
const ROWS = 3000;

let server: Installation;
let client: ApiClient;
let api: ProductProcess;
let sheet: SheetRef;
const worker = new OneWorker(() => server);

beforeAll(async () => {
  ({ server, client, api } = await startFaultInstallation(SHORT_LEASES));
});
afterAll(() => server.close());

beforeEach(async () => {
  sheet = await textSheet(client, ROWS);
});

/** Adds the columns while nothing computes; gives their operations. The worker begins when this returns. */
async function begin(): Promise<string[]> {
  const current = await worker.running();
  current.pause();
  const operations = await addComputedColumns(client, sheet);
  current.resume();
  return operations;
}

const progress = () => client.progress(sheet);

describe('a computation goes on to the end, every cell once and right,', () => {
  it('when its worker is killed again and again', async () => {
    const operations = await begin();
    let completed = 0;
    for (let kill = 0; kill < atDepth(1, 2); kill++) {
      const current = await worker.running();
      completed = await inTheMiddle(progress, completed);
      await current.kill();
    }
    await worker.running();
    await expectComputed(operations);
  });

  it('when Redis is down at the start', async () => {
    await worker.running();
    await untilIdle();
    await server.stopRedis();
    const operations = await addComputedColumns(client, sheet);
    const before = await progress();
    await server.startRedis();
    expect(before).toMatchObject({ completed: 0 });
    await expectComputed(operations);
  });

  it('when Redis stops in the middle of it', async () => {
    const operations = await begin();
    await inTheMiddle(progress);
    await server.stopRedis();
    await server.startRedis();
    await expectComputed(operations);
  });

  it('when PostgreSQL is killed in the middle of it, and no process has to be restarted', async () => {
    const current = await worker.running();
    const operations = await begin();
    await inTheMiddle(progress);
    await server.killPostgres();
    await server.startPostgres();
    await expectComputed(operations);
    expect([api.isRunning, current.isRunning]).toEqual([true, true]);
  });
});

async function expectComputed(operationIds: string[]): Promise<void> {
  await until(isComputed);
  const { rows } = await readSheet(client, sheet);
  expect(rows.map((row) => row.values)).toEqual(computedValues(ROWS));
  expect(new Set(rows.flatMap((row) => Object.values(row.statuses)))).toEqual(new Set(['completed']));
  expect(operationIds).toHaveLength(5);
  for (const operation of await readOperations(client, sheet, operationIds)) {
    expect(operation).toMatchObject({
      status: 'completed',
      cell_count: ROWS,
      completed_count: ROWS,
      failed_count: 0,
      pending_count: 0,
    });
  }
  expect(await countTasks()).toBe(0);
}

/**
 * Waits until the worker is idle. A new worker looks for work by itself; after a computation it waits for a
 * notification.
 */
async function untilIdle(): Promise<void> {
  const small = await textSheet(client, 1);
  await addComputedColumns(client, small);
  await client.untilComputed(small);
}

/** False while the server cannot answer: its database may be starting. */
async function isComputed(): Promise<boolean> {
  const answer = await client.send('GET', `${sheet.path}/status-counts`);
  if (!answer.ok) {
    expect(answer.status).toBe(503);
    return false;
  }
  const counts = (await answer.json()) as { total_cells: number; status_counts: { COMPLETED: number } };
  return counts.status_counts.COMPLETED === counts.total_cells;
}

async function countTasks(): Promise<number> {
  const db = new pg.Client(server.databaseUrl);
  await db.connect();
  const { rows } = await db.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM computation_tasks WHERE sheet_id = $1',
    [sheet.id],
  );
  await db.end();
  return rows[0]!.count;
}
