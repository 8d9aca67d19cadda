import { describe, expect, it } from 'vitest';
import { atDepth } from '../support/depth.js';
import { addColumn, addCount, cellsOf, newSheet, type TestSheet } from '../support/factories.js';
import { changeFeed, explain, type Feed, logInOrder, newFeed, readFeed, settledFeed } from '../support/feeds.js';
import { finishedErasure, newWorkspace, startErasure } from '../support/erasures.js';
import { fresh, inlinePrompt, useModelApp } from '../support/model-app.js';
import { addCredential, CREDENTIALS } from '../support/model-credentials.js';
import { type Call, logCall, send, span, spanId, traceId } from '../support/otlp.js';
import { untilSearchable } from '../support/sweeps.js';
import { readLog } from '../support/tracking.js';
import { until } from '../support/until.js';

const used = useModelApp();

const ofModel = (model: string) => ({ filters: [{ field: 'engine', operator: 'is', value: model }] });

const judgeOf = (provider = 'openai') => ({
  title: 'Judged',
  type: 'PROMPT_TEMPLATE',
  config: {
    inline_template: inlinePrompt('Judge {output}', { provider }),
    prompt_template_variable_mappings: { output: 'output' },
  },
});

/** Spans in each of the four parts of a trace. */
const SPANS = atDepth(500, 5000);
const HOUR_MS = 3600 * 1000;
const nanoseconds = (ms: number): string => `${Math.round(ms)}000000`;

/** A call that began so long from now. */
const logAt = (call: Call, offsetMs: number): Promise<number> =>
  logCall(used.me, call, {
    startTimeUnixNano: nanoseconds(Date.now() + offsetMs),
    endTimeUnixNano: nanoseconds(Date.now() + offsetMs + 1000),
  });

const idsIn = async (sheet: TestSheet, feed: Feed): Promise<unknown[]> =>
  (await cellsOf(used.me, sheet, feed.columns.request_id!)).slice(1).map(({ value }) => Number(value));

const settled = (feed: Feed) => settledFeed(used.app, used.me, feed);

describe('a feed', () => {
  it('reports the cost of a day before it judges everything with an expensive model, and requires a limit', async () => {
    const { me } = used;
    const sheet = await newSheet(me, ['x']);
    const outputs = await addColumn(me, sheet, { title: 'output', type: 'TEXT' });
    expect(outputs.title).toBe('output');
    await addColumn(me, sheet, judgeOf());
    for (let call = 0; call < 3; call++) await logAt({ model: 'dear' }, -60_000);
    const options = { source: 'requests', filter_group: ofModel('dear') };
    const plan = (await me.post(`${sheet.path}/feeds/plan`, options)) as {
      last_day: { price: number | null };
      price_per_row: number | null;
    };
    expect(plan).toMatchObject({ needs_limit: true, last_day: { items: expect.any(Number), chosen: 3, rows: 3 } });
    expect(plan.price_per_row).toBeGreaterThan(0);
    expect(plan.last_day.price).toBeCloseTo(3 * plan.price_per_row!, 9);
    const refused = (await me.post(`${sheet.path}/feeds`, { name: 'Dear', ...options }, 400)) as Record<string, string>;
    expect(refused.error).toBe('feed_limit_missing');
    expect(refused.message).toContain('Set rows_per_day, rows_per_hour or cost_per_day.');
    const within = (await me.post(`${sheet.path}/feeds/plan`, { ...options, rows_per_day: 2 })) as typeof plan;
    expect(within.last_day).toMatchObject({ chosen: 3, rows: 2 });
    await newFeed(me, sheet, { ...options, rows_per_day: 2 });
  });

  it('counts items that were erased before the decision, and drops those that are erased later', async () => {
    const where = await newWorkspace(used.app);
    const { me } = where;
    const sheet = await newSheet(me);
    const feed = await newFeed(me, sheet, { source: 'requests' });
    const length = await addCount(me, sheet, 'Length', 'output');
    await changeFeed(me, feed, { publishes: [{ column_id: length.id, name: 'length' }] });
    const ofUser = (id: string) => logCall(me, { more: { 'user.id': id } });
    const judged = await ofUser('first');
    await settledFeed(used.app, me, feed);
    await changeFeed(me, feed, { state: 'paused' });
    const early = await ofUser('second');
    const kept = await ofUser('third');
    await until(async () => (await readFeed(me, feed)).undecided_count === 2);
    for (const user_id of ['first', 'second']) {
      const erasure = await finishedErasure(where, await startErasure(where, { user_id }));
      expect(erasure.status).toBe('completed');
    }
    await changeFeed(me, feed, { state: 'active' });
    const now = await settledFeed(used.app, me, feed);
    expect(now).toMatchObject({ state: 'active', last_hour: { chosen: 2, deleted: 1, seen: 3 } });
    expect(await explain(me, feed, { request_id: early })).toMatchObject({ decision: 'deleted' });
    expect((await readLog(me, kept)).scores).toMatchObject([{ name: 'length' }]);
    await me.get(`/api/public/v2/requests/${judged}`, 404);
  });

  it('leaves no log of arrivals behind when it is erased itself, and nothing is written there any more', async () => {
    const where = await newWorkspace(used.app);
    const { me, id } = where;
    const filter_group = {
      filters: [{ field: 'metadata', nested_key: 'user', operator: 'key_equals', value: 'person-77' }],
    };
    for (const source of ['requests', 'traces'])
      await newFeed(me, await newSheet(me), { source, name: 'of person-77' });
    await newFeed(me, await newSheet(me), { source: 'requests', filter_group });
    expect(await finishedErasure(where, await startErasure(where, { user_id: 'person-77' }))).toMatchObject({
      status: 'completed',
    });
    await logCall(me);
    await untilSearchable(used.app, id);
    for (const table of ['feeds', 'arrival_logs', 'arrivals', 'open_traces']) {
      expect(await used.app.sql(`SELECT FROM ${table} WHERE workspace_id = $1`, [id])).toEqual([]);
    }
  });

  it('begins another operation on another day, because its costs count for the day on which it was begun', async () => {
    const { me, vendors, app } = used;
    const sheet = await newSheet(me);
    const model = fresh('overnight');
    const options = { source: 'requests', filter_group: ofModel(model), cost_per_day: 5 };
    const feed = await newFeed(me, sheet, options);
    await addColumn(me, sheet, judgeOf());
    const release = vendors.hold();
    const days = async () =>
      (await app.sql(`SELECT now()::date - day AS ago FROM feed_executions WHERE feed_id = $1 ORDER BY day`, [
        feed.id,
      ])) as { ago: number }[];
    const logAndWait = async (rows: number) => {
      await logCall(me, { model });
      await until(async () => {
        await app.sweep('trace-search');
        const { row_count: count, undecided_count: undecided } = await readFeed(me, feed);
        return count === rows && undecided === 0;
      });
    };
    await logAndWait(1);
    await logAndWait(2);
    expect(await days()).toHaveLength(1);
    await app.sql('UPDATE feed_executions SET day = day - 1 WHERE feed_id = $1', [feed.id]);
    await logAndWait(3);
    expect(await days()).toEqual([{ ago: 1 }, { ago: 0 }]);
    release();
    expect(await settled(feed)).toMatchObject({ row_count: 3, waiting_count: 0 });
  });

  it('judges a large trace that is never closed once, and rewrites its row as it grows', async () => {
    const { me, app } = used;
    const sheet = await newSheet(me);
    const filter_group = { filters: [{ field: 'trace_name', operator: 'is', value: 'endless' }] };
    const options = { source: 'traces', filter_group, fields: ['span_count'], quiet_seconds: 3600 };
    const feed = await newFeed(me, sheet, options);
    const [id, root] = [traceId(), spanId()];
    for (let part = 1; part <= 4; part++) {
      const spans = Array.from({ length: SPANS }, () => span({ traceId: id, spanId: spanId(), parentSpanId: root }));
      if (part === 1) spans[0] = span({ traceId: id, spanId: root, name: 'endless' });
      await send(me, spans);
      await untilSearchable(app);
      await app.sql(`UPDATE open_traces SET changed_at = changed_at - interval '1 hour' WHERE trace_id = $1`, [id]);
      const expected = { chosen: 1, grown: part - 1 };
      await until(async () => {
        await app.sweep('feeds');
        const { last_hour: counts } = await readFeed(me, feed);
        return counts.chosen === expected.chosen && counts.grown === expected.grown;
      });
    }
    expect(await settled(feed)).toMatchObject({ row_count: 1, last_hour: { seen: 1, chosen: 1, grown: 3 } });
    const [, cell] = await cellsOf(me, sheet, feed.columns.span_count!);
    expect(cell!.display_value).toBe(String(4 * SPANS));
  });

  it('takes calls of clocks that are an hour off once, from before it began and after', async () => {
    const { me } = used;
    const sheet = await newSheet(me);
    const before = [await logAt({ model: 'clocks' }, HOUR_MS), await logAt({ model: 'clocks' }, -HOUR_MS)];
    await untilSearchable(used.app);
    const options = { source: 'requests', filter_group: ofModel('clocks'), rows_per_day: 100 };
    const begins_at = new Date(Date.now() - 2 * HOUR_MS).toISOString();
    const feed = await newFeed(me, sheet, { ...options, begins_at });
    const after = [await logAt({ model: 'clocks' }, HOUR_MS), await logAt({ model: 'clocks' }, -HOUR_MS)];
    expect(await settled(feed)).toMatchObject({ row_count: 4, last_hour: { chosen: 4 }, backfill: { is_done: true } });
    const ids = await idsIn(sheet, feed);
    expect(new Set(ids)).toEqual(new Set([...before, ...after]));
    expect(ids).toHaveLength(4);
  });

  it('shares a sheet with another: each has its own rows, limits and end', async () => {
    const { me } = used;
    const sheet = await newSheet(me);
    const first = await newFeed(me, sheet, { source: 'requests', filter_group: ofModel('shared one'), keep_rows: 1 });
    const second = await newFeed(me, sheet, { source: 'requests', filter_group: ofModel('shared two') });
    expect(second.columns).toEqual(first.columns);
    const ids = await logInOrder(used.app, me, ['shared one', 'shared two', 'shared one', 'shared two']);
    expect(await settled(first)).toMatchObject({ row_count: 1, last_hour: { chosen: 2 } });
    expect(await settled(second)).toMatchObject({ row_count: 2, last_hour: { chosen: 2 } });
    expect(new Set(await idsIn(sheet, second))).toEqual(new Set(ids.slice(1)));
    await changeFeed(me, first, { state: 'paused' });
    const last = await logCall(me, { model: 'shared two' });
    await settled(second);
    expect(await idsIn(sheet, second)).toContain(last);
  });

  it('pauses when the credential of its judge is deleted, and continues without calling the model twice', async () => {
    const { me, vendors } = used;
    const { id } = await addCredential(me, { provider: 'mistral', base_url: `${vendors.url}/v1` });
    const sheet = await newSheet(me);
    const model = fresh('orphaned');
    const feed = await newFeed(me, sheet, { source: 'requests', filter_group: ofModel(model), rows_per_day: 100 });
    const column = await addColumn(me, sheet, judgeOf('mistral'));
    const texts: string[] = [];
    const log = async () => {
      texts.push(fresh('said'));
      await logCall(me, { model, output: texts.at(-1)! });
    };
    await log();
    await settled(feed);
    await me.delete(`${CREDENTIALS}/${id}`);
    for (let call = 0; call < 10; call++) await log();
    const paused = await settled(feed);
    expect(paused).toMatchObject({ state: 'paused', paused_reason: 'cells_failing', row_count: 11 });
    expect(paused.paused_message).toContain('Mend the cause');
    const failed = (await cellsOf(me, sheet, column.id)).find(({ status }) => status === 'error');
    expect(failed!.error_message).toMatch(/credential/i);
    await log();
    await addCredential(me, { provider: 'mistral', base_url: `${vendors.url}/v1` });
    await changeFeed(me, feed, { state: 'active' });
    expect(await settled(feed)).toMatchObject({ state: 'active', row_count: 12, last_hour: { chosen: 12 } });
    const cells = (await cellsOf(me, sheet, column.id)).slice(1);
    expect(cells.map(({ status }) => status)).toEqual(texts.map(() => 'completed'));
    const asked = vendors.calls.map(({ text }) => text.replace('Judge ', '')).filter((text) => texts.includes(text));
    expect(asked.toSorted()).toEqual(texts.toSorted());
  });
});
