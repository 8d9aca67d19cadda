import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { importLogs, newSheet, valuesOf } from '../support/factories.js';
import { llmSpan, logCall, readSpans, send } from '../support/otlp.js';
import { REQUESTS, idsOf, search } from '../support/request-logs.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.own();
  me = app.client;
});
afterAll(() => app.stop());

const track = async (id: number, changes: object, status = 200) =>
  (await me.post('/rest/track-tags', { request_id: id, ...changes }, status)) as { tags: string[] };
const tagsOf = async (id: number) => ((await me.get(`${REQUESTS}/${id}`)) as { tags: string[] }).tags;
const tagged = async (tag: string) =>
  idsOf(await search(me, { filters: [{ field: 'tags', operator: 'contains', value: tag }] }));

describe('POST /rest/track-tags', () => {
  it('adds tags and removes them, and the log is found by those that it has', async () => {
    const id = await logCall(me);
    expect((await track(id, { add: ['blue', 'green', 'blue'] })).tags).toEqual(['blue', 'green']);
    expect(await tagged('blue')).toEqual([id]);
    expect((await track(id, { add: ['red'], remove: ['blue', 'unknown'] })).tags).toEqual(['green', 'red']);
    expect([await tagged('blue'), await tagged('red'), await tagsOf(id)]).toEqual([[], [id], ['green', 'red']]);
    expect((await track(id, {})).tags).toEqual(['green', 'red']);
    const filters = [{ field: 'tags', operator: 'contains', value: 'red' }];
    const { buckets } = (await me.post(`${REQUESTS}/histogram`, { filters })) as { buckets: { count: number }[] };
    expect(buckets.reduce((sum, { count }) => sum + count, 0)).toBe(1);
  });

  it('lasts when the span of the call is sent again', async () => {
    const sent = llmSpan({ more: { 'langsmith.span.tags': 'own, other' } });
    await send(me, [sent]);
    const [read] = await readSpans(me, sent.traceId);
    const id = read!.request_log_id!;
    const own = await tagsOf(id);
    await track(id, { add: ['kept'], remove: own.slice(0, 1) });
    await send(me, [{ ...sent, name: 'another name' }]);
    expect(await tagsOf(id)).toEqual([...own.slice(1), 'kept']);
  });

  it('loses nothing of what is added at the same time', async () => {
    const id = await logCall(me);
    const names = Array.from({ length: 8 }, (_, index) => `tag ${index}`);
    await Promise.all(names.map((name) => track(id, { add: [name] })));
    expect((await tagsOf(id)).sort()).toEqual(names);
  });

  it('refuses what makes no sense', async () => {
    const id = await logCall(me);
    await track(id, { add: 'x' }, 422);
    await track(id, { add: [7] }, 422);
    await track(id, { add: Array.from({ length: 101 }, (_, index) => String(index)) }, 422);
    await track(id, { add: ['x'.repeat(200_000)] }, 400);
    await track(999_999_999, { add: ['x'] }, 404);
    await (await app.stranger()).post('/rest/track-tags', { request_id: id, add: ['x'] }, 404);
    expect((await track(id, { add: ['a\0b', '\ud800', '😀'], remove: null })).tags).toHaveLength(3);
  });
});

describe('DELETE …/sheets/operations/{operation_id}', () => {
  it('cancels an import: the sheet stays as it was, and another import can follow', async () => {
    const id = await logCall(me);
    const sheet = await newSheet(me, ['before']);
    const path = `/api/public/v2/tables/${sheet.tableId}/sheets/operations/cancelled-one`;
    await app.inTransaction(async (sql) => {
      // The lock holds the import back until it is cancelled.
      await sql('LOCK TABLE request_logs IN ACCESS EXCLUSIVE MODE');
      const body = { request_log_ids: [id], operation_id: 'cancelled-one' };
      await me.post(`${sheet.path}/imports/request-logs`, body, 202);
      await me.delete(path);
      await me.delete(path);
    });
    const read = async () => ((await me.get(path)) as { operation: { status: string } }).operation;
    await until(async () => (await read()).status === 'failed');
    expect(await read()).toMatchObject({ error_message: 'The import was cancelled.', rows_added: null });
    expect(await valuesOf(me, sheet)).toEqual([['before']]);
    expect(await importLogs(me, sheet, { request_log_ids: [id] })).toMatchObject({
      status: 'completed',
      rows_added: 1,
    });
  });

  it('leaves an import that has ended as it is, and finds none that is not there', async () => {
    const sheet = await newSheet(me);
    const { operation_id: id } = await importLogs(me, sheet, { request_log_ids: [await logCall(me)] });
    const path = `/api/public/v2/tables/${sheet.tableId}/sheets/operations`;
    expect(await me.delete(`${path}/${id}`)).toMatchObject({ operation: { status: 'completed' } });
    await me.delete(`${path}/unknown`, 404);
    await (await app.stranger()).delete(`${path}/${id}`, 404);
  });
});
