import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { publishTraceScores } from '../../src/traces/index.js';
import type { Client } from '../support/client.js';
import { newWorkspace } from '../support/erasures.js';
import { between } from '../support/locks.js';
import { llmSpan, send, traceId } from '../support/otlp.js';
import {
  alertsOf,
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
import { until } from '../support/until.js';

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.own({ env: { MONITOR_DELAY_SECONDS: '0', READING_TIMEOUT_MS: '5000' } });
});
afterAll(() => app.stop());

const again = (client: Client, monitor: Monitor) => evaluatedAgain(app, client, monitor);

/** Evaluates the monitors of a workspace again in one claim, whether that works or not. */
async function evaluatedTogether(client: Client, workspaceId: number, monitors: Monitor[]): Promise<Monitor[]> {
  const again = 'UPDATE monitors SET evaluated_to = NULL, problem = NULL, due_at = now() WHERE workspace_id = $1';
  await app.sql(again, [workspaceId]);
  await app.sweep('monitors');
  let found: Monitor[] = [];
  await until(async () => {
    found = await Promise.all(monitors.map((monitor) => readMonitor(client, monitor)));
    return found.every(({ evaluated_to: to, problem }) => to !== null || problem !== null);
  });
  return found;
}

const COSTLY = { filter_group: { filters: [{ field: 'cost', operator: 'gt', value: 0.1 }] } };

const eventsOf = async (
  client: Client,
  workspaceId: number,
): Promise<{ event_type: string; details: { text: string } }[]> =>
  (
    (await client.get(`/api/admin/v1/workspaces/${workspaceId}/events?limit=100&order=asc`)) as {
      data: { event_type: string; details: { text: string } }[];
    }
  ).data.filter(({ event_type: type }) => type.startsWith('monitor_'));

describe('monitors', () => {
  let me: Client;
  let workspaceId: number;
  beforeAll(async () => {
    ({ me, id: workspaceId } = await newWorkspace(app));
  });

  it('open one alert for one cause, and close it when it is over', async () => {
    await logCalls(me, 8, { status: 'ERROR' });
    await logCalls(me, 2);
    const monitor = await evaluated(me, await createMonitor(me));
    expect(monitor).toMatchObject({
      status: 'open',
      open_alerts: 1,
      problem: null,
      latest: [
        { group: null, open: true, verdict: 'breach', figure: 0.8, expected_high: 0.2, items: 10, test: 'limit' },
      ],
    });
    await again(me, monitor);
    const [alert, ...others] = await alertsOf(me, monitor);
    expect(others).toEqual([]);
    expect(alert).toMatchObject({
      cause: 'limit',
      state: 'open',
      closing: null,
      opened_by: { figure: 0.8, items: 10 },
    });
    const found = (await me.post('/api/public/v2/requests/search', { filter_group: alert!.items_filter_group })) as {
      items: unknown[];
    };
    expect(found.items).toHaveLength(8);
    expect(decodeURIComponent(alert!.opened_by.items_path!)).toMatch(/^\/console\/logs\?status=ERROR&from=.*&to=/);

    await logCalls(me, 40);
    expect(await again(me, monitor)).toMatchObject({ status: 'quiet', latest: [{ verdict: 'fine', figure: 0.16 }] });
    expect(await alertsOf(me, monitor, '?state=closed')).toMatchObject([{ id: alert!.id, closing: 'recovered' }]);
    const events = await eventsOf(me, workspaceId);
    expect(events.map(({ event_type: type }) => type)).toEqual(['monitor_opened', 'monitor_closed']);
    expect(events[0]!.details.text).toBe('Failures: share of failures 80 %, expected at most 20 %, 10 items.');
  });

  it('open one alert when the evaluation is the victim of a deadlock and runs again', async () => {
    const { me: other, id } = await newWorkspace(app);
    await logCalls(other, 8, { status: 'ERROR' });
    let monitor: Monitor | undefined;
    await between(
      app,
      (tx) => tx.query('LOCK TABLE monitor_alerts IN SHARE MODE'),
      async () => (monitor = await evaluated(other, await createMonitor(other))),
      (tx) => tx.query('SELECT FROM monitors WHERE workspace_id = $1 FOR UPDATE', [id]),
    );
    expect(monitor).toMatchObject({ status: 'open', open_alerts: 1, problem: null });
    expect(await alertsOf(other, monitor!)).toHaveLength(1);
    expect((await eventsOf(other, id)).map(({ event_type: type }) => type)).toEqual(['monitor_opened']);
  });

  it('are taken over from a worker that died, and left to one that has them', async () => {
    const { me: other, id } = await newWorkspace(app);
    await logCalls(other, 6, { status: 'ERROR' });
    const monitor = await evaluated(other, await createMonitor(other));
    const claimed = (lease: string) =>
      app.app.get(DataSource).query(
        `UPDATE monitors SET claim = gen_random_uuid(), attempts = 1, lease_until = now() + $2::interval,
                evaluated_to = NULL, due_at = now() - interval '1 hour' WHERE id = $1`,
        [monitor.id, lease],
      );
    await claimed('1 hour');
    await app.sweep('monitors');
    expect((await readMonitor(other, monitor)).evaluated_to).toBeNull();
    await claimed('-1 second');
    await app.sweep('monitors');
    await evaluated(other, monitor);
    expect(await alertsOf(other, monitor)).toHaveLength(1);
    expect((await eventsOf(other, id)).map(({ event_type: type }) => type)).toEqual(['monitor_opened']);
  });

  it('judge each group on its own', async () => {
    const { me: other } = await newWorkspace(app);
    await logCalls(other, 6, { status: 'ERROR', model: 'claude', tags: ['a', 'a'] });
    await logCalls(other, 6);
    const ofModels = await evaluated(other, await createMonitor(other, { by: 'model' }));
    expect(ofModels.latest).toMatchObject([
      { group: 'claude', open: true, figure: 1, items: 6 },
      { group: 'gpt-4o', open: false, figure: 0, items: 6 },
    ]);
    const filter = { filter_group: { filters: [{ field: 'cost', operator: 'gt', value: 0.1 }] } };
    const byRows = await evaluated(other, await createMonitor(other, { by: 'model', ...filter }));
    expect(byRows.latest.map(({ group, figure }) => [group, figure])).toEqual([
      ['claude', 1],
      ['gpt-4o', 0],
    ]);
    const ofTags = await evaluated(other, await createMonitor(other, { by: 'tag', measure: 'count', limit: 5 }));
    expect(ofTags.latest).toMatchObject([{ group: 'a', figure: 6, verdict: 'breach' }]);
  });

  it.each([
    [{ measure: 'count' }, 12],
    [{ measure: 'tokens' }, 180],
    [{ measure: 'cost' }, 6],
    [{ measure: 'failed_share' }, 0.5],
    [{ measure: 'latency_percentile', percentile: 95 }, expect.closeTo(1000, -2)],
    [{ measure: 'score_mean', score: 'quality' }, 50],
    [{ measure: 'score_false_share', score: 'quality' }, 0.5],
    [{ measure: 'unscored_share', score: 'quality' }, expect.closeTo(10 / 12, 9)],
    [{ measure: 'unscored_share', score: 'other' }, 1],
    [{ measure: 'count', filter_group: { filters: [{ field: 'engine', operator: 'is', value: 'claude' }] } }, 6],
    [
      {
        measure: 'count',
        filter_group: { filters: [{ field: 'engine', operator: 'in', value: ['claude', 'gpt-4o'] }] },
      },
      12,
    ],
    [{ measure: 'count', filter_group: { filters: [] } }, 12],
    [{ measure: 'count', q: 'parcel' }, 12],
    [{ measure: 'count', origin: 'server' }, 0],
    [{ measure: 'count', origin: 'all' }, 12],
  ])('measure %o', async (body, figure) => {
    const { me: other } = await newWorkspace(app);
    await logCalls(other, 6, { status: 'ERROR', model: 'claude' });
    await logCalls(other, 4);
    await logCalls(other, 1, { score_name: 'quality', score: 0 });
    await logCalls(other, 1, { score_name: 'quality', score: 100 });
    const wanted = { ...body, least_items: 0, rule: 'limit', limit: 1e9 };
    expect((await evaluated(other, await createMonitor(other, wanted))).latest).toMatchObject([
      { figure, verdict: 'fine' },
    ]);
  });

  it('read times to the first token as traces show them, whatever clients send', async () => {
    const { me: other } = await newWorkspace(app);
    const began = Date.now() - 1_800_000;
    const times = { startTimeUnixNano: `${began}000000`, endTimeUnixNano: `${began + 500}000000` };
    const spans = [-1, -1, -1, 0.25, 0.25, 1e306].map((doubleValue) => {
      const sent = llmSpan({}, { ...times, traceId: traceId() });
      const told = { key: 'gen_ai.response.time_to_first_chunk', value: { doubleValue } };
      return { ...sent, attributes: [...(sent.attributes as object[]), told] };
    });
    await send(other, spans);
    const wanted = { measure: 'first_token_percentile', percentile: 50, least_items: 0, limit: 1e9 };
    const monitor = await evaluated(other, await createMonitor(other, wanted));
    expect(monitor.latest).toMatchObject([{ figure: expect.closeTo(250, -2), verdict: 'fine' }]);
  });

  it('are evaluated although reading another one fails', async () => {
    const { me: other, id } = await newWorkspace(app);
    await logCalls(other, 6, { status: 'ERROR' });
    const broken = await evaluated(other, await createMonitor(other, COSTLY));
    const others = [await createMonitor(other, COSTLY), await createMonitor(other)];
    for (const monitor of others) await evaluated(other, monitor);
    // No request stores such a window: it begins before the times that the database knows.
    const unreadable = `UPDATE monitors SET definition = definition || '{"windowMinutes": 10000000000}' WHERE id = $1`;
    await app.sql(unreadable, [broken.id]);
    const found = await evaluatedTogether(other, id, others);
    expect(found).toMatchObject(others.map(() => ({ status: 'open', problem: null })));
    expect(await app.sql('SELECT problem FROM monitors WHERE id = $1', [broken.id])).toEqual([
      { problem: 'Its items could not be read because of an error on the server.' },
    ]);
  });

  it('are evaluated although reading the hourly sums of others takes too long', async () => {
    const { me: other, id } = await newWorkspace(app);
    await logCalls(other, 6, { status: 'ERROR' }, 2);
    const summed = await evaluated(other, await createMonitor(other, { window_minutes: 1440 }));
    const ofRows = await evaluated(other, await createMonitor(other, { ...COSTLY, window_minutes: 1440 }));
    const found = await app.app.get(DataSource).transaction(async (tx) => {
      await tx.query('LOCK TABLE request_hours IN ACCESS EXCLUSIVE MODE');
      return evaluatedTogether(other, id, [summed, ofRows]);
    });
    expect(found).toMatchObject([
      { problem: expect.stringMatching(/^Reading this took longer than 5000 ms/) as string, evaluated_to: null },
      { status: 'open', problem: null },
    ]);
    expect(await evaluatedTogether(other, id, [summed])).toMatchObject([{ status: 'open', problem: null }]);
  });

  it('keep their closed alerts for 400 days after the end', async () => {
    const { me: other } = await newWorkspace(app);
    await logCalls(other, 6, { status: 'ERROR' });
    const monitor = await evaluated(other, await createMonitor(other));
    await other.patch(`${MONITORS}/${monitor.id}`, { state: 'paused' });
    const aged = (column: string, days: number) =>
      app.sql(`UPDATE monitor_alerts SET ${column} = now() - $2 * interval '1 day' WHERE monitor_id = $1`, [
        monitor.id,
        days,
      ]);
    for (const column of ['created_at', 'opened_at']) await aged(column, 500);
    await aged('closed_at', 399);
    await app.sweep('old-alerts');
    expect(await alertsOf(other, monitor)).toHaveLength(1);
    await aged('closed_at', 401);
    await app.sweep('old-alerts');
    expect(await alertsOf(other, monitor)).toEqual([]);
  });

  it('say what no data means', async () => {
    const { me: other } = await newWorkspace(app);
    const kept = await evaluated(other, await createMonitor(other));
    expect(kept).toMatchObject({ status: 'quiet', latest: [{ verdict: 'no_data', figure: null, items: 0 }] });
    const opened = await evaluated(other, await createMonitor(other, { no_data: 'open' }));
    expect(opened.status).toBe('open');
    expect(await alertsOf(other, opened)).toMatchObject([{ cause: 'no_data' }]);
    await logCalls(other, 3);
    expect(await again(other, opened)).toMatchObject({ status: 'open', latest: [{ verdict: 'few' }] });
    await logCalls(other, 3);
    expect((await again(other, opened)).status).toBe('quiet');
  });

  it('close alerts when they are paused, changed and deleted', async () => {
    const { me: other, id } = await newWorkspace(app);
    await logCalls(other, 6, { status: 'ERROR' });
    const monitors: Monitor[] = [];
    for (const name of ['A', 'B', 'C']) monitors.push(await evaluated(other, await createMonitor(other, { name })));
    await other.patch(`${MONITORS}/${monitors[0]!.id}`, { state: 'paused' });
    expect(await readMonitor(other, monitors[0]!)).toMatchObject({ status: 'paused', open_alerts: 0 });
    await other.patch(`${MONITORS}/${monitors[1]!.id}`, { limit: 2, name: 'Renamed' });
    expect(await evaluated(other, monitors[1]!)).toMatchObject({ status: 'quiet', name: 'Renamed', limit: 2 });
    await other.delete(`${MONITORS}/${monitors[2]!.id}`);
    await other.get(`${MONITORS}/${monitors[2]!.id}`, 404);
    const closed = (await eventsOf(other, id)).filter(({ event_type: type }) => type === 'monitor_closed');
    expect(closed.map(({ details }) => (details as unknown as { closing: string }).closing)).toEqual([
      'paused',
      'changed',
      'deleted',
    ]);
    await other.patch(`${MONITORS}/${monitors[0]!.id}`, { state: 'active' });
    expect((await evaluated(other, monitors[0]!)).status).toBe('open');
  });

  it('compare with the same hours of earlier weeks, and play the last 14 days by the same rules', async () => {
    const { me: other } = await newWorkspace(app);
    // Windows of an hour end at whole hours.
    const hours = (Date.now() % 3_600_000) / 3_600_000 + 0.5;
    for (const week of [1, 2]) await logCalls(other, 15, {}, hours + week * 168);
    await logCalls(other, 20, { status: 'ERROR' }, hours);
    const usual = { rule: 'usual', direction: 'higher', weeks: 4, least_items: 10 };
    const monitor = await evaluated(other, await createMonitor(other, usual));
    expect(monitor).toMatchObject({ status: 'open', alpha: expect.closeTo(0.1 / 168 / 2, 9), step_minutes: 60 });
    expect(monitor.latest).toMatchObject([{ test: 'fisher_exact', figure: 1, expected_low: null, items: 20 }]);
    expect(monitor.latest[0]!.probability).toBeLessThan(1e-9);
    const { name: _, closes_after_minutes: __, ...same } = { name: '', ...FAILURES, ...usual };
    const preview = (await other.post(`${MONITORS}/preview`, same, 200)) as {
      groups: {
        points: { figure: number | null }[];
        alerts: { text: string; closed_at: string | null; figure: number }[];
      }[];
    };
    expect(preview.groups).toHaveLength(1);
    expect(preview.groups[0]!.points).toHaveLength(14 * 24);
    expect(preview.groups[0]!.alerts).toMatchObject([{ figure: 1, closed_at: null }]);
    expect(preview.groups[0]!.alerts[0]!.text).toMatch(
      /^The monitor: share of failures 100 %, expected at most \d+(\.\d)? %, 20 items\.$/,
    );
    const learning = await evaluated(other, await createMonitor(other, { ...usual, measure: 'cost', weeks: 1 }));
    expect(learning.latest).toMatchObject([{ verdict: 'learning', test: 'none', expected_high: null }]);
  });

  it('count traces, and judge them by the scores that feeds publish', async () => {
    const { me: other, id: workspaceId } = await newWorkspace(app);
    const began = Date.now() - 1_800_000;
    const times = { startTimeUnixNano: `${began}000000`, endTimeUnixNano: `${began + 500}000000` };
    const ids = Array.from({ length: 5 }, () => traceId());
    await send(
      other,
      ids.map((id) => llmSpan({ output: 'No.' }, { ...times, traceId: id })),
    );
    const scored = ids.slice(0, 4).map((id, at) => ({ traceId: id, name: 'polite', score: at < 3 ? 0 : 100 }));
    await publishTraceScores(app.app.get(DataSource).manager, workspaceId, scored);
    const body = { source: 'traces', measure: 'count', limit: 100, least_items: 0, score: 'polite' };
    for (const [measure, by, figure, items] of [
      ['count', null, 5, 5],
      ['score_false_share', null, 0.75, 4],
      ['score_mean', null, 25, 4],
      ['unscored_share', null, 0.2, 5],
    ] as const) {
      const monitor = await evaluated(other, await createMonitor(other, { ...body, measure, by }));
      expect([measure, monitor.latest]).toMatchObject([measure, [{ figure, items, verdict: 'fine' }]]);
    }
    // Groups of traces are known once they are searchable.
    for (const measure of ['score_false_share', 'count']) {
      const grouped = await evaluated(other, await createMonitor(other, { ...body, measure, by: 'model' }));
      expect(grouped.problem).toBeNull();
    }
    const wanted = { ...body, measure: 'score_false_share', limit: 0.5 };
    const [alert] = await alertsOf(other, await evaluated(other, await createMonitor(other, wanted)));
    const found = (await other.post('/api/public/v2/traces/search', { filter_group: alert!.items_filter_group })) as {
      items: { trace_id: string }[];
    };
    expect(found.items.map(({ trace_id: id }) => id).toSorted()).toEqual(ids.slice(0, 3).toSorted());
    const { searchParams } = new URL(alert!.opened_by.items_path!, 'http://localhost');
    expect(searchParams.get('f')).toBe('trace_scores[polite] eq 0');
  });
});

describe('bad input', () => {
  it.each([
    [{ measure: undefined }, 422],
    [{ measure: null }, 422],
    [{ measure: 'speed' }, 422],
    [{ rule: undefined }, 422],
    [{ limit: undefined }, 422],
    [{ limit: 'much' }, 422],
    [{ limit: 1e300 }, 422],
    [{ name: '' }, 422],
    [{ name: 'x'.repeat(121) }, 422],
    [{ name: 7 }, 422],
    [{ window_minutes: 7 }, 422],
    [{ window_minutes: 60.5 }, 422],
    [{ weeks: 9, rule: 'usual' }, 422],
    [{ percentile: 0 }, 422],
    [{ extra: 1 }, 422],
    [{ filter_group: [] }, 422],
    [{ filter_group: { filters: [{ field: 'nothing', operator: 'is', value: 1 }] } }, 422],
    [{ filter_group: { filters: [{ field: 'engine', operator: 'gt', value: 1 }] } }, 400],
    [{ measure: 'latency_percentile' }, 400],
    [{ measure: 'score_mean' }, 400],
    [{ measure: 'first_token_percentile', percentile: 50, source: 'traces' }, 400],
    [{ measure: 'cost', rule: 'usual', window_minutes: 30 }, 400],
    [{ name: 'a\u0000b\ud800' }, 201],
    [{ q: '\u0000' }, 201],
    [{ score: '\u0000\ud800', measure: 'score_mean' }, 201],
    [{ filter_group: { filters: [{ field: 'engine', operator: 'is', value: 'a\u0000\ud800' }] } }, 201],
  ])('%o answers %i', async (body, status) => {
    const wanted: Record<string, unknown> = { name: 'Bad', ...FAILURES, ...body };
    const answer = await app.client.request('POST', MONITORS, wanted);
    expect([answer.status, answer.body]).toEqual([status, expect.anything()]);
    const { name: _, ...rest } = wanted;
    const previewed = await app.client.request('POST', `${MONITORS}/preview`, rest);
    if (!('name' in body)) expect(previewed.status).toBe(status === 201 ? 200 : status);
  });
});
