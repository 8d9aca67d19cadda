import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import {
  askColumn,
  freshTexts,
  type Metered,
  readOperation,
  recalculate,
  shown,
  unansweredSheet,
} from '../support/external-cells.js';
import {
  addColumn,
  cellsOf,
  type Column,
  editCell,
  newSheet,
  settled,
  type TestSheet,
  versionOf,
} from '../support/factories.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';
import { WaitingService } from '../support/waiting-service.js';
import WaitingModule, { AskColumnType } from '../support/waiting.extension.js';

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

const ask = (client: Client, sheet: TestSheet, source?: string) =>
  askColumn(client, sheet, service.url, source ? { source } : {});

describe('equal inputs', () => {
  it('are paid for once, and the cells say where the value comes from', async () => {
    service.delayMs = 50;
    const [text] = freshTexts(1);
    const sheet = await newSheet(
      me,
      Array.from({ length: 30 }, () => text),
    );
    const column = await ask(me, sheet);
    await settled(me, sheet);
    expect(service.calls.get(text!)).toBe(1);
    const cells = (await cellsOf(me, sheet, column.id)) as Metered[];
    expect(new Set(cells.map(({ value }) => value))).toEqual(new Set([text!.toUpperCase()]));
    const own = cells.filter(({ request_metrics: metrics }) => metrics!.reused_from === undefined);
    const reused = cells.filter(({ request_metrics: metrics }) => metrics!.reused_from !== undefined);
    expect([own.length, reused.length]).toEqual([1, 29]);
    expect(own[0]!.request_metrics).toMatchObject({ request_count: 1, request_ids: [7], price: 0.25 });
    expect(reused[0]!.request_metrics).toMatchObject({
      request_count: 0,
      request_ids: [7],
      price: 0,
      latency_ms: null,
      reused_from: expect.stringMatching(/^\d{4}-/),
    });
  });

  it('are paid for once across columns, sheets and operations, and not across workspaces', async () => {
    const [text] = freshTexts(1);
    const [sheet, other] = [await newSheet(me, [text]), await newSheet(me, [text])];
    await ask(me, sheet);
    await settled(me, sheet);
    await ask(me, other);
    await settled(me, other);
    await recalculate(me, sheet, { reuse: true });
    await settled(me, sheet);
    expect(service.calls.get(text!)).toBe(1);

    const stranger = await app.stranger();
    const theirs = await newSheet(stranger, [text]);
    await ask(stranger, theirs);
    await settled(stranger, theirs);
    expect(service.calls.get(text!)).toBe(2);
  });

  it('are computed again on request: by force, and for single cells', async () => {
    const [text] = freshTexts(1);
    const sheet = await newSheet(me, [text]);
    const column = await ask(me, sheet);
    await settled(me, sheet);
    await recalculate(me, sheet, { force: true });
    await settled(me, sheet);
    expect(service.calls.get(text!)).toBe(2);
    const [cell] = await cellsOf(me, sheet, column.id);
    await me.post(`${sheet.path}/cells/${cell!.id}/recalculations`, {}, 202);
    await settled(me, sheet);
    await me.post(`${sheet.path}/cells/recalculations`, { cell_ids: [cell!.id] }, 202);
    await settled(me, sheet);
    expect(service.calls.get(text!)).toBe(4);
    await me.post(`${sheet.path}/cells/${cell!.id}/recalculations`, { force: false }, 202);
    await settled(me, sheet);
    expect(service.calls.get(text!)).toBe(4);
  });

  it('are not computed when the type cannot name its version: the cells report why', async () => {
    const sheet = await newSheet(me, freshTexts(2));
    AskColumnType.version = 'none';
    const column = await ask(me, sheet);
    await settled(me, sheet);
    AskColumnType.version = '1';
    expect(await cellsOf(me, sheet, column.id)).toMatchObject([
      { status: 'error', error_message: 'There is no version.' },
      { status: 'error', error_message: 'There is no version.' },
    ]);
    expect(service.total).toBe(0);
  });

  it('are computed again when the version of the type has changed, and failures are never reused', async () => {
    const [text] = freshTexts(1);
    const sheet = await newSheet(me, [text, 'fail']);
    const column = await ask(me, sheet);
    await settled(me, sheet);
    AskColumnType.version = '2';
    await recalculate(me, sheet);
    await settled(me, sheet);
    AskColumnType.version = '1';
    expect(service.calls.get(text!)).toBe(2);
    expect((await cellsOf(me, sheet, column.id))[1]).toMatchObject({ status: 'error' });
  });
});

describe('an operation with a budget', () => {
  it('ends when it is spent; the rest can be computed later', async () => {
    const sheet = await newSheet(me, freshTexts(30));
    const column = await ask(me, sheet);
    await settled(me, sheet);
    const id = await recalculate(me, sheet, { force: true, max_cost: 2 });
    await until(async () => (await readOperation(me, sheet, id)).status === 'cancelled');
    await settled(me, sheet);
    // A quarter of a dollar each.
    expect(service.total - 30).toBe(8);
    expect((await cellsOf(me, sheet, column.id)).every(({ value }) => value !== null)).toBe(true);
    await recalculate(me, sheet, { statuses: [] });
    await settled(me, sheet);
    expect((await cellsOf(me, sheet, column.id)).every(({ status }) => status === 'completed')).toBe(true);
  });

  it('counts a call that took too long as paid', async () => {
    const sheet = await unansweredSheet(me, service.url, [...freshTexts(1), 'hang', ...freshTexts(4)]);
    const id = await app.withSettings({ externalTimeLimitMs: 6000 }, async () => {
      const started = await recalculate(me, sheet, { force: true, max_cost: 1 });
      await until(async () => (await readOperation(me, sheet, started)).status === 'cancelled');
      return started;
    });
    expect(service.total).toBe(4);
    expect(await readOperation(me, sheet, id)).toMatchObject({ completed_count: 3, failed_count: 1, cost: 1 });
    expect((await cellsOf(me, sheet, sheet.column.id))[1]).toMatchObject({ status: 'error' });
  });

  it.each([{ max_cost: -1 }, { max_cost: 'much' }, { force: 'yes' }])('refuses %j', async (more) => {
    const sheet = await newSheet(me, ['x']);
    expect(await me.post(`${sheet.path}/operations`, { operation: 'recalculate', ...more }, 400)).toMatchObject({
      success: false,
    });
  });
});

describe('metrics of cells', () => {
  it('are stored in the cell and in the columns next to it, aggregated, versioned and restored', async () => {
    const texts = freshTexts(3);
    const sheet = await newSheet(me, texts);
    await ask(me, sheet);
    await settled(me, sheet);
    const read = async (version?: number) => {
      const query = `include_system_columns=true&include_execution_metadata_aggregates=true${version ? `&version=${version}` : ''}`;
      const page = (await me.get(`${sheet.path}/rows?${query}`)) as {
        data: { cells: Record<string, Metered> }[];
        columns: Column[];
        execution_metadata_aggregates: { sheet: { by_metric: { price: object; latency_ms: object } } };
      };
      const id = (title: string) => page.columns.find((column) => column.title === title)!.id;
      return { page, column: (title: string) => page.data.map(({ cells }) => cells[id(title)]!) };
    };
    const now = await read();
    expect(now.column('Answer.price').map(({ status, value }) => [status, value])).toEqual(
      texts.map(() => ['completed', 0.25]),
    );
    expect(now.column('Answer.latency').every(({ value }) => typeof value === 'number')).toBe(true);
    expect(now.page.execution_metadata_aggregates.sheet.by_metric.price).toMatchObject({
      count: 3,
      sum: 0.75,
      avg: 0.25,
    });
    expect(now.column('Answer')[0]!.request_metrics).toMatchObject({
      request_count: 1,
      request_ids: [7],
      price: 0.25,
      input_tokens: texts[0]!.length,
      trace_ids: [],
    });

    const exported = await me.get(`${sheet.path}/export?format=jsonl&include_system_columns=true`);
    expect(JSON.parse(String(exported).split('\n')[0]!)).toMatchObject({ 'Answer.price': 0.25 });
    expect(String(await me.get(`${sheet.path}/export?format=jsonl`))).not.toContain('Answer.price');

    const before = await versionOf(me, sheet);
    const [cell] = await cellsOf(me, sheet, sheet.columnId);
    await editCell(me, sheet, cell!, { value: 'fail' });
    await recalculate(me, sheet, { reuse: true });
    await settled(me, sheet);
    expect((await read()).column('Answer.price').map(({ value }) => value)).toEqual([0.5, 0, 0]);
    expect((await read(before)).column('Answer.price').map(({ value }) => value)).toEqual([0.25, 0.25, 0.25]);
    expect((await read(before)).column('Answer')[0]!.request_metrics).toMatchObject({ price: 0.25 });

    const versions = (await me.get(`${sheet.path}/versions?limit=100`)) as {
      data: { id: string; version_number: number }[];
    };
    const id = versions.data.find(({ version_number: number }) => number === before)!.id;
    await me.post(`${sheet.path}/versions`, { source_version_id: id }, 201);
    expect((await read()).column('Answer.price').map(({ value }) => value)).toEqual([0.25, 0.25, 0.25]);
    expect((await read()).column('Answer')[0]!.request_metrics).toMatchObject({ price: 0.25 });
  });

  it('make what reads them stale and are waited for like any other source', async () => {
    const sheet = await newSheet(me, freshTexts(2));
    await ask(me, sheet);
    await settled(me, sheet);
    const dear = await addColumn(me, sheet, {
      title: 'Dear',
      type: 'MATH_OPERATOR',
      config: { sources: ['Answer.price'], operator: 'gt', value: 0.1 },
    });
    await settled(me, sheet);
    expect(shown(await cellsOf(me, sheet, dear.id))).toEqual([
      ['completed', true],
      ['completed', true],
    ]);
    const [cell] = await cellsOf(me, sheet, sheet.columnId);
    await editCell(me, sheet, cell!, { value: freshTexts(1)[0] });
    expect((await cellsOf(me, sheet, dear.id)).map(({ status }) => status)).toEqual(['stale', 'completed']);
    await recalculate(me, sheet, { column_ids: [dear.id] });
    await settled(me, sheet);
    expect((await cellsOf(me, sheet, dear.id)).map(({ status }) => status)).toEqual(['completed', 'completed']);
  });
});
