import { randomBytes } from 'node:crypto';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FEED_ROWS } from '../../src/feeds/feed-work.js';
import { isFree } from '../../src/platform/work/free-lease.js';
import type { Client } from '../support/client.js';
import { newWorkspace } from '../support/erasures.js';
import { addColumn, addCount, newSheet, settled } from '../support/factories.js';
import { changeFeed, explain, type Feed, feedHours, newFeed, readFeed, settledFeed } from '../support/feeds.js';
import { llmSpan, logCall, send, span, traceId } from '../support/otlp.js';
import { untilSearchable } from '../support/sweeps.js';
import { TestApp } from '../support/test-app.js';
import { readLog } from '../support/tracking.js';
import { until } from '../support/until.js';

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.own();
});
afterAll(() => app.stop());

const sql = (text: string, parameters: unknown[] = []) => app.app.get(DataSource).query<unknown>(text, parameters);

interface FeedEvent {
  event_type: string;
  details: { feed_id: string; undecided_count?: number };
}

async function eventsOf(client: Client, workspaceId: number): Promise<FeedEvent[]> {
  const path = `/api/admin/v1/workspaces/${workspaceId}/events?limit=100&order=asc`;
  const { data } = (await client.get(path)) as { data: FeedEvent[] };
  return data.filter(({ event_type: type }) => type.startsWith('feed_'));
}

/** Waits until so many arrivals wait for the feed, and makes them as old as an interval. */
async function ageArrivals(client: Client, feed: Feed, count: number, age: string): Promise<void> {
  await until(async () => (await readFeed(client, feed)).undecided_count === count);
  await sql(
    `UPDATE arrivals a SET arrived_at = now() - $2::interval FROM feeds f
      WHERE f.id = $1 AND a.workspace_id = f.workspace_id AND a.kind = f.source AND a.seq > f.position`,
    [feed.id, age],
  );
}

const setState = (feed: Feed, since: string) =>
  sql('UPDATE feeds SET state_since = now() - $2::interval WHERE id = $1', [feed.id, since]);

/** A worker that died has the feed until its lease ends. */
const holdFeed = (feed: Feed) =>
  sql(
    `UPDATE feeds SET status = 'running', claim = gen_random_uuid(), lease_until = now() + interval '1 hour',
            state_since = now() - interval '1 hour' WHERE id = $1`,
    [feed.id],
  );

async function releaseFeed(client: Client, feed: Feed): Promise<void> {
  await sql(`UPDATE feeds SET lease_until = now() - interval '1 second' WHERE id = $1`, [feed.id]);
  await until(async () => {
    await app.sweep('feeds');
    return (await readFeed(client, feed)).undecided_count === 0;
  });
}

describe('a feed that is behind', () => {
  it('says so once by a sweep, and again only after it has caught up', async () => {
    const { me, id } = await newWorkspace(app);
    const feed = await newFeed(me, await newSheet(me), { source: 'requests' });
    await settledFeed(app, me, feed);
    for (const times of [1, 2]) {
      await holdFeed(feed);
      await logCall(me);
      await ageArrivals(me, feed, 1, '6 minutes');
      await Promise.all([app.sweep('feeds'), app.sweep('feeds')]);
      await app.sweep('feeds');
      expect((await readFeed(me, feed)).behind_since).not.toBeNull();
      expect(await eventsOf(me, id)).toMatchObject(
        Array.from({ length: times }, () => ({
          event_type: 'feed_behind',
          details: {
            feed_id: feed.id,
            name: 'Mine',
            undecided_count: 1,
            undecided_since: expect.any(String) as string,
          },
        })),
      );
      await releaseFeed(me, feed);
      expect((await readFeed(me, feed)).behind_since).toBeNull();
    }
    expect(await eventsOf(me, id)).toHaveLength(2);
  });

  it('emits an event when it reaches an old arrival, but not right after it was resumed', async () => {
    const { me, id } = await newWorkspace(app);
    const sheet = await newSheet(me);
    const feed = await newFeed(me, sheet, { source: 'requests' });
    await settledFeed(app, me, feed);
    await setState(feed, '1 hour');
    await app.inTransaction(async (locking) => {
      await locking('SELECT FROM sheets WHERE id = $1 FOR UPDATE', [sheet.id]);
      await logCall(me);
      await ageArrivals(me, feed, 1, '6 minutes');
    });
    expect(await settledFeed(app, me, feed)).toMatchObject({ row_count: 1, behind_since: null });
    expect((await eventsOf(me, id)).map(({ event_type: type }) => type)).toEqual(['feed_behind']);

    await changeFeed(me, feed, { state: 'paused' });
    await logCall(me);
    await ageArrivals(me, feed, 1, '6 minutes');
    await changeFeed(me, feed, { state: 'active' });
    await app.sweep('feeds');
    expect(await settledFeed(app, me, feed)).toMatchObject({ row_count: 2 });
    expect(await eventsOf(me, id)).toHaveLength(1);
  });
});

describe('arrivals of a feed that is paused', () => {
  it('expire after 30 days by number, and later ones wait', async () => {
    const { me } = await newWorkspace(app);
    const sheet = await newSheet(me);
    const feed = await newFeed(me, sheet, { source: 'requests' });
    const other = await newFeed(me, await newSheet(me), { source: 'requests' });
    const first = await logCall(me);
    await settledFeed(app, me, feed);
    await changeFeed(me, feed, { state: 'paused' });
    const gone = [await logCall(me), await logCall(me)];
    await ageArrivals(me, feed, 2, '31 days');
    await app.sweep('feeds');
    expect(await readFeed(me, feed)).toMatchObject({ undecided_count: 2, last_hour: { expired: 0 } });
    await setState(feed, '32 days');
    await sql(`UPDATE request_logs SET created_at = now() - interval '31 days 1 hour' WHERE id = ANY($1)`, [gone]);
    const kept = await logCall(me);
    await until(async () => (await readFeed(me, feed)).undecided_count === 3);
    await app.sweep('feeds');
    expect(await readFeed(me, feed)).toMatchObject({
      undecided_count: 1,
      last_hour: { chosen: 1, expired: 2, seen: 3 },
    });
    expect((await feedHours(me, feed)).map(({ expired }) => expired)).toEqual([2]);
    const told = await explain(me, feed, { request_id: gone[1]! });
    expect(told).toMatchObject({ decision: 'expired', is_recorded: false });
    expect(await explain(me, feed, { request_id: kept })).toMatchObject({ decision: 'waiting' });
    expect(await explain(me, feed, { request_id: first })).toMatchObject({ decision: 'chosen' });
    await changeFeed(me, feed, { state: 'active' });
    expect(await settledFeed(app, me, feed)).toMatchObject({ row_count: 2, last_hour: { chosen: 2, expired: 2 } });
    expect(await settledFeed(app, me, other)).toMatchObject({ row_count: 4, last_hour: { chosen: 4, expired: 0 } });
  });

  it('expire as well for traces that were never closed, and nothing of them remains', async () => {
    const { me, id } = await newWorkspace(app);
    const feed = await newFeed(me, await newSheet(me), { source: 'traces', quiet_seconds: 1 });
    await changeFeed(me, feed, { state: 'paused' });
    const trace = traceId();
    await send(me, [span({ traceId: trace })]);
    const open = () => sql('SELECT FROM open_traces WHERE workspace_id = $1', [id]) as Promise<unknown[]>;
    await until(async () => {
      await app.sweep('trace-search');
      return (await open()).length === 1;
    });
    await sql(`UPDATE open_traces SET changed_at = now() - interval '31 days' WHERE workspace_id = $1`, [id]);
    await setState(feed, '32 days');
    await app.sweep('feeds');
    expect(await readFeed(me, feed)).toMatchObject({ undecided_count: 0, last_hour: { seen: 1, expired: 1 } });
    expect(await open()).toEqual([]);
    expect(await sql('SELECT FROM arrivals WHERE workspace_id = $1', [id])).toEqual([]);
    await changeFeed(me, feed, { state: 'active' });
    expect(await settledFeed(app, me, feed)).toMatchObject({ row_count: 0 });
  });
});

describe('a feed of a deleted sheet', () => {
  it('is deleted by a sweep, and nothing waits for it any more', async () => {
    const { me, id } = await newWorkspace(app);
    const sheets = [await newSheet(me), await newSheet(me)];
    const [paused, active] = [
      await newFeed(me, sheets[0]!, { source: 'requests' }),
      await newFeed(me, sheets[1]!, { source: 'requests' }),
    ];
    await changeFeed(me, paused, { state: 'paused' });
    for (const { path } of sheets) await me.delete(path);
    await app.sweep('feeds');
    expect(await sql('SELECT FROM feeds WHERE id = $1', [paused.id])).toEqual([]);
    const isGone = async () => ((await sql('SELECT FROM feeds WHERE id = $1', [active.id])) as unknown[]).length === 0;
    await until(async () => {
      await app.sweep('feeds');
      return isGone();
    });
    expect(await eventsOf(me, id)).toMatchObject([
      { event_type: 'feed_paused', details: { feed_id: active.id, reason: 'sheet_deleted' } },
    ]);
    await logCall(me);
    await untilSearchable(app, id);
    for (const table of ['arrival_logs', 'arrivals']) {
      expect(await sql(`SELECT FROM ${table} WHERE workspace_id = $1`, [id])).toEqual([]);
    }
  });
});

describe('a feed that is changed while a worker has it', () => {
  it('goes on at once, also after a pause', async () => {
    const { me } = await newWorkspace(app);
    const feed = await newFeed(me, await newSheet(me), { source: 'requests' });
    await settledFeed(app, me, feed);
    await holdFeed(feed);
    await changeFeed(me, feed, { state: 'paused' });
    await changeFeed(me, feed, { state: 'active' });
    await logCall(me);
    expect(await settledFeed(app, me, feed)).toMatchObject({ row_count: 1 });
    await holdFeed(feed);
    await changeFeed(me, feed, { name: 'Another name' });
    await logCall(me);
    expect(await settledFeed(app, me, feed)).toMatchObject({ row_count: 2, name: 'Another name' });
  });
});

/** Makes the open traces of a workspace as old as an interval. */
const ageTraces = (workspaceId: number, age: string) =>
  sql('UPDATE open_traces SET changed_at = now() - $2::interval WHERE workspace_id = $1', [workspaceId, age]);

describe('a batch of traces that is cut because of its size', () => {
  it('ends before an entry for its feed, although feeds with another quiet time have entries of the same traces', async () => {
    const { me, id } = await newWorkspace(app);
    const options = { source: 'traces', sample_rate: 0, quiet_seconds: 60 };
    const impatient = await newFeed(me, await newSheet(me), options);
    const feed = await newFeed(me, await newSheet(me), { source: 'traces', quiet_seconds: 300 });
    await settledFeed(app, me, feed);
    await changeFeed(me, feed, { state: 'paused' });
    for (let trace = 0; trace < 3; trace++) await send(me, [span({ traceId: traceId() })]);
    await untilSearchable(app, id);
    const large = randomBytes(3_000_000).toString('base64');
    await sql('UPDATE span_search SET output = $2 WHERE workspace_id = $1', [id, large]);
    await ageTraces(id, '1 hour');
    await until(async () => {
      await app.sweep('feeds');
      return (await readFeed(me, impatient)).last_hour.sampled_out === 3;
    });
    await changeFeed(me, feed, { state: 'active' });
    expect(await settledFeed(app, me, feed)).toMatchObject({
      state: 'active',
      row_count: 3,
      last_hour: { seen: 3, chosen: 3 },
    });
  });
});

/** Rows that one transaction settles. */
const SETTLED_AT_ONCE = 500;

describe('results that change while a feed settles as many rows as one transaction takes', () => {
  it('are published again', async () => {
    const { me, id } = await newWorkspace(app);
    const sheet = await newSheet(me);
    const feed = await newFeed(me, sheet, { source: 'requests' });
    const column = await addCount(me, sheet, 'Length', 'output');
    await changeFeed(me, feed, { publishes: [{ column_id: column.id, name: 'length' }] });
    const first = await logCall(me, { output: 'two words' });
    await untilSearchable(app, id);
    expect(await settledFeed(app, me, feed)).toMatchObject({ row_count: 1 });
    const score = async () => (await readLog(me, first)).scores.map((each) => each.score);
    expect(await score()).toEqual([9]);
    await send(
      me,
      Array.from({ length: SETTLED_AT_ONCE }, () => llmSpan()),
    );
    expect(await settledFeed(app, me, feed)).toMatchObject({ row_count: SETTLED_AT_ONCE + 1 });
    await holdFeed(feed);
    await me.patch(`${sheet.path}/columns/${column.id}`, { config: { source: 'output', type: 'words' } });
    await me.post(`${sheet.path}/operations`, { operation: 'recalculate' }, 202);
    await settled(me, sheet);
    // The results must not share the last version of the sheet.
    await addColumn(me, sheet, { title: 'Later', type: 'TEXT' });
    // The rows after the first one wait for the feed, as if they had been computed for the first time.
    await sql('UPDATE feed_items SET is_settled = false WHERE feed_id = $1 AND row_index > 1', [feed.id]);
    expect(await score()).toEqual([9]);
    await sql(`UPDATE feeds SET lease_until = now() - interval '1 second' WHERE id = $1`, [feed.id]);
    await app.sweep('feeds');
    await settledFeed(app, me, feed);
    expect(await score()).toEqual([2]);
  });
});

describe('feeds of several workspaces', () => {
  it('do not block each other: a workspace with hanging feeds leaves a slot', async () => {
    const { me: busy } = await newWorkspace(app);
    const { me: quiet } = await newWorkspace(app);
    const sheets = [await newSheet(busy), await newSheet(busy), await newSheet(busy)];
    const hanging: Feed[] = [];
    for (const sheet of sheets) hanging.push(await newFeed(busy, sheet, { source: 'requests' }));
    const feed = await newFeed(quiet, await newSheet(quiet), { source: 'requests' });
    for (const each of hanging) await settledFeed(app, busy, each);
    await settledFeed(app, quiet, feed);
    await app.inTransaction(async (locking) => {
      await locking('SELECT FROM sheets WHERE id = ANY($1) FOR UPDATE', [sheets.map(({ id }) => id)]);
      await logCall(busy);
      const running = `SELECT FROM feeds WHERE status = 'running' AND id = ANY($1)`;
      const ids = hanging.map(({ id }) => id);
      await until(async () => ((await sql(running, [ids])) as unknown[]).length === 2);
      await logCall(quiet);
      expect(await settledFeed(app, quiet, feed)).toMatchObject({ row_count: 1 });
      expect(await readFeed(busy, hanging[2]!)).toMatchObject({ row_count: 0, undecided_count: 1 });
    });
    for (const each of hanging) expect(await settledFeed(app, busy, each)).toMatchObject({ row_count: 1 });
  });

  it('cost a claim nothing while they are idle', async () => {
    for (let workspace = 0; workspace < 4; workspace++) {
      const { me } = await newWorkspace(app);
      const feed = await newFeed(me, await newSheet(me), { source: 'requests' });
      await settledFeed(app, me, feed);
      await sql(
        `INSERT INTO feeds (workspace_id, id, sheet_id, name, source, settings, columns, quiet_seconds, begins_at, begin_seq, position, seen_version, status)
         SELECT workspace_id, gen_random_uuid(), sheet_id, name, source, settings, columns, quiet_seconds, begins_at, begin_seq, position, 1000000, 'idle'
           FROM feeds, generate_series(1, 250) WHERE id = $1`,
        [feed.id],
      );
    }
    // Feeds of other tests count as well: claims search the feeds of all workspaces.
    const isOpen = `SELECT FROM feeds WHERE state = 'active' AND status <> 'idle'`;
    await until(async () => ((await sql(isOpen)) as unknown[]).length === 0);
    await sql('ANALYZE feeds');
    const plan = (await sql(
      `EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, FORMAT JSON) SELECT w.workspace_id FROM feeds w
        WHERE ${FEED_ROWS.open} AND ${isFree('w')} ORDER BY w.workspace_id <= 2, w.workspace_id LIMIT 1`,
    )) as [{ 'QUERY PLAN': unknown }];
    const text = JSON.stringify(plan[0]['QUERY PLAN']);
    expect(text).toContain('feeds_open_idx');
    expect(text).not.toMatch(/"Actual Rows":[1-9]|"Rows Removed by Filter":[1-9]|Seq Scan/);
  });
});
