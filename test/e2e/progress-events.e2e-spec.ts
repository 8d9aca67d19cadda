import { randomUUID } from 'node:crypto';
import type http from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { addCount, importLogs, newSheet, settled, TABLES } from '../support/factories.js';
import { configureScorecard, readScorecard, recalculate, withSteps } from '../support/scorecards.js';
import { textSheet } from '../support/scores.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.own();
  me = app.client;
});
afterAll(() => app.stop());

interface ServerEvent {
  event: string;
  data: { status: string; completed_count?: number; pending_count?: number; cell_count?: number };
}

/** Listens until the stream ends. */
async function listen(url: string): Promise<ServerEvent[]> {
  const answer = await me.request('GET', url);
  expect(answer.status).toBe(200);
  expect(answer.headers['content-type']).toContain('text/event-stream');
  expect(answer.headers['cache-control']).toBe('no-store');
  return String(answer.body)
    .split('\n\n')
    .filter((block) => block.startsWith('event: '))
    .map((block) => {
      const [event, data] = block.split('\n');
      return { event: event!.slice(7), data: JSON.parse(data!.slice(6)) as ServerEvent['data'] };
    });
}

it('streams the progress and the end of a computation', async () => {
  const sheet = await newSheet(
    me,
    Array.from({ length: 90 }, (_, row) => `text ${row}`),
  );
  await addCount(me, sheet, 'Length');
  await settled(me, sheet);
  const started = (await me.post(`${sheet.path}/operations`, { operation: 'recalculate', statuses: [] }, 202)) as {
    operation_id: string;
    status_url: string;
  };
  const events = await listen(`${started.status_url}/events`);
  expect(events.at(-1)).toMatchObject({
    event: 'end',
    data: { status: 'completed', completed_count: 90, pending_count: 0 },
  });
  for (const { event, data } of events.slice(0, -1)) {
    expect(event).toBe('progress');
    expect(['queued', 'running']).toContain(data.status);
  }
  const { operation } = (await me.get(started.status_url)) as { operation: object };
  expect(events.at(-1)!.data).toEqual(operation);
  // An operation that has ended is answered with its end at once.
  expect(await listen(`${started.status_url}/events`)).toEqual([{ event: 'end', data: operation }]);
});

it('streams the progress and the end of a calculation of a scorecard', async () => {
  const rows = Array.from({ length: 90 }, (_, row) => [`text ${row}`]);
  const sheet = await textSheet(me, ['Output'], rows);
  const step = { title: 'One', primitive_type: 'CONTAINS', primitive_config: { source: 'Output', value: '1' } };
  await configureScorecard(me, sheet, withSteps([step]));
  await recalculate(me, sheet);
  const { latest_calculation: latest } = await readScorecard(me, sheet);
  const events = await listen(`${sheet.path}/operations/${latest!.execution_id}/events`);
  expect(events.at(-1)).toMatchObject({
    event: 'end',
    data: { status: 'completed', completed_count: 90, pending_count: 0 },
  });
});

it('streams the end of an import', async () => {
  const sheet = await newSheet(me);
  const { operation_id: id } = await importLogs(me, sheet, { request_log_ids: [1] });
  const [end] = await listen(`${TABLES}/${sheet.tableId}/sheets/operations/${id}/events`);
  expect(end).toMatchObject({ event: 'end', data: { status: 'failed' } });
});

it('answers 404 like the operation itself', async () => {
  const sheet = await newSheet(me);
  await me.get(`${sheet.path}/operations/${randomUUID()}/events`, 404);
  await me.get(`${TABLES}/${sheet.tableId}/sheets/operations/nothing/events`, 404);
});

it('ends when its key is revoked, and goes on for others', async () => {
  const idle = await TestApp.own({ works: false });
  try {
    const sheet = await newSheet(idle.client);
    const body = { filter_group: { filters: [] } };
    const started = await idle.client.request('POST', `${sheet.path}/imports/request-logs`, body);
    const [{ id: workspace }] = (await idle.sql('SELECT id FROM workspaces')) as [{ id: number }];
    const keys = `/api/admin/v1/workspaces/${workspace}/api-keys`;
    const issued = (await idle.client.post(keys, {}, 201)) as { secret: string; api_key: { id: number } };
    await idle.listen();
    const url = `${await idle.app.getUrl()}${(started.body as { status_url: string }).status_url}/events`;
    // No worker runs, so the operation does not end.
    const follow = (key: string) => fetch(url, { headers: { 'x-api-key': key } });
    const [lost, kept] = [await follow(issued.secret), await follow(idle.apiKey)];
    await idle.client.delete(`${keys}/${issued.api_key.id}`);
    expect(await lost.text()).not.toContain('event: end');
    expect((await follow(issued.secret)).status).toBe(401);
    const reader = kept.body!.getReader();
    expect((await reader.read()).done).toBe(false);
    await reader.cancel();
  } finally {
    (idle.app.getHttpServer() as http.Server).closeAllConnections();
    await idle.stop();
  }
});

it('limits how many a key may follow, and leaves other keys and requests alone', async () => {
  const limited = await TestApp.start({ works: false, env: { EVENT_STREAMS_PER_KEY: '3' } });
  try {
    const [mine, other] = [limited.client, await limited.stranger()];
    const begin = async (client: Client) => {
      const sheet = await newSheet(client);
      const body = { filter_group: { filters: [] } };
      const started = await client.request('POST', `${sheet.path}/imports/request-logs`, body);
      return `${(started.body as { status_url: string }).status_url}/events`;
    };
    const [path, otherPath] = [await begin(mine), await begin(other)];
    await limited.listen();
    const url = await limited.app.getUrl();
    const abort = new AbortController();
    // No worker runs, so the streams do not end.
    const follow = (client: Client, to: string, signal = abort.signal) =>
      fetch(url + to, { headers: { 'x-api-key': client.apiKey! }, signal });
    for (let count = 0; count < 3; count++) expect((await follow(mine, path)).status).toBe(200);

    const refused = await mine.request('GET', path);
    expect(refused).toMatchObject({
      status: 429,
      headers: { 'retry-after': '5' },
      body: {
        error: 'event_streams_exceeded',
        message: expect.stringContaining('3 operations at the same time (EVENT_STREAMS_PER_KEY)'),
      },
    });
    expect((await follow(other, otherPath)).status).toBe(200);
    await mine.get(TABLES);

    abort.abort();
    const again = new AbortController();
    await until(async () => (await follow(mine, path, again.signal)).status === 200);
    again.abort();
    // Requests for a missing operation take no slot.
    const nothing = path.replace(/[^/]+\/events$/, 'nothing/events');
    await until(async () => (await mine.request('GET', nothing)).status === 404);
    for (let count = 0; count < 5; count++) await mine.get(nothing, 404);
  } finally {
    (limited.app.getHttpServer() as http.Server).closeAllConnections();
    await limited.stop();
  }
});
