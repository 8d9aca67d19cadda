import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ApiClient } from '../support/api-client.js';
import { builtExtension } from '../support/built-extension.js';
import { deepIt } from '../support/depth.js';
import type { Installation, ProductProcess } from '../support/server-processes.js';
import { until } from '../support/until.js';
import { WaitingService } from '../support/waiting-service.js';
import { ADMIN_TOKEN, createWorkspace } from '../support/workspaces.js';
import { AskedSheet, readTasks } from './asked-sheet.js';
import { readSheet } from './computed-sheet.js';
import { endLeases, LEASE_MS, SHORT_LEASES, startFaultInstallation } from './fault-installation.js';

/** Calls that a worker makes at the same time. */
const PLACES = 20;
const ENV = {
  EXTERNAL_CONCURRENCY: String(2 * PLACES),
  EXTERNAL_CONCURRENCY_PER_WORKSPACE: String(PLACES),
  SHUTDOWN_TIMEOUT_MS: '5000',
};

const ANSWER_MS = 20;
/** Calls that are answered although their worker is about to stop. */
const ANSWERED = 8;

const folder = mkdtempSync(path.join(os.tmpdir(), 'tracesheet-extension-'));
let service: WaitingService;
let server: Installation;
let client: ApiClient;
/** Workers of the tests before that are still running go on with the next ones. */
const workers: ProductProcess[] = [];

beforeAll(async () => {
  service = await WaitingService.start();
  const env = { ...ENV, ADMIN_TOKEN, EXTENSIONS: builtExtension('test/support/waiting.extension.ts', folder) };
  ({ server, client } = await startFaultInstallation(env));
});
afterAll(async () => {
  await server.close();
  await service.stop();
  rmSync(folder, { recursive: true });
});

beforeEach(() => {
  service.reset();
  service.delayMs = null;
});
afterEach(() => service.release());

async function startWorker(env: NodeJS.ProcessEnv = {}): Promise<ProductProcess> {
  const worker = await server.start('worker', [], env);
  workers.push(worker);
  return worker;
}

/** Starts or stops workers until this many run. */
async function running(count: number): Promise<ProductProcess[]> {
  const alive = workers.splice(0).filter(({ isRunning }) => isRunning);
  workers.push(...alive.slice(0, count));
  await Promise.all(alive.slice(count).map((worker) => worker.stop()));
  if (workers.length < count) await endLeases(server);
  while (workers.length < count) await startWorker();
  return [...workers];
}

/** Lets the service answer until so many cells have their value, and holds every answer from then on. */
async function holdAfter(asked: AskedSheet, completed: number, open = PLACES): Promise<void> {
  service.delayMs = null;
  await until(() => Promise.resolve(service.held === open));
  answerAll();
  await until(() => Promise.resolve(service.total >= completed));
  service.delayMs = null;
  await until(async () => service.held === open && (await asked.completed()) === service.total - open);
}

/** Between two renewals of a lease. A worker that renews one later than this after it was asked to stop has handled the signal. */
const RENEWAL_MS = 600;

/** Asks a worker to stop, and waits until it takes no more calls: it has renewed the leases of the open ones since. */
async function beginStopping(worker: ProductProcess): Promise<{ stopped: Promise<unknown> }> {
  const [askedAt, stopped] = [Date.now(), worker.stop()];
  await until(async () => {
    const leases = (await readTasks(server.databaseUrl)).flatMap(({ claimed, leaseUntil }) =>
      claimed ? leaseUntil! : [],
    );
    return leases.every((until) => until > askedAt + RENEWAL_MS + LEASE_MS);
  });
  return { stopped };
}

function answerAll(): void {
  service.delayMs = ANSWER_MS;
  service.release();
}

const inOrder = (texts: string[]) => texts.toSorted();

/** These texts were called twice, all others once. */
function expectCalledTwice(texts: string[], asked: AskedSheet): void {
  expect(inOrder(service.textsCalled(2))).toEqual(inOrder(texts));
  expect(service.textsCalled(1)).toHaveLength(asked.texts.length - texts.length);
  expect(service.calls.size).toBe(asked.texts.length);
}

describe('cells that wait for a service all get their values, and only calls that were cut off are made again,', () => {
  it('when their worker is killed', async () => {
    const asked = await AskedSheet.create(client, service, { rows: 200 });
    const [worker] = await running(1);
    await holdAfter(asked, 60);
    const inFlight = service.openTexts;
    await worker!.kill();
    answerAll();
    await running(1);
    await asked.expectAnswered();
    expectCalledTwice(inFlight, asked);
  });

  deepIt('when one of two workers is killed', async () => {
    const asked = await AskedSheet.create(client, service, { rows: 200 });
    const [worker] = await running(2);
    await holdAfter(asked, 60, 2 * PLACES);
    await worker!.kill();
    await until(() => Promise.resolve(service.hungUp === PLACES));
    await endLeases(server);
    answerAll();
    await asked.expectAnswered();
    expect(service.abandoned).toHaveLength(PLACES);
    expectCalledTwice(service.abandoned, asked);
  });

  it('when their worker stops: what is answered in time is kept, the rest is given back as if it had not been begun', async () => {
    const asked = await AskedSheet.create(client, service, { rows: 200 });
    const [worker] = await running(1);
    await holdAfter(asked, 60);
    const completed = await asked.completed();
    const { stopped } = await beginStopping(worker!);
    service.release(service.openTexts.slice(0, ANSWERED));
    await stopped;
    expect(service.abandoned).toHaveLength(PLACES - ANSWERED);
    expect(await asked.completed()).toBe(completed + ANSWERED);
    const tasks = await readTasks(server.databaseUrl);
    expect(new Set(tasks.map(({ claimed, attempts }) => [claimed, attempts].join()))).toEqual(new Set(['false,0']));
    expect(tasks.reduce((sum, { cells }) => sum + cells, 0)).toBe(200 - completed - ANSWERED);
    service.delayMs = ANSWER_MS;
    await running(1);
    await asked.expectAnswered();
    expectCalledTwice(service.abandoned, asked);
  });

  deepIt(
    'when their worker stops while another one goes on: that one does not take calls that may still be answered',
    async () => {
      const asked = await AskedSheet.create(client, service, { rows: 100 });
      const [worker] = await running(1);
      await holdAfter(asked, 20);
      const ofFirst = service.openTexts;
      await startWorker();
      await until(() => Promise.resolve(service.held === 2 * PLACES));
      service.delayMs = ANSWER_MS;
      service.release(service.openTexts.filter((text) => !ofFirst.includes(text)));
      await until(async () => (await asked.completed()) === 100 - PLACES);
      const { stopped } = await beginStopping(worker!);
      service.release();
      await stopped;
      await asked.expectAnswered();
      expectCalledTwice([], asked);
    },
  );

  it('when PostgreSQL is down for longer than a lease: results that have arrived are kept', async () => {
    await running(0);
    const worker = await startWorker(SHORT_LEASES);
    const asked = await AskedSheet.create(client, service, { rows: 200 });
    await holdAfter(asked, 60);
    await server.killPostgres();
    service.release(service.openTexts.slice(0, ANSWERED));
    // The other calls end when their leases do.
    await until(() => Promise.resolve(service.hungUp === PLACES - ANSWERED));
    service.delayMs = ANSWER_MS;
    await server.startPostgres();
    await asked.expectAnswered();
    expectCalledTwice(service.abandoned, asked);
    expect(worker.isRunning).toBe(true);
  });

  it('when Redis is down for a while', async () => {
    const asked = await AskedSheet.create(client, service, { rows: 200 });
    const [worker] = await running(1);
    await holdAfter(asked, 60);
    await server.stopRedis();
    answerAll();
    await until(async () => (await asked.completed()) > 120);
    await server.startRedis();
    await asked.expectAnswered();
    expectCalledTwice([], asked);
    expect(worker!.isRunning).toBe(true);
  });
});

describe('cells whose service has said to come back in an hour are taken over and computed once,', () => {
  /** More calls than slots: a call with a long wait holds no slot. */
  const ROWS = PLACES + 10;
  let tests = 0;

  async function waitingCells(): Promise<{ asked: AskedSheet; worker: ProductProcess }> {
    service.retryAfter = '3600';
    const number = ++tests;
    await running(0);
    // It has all the time there is to stop: whatever it waited for to the end would keep it.
    const worker = await startWorker({ SHUTDOWN_TIMEOUT_MS: '600000' });
    const asked = await AskedSheet.create(client, service, {
      rows: ROWS,
      textIn: (row) => `429 1 later, test ${number}, row ${row}`,
    });
    await until(() => Promise.resolve(service.total === ROWS));
    return { asked, worker };
  }

  async function expectComputedOnce(asked: AskedSheet): Promise<void> {
    answerAll();
    await running(1);
    await asked.expectAnswered();
    expectCalledTwice(asked.texts, asked);
  }

  it('when their worker is killed', async () => {
    const { asked, worker } = await waitingCells();
    await worker.kill();
    await expectComputedOnce(asked);
  });

  it('when their worker stops, which does not wait for them', async () => {
    const { asked, worker } = await waitingCells();
    await worker.stop();
    const tasks = await readTasks(server.databaseUrl);
    expect(new Set(tasks.map(({ claimed, attempts }) => [claimed, attempts].join()))).toEqual(new Set(['false,0']));
    expect(tasks.reduce((sum, { cells }) => sum + cells, 0)).toBe(ROWS);
    await expectComputedOnce(asked);
  });
});

/** Holds the lock of a sheet, so that nothing is stored in it; gives what ends that. */
async function holdSheet(asked: AskedSheet): Promise<() => Promise<void>> {
  const db = new pg.Client(server.databaseUrl);
  await db.connect();
  await db.query('BEGIN');
  await db.query('SELECT FROM sheets WHERE id = $1 FOR UPDATE', [asked.sheet.id]);
  return () => db.end();
}

it('asks again for no more than it may call for at once, when its worker is killed while the database is busy', async () => {
  const asked = await AskedSheet.create(client, service, { rows: 200 });
  const release = await holdSheet(asked);
  const [worker] = await running(1);
  await until(() => Promise.resolve(service.held === PLACES));
  answerAll();
  const other = await AskedSheet.create((await createWorkspace(server, 'Beside')).client, service, {
    rows: 3 * PLACES,
  });
  await other.expectAnswered();
  const answered = asked.texts.filter((text) => service.calls.has(text));
  await worker!.kill();
  await release();
  await running(1);
  await asked.expectAnswered();
  expect(answered).toHaveLength(PLACES);
  expect(inOrder(service.textsCalled(2))).toEqual(inOrder(answered));
});

/** US dollars for a call. */
const PRICE = 0.25;

it('spends no more than max_cost when workers are killed: calls that were broken off count', async () => {
  await running(0);
  const unlimited = await AskedSheet.create(client, service, { rows: 200 });
  const asked = await unlimited.within(60 * PRICE);
  // The first call is alone, because its price is unknown.
  const [first] = await running(1);
  await until(() => Promise.resolve(service.held === 1));
  await first!.kill();
  const [second] = await running(1);
  await until(() => Promise.resolve(service.total === 2 && service.held === 1));
  service.release();
  await until(() => Promise.resolve(service.held === PLACES));
  await second!.kill();
  answerAll();
  await running(1);
  await asked.untilEnded();
  expect(service.total).toBe(60);
  const completed = 60 - 1 - PLACES;
  expect(await asked.operation()).toMatchObject({
    status: 'cancelled',
    cell_count: completed,
    completed_count: completed,
    cost: 60 * PRICE,
    reserved_cost: 0,
  });
});

deepIt('fails a cell that ends its workers after five of them, and computes everything else', async () => {
  service.delayMs = 20;
  const stranger = await createWorkspace(server, 'Somebody else');
  const theirs = await AskedSheet.create(stranger.client, service, { rows: 20 });
  const asked = await AskedSheet.create(client, service, { rows: 60, textIn: (row) => (row === 10 ? 'die' : null) });
  let deaths = 0;
  for (let isEnded = false; !isEnded;) {
    // It may take up the cell before it says that it has started.
    const [worker] = await running(1).catch(() => []);
    await until(async () => {
      isEnded = !['queued', 'running'].includes((await asked.operation()).status);
      return isEnded || !worker?.isRunning;
    });
    if (!worker?.isRunning) deaths++;
  }
  expect(deaths).toBe(5);
  // Cells that were sent together with it have been sent again.
  await theirs.expectAnswered();
  const { rows } = await readSheet(client, asked.sheet);
  const failed = rows.filter(({ statuses }) => statuses.Answer === 'error').map(({ values }) => values['Column A']);
  expect(failed).toEqual(['die']);
  expect(rows.filter(({ values }) => values.Answer === String(values['Column A']).toUpperCase())).toHaveLength(59);
  expect(await asked.operation()).toMatchObject({ status: 'completed', completed_count: 59, failed_count: 1 });
  // It starts six workers, one after the other.
});

deepIt('ends open calls at once when an operation is cancelled, and leaves nothing of it behind', async () => {
  const asked = await AskedSheet.create(client, service, { rows: 200 });
  await running(1);
  await holdAfter(asked, 60);
  const completed = await asked.completed();
  await client.send('DELETE', `${asked.sheet.path}/operations/${asked.operationId}`);
  await until(() => Promise.resolve(service.hungUp === PLACES));
  expect(await asked.operation()).toMatchObject({ status: 'cancelled', cell_count: completed, pending_count: 0 });
  expect(await readTasks(server.databaseUrl)).toEqual([]);
});
