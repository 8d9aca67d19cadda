import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { newWorkspace } from '../support/erasures.js';
import { every } from '../support/every.js';
import {
  alertsOf,
  callOf,
  createMonitor,
  evaluated,
  evaluatedAgain,
  FAILURES,
  logCalls,
  type Monitor,
  MONITORS,
  readMonitor,
} from '../support/monitors.js';
import { TestApp } from '../support/test-app.js';

const MOST = 12;
let app: TestApp;
beforeAll(async () => {
  app = await TestApp.own({ env: { MONITOR_DELAY_SECONDS: '0', MONITORS_MAX: String(MOST) } });
});
afterAll(() => app.stop());

const again = (client: Client, monitor: Monitor) => evaluatedAgain(app, client, monitor);

const created = async (client: Client, body: object = {}) => evaluated(client, await createMonitor(client, body));

const nested = (depth: number): object =>
  depth === 0 ? { field: 'engine', operator: 'is', value: 'a' } : { logic: 'AND', filters: [nested(depth - 1)] };

describe('routes of a monitor', () => {
  it('answer 404 for unknown ids, and 422 for invalid ones', async () => {
    const [{ me }, { me: other }] = [await newWorkspace(app), await newWorkspace(app)];
    const { id: foreign } = await createMonitor(other);
    const { id: deleted } = await createMonitor(me);
    await me.delete(`${MONITORS}/${deleted}`);
    const ids: [string, number][] = [
      [randomUUID(), 404],
      [foreign, 404],
      [deleted, 404],
      ['1', 422],
      ['%00', 422],
      ['%F0%9F%98%80', 422],
      ['x'.repeat(99), 422],
    ];
    await every(ids, async ([id, status]) => {
      for (const [method, path, body] of [
        ['GET', `${MONITORS}/${id}`, undefined],
        ['GET', `${MONITORS}/${id}/alerts`, undefined],
        ['PATCH', `${MONITORS}/${id}`, { name: 'A' }],
        ['DELETE', `${MONITORS}/${id}`, undefined],
      ] as const) {
        const answer = await me.request(method, path, body);
        expect([method, id, answer.status]).toEqual([method, id, status]);
      }
    });
    expect(await readMonitor(other, { id: foreign })).toMatchObject({ name: 'Failures' });
  });

  it('refuse lists that are asked for badly', async () => {
    const { me } = await newWorkspace(app);
    const { id } = await createMonitor(me);
    const queries: [string, number][] = [
      ['limit=0', 422],
      ['limit=101', 422],
      ['limit=a', 422],
      ['limit=1e99', 422],
      ['order=up', 422],
      ['cursor=a', 400],
      ['cursor=%00', 400],
      ['extra=1', 422],
    ];
    await every(queries, async ([query, status]) => {
      for (const path of [MONITORS, `${MONITORS}/${id}/alerts`]) {
        expect([query, (await me.request('GET', `${path}?${query}`)).status]).toEqual([query, status]);
      }
    });
    await me.get(`${MONITORS}/${id}/alerts?state=new`, 422);
  });

  it.each([
    [{ name: null }, 422],
    [{ name: ' ' }, 422],
    [{ state: 'off' }, 422],
    [{ state: null }, 422],
    [{ limit: 1e300 }, 422],
    [{ limit: null }, 422],
    [{ limit: '0.2' }, 422],
    [{ percentile: 100 }, 422],
    [{ least_items: 1e99 }, 422],
    [{ least_items: 0.5 }, 422],
    [{ weeks: 1e18 }, 422],
    [{ measure: 'score_mean' }, 400],
    [{ filter_group: nested(60) }, 400],
    [{ filter_group: { filters: [{ field: 'engine', operator: 'is', value: [] }] } }, 400],
    [{ source: 'traces', filter_group: { filters: [{ field: 'engine', operator: 'is', value: 'a' }] } }, 422],
    [{ q: 'x'.repeat(1001) }, 422],
    [{ extra: 1 }, 422],
    [[], 422],
    [{}, 200],
    [{ name: 'a\u0000\ud800' }, 200],
    [{ q: '\ud800\u0000' }, 200],
    [{ least_items: null, origin: null, window_minutes: null }, 200],
  ])('take the change %j with %i', async (body, status) => {
    const { me } = await newWorkspace(app);
    const monitor = await createMonitor(me);
    const answer = await me.request('PATCH', `${MONITORS}/${monitor.id}`, body);
    expect([answer.status, answer.body]).toEqual([status, expect.anything()]);
    if (status !== 200) expect((await readMonitor(me, monitor)).updated_at).toBe(monitor.updated_at);
  });

  it('keep to the limit of a workspace, make one monitor of a repeated request, and one change after the other', async () => {
    const { me } = await newWorkspace(app);
    const body = { name: 'Failures', ...FAILURES };
    const once = me.with({ 'idempotency-key': 'once' });
    const same = await Promise.all([1, 2, 3].map(() => once.request('POST', MONITORS, body)));
    const made = same.filter(({ status }) => status === 201);
    const ids = made.map(({ body: answer }) => (answer as { monitor: Monitor }).monitor.id);
    expect(new Set(ids).size).toBe(1);
    const others = await Promise.all(Array.from({ length: MOST + 3 }, () => me.request('POST', MONITORS, body)));
    expect(others.filter(({ status }) => status === 201)).toHaveLength(MOST - 1);
    expect(others.filter(({ status }) => status === 409)).toHaveLength(4);
    const path = `${MONITORS}/${ids[0]}`;
    const states = ['paused', 'active', 'paused', 'active'];
    await Promise.all(states.map((state, at) => me.patch(path, { state, limit: at / 10 })));
    const ends = await Promise.all([1, 2, 3].map(() => me.request('DELETE', path)));
    expect(ends.map(({ status }) => status).toSorted()).toEqual([200, 404, 404]);
  });
});

describe('a group with ten thousand values', () => {
  it('is judged for the fifty with the most items, and for those with an alert', async () => {
    const { me } = await newWorkspace(app);
    await logCalls(me, 6, { status: 'ERROR', tags: ['failing'] });
    const monitor = await created(me, { by: 'tag' });
    expect(monitor).toMatchObject({ status: 'open', latest: [{ group: 'failing' }] });
    const tagsOf = (at: number) => Array.from({ length: 200 }, (_, tag) => `tag-${at * 200 + tag}`);
    for (let at = 0; at < 50; at++) await me.post('/log-request', callOf(0.5, { tags: tagsOf(at) }), 201);
    for (let at = 0; at < 60; at++) {
      await me.post('/log-request', callOf(0.5, { tags: tagsOf(0).slice(0, 60) }), 201);
    }
    const crowded = await again(me, monitor);
    expect(crowded.latest).toHaveLength(51);
    expect(crowded.latest[0]).toMatchObject({ group: 'failing', open: true, verdict: 'breach', items: 6 });
    expect(new Set(crowded.latest.slice(1).map(({ items }) => items))).toEqual(new Set([61]));
    expect(await again(me, monitor)).toMatchObject({ status: 'open', open_alerts: 1 });
    // Windows of previews may end an hour ago.
    for (let at = 0; at < 6; at++) await me.post('/log-request', callOf(2, { tags: tagsOf(0).slice(0, 60) }), 201);
    const preview = { ...FAILURES, by: 'tag', closes_after_minutes: undefined };
    const { groups } = (await me.post(`${MONITORS}/preview`, preview)) as { groups: unknown[] };
    expect(groups).toHaveLength(5);
  });

  it('says of no group that has fewer items than others that it has none', async () => {
    const { me } = await newWorkspace(app);
    await logCalls(me, 1, { tags: ['rare'] });
    const monitor = await created(me, { by: 'tag', no_data: 'open', least_items: 0 });
    const tags = Array.from({ length: 50 }, (_, at) => `tag-${at}`);
    for (let at = 0; at < 3; at++) await me.post('/log-request', callOf(0.5, { tags }), 201);
    const crowded = await again(me, monitor);
    expect(crowded).toMatchObject({ status: 'quiet', open_alerts: 0 });
    expect(crowded.latest).toHaveLength(50);
  });
});

describe('a score that nobody publishes any more', () => {
  const OF_SCORE = { measure: 'score_false_share', score: 'polite', limit: 0.5 };

  it.each([
    ['keep', 'open', null],
    ['ok', 'closed', 'no_data'],
    ['open', 'open', null],
  ])('with no_data %s leaves its alert %s', async (no_data, state, closing) => {
    const { me, id } = await newWorkspace(app);
    await logCalls(me, 6, { score_name: 'polite', score: 0 });
    const monitor = await created(me, { ...OF_SCORE, no_data });
    expect(monitor.status).toBe('open');
    await app.sql('DELETE FROM request_scores WHERE workspace_id = $1', [id]);
    expect(await again(me, monitor)).toMatchObject({ latest: [{ verdict: 'no_data', figure: null, items: 0 }] });
    expect(await alertsOf(me, monitor)).toMatchObject([{ state, closing }]);
    if (state === 'closed') return;
    await app.sql(`UPDATE monitor_alerts SET empty_since = now() - interval '25 hours' WHERE workspace_id = $1`, [id]);
    await again(me, monitor);
    // The alert closes after a day without data, unless no_data keeps it open.
    const after = no_data === 'open' ? { state: 'open' } : { state: 'closed', closing: 'no_data' };
    expect(await alertsOf(me, monitor)).toMatchObject([after]);
  });

  it('is a share of all items for the measure of items without it', async () => {
    const { me } = await newWorkspace(app);
    await logCalls(me, 6);
    expect(await created(me, { measure: 'unscored_share', score: 'polite', limit: 0.5 })).toMatchObject({
      status: 'open',
      latest: [{ figure: 1, items: 6 }],
    });
  });
});

describe('a window without data', () => {
  it.each([
    [{ no_data: 'keep' }, 'quiet', 'no_data'],
    [{ no_data: 'ok' }, 'quiet', 'no_data'],
    [{ no_data: 'open' }, 'open', 'no_data'],
    [{ no_data: 'open', rule: 'usual', limit: undefined }, 'open', 'no_data'],
    [{ no_data: 'open', by: 'model' }, 'waiting', undefined],
    [{ measure: 'count', op: 'below', limit: 1, least_items: 0 }, 'open', 'breach'],
    [{ measure: 'count', limit: 0, least_items: 0 }, 'quiet', 'fine'],
  ])('with %j is %s', async (body, status, verdict) => {
    const { me } = await newWorkspace(app);
    const monitor = await created(me, body);
    expect([monitor.status, monitor.latest[0]?.verdict]).toEqual([status, verdict]);
  });
});

describe('a clock that is an hour off', () => {
  it('counts items in the windows of their own time, those of the future when it has come', async () => {
    const { me } = await newWorkspace(app);
    await logCalls(me, 6, { status: 'ERROR' }, -1);
    await logCalls(me, 6, { status: 'ERROR' }, 1.5);
    const hour = await created(me);
    expect(hour).toMatchObject({ status: 'quiet', latest: [{ verdict: 'no_data' }] });
    const count = { measure: 'count', least_items: 0, limit: 100 };
    expect((await created(me, count)).latest).toMatchObject([{ figure: 0 }]);
    expect((await created(me, { ...count, window_minutes: 180 })).latest).toMatchObject([{ figure: 6 }]);
  });
});
