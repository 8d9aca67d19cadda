import pg from 'pg';
import { afterAll, beforeAll, expect } from 'vitest';
import { freePort } from '../../src/embedded/ports.js';
import { ApiClient, type SheetRef } from '../support/api-client.js';
import { deepIt } from '../support/depth.js';
import { Installation, type ProductProcess } from '../support/server-processes.js';
import { testFolder } from '../support/services.js';
import { until } from '../support/until.js';
import { addComputedColumns, computedValues, readOperations, readSheet, textSheet } from './computed-sheet.js';
import { CALLS_PER_TRACE, OTLP, RequestLoad, SPANS_PER_TRACE } from './request-load.js';

const PROCESSES = 3;
const ROWS = 3000;
const SEARCHES = 4;
const SEARCH = '/api/public/v2/requests/search';

let server: Installation;
let ports: number[];
let apis: ProductProcess[];
let workers: ProductProcess[];
beforeAll(async () => {
  const env = { LEASE_MS: '5000', SWEEP_INTERVAL_MS: '200', SEARCHES_PER_MINUTE: String(SEARCHES) };
  server = await Installation.create({ folder: testFolder(), env });
  ports = await Promise.all(Array.from({ length: PROCESSES }, () => freePort()));
  apis = await Promise.all(ports.map(startApi));
  workers = await Promise.all(ports.map(() => server.start('worker')));
});
afterAll(() => server?.close());

const startApi = (port: number) => server.start('api', [], { PORT: String(port) });
const urlOf = (index: number) => `http://127.0.0.1:${ports[index % PROCESSES]}`;
const clientOf = (index: number, headers = {}) => new ApiClient(urlOf(index), server.apiKey, headers);

deepIt('what one api has begun another goes on with', async () => {
  const key = { 'idempotency-key': 'one-table' };
  const created: SheetRef[] = [];
  for (let index = 0; index < PROCESSES; index++) created.push(await clientOf(index, key).createSheet('Once'));
  expect(new Set(created.map(({ tableId }) => tableId)).size).toBe(1);

  const seen: string[] = [];
  let cursor: string | null = null;
  for (let index = 0; index === 0 || cursor; index++) {
    const query: string = cursor ? `&cursor=${encodeURIComponent(cursor)}` : '';
    const path = `/api/public/v2/tables?limit=1${query}`;
    const page: { data: { id: string }[]; next_cursor: string | null } = await clientOf(index).get(path);
    seen.push(...page.data.map(({ id }) => id));
    cursor = page.next_cursor;
  }
  expect(new Set(seen).size).toBe(seen.length);
  expect(seen).toContain(created[0]!.tableId);

  const statuses: number[] = [];
  for (let index = 0; index < 2 * PROCESSES; index++) {
    statuses.push((await clientOf(index).send('POST', SEARCH, {})).status);
  }
  expect(statuses).toEqual([...Array.from({ length: SEARCHES }, () => 200), 429, 429]);
});

deepIt('three apis and three workers are one server, whichever of them is killed', async () => {
  const sheet = await textSheet(clientOf(0), ROWS);
  let turn = 0;
  const balanced = {
    apiKey: server.apiKey,
    get url() {
      return urlOf(turn++);
    },
  };
  const load = new RequestLoad(balanced, OTLP);
  const operations = await addComputedColumns(clientOf(1), sheet);
  for (let index = 0; index < PROCESSES; index++) {
    const acknowledged = load.acknowledged.length;
    await Promise.all([apis[index]!.kill(), workers[index]!.kill()]);
    await until(() => Promise.resolve(load.acknowledged.length > acknowledged + 10));
    apis[index] = await startApi(ports[index]!);
    workers[index] = await server.start('worker');
  }
  await load.finish();

  await until(async () =>
    (await readOperations(clientOf(2), sheet, operations)).every(({ status }) => status === 'completed'),
  );
  const { rows } = await readSheet(clientOf(0), sheet);
  expect(rows.map((row) => row.values)).toEqual(computedValues(ROWS));
  await expectOnceEach(load.acknowledged);
});

async function expectOnceEach(traceIds: string[]): Promise<void> {
  const db = new pg.Client(server.databaseUrl);
  await db.connect();
  const { rows } = await db.query<{ spans: number; calls: number }>(
    `SELECT count(s.*)::int AS spans, count(l.*)::int AS calls
       FROM unnest($1::text[]) t (id) LEFT JOIN spans s ON s.trace_id = t.id
       LEFT JOIN request_logs l ON l.workspace_id = s.workspace_id AND l.id = s.request_log_id GROUP BY t.id`,
    [traceIds],
  );
  await db.end();
  const counts = new Set(rows.map(({ spans, calls }) => `${spans} spans, ${calls} calls`));
  expect([...counts]).toEqual([`${SPANS_PER_TRACE} spans, ${CALLS_PER_TRACE} calls`]);
}
