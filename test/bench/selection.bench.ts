import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ApiClient, type SheetRef } from '../support/api-client.js';
import type { Installation } from '../support/server-processes.js';
import { benchNodeOptions, startBenchInstallation } from './bench-installation.js';
import { machine, printTable, quantile } from './report.js';

const ROWS = 50_000;
const TIMES = 30;

let server: Installation;
let db: pg.Client;
let client: ApiClient;
let sheet: SheetRef;

beforeAll(async () => {
  server = await startBenchInstallation();
  await server.start('api', benchNodeOptions);
  await server.start('worker');
  client = new ApiClient(server.url, server.apiKey);
  db = new pg.Client(server.databaseUrl);
  await db.connect();
  sheet = await filledSheet();
});
afterAll(async () => {
  await db.end();
  await server.close();
});

it('finds the rows that fail', async () => {
  const fails = condition('Answered', 'is_false');
  const ofTopic = condition('Topic', 'is', 'topic 7');
  const cheap = condition('Price', 'lt', 0.02);
  const asks: [string, object][] = [
    ['one condition, true in half of the rows', { filter: all(fails) }],
    ['two conditions', { filter: all(fails, ofTopic) }],
    ['three conditions', { filter: all(fails, ofTopic, cheap) }],
    ['a part of a text', { filter: all(condition('Question', 'contains', 'refund 4999')) }],
    ['the status of a column', { filter: all({ ...condition('cell_status', 'is', 'error'), nested_key: 'Answered' }) }],
    ['sorted by numbers', { sort: 'Price' }],
    ['sorted by texts', { sort: 'Question', order: 'desc' }],
    ['two conditions, sorted by numbers', { filter: all(fails, ofTopic), sort: 'Price' }],
  ];
  const rows = [['page of 100 rows', 'rows found', 'p50 ms', 'p95 ms', 'next page, p95 ms']];
  for (const [name, ask] of asks) {
    const first = await page(ask);
    const times = await timesOf(() => page(ask));
    const next = first.next_cursor ? await timesOf(() => page({ ...ask, cursor: first.next_cursor })) : [];
    const ms = (quantileOf: number, of: number[]) => (of.length > 0 ? quantile(of, quantileOf).toFixed(0) : '');
    rows.push([name, String(first.matching_row_count ?? ROWS), ms(0.5, times), ms(0.95, times), ms(0.95, next)]);
  }
  printTable(
    `Rows that a filter selects, of a sheet of ${ROWS} rows and 5 columns, ${TIMES} times each\n${await machine(server.databaseUrl)}`,
    rows,
  );
});

interface Page {
  data: object[];
  matching_row_count?: number;
  next_cursor: string | null;
}

const condition = (field: string, operator: string, value?: unknown) => ({ field, operator, value });
const all = (...filters: object[]) => ({ logic: 'AND', filters });

async function page(ask: object): Promise<Page> {
  const query = Object.entries({ limit: 100, include_columns: false, ...ask })
    .map(
      ([key, value]) =>
        `${key}=${encodeURIComponent(typeof value === 'object' ? JSON.stringify(value) : String(value))}`,
    )
    .join('&');
  const found = await client.get<Page>(`${sheet.path}/rows?${query}`);
  expect(Array.isArray(found.data)).toBe(true);
  return found;
}

async function timesOf(work: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let time = 0; time < TIMES; time++) {
    const start = performance.now();
    await work();
    times.push(performance.now() - start);
  }
  return times;
}

async function filledSheet(): Promise<SheetRef> {
  const created = await client.createSheet('Bench');
  for (const title of ['Question', 'Topic', 'Price'])
    await client.post(`${created.path}/columns`, { title, type: 'TEXT' });
  await db.query(`UPDATE sheets SET rows = int4multirange(int4range(0, ${ROWS})) WHERE id = $1`, [created.id]);
  await db.query(
    `INSERT INTO cells (workspace_id, column_key, row_index, version, value)
     SELECT c.workspace_id, c.key, i, c.version,
            CASE c.title WHEN 'Question' THEN to_jsonb('May I get a refund ' || i || ' times?' || repeat(' Please.', i % 9))
                         WHEN 'Topic' THEN to_jsonb('topic ' || i % 50)
                         WHEN 'Price' THEN to_jsonb((i * 7919 % 100003) / 1e6) END
       FROM sheet_columns c, generate_series(0, ${ROWS - 1}) i
      WHERE c.sheet_id = $1 AND c.title IN ('Question', 'Topic', 'Price')
      ORDER BY c.key, i`,
    [created.id],
  );
  const config = { source: 'Topic', value: '1' };
  await client.post(`${created.path}/columns`, { title: 'Answered', type: 'CONTAINS', config });
  await client.untilComputed(created);
  await db.query('VACUUM ANALYZE cells');
  return created;
}
