import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DataSource, type EntityManager } from 'typeorm';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { createApp } from '../../src/app.js';
import { ExportReading } from '../../src/exports/export-reading.js';
import { ExportWork } from '../../src/exports/export-work.js';
import { storeChunk } from '../../src/exports/exports.queries.js';
import { ReadingPool } from '../../src/platform/database/reading-pool.js';
import { Metrics } from '../../src/platform/telemetry/metrics.js';
import { WorkAborted } from '../../src/platform/work/work-kind.js';
import { WorkRunner } from '../../src/platform/work/work-runner.js';
import { ImportWork } from '../../src/imports/import-work.js';
import { WorkspaceChanges } from '../../src/live/index.js';
import { TraceFreshness } from '../../src/traces/index.js';
import type { Client } from '../support/client.js';
import { readExport, startExport } from '../support/exports.js';
import { addColumn, newSheet, type TestSheet } from '../support/factories.js';
import { logCall } from '../support/otlp.js';
import { contentOf, postFile } from '../support/sheets.js';
import { untilQueuesAnswer, sweeperOf } from '../support/sweeps.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';

const WISH = { source: 'requests', format: 'csv' };
const LEASE_MS = 60_000;
/** More than the process that is asked imports itself. */
const ROWS = 3000;

/** An api process. The tests start and stop workers for it. */
let api: TestApp;
let me: Client;
let db: EntityManager;
let workers: NestFastifyApplication[] = [];
beforeAll(async () => {
  api = await TestApp.own({ works: false });
  me = api.client;
  db = api.app.get(DataSource).manager;
  await logCall(me);
});
afterEach(async () => {
  for (const worker of workers) await worker.close();
  workers = [];
});
afterAll(() => api.stop());

/** Starts a worker, which takes up what waits. */
async function startWorker(): Promise<NestFastifyApplication> {
  const worker = await createApp({ config: api.config, works: true });
  await worker.init();
  workers.push(worker);
  await untilQueuesAnswer(worker);
  for (const name of ['exports', 'imports']) await sweeperOf(worker).sweep(name);
  return worker;
}

/** Stops a worker as far as it gets while it waits for a lock of the test. */
async function beginStop(worker: NestFastifyApplication): Promise<Promise<void>[]> {
  workers = workers.filter((other) => other !== worker);
  const stopped = worker.close();
  await until(() => Promise.resolve(worker.get(WorkRunner).isStopping));
  return [stopped];
}

const rowOf = async (table: string, id: string) => (await api.sql(`SELECT * FROM ${table} WHERE id = $1`, [id]))[0];
const GIVEN_BACK = { attempts: 0, claim: null, lease_until: null };

async function startImport(sheet: TestSheet): Promise<string> {
  const lines = Array.from({ length: ROWS }, (_, row) => `row ${row}`);
  const { body } = await postFile(me, sheet.path, `Text\n${lines.join('\n')}\n`);
  return (body as { operation_id: string }).operation_id;
}

const importStatus = async (id: string) => (await rowOf('import_operations', id)) as { status: string };
const importEnded = (id: string) => until(async () => !['queued', 'running'].includes((await importStatus(id)).status));

describe('exports of several workspaces', () => {
  it('are worked on in turn: one that comes after five of another workspace is second', async () => {
    const other = await api.stranger();
    const first = await startExport(me, WISH);
    for (let count = 1; count < 5; count++) await startExport(me, WISH);
    const later = await startExport(other, WISH);
    await startWorker();
    await until(async () => (await api.sql('SELECT FROM exports WHERE finished_at IS NULL')).length === 0);
    const order = (await api.sql('SELECT id FROM exports ORDER BY finished_at')) as { id: string }[];
    expect(order.map(({ id }) => id).slice(0, 2)).toEqual([first.id, later.id]);
  });
});

describe('an export', () => {
  it('that is cancelled is noticed where it is, and stops', async () => {
    const worker = await startWorker();
    const renew = vi.spyOn(worker.get(ExportWork), 'renew');
    const isCancelled = async () => {
      const standings = await Promise.all(renew.mock.results.map(({ value }) => value));
      return standings.some((standing) => [...standing.values()].includes('cancelled'));
    };
    const running = await whileReadingWaits(async () => {
      const started = await startExport(me, WISH);
      await until(async () => (await readExport(me, started)).total !== null);
      await me.delete(started.status_url);
      await until(isCancelled);
      return started;
    });
    const claims = async () => {
      const { values } = await worker.get(Metrics).counters.workClaims.get();
      return values.filter(({ labels }) => labels.kind === 'export');
    };
    await until(async () => (await claims()).length > 0);
    expect(await claims()).toMatchObject([{ value: 1, labels: { outcome: 'cancelled' } }]);
    expect(await readExport(me, running)).toMatchObject({ status: 'cancelled', bytes: 0 });
  });

  it('is given back by a worker that stops, without an attempt, and completed by the next', async () => {
    const worker = await startWorker();
    const [running, stopped] = await whileReadingWaits(async () => {
      const started = await startExport(me, WISH);
      await until(async () => (await readExport(me, started)).total !== null);
      return [started, ...(await beginStop(worker))] as const;
    });
    await stopped;
    expect(await rowOf('exports', running.id)).toMatchObject({ ...GIVEN_BACK, status: 'queued' });
    await startWorker();
    await until(async () => (await readExport(me, running)).status === 'completed');
    expect(await rowOf('exports', running.id)).toMatchObject({ attempts: 1 });
  });

  it('fails when one of its columns was deleted since its plan, and leaves the sheet as it was', async () => {
    const [imports, runner] = [api.app.get(ImportWork), api.app.get(WorkRunner)];
    const sheet = await newSheet(me, ['mine']);
    const column = await addColumn(me, sheet, { title: 'Text', type: 'TEXT' });
    const id = await startImport(sheet);
    const planned = (await imports.claimOne({ workspaceId: 1, id }, LEASE_MS))!;
    let checks = 0;
    // The plan reads one piece of the file and finds its end.
    const throwIfAborted = () => {
      if (++checks > 2) throw new WorkAborted('stopping');
    };
    const signal = Object.assign(new AbortController().signal, { throwIfAborted });
    await expect(imports.work(planned, { signal, abort: () => undefined })).rejects.toThrow(WorkAborted);
    expect(await rowOf('import_operations', id)).toMatchObject({ state: { columnKeys: [expect.any(String)] } });
    await imports.giveBack(planned);
    await me.delete(`${sheet.path}/columns/${column.id}`);
    await runner.run(imports, (await imports.claimOne({ workspaceId: 1, id }, LEASE_MS))!);
    expect(await rowOf('import_operations', id)).toMatchObject({
      status: 'failed',
      error_message: 'The column "Text" was changed while the import ran. Start the import again.',
    });
    expect(await contentOf(me, sheet.path)).toMatchObject({ titles: ['Column A'], rows: [['mine']] });
  });

  it('that was given back cannot be written by the claim that had it', async () => {
    const runner = api.app.get(WorkRunner);
    const exports = new ExportWork(
      api.app.get(DataSource),
      new ExportReading(api.app.get(ReadingPool), api.app.get(TraceFreshness)),
      api.app.get(WorkspaceChanges),
      api.config,
    );
    const { id } = await startExport(me, WISH);
    const old = (await exports.claimOne({ workspaceId: 1, id }, LEASE_MS))!;
    await exports.giveBack(old);
    const current = (await exports.claimOne({ workspaceId: 1, id }, LEASE_MS))!;
    expect([current.attempts, current.claim !== old.claim]).toEqual([old.attempts, true]);
    const before = await rowOf('exports', id);

    await expect(storeChunk(db, old, { number: 0, content: Buffer.from('x'), rows: 1 })).rejects.toThrow(WorkAborted);
    await runner.run(exports, old);
    await expect(exports.fail(old, new Error('x'))).rejects.toThrow(WorkAborted);
    await exports.giveBack(old);
    expect(await exports.renew([old, current], LEASE_MS)).toEqual(new Map([[current.claim, 'held']]));

    expect(await rowOf('exports', id)).toMatchObject({ ...(before as object), lease_until: expect.any(Date) });
    await runner.run(exports, current);
    expect(await rowOf('exports', id)).toMatchObject({ status: 'completed', row_count: '1', claim: null });
    expect(await exports.renew([current], LEASE_MS)).toEqual(new Map());
  });

  it('that ended five of its workers is not tried again', async () => {
    const { id } = await startExport(me, WISH);
    await api.sql('UPDATE exports SET attempts = 5 WHERE id = $1', [id]);
    await startWorker();
    await until(async () => ((await rowOf('exports', id)) as { status: string }).status === 'failed');
    expect(await rowOf('exports', id)).toMatchObject({ error_message: 'The export was interrupted 5 times.' });
  });

  /** Reading waits for a table, so the worker is in the middle of its export. */
  async function whileReadingWaits<T>(work: () => Promise<T>): Promise<T> {
    let result: T;
    await api.inTransaction(async (sql) => {
      await sql('LOCK TABLE prompts IN ACCESS EXCLUSIVE MODE');
      result = await work();
    });
    return result!;
  }
});

describe('an import', () => {
  it('is given back by a worker that stops, without an attempt, and completed by the next', async () => {
    const worker = await startWorker();
    const sheet = await newSheet(me);
    let id: string;
    let stopped: Promise<void>[];
    await api.inTransaction(async (sql) => {
      id = await startImport(sheet);
      await sql('SELECT FROM sheets WHERE id = $1 FOR UPDATE', [sheet.id]);
      await until(async () => (await importStatus(id)).status === 'running');
      stopped = await beginStop(worker);
    });
    await Promise.all(stopped!);
    expect(await rowOf('import_operations', id!)).toMatchObject({ ...GIVEN_BACK, status: 'running' });
    await startWorker();
    await importEnded(id!);
    expect(await rowOf('import_operations', id!)).toMatchObject({ status: 'completed', attempts: 1, rows_added: ROWS });
  });

  it('into a sheet that is deleted is cancelled, and recorded as failed', async () => {
    const [imports, runner] = [api.app.get(ImportWork), api.app.get(WorkRunner)];
    const sheet = await newSheet(me);
    const id = await startImport(sheet);
    const claim = (await imports.claimOne({ workspaceId: 1, id }, LEASE_MS))!;
    await me.delete(sheet.path);
    expect(await imports.renew([claim], LEASE_MS)).toEqual(new Map([[claim.claim, 'cancelled']]));
    const cancelled = AbortSignal.abort(new WorkAborted('cancelled'));
    await expect(imports.work(claim, { signal: cancelled, abort: () => undefined })).rejects.toThrow(WorkAborted);
    const failed = { status: 'failed', error_message: 'The sheet was deleted.', lease_until: null };
    expect(await rowOf('import_operations', id)).toMatchObject(failed);
    await runner.run(imports, claim);
    expect(await rowOf('import_operations', id)).toMatchObject(failed);
  });

  it('that was given back cannot be written by the claim that had it', async () => {
    const [imports, runner] = [api.app.get(ImportWork), api.app.get(WorkRunner)];
    const id = await startImport(await newSheet(me));
    const old = (await imports.claimOne({ workspaceId: 1, id }, LEASE_MS))!;
    await imports.giveBack(old);
    const current = (await imports.claimOne({ workspaceId: 1, id }, LEASE_MS))!;
    expect([current.attempts, current.claim !== old.claim]).toEqual([old.attempts, true]);
    const before = await rowOf('import_operations', id);
    await runner.run(imports, old);
    await expect(imports.fail(old, new Error('x'))).rejects.toThrow(WorkAborted);
    await imports.giveBack(old);
    expect(await rowOf('import_operations', id)).toEqual(before);
    await runner.run(imports, current);
    expect(await rowOf('import_operations', id)).toMatchObject({ status: 'completed', rows_added: ROWS });
  });

  it('that ended five of its workers is not tried again', async () => {
    const id = await startImport(await newSheet(me));
    await api.sql('UPDATE import_operations SET attempts = 5 WHERE id = $1', [id]);
    await startWorker();
    await importEnded(id);
    expect(await rowOf('import_operations', id)).toMatchObject({
      status: 'failed',
      error_message: 'The import was interrupted 5 times.',
    });
  });
});
