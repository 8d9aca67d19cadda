import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DatabaseGauges } from '../../src/platform/telemetry/database-gauges.js';
import { startExport } from '../support/exports.js';
import { addColumn, addCount, newSheet } from '../support/factories.js';
import { llmSpan, send } from '../support/otlp.js';
import { publishPrompt } from '../support/prompts.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';
import { createWebhook, webhookUrl } from '../support/webhooks.js';

let app: TestApp;
/** A server without workers, so that whatever is begun waits. */
beforeAll(async () => void (app = await TestApp.own({ works: false })));
afterAll(() => app.stop());

type Values = Record<string, number>;

const readNow = (of = app): Promise<void> => of.app.get(DatabaseGauges).read();

/** Series of gauges, with the size of the database. */
const SERIES = 22;

/** Reads until every gauge has a value: on a busy machine one may miss its time limit. */
const readAll = (of = app): Promise<void> =>
  until(async () => {
    await readNow(of);
    return Object.keys(await scrape(of)).length === SERIES;
  });

/** How often a gauge could not be read. */
async function failuresOf(gauge: string): Promise<number> {
  const { body } = await app.client.request('GET', '/metrics');
  const line = String(body)
    .split('\n')
    .find((each) => each.startsWith(`tracesheet_gauge_failures_total{gauge="${gauge}"}`));
  return Number(line?.split(' ').at(-1) ?? 0);
}

/** Series of gauges from the database, without the prefix. */
async function scrape(of = app): Promise<Values> {
  const { status, body } = await of.client.request('GET', '/metrics');
  expect(status).toBe(200);
  const series = String(body).matchAll(
    /^tracesheet_((?:waiting|oldest|search_lag|webhook|database_size).*) ([\d.e+]+)$/gm,
  );
  return Object.fromEntries([...series].map(([, name, value]) => [name, Number(value)]));
}

const between = (from: number, to: number): unknown => ({
  asymmetricMatch: (value: unknown) => typeof value === 'number' && value >= from && value < to,
  toString: () => `at least ${from} and below ${to}`,
});

/** Age in seconds; the test itself takes less than a minute. */
const aged = (seconds: number): unknown => between(seconds, seconds + 60);

const workspaceOf = async (): Promise<number> => {
  const [row] = (await app.sql('SELECT min(id) AS id FROM workspaces')) as [{ id: number }];
  return row.id;
};

describe('gauges that the database answers', () => {
  it('are 0 while nothing waits, and cost the database nothing when asked again', async () => {
    const idle = await TestApp.own({ works: false });
    await readAll(idle);
    const first = await scrape(idle);
    const { database_size_bytes: size, ...others } = first;
    expect(size).toBeGreaterThan(1_000_000);
    expect(Object.entries(others).filter(([, value]) => value !== 0)).toEqual([]);

    await addCount(idle.client, await newSheet(idle.client, ['a', 'b', 'c']), 'Length');
    expect(await scrape(idle)).toEqual(first);
    await idle.stop();
  });
});

describe('gauges of what waits', () => {
  beforeAll(async () => {
    await addCount(app.client, await newSheet(app.client, ['a', 'b', 'c']), 'Length');
    const sheet = await newSheet(app.client, ['x', 'y']);
    const code = { code: 'return 1', language: 'JAVASCRIPT' };
    await addColumn(app.client, sheet, { title: 'Code', type: 'CODE_EXECUTION', config: code });
    await startExport(app.client, { source: 'requests', format: 'jsonl' });
    await send(app.client, [llmSpan()]);
    await addDeliveries(await workspaceOf());
    for (const [seconds, change] of [
      [100, 'UPDATE executions SET created_at = created_at - $1::interval'],
      [200, 'UPDATE exports SET created_at = created_at - $1::interval'],
      [300, 'UPDATE trace_search_queue SET due_at = now() - $1::interval'],
      [400, 'UPDATE request_log_search_queue SET queued_at = queued_at - $1::interval'],
      [500, 'UPDATE webhook_deliveries SET next_attempt_at = now() - $1::interval'],
    ] as const)
      await app.sql(change, [`${seconds} seconds`]);
  });

  it('report how much waits and for how long', async () => {
    await readAll();
    expect(await scrape()).toMatchObject({
      'waiting_cells{kind="cells"}': 3,
      'waiting_cells{kind="external_cells"}': 2,
      'oldest_work_age_seconds{kind="cells"}': aged(100),
      'oldest_work_age_seconds{kind="external_cells"}': aged(100),
      'oldest_work_age_seconds{kind="export"}': aged(200),
      'oldest_work_age_seconds{kind="import"}': 0,
      'oldest_work_age_seconds{kind="trace_search"}': aged(300),
      'oldest_work_age_seconds{kind="deliveries"}': aged(500),
      'search_lag_seconds{index="traces"}': aged(300),
      'search_lag_seconds{index="logs"}': aged(400),
      webhook_backlog: 2,
    });
  });

  it('leave out work in the hands of a worker, and count it again when its lease is over', async () => {
    const lease = async (until: string | null) => {
      for (const table of ['computation_tasks', 'exports', 'trace_search_queue', 'webhooks'])
        await app.sql(`UPDATE ${table} SET lease_until = now() + $1::interval`, [until]);
      await app.sql(`UPDATE executions SET status = 'running'`);
      await readAll();
      return scrape();
    };
    expect(await lease('1 hour')).toMatchObject({
      'waiting_cells{kind="cells"}': 0,
      'oldest_work_age_seconds{kind="cells"}': 0,
      'oldest_work_age_seconds{kind="export"}': 0,
      'oldest_work_age_seconds{kind="trace_search"}': 0,
      'oldest_work_age_seconds{kind="deliveries"}': 0,
      // They are not in the index or delivered before the worker is done.
      'search_lag_seconds{index="traces"}': aged(300),
      webhook_backlog: 2,
    });
    expect(await lease('-50 seconds')).toMatchObject({
      'waiting_cells{kind="cells"}': 3,
      'oldest_work_age_seconds{kind="cells"}': aged(50),
      'oldest_work_age_seconds{kind="export"}': aged(200),
      'oldest_work_age_seconds{kind="deliveries"}': aged(500),
    });
    // The recalculation is under way: its other cells wait for the first ones.
    expect(await lease(null)).toMatchObject({
      'waiting_cells{kind="cells"}': 3,
      'oldest_work_age_seconds{kind="cells"}': 0,
    });
    await app.sql(`UPDATE executions SET status = 'queued'`);
  });

  it('have no value when the database does not answer in time, and the others stay', async () => {
    const [key, gauge] = ['oldest_work_age_seconds{kind="export"}', 'tracesheet_oldest_work_age_seconds'];
    const failures = await failuresOf(gauge);
    await app.inTransaction(async (sql) => {
      await sql('LOCK TABLE exports IN ACCESS EXCLUSIVE MODE');
      await readNow();
    });
    const values = await scrape();
    expect(values).not.toHaveProperty([key]);
    expect(values).toMatchObject({ 'oldest_work_age_seconds{kind="deliveries"}': aged(500), webhook_backlog: 2 });
    expect(await failuresOf(gauge)).toBe(failures + 1);
    await readAll();
    expect(await scrape()).toMatchObject({ [key]: aged(200) });
  });
});

/** Two deliveries to a webhook that is on, and two to a webhook that is off. */
async function addDeliveries(workspaceId: number): Promise<void> {
  const operator = app.operator();
  const on = await createWebhook(operator, workspaceId, { url: 'https://hooks.example.com/on' });
  const off = await createWebhook(operator, workspaceId, { url: 'https://hooks.example.com/off' });
  await operator.patch(webhookUrl(off.webhook), { enabled: false });
  for (const name of ['First', 'Second']) await publishPrompt(app.client, name);
  await app.sql(
    `INSERT INTO webhook_deliveries (workspace_id, webhook_id, event_id, event_type, body)
     SELECT e.workspace_id, h.id, e.id, e.type, '{}'
       FROM (SELECT * FROM outbox_events WHERE workspace_id = $1 ORDER BY id LIMIT 2) AS e CROSS JOIN unnest($2::int[]) AS h (id)`,
    [workspaceId, [on.webhook.id, off.webhook.id]],
  );
}
