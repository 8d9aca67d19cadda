import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { freshTexts, readOperation, recalculate, unansweredSheet } from '../support/external-cells.js';
import { cellsOf, settled, type TestSheet } from '../support/factories.js';
import { sweepUntil } from '../support/sweeps.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';
import { WaitingService } from '../support/waiting-service.js';
import WaitingModule from '../support/waiting.extension.js';

/** US dollars for a call. */
const PRICE = 0.01;
/** Calls of the workspace that one process makes at the same time. */
const PLACES = 8;
const ENV = {
  EXTERNAL_CONCURRENCY: '12',
  EXTERNAL_CONCURRENCY_PER_WORKSPACE: String(PLACES),
  EXTERNAL_TIME_LIMIT_MS: '60000',
  QUEUE_PREFIX: `budgets-${process.pid}`,
};

let app: TestApp;
let me: Client;
let service: WaitingService;
beforeAll(async () => {
  service = await WaitingService.start();
  app = await TestApp.start({ extensions: [WaitingModule], env: ENV });
  me = app.client;
});
afterAll(async () => {
  await app.stop();
  await service.stop();
});
beforeEach(() => service.reset());

const unanswered = (texts: string[]) => unansweredSheet(me, service.url, texts, { price: PRICE });

async function ended(sheet: TestSheet, id: string) {
  await until(async () => !['queued', 'running'].includes((await readOperation(me, sheet, id)).status));
  return readOperation(me, sheet, id);
}

/** The same operation in the list of all jobs. */
async function listed(id: string): Promise<{ cost: number; message: string | null }> {
  const { data } = (await me.get('/api/public/v2/sheet-operations?limit=100')) as {
    data: { operation_id: string; cost: number; message: string | null }[];
  };
  return data.find((job) => job.operation_id === id)!;
}

describe('an operation with max_cost', () => {
  it.each([
    [0.05, 5],
    [2, 200],
    [0, 0],
  ])('stops at %d dollars after exactly %d calls of a cent', async (max_cost, calls) => {
    const sheet = await unanswered(freshTexts(300));
    const id = await recalculate(me, sheet, { max_cost });
    expect(await ended(sheet, id)).toMatchObject({
      status: 'cancelled',
      completed_count: calls,
      cost: max_cost,
      reserved_cost: 0,
    });
    expect(service.total).toBe(calls);
    expect(await listed(id)).toMatchObject({ cost: max_cost, message: expect.stringContaining('max_cost') });
  });

  it('learns nothing from a cell that failed without a price', async () => {
    const sheet = await unanswered(['throw', ...freshTexts(30)]);
    const id = await recalculate(me, sheet, { max_cost: 5 * PRICE });
    expect(await ended(sheet, id)).toMatchObject({ completed_count: 5, failed_count: 1, cost: 5 * PRICE });
    expect(service.total).toBe(5);
  });

  it('pays nothing for results that are known, however little is left', async () => {
    const texts = freshTexts(20);
    const known = await unanswered(texts);
    await recalculate(me, known);
    await settled(me, known);
    const sheet = await unanswered(texts);
    const id = await recalculate(me, sheet, { max_cost: 0, reuse: true });
    expect(await ended(sheet, id)).toMatchObject({ status: 'completed', completed_count: 20, cost: 0 });
    expect(service.total).toBe(20);
  });

  it('leaves the cells that it has not begun as they were', async () => {
    const sheet = await unanswered(freshTexts(10));
    await recalculate(me, sheet);
    await settled(me, sheet);
    await ended(sheet, await recalculate(me, sheet, { force: true, max_cost: 3 * PRICE }));
    const cells = await cellsOf(me, sheet, sheet.column.id);
    expect(new Set(cells.map(({ status }) => status))).toEqual(new Set(['completed']));
  });

  it('shares its budget among all processes', async () => {
    const { databaseUrl: url } = app.config;
    const close = () => Promise.resolve();
    const installation = { url, apiKey: app.apiKey, close };
    const sheet = await unanswered(freshTexts(80));
    const other = await TestApp.start({ extensions: [WaitingModule], env: ENV, installation });
    try {
      service.delayMs = null;
      const id = await recalculate(me, sheet, { max_cost: 40 * PRICE });
      await until(() => Promise.resolve(service.open === 1));
      service.release();
      // Only one process got the notification, so the other one needs a sweep.
      await sweepUntil(other, ['external-cells'], () => Promise.resolve(service.open === 2 * PLACES));
      expect(await readOperation(me, sheet, id)).toMatchObject({ cost: PRICE, reserved_cost: 2 * PLACES * PRICE });
      service.delayMs = 1;
      service.release();
      expect(await ended(sheet, id)).toMatchObject({ completed_count: 40, cost: 40 * PRICE, reserved_cost: 0 });
      expect(service.total).toBe(40);
    } finally {
      await other.stop();
    }
  });
});

describe('cancelling an operation', () => {
  it.each([{ max_cost: 2 }, {}])('reports the running calls and counts them as paid: %j', async (limit) => {
    const sheet = await unanswered(freshTexts(30));
    service.delayMs = null;
    const id = await recalculate(me, sheet, limit);
    await until(() => Promise.resolve(service.open > 0));
    const first = service.openTexts;
    service.release(first);
    await until(async () => service.open === PLACES && (await readOperation(me, sheet, id)).completed_count > 0);
    const answered = service.total - PLACES;
    await until(async () => (await readOperation(me, sheet, id)).completed_count === answered);
    const cancelled = await me.delete(`${sheet.path}/operations/${id}`);
    expect(cancelled).toMatchObject({
      running_invalidated_count: PLACES,
      interrupted_cost: PLACES * PRICE,
      cost: service.total * PRICE,
    });
    expect(await readOperation(me, sheet, id)).toMatchObject({
      status: 'cancelled',
      cost: service.total * PRICE,
      reserved_cost: 0,
    });
    expect(await listed(id)).toMatchObject({ cost: service.total * PRICE });
    // No cell was active any more.
    expect(await me.delete(`${sheet.path}/operations/${id}`)).toMatchObject({ interrupted_cost: 0, cost: null });
  });
});
