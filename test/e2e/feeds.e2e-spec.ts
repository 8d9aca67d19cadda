import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { addColumn, addCount, type Cell, cellsOf, newSheet, type TestSheet, versionOf } from '../support/factories.js';
import {
  changeFeed,
  explain,
  type Feed,
  feedPath,
  logInOrder,
  newFeed,
  readFeed,
  settledFeed,
} from '../support/feeds.js';
import { logCall, send, span, spanId, traceId } from '../support/otlp.js';
import { TestApp } from '../support/test-app.js';
import { readLog } from '../support/tracking.js';
import { until } from '../support/until.js';
import { versionAt } from '../support/versions.js';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.start();
  me = app.client;
});
afterAll(() => app.stop());

const ofModel = (model: string) => ({ filters: [{ field: 'engine', operator: 'is', value: model }] });
const named = (name: string) => ({ filters: [{ field: 'trace_name', operator: 'is', value: name }] });
const isSettled = (feed: Feed) => settledFeed(app, me, feed);

/** Calls of one model; their ids. They may arrive in another order. */
async function logCalls(model: string, count: number, call: object = {}): Promise<number[]> {
  const ids: number[] = [];
  for (let n = 0; n < count; n++) ids.push(await logCall(me, { model, ...call }));
  return ids;
}

/** The cells of a column but for the blank row that every sheet begins with. */
const fedCells = async (sheet: TestSheet, columnId: string): Promise<Cell[]> =>
  (await cellsOf(me, sheet, columnId)).filter(({ value }, row) => row > 0 || value !== null);

const idsIn = async (sheet: TestSheet, feed: Feed): Promise<number[]> =>
  (await fedCells(sheet, feed.columns.request_id!)).map(({ value }) => Number(value));

/** A trace of one root with an output, sent from now on. */
async function sendTrace(name: string, more: Record<string, unknown>[] = []): Promise<string> {
  const id = traceId();
  await send(me, [
    span({ traceId: id, spanId: '00f067aa0ba902b7', name }),
    ...more.map((each) => ({ ...each, traceId: id })),
  ]);
  return id;
}

const close = (id: string) => me.post(`/api/public/v2/traces/${id}/close`, {}, 201);

describe('a feed of requests', () => {
  it('turns calls into rows as they arrive, each once, and computes them', async () => {
    const sheet = await newSheet(me);
    const feed = await newFeed(me, sheet, { source: 'requests', filter_group: ofModel('fed'), fields: ['status'] });
    const count = await addCount(me, sheet, 'Length', 'output');
    const ids = await logInOrder(app, me, ['fed', 'other', 'fed']);
    expect(await isSettled(feed)).toMatchObject({ row_count: 2, last_hour: { seen: 3, chosen: 2, filtered: 1 } });
    expect(await idsIn(sheet, feed)).toEqual([ids[0], ids[2]]);
    const counted = await fedCells(sheet, count.id);
    expect(counted.map(({ status, value }) => [status, value])).toEqual([
      ['completed', 5],
      ['completed', 5],
    ]);
    expect(await explain(me, feed, { request_id: ids[0]! })).toMatchObject({ decision: 'chosen', row_index: 1 });
    expect(await explain(me, feed, { request_id: ids[1]! })).toMatchObject({
      decision: 'filtered',
      is_recorded: false,
    });
    expect(await explain(me, feed, { request_id: 999_999_999 })).toMatchObject({ decision: 'deleted' });
  });

  it('keeps the input, the output and the id of calls with variables of these names', async () => {
    const sheet = await newSheet(me);
    const feed = await newFeed(me, sheet, { source: 'requests', filter_group: ofModel('named') });
    const variables = JSON.stringify({ request_id: 'r-1', input: 'only this', output: 'and that' });
    const id = await logCall(me, { model: 'named', more: { 'promptlayer.prompt.input_variables': variables } });
    expect(await isSettled(feed)).toMatchObject({ row_count: 1 });
    expect(await idsIn(sheet, feed)).toEqual([id]);
    const [input] = await fedCells(sheet, feed.columns.input!);
    expect(input!.value).toContain('Hi');
    expect(await fedCells(sheet, feed.columns.output!)).toMatchObject([{ value: 'Hello' }]);
  });

  it('chooses the same sample in every feed with the same rate, and counts the other items', async () => {
    const sheet = await newSheet(me);
    const options = { source: 'requests', filter_group: ofModel('sampled'), sample_rate: 0.5 };
    const [one, other] = [await newFeed(me, sheet, options), await newFeed(me, await newSheet(me), options)];
    const ids = await logCalls('sampled', 12);
    const { last_hour: counts } = await isSettled(one);
    await isSettled(other);
    expect(counts.chosen! + counts.sampled_out!).toBe(12);
    const told = await Promise.all(ids.map((id) => explain(me, one, { request_id: id })));
    const same = await Promise.all(ids.map((id) => explain(me, other, { request_id: id })));
    expect(told.map(({ decision }) => decision)).toEqual(same.map(({ decision }) => decision));
    expect(told.map(({ sample, decision }) => (sample! < 0.5 ? 'chosen' : 'sampled_out') === decision)).not.toContain(
      false,
    );
    const rarer = await changeFeed(me, one, { sample_rate: 0 });
    expect(rarer).toMatchObject({ sample_rate: 0, revision: 2 });
    const [id] = await logCalls('sampled', 1);
    await isSettled(one);
    expect(await explain(me, one, { request_id: id! })).toMatchObject({ decision: 'sampled_out', revision: 2 });
  });

  it('keeps its limits of rows, and says which of them left a call out', async () => {
    const sheet = await newSheet(me);
    const options = { source: 'requests', filter_group: ofModel('limited'), rows_per_hour: 5, rows_per_day: 3 };
    const feed = await newFeed(me, sheet, options);
    const ids = await logInOrder(app, me, Array<string>(5).fill('limited'));
    expect(await isSettled(feed)).toMatchObject({ row_count: 3, last_hour: { chosen: 3, rows_per_day: 2 } });
    expect(await explain(me, feed, { request_id: ids[4]! })).toMatchObject({
      decision: 'rows_per_day',
      is_recorded: true,
      row_index: null,
    });
  });

  it('waits while it is paused and goes on where it stopped', async () => {
    const sheet = await newSheet(me);
    const feed = await newFeed(me, sheet, { source: 'requests', filter_group: ofModel('paused') });
    const [first] = await logCalls('paused', 1);
    await isSettled(feed);
    expect(await changeFeed(me, feed, { state: 'paused' })).toMatchObject({ state: 'paused', paused_reason: 'user' });
    const [second] = await logCalls('paused', 1);
    await isSettled(await newFeed(me, await newSheet(me), { source: 'requests' }));
    expect(await explain(me, feed, { request_id: second! })).toMatchObject({ decision: 'waiting' });
    await changeFeed(me, feed, { state: 'active' });
    await isSettled(feed);
    expect(await idsIn(sheet, feed)).toEqual([first, second]);
  });

  it('adds items from before its start, once, after a plan', async () => {
    const from = new Date(Date.UTC(2020, 0, 1)).toISOString();
    const old = await logCalls('stored', 3);
    await isSettled(await newFeed(me, await newSheet(me), { source: 'requests', sample_rate: 0 }));
    const sheet = await newSheet(me);
    const options = { source: 'requests', filter_group: ofModel('stored'), begins_at: from };
    const plan = await me.post(`${sheet.path}/feeds/plan`, options);
    expect(plan).toMatchObject({ backfill: { chosen: 3, rows: 3, is_exact: true }, needs_limit: false });
    const feed = await newFeed(me, sheet, options);
    const [later] = await logCalls('stored', 1);
    expect(await isSettled(feed)).toMatchObject({ row_count: 4, backfill: { is_done: true } });
    expect((await idsIn(sheet, feed)).toSorted((a, b) => a - b)).toEqual([...old, later]);
  });

  it('lets old rows go without a trace in the history, and keeps its numbers', async () => {
    const sheet = await newSheet(me);
    const feed = await newFeed(me, sheet, { source: 'requests', filter_group: ofModel('kept'), keep_rows: 2 });
    const ids = await logInOrder(app, me, Array<string>(5).fill('kept'));
    expect(await isSettled(feed)).toMatchObject({ row_count: 2, last_hour: { chosen: 5 } });
    expect(await idsIn(sheet, feed)).toEqual(ids.slice(3));
    expect(await explain(me, feed, { request_id: ids[0]! })).toMatchObject({ decision: 'chosen', row_index: null });
    const { hours } = { hours: (await me.get(`${feedPath(feed)}/hours`)) as { data: { chosen: number }[] } };
    expect(hours.data.reduce((sum, { chosen }) => sum + chosen, 0)).toBe(5);
    const [{ cells }] = (await app.sql(
      `SELECT count(*)::int AS cells FROM cell_history h JOIN sheet_columns c ON c.key = h.column_key WHERE c.sheet_id = $1`,
      [sheet.id],
    )) as [{ cells: number }];
    expect(cells).toBe(0);
    expect(await versionOf(me, sheet)).toBeGreaterThan(0);
  });

  it('publishes the values of a column under each name that it has', async () => {
    const sheet = await newSheet(me);
    const feed = await newFeed(me, sheet, { source: 'requests', filter_group: ofModel('twice named') });
    const { id: column_id } = await addCount(me, sheet, 'Length', 'output');
    const publishes = ['length', 'size'].map((name) => ({ column_id, name }));
    await changeFeed(me, feed, { publishes });
    const [id] = await logCalls('twice named', 1);
    await isSettled(feed);
    const { scores } = await readLog(me, id!);
    expect(scores.map(({ name }) => name).toSorted()).toEqual(['length', 'size']);
  });

  it('publishes the values of a column as scores of the calls, again when they change', async () => {
    const sheet = await newSheet(me);
    const feed = await newFeed(me, sheet, { source: 'requests', filter_group: ofModel('scored') });
    const judge = await addColumn(me, sheet, {
      title: 'Short',
      type: 'COMPARE',
      config: { source1: 'output', source2: 'input' },
    }).catch(() => addCount(me, sheet, 'Short', 'output'));
    await changeFeed(me, feed, { publishes: [{ column_id: judge.id, name: 'length' }] });
    const [id] = await logCalls('scored', 1);
    await isSettled(feed);
    expect((await readLog(me, id!)).scores.map(({ name }) => name)).toEqual(['length']);
    const found = (await me.post('/api/public/v2/requests/search', {
      filter_group: { filters: [{ field: 'scores', nested_key: 'length', operator: 'is_not_null' }] },
    })) as { request_logs?: unknown[] };
    expect(JSON.stringify(found)).toContain(`${id}`);
  });
});

describe('a feed of traces', () => {
  it('judges a trace when it is closed', async () => {
    const sheet = await newSheet(me);
    const feed = await newFeed(me, sheet, { source: 'traces', filter_group: named('closed'), fields: ['span_count'] });
    const [closed, open] = [await sendTrace('closed'), await sendTrace('closed')];
    await close(closed);
    await isSettled(feed);
    const cells = await fedCells(sheet, feed.columns.trace_id!);
    expect(cells.map(({ value }) => value)).toEqual([closed]);
    expect(await explain(me, feed, { trace_id: closed })).toMatchObject({ decision: 'chosen' });
    expect(await explain(me, feed, { trace_id: open })).toMatchObject({ decision: 'waiting' });
  });

  it('publishes scores of traces, by which they are found', async () => {
    const sheet = await newSheet(me);
    const feed = await newFeed(me, sheet, { source: 'traces', filter_group: named('scored'), fields: ['span_count'] });
    const judge = await addCount(me, sheet, 'Digits', 'span_count');
    await changeFeed(me, feed, { publishes: [{ column_id: judge.id, name: 'digits' }] });
    const [scored, other] = [await sendTrace('scored'), await sendTrace('unscored')];
    await Promise.all([close(scored), close(other)]);
    await isSettled(feed);
    const found = async (leaf: object) => {
      const filters = [{ field: 'trace_scores', nested_key: 'digits', ...leaf }];
      const { items } = (await me.post('/api/public/v2/traces/search', { filter_group: { filters } })) as {
        items: { trace_id: string; scores: unknown }[];
      };
      return items.map(({ trace_id: id, scores }) => [id, scores]);
    };
    const expected = [[scored, [{ name: 'digits', score: 1 }]]];
    expect(await found({ operator: 'eq', value: 1 })).toEqual(expected);
    expect(await found({ operator: 'gte', value: 1 })).toEqual(expected);
    expect(await found({ operator: 'gt', value: 1 })).toEqual([]);
  });

  it('judges an open trace when it is quiet, once, and rewrites its row when it grows', async () => {
    const sheet = await newSheet(me);
    const options = { source: 'traces', filter_group: named('quiet'), fields: ['span_count'], quiet_seconds: 1 };
    const feed = await newFeed(me, sheet, { ...options, recompute_grown: true });
    const count = await addCount(me, sheet, 'Digits', 'span_count');
    const id = await sendTrace('quiet');
    await waitForRows(feed, 1);
    await send(me, [span({ traceId: id, spanId: spanId(), parentSpanId: '00f067aa0ba902b7' })]);
    await waitForGrowth(feed);
    await isSettled(feed);
    expect((await fedCells(sheet, feed.columns.span_count!)).map(({ display_value: text }) => text)).toEqual(['2']);
    expect((await fedCells(sheet, count.id)).map(({ status }) => status)).toEqual(['completed']);
    expect(await readFeed(me, feed)).toMatchObject({ row_count: 1, last_hour: { chosen: 1, grown: 1 } });
    await close(id);
    await isSettled(feed);
    expect(await readFeed(me, feed)).toMatchObject({ row_count: 1, last_hour: { chosen: 1, grown: 1 } });
  });
});

async function restoreVersion(sheet: TestSheet, number: number): Promise<void> {
  const { id } = await versionAt(me, sheet, number);
  await me.post(`${sheet.path}/versions`, { source_version_id: id }, 201);
}

const waitForRows = (feed: Feed, count: number) => waitFor(feed, (now) => now.row_count >= count);
const waitForGrowth = (feed: Feed) => waitFor(feed, (now) => now.last_hour.grown! > 0);

async function waitFor(feed: Feed, isDone: (now: Feed) => boolean): Promise<void> {
  await until(async () => {
    await app.sweep('trace-search');
    await app.sweep('feeds');
    return isDone(await readFeed(me, feed));
  });
}

describe('a feed that cannot go on', () => {
  it('pauses when rows only fail, and computes them again when it goes on', async () => {
    const sheet = await newSheet(me);
    const feed = await newFeed(me, sheet, { source: 'requests', filter_group: ofModel('failing'), rows_per_day: 100 });
    const code = (text: string) => ({
      title: 'Code',
      type: 'CODE_EXECUTION',
      config: { code: text, language: 'JAVASCRIPT' },
    });
    const column = await addColumn(me, sheet, code('throw new Error("no service")'));
    await logCalls('failing', 10);
    const paused = await isSettled(feed);
    expect(paused).toMatchObject({ state: 'paused', paused_reason: 'cells_failing', row_count: 10 });
    const [later] = await logCalls('failing', 1);
    await me.patch(`${sheet.path}/columns/${column.id}`, { config: code('return 1').config });
    await changeFeed(me, feed, { state: 'active' });
    expect(await isSettled(feed)).toMatchObject({ state: 'active', paused_reason: null, row_count: 11 });
    expect(await idsIn(sheet, feed)).toContain(later);
  });

  it('pauses when a column of its fields was deleted, and goes on where it stopped', async () => {
    const sheet = await newSheet(me);
    const feed = await newFeed(me, sheet, {
      source: 'requests',
      filter_group: ofModel('columnless'),
      fields: ['status'],
    });
    await me.delete(`${sheet.path}/columns/${feed.columns.status}`);
    const [id] = await logCalls('columnless', 1);
    expect(await isSettled(feed)).toMatchObject({ state: 'paused', paused_reason: 'column_deleted', row_count: 0 });
    const changed = await changeFeed(me, feed, { fields: [], state: 'active' });
    await isSettled(changed);
    expect(await idsIn(sheet, changed)).toEqual([id]);
  });

  it('stops at its costs of a day', async () => {
    const sheet = await newSheet(me);
    const options = { source: 'requests', filter_group: ofModel('dear'), cost_per_day: 0 };
    const feed = await newFeed(me, sheet, options);
    await logCalls('dear', 2);
    expect(await isSettled(feed)).toMatchObject({ row_count: 0, last_hour: { cost_per_day: 2 } });
  });
});

describe('a feed', () => {
  it('leaves rows alone that a restored sheet has at its indexes', async () => {
    const sheet = await newSheet(me);
    const options = { source: 'traces', filter_group: named('restored'), fields: ['span_count'], quiet_seconds: 1 };
    const feed = await newFeed(me, sheet, options);
    const version = await versionOf(me, sheet);
    const id = await sendTrace('restored');
    await waitForRows(feed, 1);
    await restoreVersion(sheet, version);
    await me.post(`${sheet.path}/rows`, { count: 1, values: [{ 'Column A': 'mine' }] }, 201);
    await send(me, [span({ traceId: id, spanId: spanId(), parentSpanId: '00f067aa0ba902b7' })]);
    await close(id);
    await isSettled(feed);
    const cells = await cellsOf(me, sheet, feed.columns.span_count!);
    expect(cells.map(({ value }) => value)).toEqual([null, null]);
  });

  it('is not seen by other workspaces, and refuses what does not fit', async () => {
    const sheet = await newSheet(me);
    const feed = await newFeed(me, sheet, { source: 'requests' });
    const stranger = await app.stranger();
    await stranger.get(feedPath(feed), 404);
    await stranger.delete(feedPath(feed), 404);
    const refused = async (body: object, status: number) =>
      (
        (await me.post(`${sheet.path}/feeds`, { name: 'x', source: 'requests', ...body }, status)) as {
          error?: string;
        }
      ).error;
    expect(await refused({ begins_at: new Date(Date.now() + 1e9).toISOString() }, 400)).toBe('feed_inconsistent');
    for (const begins_at of ['2026-W01-1', '2026-001', '2026']) await refused({ begins_at }, 422);
    const ancient = { source: 'traces', begins_at: '1000-01-01T00:00:00Z' };
    expect(await me.post(`${sheet.path}/feeds/plan`, ancient)).toMatchObject({ success: true });
    expect(await refused({ source: 'traces', fields: ['nonsense'] }, 400)).toBe('feed_inconsistent');
    expect(await refused({ fields: ['nonsense'] }, 400)).toBe('feed_inconsistent');
    expect(await refused({ keep_rows: 10_000_000 }, 400)).toBe('feed_inconsistent');
    await refused({ origins: ['sheet'] }, 422);
    await refused({ sample_rate: 1.5 }, 422);
    await refused({ filter_group: { filters: [{ field: 'nonsense', operator: 'is', value: 1 }] } }, 422);
    await addColumn(me, sheet, {
      title: 'Code',
      type: 'CODE_EXECUTION',
      config: { code: 'return 1', language: 'JAVASCRIPT' },
    });
    expect(await refused({}, 400)).toBe('feed_limit_missing');
    await me.get(`${feedPath(feed)}/decisions`, 400);
    await me.get(`${feedPath(feed)}/decisions?trace_id=x`, 400);
  });
});
