import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import {
  askColumn,
  cancel,
  freshTexts,
  type Metered,
  readOperation,
  recalculate,
  shown,
} from '../support/external-cells.js';
import {
  addColumn,
  addCount,
  cellsOf,
  type Column,
  editCell,
  newSheet,
  type RowsPage,
  settled,
  type TestSheet,
} from '../support/factories.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';
import { WaitingService } from '../support/waiting-service.js';
import WaitingModule from '../support/waiting.extension.js';

const ENV = {
  EXTERNAL_CONCURRENCY: '12',
  EXTERNAL_CONCURRENCY_PER_WORKSPACE: '8',
  EXTERNAL_BACKOFF_MS: '20',
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

let tests = 0;
const ask = (client: Client, sheet: TestSheet, source?: string) =>
  askColumn(client, sheet, service.url, source ? { source } : {});

describe('a cell that waits for something outside', () => {
  it('is stored as soon as it is finished, whatever else of its column is still under way', async () => {
    const texts = freshTexts(4);
    const sheet = await newSheet(me, ['hang', ...texts]);
    const column = await ask(me, sheet);
    await until(
      async () => (await cellsOf(me, sheet, column.id)).filter(({ status }) => status === 'completed').length === 4,
    );
    const [hanging, ...others] = await cellsOf(me, sheet, column.id);
    expect(hanging).toMatchObject({ status: 'running', value: null });
    expect(others.map(({ value }) => value)).toEqual(texts.map((text) => text.toUpperCase()));
    await cancel(me, sheet);
  });

  it('is one of as many as a workspace may have at once', async () => {
    service.delayMs = null;
    const sheet = await newSheet(me, freshTexts(40));
    await ask(me, sheet);
    await until(() => Promise.resolve(service.open === 8));
    service.delayMs = 30;
    service.release();
    await settled(me, sheet);
    expect([service.total, service.mostOpen]).toEqual([40, 8]);
  });

  it('keeps its slot until its answer is stored, which limits the calls that a dead worker can lose', async () => {
    const stranger = await app.stranger();
    service.delayMs = null;
    const sheet = await newSheet(me, freshTexts(30));
    const column = await ask(me, sheet);
    await until(() => Promise.resolve(service.open === 8));
    await app.inTransaction(async (sql) => {
      await sql('SELECT FROM sheets WHERE id = $1 FOR UPDATE', [sheet.id]);
      service.delayMs = 0;
      service.release();
      const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      await until(async () => (await app.sql(waiting)).length > 0);
      // The worker looks for work meanwhile, and finds that of others.
      for (let round = 1; round <= 3; round++) {
        const theirs = await newSheet(stranger, freshTexts(1));
        await ask(stranger, theirs);
        await settled(stranger, theirs);
        expect(service.total).toBe(8 + round);
      }
    });
    await settled(me, sheet);
    expect(service.total).toBe(30 + 3);
    expect((await cellsOf(me, sheet, column.id)).every(({ status }) => status === 'completed')).toBe(true);
  });

  it('fails alone: a run of many of which some fail has all other values, and says why in each of the failed', async () => {
    const texts = [...freshTexts(90), ...Array.from({ length: 10 }, () => 'fail')];
    const sheet = await newSheet(me, texts.slice(0, 50));
    await me.post(
      `${sheet.path}/rows`,
      { count: 50, values: texts.slice(50).map((text) => ({ [sheet.columnId]: text })) },
      201,
    );
    const column = await ask(me, sheet);
    await settled(me, sheet);
    const [first] = await cellsOf(me, sheet, column.id);
    expect(await readOperation(me, sheet, first!.execution_id!)).toMatchObject({
      status: 'completed',
      completed_count: 90,
      failed_count: 10,
    });
    const { data } = (await me.get(`${sheet.path}/rows?limit=10&order=desc`)) as RowsPage;
    expect(data.map(({ cells }) => cells[column.id]!.error_message)).toEqual(
      Array.from({ length: 10 }, () => 'The service does not know.'),
    );
  });

  it.each([
    ['fails as its type says', 'fail', /^The service does not know\.$/],
    ['breaks', 'throw', /a bug in the plugin/],
    ['gives nothing', 'undefined', /could not compute/],
    ['gives more than a cell may hold', 'huge', /longer than 10000000 characters/],
    ['is refused for good', '404 9', /The service answered 404/],
  ])('that %s fails with the reason, and its neighbour is computed', async (_, text, message) => {
    const [neighbour] = freshTexts(1);
    const sheet = await newSheet(me, [text, neighbour]);
    const column = await ask(me, sheet);
    await settled(me, sheet);
    const [failed, fine] = await cellsOf(me, sheet, column.id);
    expect(failed).toMatchObject({ status: 'error', value: null, error_message: expect.stringMatching(message) });
    expect(fine).toMatchObject({ status: 'completed', value: neighbour!.toUpperCase() });
  });

  it.each([
    ['no value', null],
    ['nan', null],
    ['bigint', 2 ** 53],
    ['odd metrics', 'paid'],
  ])('has what can be stored of a result with %s', async (text, value) => {
    const sheet = await newSheet(me, [text]);
    const column = await ask(me, sheet);
    await settled(me, sheet);
    const [cell] = (await cellsOf(me, sheet, column.id)) as Metered[];
    expect(cell).toMatchObject({ status: 'completed', value });
    expect(cell!.request_metrics).toMatchObject({ price: null, input_tokens: null, output_tokens: null });
  });
});

describe('a cell that takes longer than it may', () => {
  it('is stopped when it is answered too late, never ends or rejects after that, and others are computed', async () => {
    const [neighbour] = freshTexts(1);
    const stopped = { status: 'error', value: null, error_message: 'It took longer than 5 seconds and was stopped.' };
    const sheet = await newSheet(me, [`hang of test ${++tests}`, 'deaf', 'late rejection', neighbour]);
    // Even a busy machine computes the neighbour within this time.
    const column = await app.withSettings({ externalTimeLimitMs: 5000 }, async () => {
      const added = await ask(me, sheet);
      await settled(me, sheet);
      return added;
    });
    const cells = await cellsOf(me, sheet, column.id);
    expect(cells).toMatchObject([stopped, stopped, stopped, { status: 'completed', value: neighbour!.toUpperCase() }]);
  });
});

describe('failures that may pass', () => {
  it.each([429, 503, 408])('are tried again: %i', async (status) => {
    const text = `${status} 2 of test ${++tests}`;
    const sheet = await newSheet(me, [text]);
    const column = await ask(me, sheet);
    await settled(me, sheet);
    expect(shown(await cellsOf(me, sheet, column.id))).toEqual([['completed', text.toUpperCase()]]);
    expect(service.calls.get(text)).toBe(3);
  });

  it('are waited for as long as the service says', async () => {
    service.retryAfter = '1';
    const text = `429 1 of test ${++tests}`;
    const sheet = await newSheet(me, [text]);
    await addColumn(me, sheet, { title: 'A', type: 'ASK', config: { source: 'Column A', url: service.url } });
    await settled(me, sheet);
    const [first, second] = service.times.get(text)!;
    expect(second! - first!).toBeGreaterThanOrEqual(950);
  });

  it('are retried when the service says so, while other cells use the slots', async () => {
    service.retryAfter = '0.01';
    const often = `429 9 of test ${++tests}`;
    const patient = await newSheet(me, [often]);
    const column = await ask(me, patient);
    await settled(me, patient);
    expect(shown(await cellsOf(me, patient, column.id))).toEqual([['completed', often.toUpperCase()]]);
    service.retryAfter = '3600';
    const waiting = Array.from({ length: 10 }, (_, index) => `429 9 of test ${tests}, row ${index}`);
    const sheet = await newSheet(me, [...waiting, ...freshTexts(2)]);
    const { id } = await ask(me, sheet);
    const values = async () => (await cellsOf(me, sheet, id)).map(({ value }) => value !== null);
    await until(async () => (await values()).slice(10).every(Boolean));
    const { answer } = await cancel(me, sheet);
    expect(answer).toMatchObject({ cancelled_cell_count: 10 });
    expect(waiting.map((text) => service.calls.get(text))).toEqual(waiting.map(() => 1));
  });

  it('are given up after four tries, and where the service asks for more patience than anybody has', async () => {
    const [often, long] = [`503 9 of test ${++tests}`, `429 9 of test ${tests}`];
    const sheet = await newSheet(me, [often]);
    const column = await ask(me, sheet);
    await settled(me, sheet);
    service.retryAfter = '172800';
    await me.post(`${sheet.path}/rows`, { values: [{ [sheet.columnId]: long }] }, 201);
    await recalculate(me, sheet, { statuses: ['STALE'] });
    await settled(me, sheet);
    expect(await cellsOf(me, sheet, column.id)).toMatchObject([
      { status: 'error', error_message: expect.stringContaining('503') },
      { status: 'error', error_message: expect.stringContaining('429') },
    ]);
    expect([service.calls.get(often), service.calls.get(long)]).toEqual([4, 1]);
  });
});

describe('cancelling', () => {
  it('drops open calls at once, and restores cells that were not started', async () => {
    service.delayMs = null;
    const sheet = await newSheet(me, freshTexts(20));
    const column = await ask(me, sheet);
    await until(() => Promise.resolve(service.open === 8));
    const { id, answer } = await cancel(me, sheet);
    expect(answer).toMatchObject({
      cancelled_cell_count: 20,
      running_invalidated_count: 8,
      not_started_reset_count: 12,
    });
    await until(() => Promise.resolve(service.hungUp === 8));
    expect(shown(await cellsOf(me, sheet, column.id))).toEqual(Array.from({ length: 20 }, () => ['stale', null]));
    expect(await readOperation(me, sheet, id)).toMatchObject({ status: 'cancelled', cell_count: 0 });
    // No call is repeated, and later cells have all slots.
    service.delayMs = 0;
    await recalculate(me, sheet);
    await settled(me, sheet);
    expect(service.total).toBe(28);
  });

  it('touches only the rows that are deleted', async () => {
    service.delayMs = null;
    const texts = freshTexts(6);
    const sheet = await newSheet(me, texts);
    const column = await ask(me, sheet);
    await until(() => Promise.resolve(service.open === 6));
    await me.delete(`${sheet.path}/rows`, 200, { row_indices: [1, 4] });
    await until(() => Promise.resolve(service.hungUp === 2));
    service.release();
    await settled(me, sheet);
    expect(service.total).toBe(6);
    expect((await cellsOf(me, sheet, column.id)).map(({ value }) => value)).toEqual(
      texts.filter((_, row) => row !== 1 && row !== 4).map((text) => text.toUpperCase()),
    );
  });

  it('frees the slots of deleted rows at once, also while other cells of their claim hang', async () => {
    const [sheet, other] = [
      await newSheet(
        me,
        Array.from({ length: 8 }, () => 'hang'),
      ),
      await newSheet(me, freshTexts(5)),
    ];
    await addColumn(me, sheet, {
      title: 'Answer',
      type: 'ASK',
      config: { source: 'Column A', url: `${service.url}?${tests}` },
    });
    await until(() => Promise.resolve(service.open > 0));
    // Equal inputs share one call, so one row calls and the others wait for it.
    await me.delete(`${sheet.path}/rows`, 200, { row_indices: [1, 2, 3, 4, 5, 6, 7] });
    const column = await ask(me, other);
    await until(async () => (await cellsOf(me, other, column.id)).every(({ status }) => status === 'completed'));
    expect(service.open).toBe(1);
    await me.delete(`${sheet.path}/rows`, 200, { row_indices: [0] });
    await until(() => Promise.resolve(service.open === 0));
  });

  it('affects only rows with edited inputs, which are computed from the new ones', async () => {
    service.delayMs = null;
    const texts = freshTexts(3);
    const sheet = await newSheet(me, texts);
    const column = await ask(me, sheet);
    await until(() => Promise.resolve(service.open === 3));
    const cells = await cellsOf(me, sheet, sheet.columnId);
    await editCell(me, sheet, cells[1]!, { value: `${texts[1]} again` });
    service.delayMs = 0;
    service.release();
    await settled(me, sheet);
    expect(shown(await cellsOf(me, sheet, column.id))).toEqual([
      ['completed', texts[0]!.toUpperCase()],
      ['completed', `${texts[1]} AGAIN`.toUpperCase()],
      ['completed', texts[2]!.toUpperCase()],
    ]);
    expect(service.total).toBe(4);
  });

  it.each([
    ['the column is deleted', (sheet: TestSheet, column: Column) => me.delete(`${sheet.path}/columns/${column.id}`)],
    ['the sheet is deleted', (sheet: TestSheet) => me.delete(sheet.path)],
  ])('happens when %s', async (_, change) => {
    service.delayMs = null;
    const sheet = await newSheet(me, freshTexts(3));
    await addColumn(me, sheet, { title: 'Other', type: 'TEXT' });
    const column = await ask(me, sheet);
    await until(() => Promise.resolve(service.open === 3));
    await change(sheet, column);
    await until(() => Promise.resolve(service.hungUp === 3));
  });

  it('happens when the column reads something else, which is asked for then', async () => {
    service.delayMs = null;
    const sheet = await newSheet(me, freshTexts(3));
    const other = await addColumn(me, sheet, { title: 'Other', type: 'TEXT' });
    const [text] = freshTexts(1);
    const cells = [0, 1, 2].map((row_index) => ({ row_index, column: other.id, value: text }));
    await me.patch(`${sheet.path}/cells`, { cells });
    const column = await ask(me, sheet);
    await until(() => Promise.resolve(service.open === 3));
    await me.patch(`${sheet.path}/columns/${column.id}`, { config: { source: 'Other', url: service.url } });
    service.delayMs = 0;
    await until(() => Promise.resolve(service.hungUp === 3));
    // The next test must not meet the calls of this one.
    await settled(me, sheet);
    expect((await cellsOf(me, sheet, column.id)).map(({ value }) => value)).toEqual(
      Array.from({ length: 3 }, () => text!.toUpperCase()),
    );
  });

  it('happens when an earlier version is restored', async () => {
    service.delayMs = null;
    const sheet = await newSheet(me, freshTexts(3));
    const { version } = (await me.post(`${sheet.path}/versions`, { name: 'before' }, 201)) as {
      version: { id: string };
    };
    await ask(me, sheet);
    await until(() => Promise.resolve(service.open === 3));
    await me.post(`${sheet.path}/versions`, { source_version_id: version.id }, 201);
    await until(() => Promise.resolve(service.hungUp === 3));
  });
});

describe('formulas over cells from outside', () => {
  it('are computed row by row as those come, also where they read each other in turn', async () => {
    service.delayMs = null;
    const [slow, ...texts] = freshTexts(4);
    const sheet = await newSheet(me, [...texts, slow]);
    await ask(me, sheet);
    await until(() => Promise.resolve(service.open === 4));
    service.delayMs = 0;
    service.release(texts);
    const length = await addCount(me, sheet, 'Length', 'Answer');
    await until(
      async () => (await cellsOf(me, sheet, length.id)).filter(({ status }) => status === 'completed').length === 3,
    );
    expect((await cellsOf(me, sheet, length.id))[3]).toMatchObject({ status: expect.stringMatching(/queued|running/) });
    const twice = await addColumn(me, sheet, {
      title: 'Twice',
      type: 'ASK',
      config: { source: 'Length', url: service.url },
    });
    service.release();
    await settled(me, sheet);
    expect((await cellsOf(me, sheet, twice.id)).slice(0, 3).map(({ value }) => value)).toEqual(
      texts.map((text) => String(text.length)),
    );
  });

  it('in another workspace do not wait for slow cells', async () => {
    service.delayMs = null;
    const sheet = await newSheet(me, freshTexts(30));
    await ask(me, sheet);
    await until(() => Promise.resolve(service.open === 8));
    const stranger = await app.stranger();
    const theirs = await newSheet(stranger, ['a', 'bb']);
    const column = await addCount(stranger, theirs, 'Length');
    await settled(stranger, theirs);
    expect(shown(await cellsOf(stranger, theirs, column.id))).toEqual([
      ['completed', 1],
      ['completed', 2],
    ]);
    // A workspace at its limit leaves slots to others.
    const slow = await newSheet(stranger, freshTexts(4));
    await ask(stranger, slow);
    await until(() => Promise.resolve(service.open === 12));
    service.delayMs = 0;
    service.release();
    await settled(me, sheet);
    await settled(stranger, slow);
  });
});
