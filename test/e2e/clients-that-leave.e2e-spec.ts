import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newSheet } from '../support/factories.js';
import { logCall } from '../support/otlp.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';

const V2 = '/api/public/v2';

let app: TestApp;
let url: string;
let sheet: string;
beforeAll(async () => {
  app = await TestApp.start({ works: false, env: { READING_POOL: '1', DATABASE_POOL: '10' } });
  await app.listen();
  url = await app.app.getUrl();
  await logCall(app.client);
  sheet = (await newSheet(app.client, ['one', 'two'])).path;
  // Everything is indexed first. Otherwise a search would index the rest, and finish that.
  await app.client.post(`${V2}/traces/search`, {});
});
afterAll(() => app.stop());

/** Far less than the time limit of a statement. */
const SOON_MS = 10_000;

const WAITING = `SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
const IN_TRANSACTION = `SELECT count(*)::int AS n FROM pg_stat_activity
  WHERE datname = current_database() AND state LIKE 'idle in transaction%' AND application_name = 'tracesheet-reading'`;

async function count(sql: string): Promise<number> {
  return ((await app.sql(sql)) as { n: number }[])[0]!.n;
}

const filter = { filter_group: { filters: [{ field: 'trace_tags', operator: 'contains', value: 'x' }] } };
const chart = { id: 'a', chartType: 'bar', metric: 'count' };

/** A request, and the table whose lock its statement waits for. */
const REQUESTS: [string, string, object | null, string][] = [
  ['analytics', '/requests/analytics', {}, 'request_logs'],
  ['charts of request logs', '/requests/analytics/custom-analytics', { customCharts: [chart] }, 'request_logs'],
  ['a histogram of request logs', '/requests/histogram', {}, 'request_logs'],
  ['a search of request logs', '/requests/search', {}, 'request_logs'],
  ['suggestions', '/requests/suggestions?field=engine', null, 'request_logs'],
  ['charts of traces', '/traces/analytics/custom-analytics', { ...filter, customCharts: [chart] }, 'trace_search'],
  ['a histogram of traces', '/traces/histogram', filter, 'search_segments'],
  ['a search of traces', '/traces/search', filter, 'search_segments'],
  ['an export of a sheet', '/export?format=csv', null, 'cells'],
  ['rows', '/rows', null, 'cells'],
];

describe('a client that leaves', () => {
  it.each(REQUESTS)('ends the statement of its request: %s', async (_, path, body, table) => {
    const leaving = new AbortController();
    const target = table === 'cells' ? sheet + path : V2 + path;
    await app.inTransaction(async (sql) => {
      await sql(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
      const answer = fetch(url + target, {
        method: body ? 'POST' : 'GET',
        headers: { 'x-api-key': app.apiKey, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
        signal: leaving.signal,
      });
      const left = expect(answer).rejects.toMatchObject({ name: 'AbortError' });
      await until(async () => (await count(WAITING)) > 0, SOON_MS);
      leaving.abort();
      await left;
      await until(async () => (await count(WAITING)) === 0, SOON_MS);
    });
    // The connection can be used by others.
    await until(async () => (await count(IN_TRANSACTION)) === 0, SOON_MS);
    expect(await app.client.post(`${V2}/requests/histogram`, {})).toMatchObject({ partial: false });
  });

  it('ends nothing of others, who wait for the same', async () => {
    const leaving = new AbortController();
    const ask = (signal?: AbortSignal) =>
      fetch(`${url}${V2}/requests/search`, {
        method: 'POST',
        headers: { 'x-api-key': app.apiKey, 'content-type': 'application/json' },
        body: '{}',
        signal,
      });
    let staying: Promise<Response> | null = null;
    await app.inTransaction(async (sql) => {
      await sql('LOCK TABLE request_logs IN ACCESS EXCLUSIVE MODE');
      const left = expect(ask(leaving.signal)).rejects.toMatchObject({ name: 'AbortError' });
      await until(async () => (await count(WAITING)) === 1, SOON_MS);
      staying = ask();
      await until(async () => (await count(WAITING)) === 2, SOON_MS);
      leaving.abort();
      await left;
      await until(async () => (await count(WAITING)) === 1, SOON_MS);
    });
    const answer = await staying!;
    expect(answer.status).toBe(200);
  });
});
