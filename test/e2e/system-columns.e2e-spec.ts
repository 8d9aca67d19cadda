import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import {
  addColumn,
  type Column,
  newSheet,
  type Page,
  readRows,
  type RowsPage,
  type TestSheet,
  versionOf,
} from '../support/factories.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.own({ works: false });
  me = app.client;
});
afterAll(() => app.stop());

type SystemColumn = Column & { is_system?: true; source_column_id?: string; metric_key?: string };

const ALL = 'include_system_columns=True';
const columnsOf = async (sheet: TestSheet, query = ALL) =>
  ((await me.get(`${sheet.path}/columns?${query}`)) as Page<SystemColumn>).data;
const titlesOf = async (sheet: TestSheet, query = ALL) => (await columnsOf(sheet, query)).map(({ title }) => title);

async function withTrace(texts: unknown[] = ['a']): Promise<{ sheet: TestSheet; trace: Column }> {
  const sheet = await newSheet(me, texts);
  return { sheet, trace: await addColumn(me, sheet, { title: 'Trace', type: 'TRACE' }) };
}

it('adds a price and a latency column beside a trace column, in the same version, and hides them', async () => {
  const sheet = await newSheet(me, ['a']);
  const before = await versionOf(me, sheet);
  const trace = await addColumn(me, sheet, { title: 'Trace', type: 'TRACE' });
  expect(await versionOf(me, sheet)).toBe(before + 1);
  expect(await titlesOf(sheet, '')).toEqual(['Column A', 'Trace']);
  expect((await columnsOf(sheet)).slice(2)).toMatchObject([
    {
      title: 'Trace.price',
      type: 'EXECUTION_METADATA',
      is_system: true,
      source_column_id: trace.id,
      metric_key: 'price',
    },
    {
      title: 'Trace.latency',
      type: 'EXECUTION_METADATA',
      is_system: true,
      source_column_id: trace.id,
      metric_key: 'latency_ms',
    },
  ]);
  const hidden = await readRows(me, sheet);
  expect(Object.keys(hidden.data[0]!.cells)).toHaveLength(2);
  const shown = (await me.get(`${sheet.path}/rows?${ALL}`)) as RowsPage;
  expect(Object.keys(shown.data[0]!.cells)).toHaveLength(4);
  expect(shown.columns.map(({ title }) => title)).toEqual(['Column A', 'Trace', 'Trace.price', 'Trace.latency']);
});

it('titles them after the column they measure', async () => {
  const { sheet, trace } = await withTrace();
  await me.patch(`${sheet.path}/columns/${trace.id}`, { title: 'Run' });
  expect(await titlesOf(sheet)).toEqual(['Column A', 'Run', 'Run.price', 'Run.latency']);
  await me.patch(`${sheet.path}/columns/${trace.id}`, { title: 'x'.repeat(255) });
  expect((await titlesOf(sheet)).slice(2)).toEqual([`${'x'.repeat(249)}.price`, `${'x'.repeat(247)}.latency`]);
});

it('keeps them when a trace column is deleted', async () => {
  const { sheet, trace } = await withTrace();
  await me.delete(`${sheet.path}/columns/${trace.id}`);
  expect(await titlesOf(sheet)).toEqual(['Column A', 'Trace.price', 'Trace.latency']);
});

it('adds them to a text column that becomes a trace column, and removes them when it is text again', async () => {
  const sheet = await newSheet(me, ['a']);
  const url = `${sheet.path}/columns/${sheet.columnId}`;
  await me.patch(url, { type: 'TRACE' });
  expect(await titlesOf(sheet)).toEqual(['Column A', 'Column A.price', 'Column A.latency']);
  await me.patch(url, { type: 'TEXT' });
  expect(await titlesOf(sheet)).toEqual(['Column A']);
});

it('makes cells stale that read them when they are removed', async () => {
  const { sheet, trace } = await withTrace();
  const config = { source: 'Trace.price', type: 'number' };
  const cost = await addColumn(me, sheet, { title: 'Cost', type: 'PARSE_VALUE', config });
  expect(await me.patch(`${sheet.path}/columns/${trace.id}`, { type: 'TEXT' })).toMatchObject({
    affected_column_ids: [cost.id],
  });
});

it('lets nobody create, change, delete or write them', async () => {
  const { sheet, trace } = await withTrace();
  const [, , price] = await columnsOf(sheet);
  const config = { source_column_id: trace.id, metric_key: 'price' };
  await me.post(`${sheet.path}/columns`, { title: 'x', type: 'EXECUTION_METADATA', config }, 400);
  await me.patch(`${sheet.path}/columns/${price!.id}`, { title: 'Mine' }).then(
    () => expect.fail('It was renamed.'),
    (error: Error) => expect(error.message).toContain('column_of_server'),
  );
  await me.delete(`${sheet.path}/columns/${price!.id}`, 400);
  await me.post(`${sheet.path}/rows`, { count: 1, values: [{ [price!.id]: 1 }] }, 400);
  await me.patch(`${sheet.path}/columns/${trace.id}`, { type: 'EXECUTION_METADATA' }).then(
    () => expect.fail('The type was changed.'),
    (error: Error) => expect(error.message).toContain('400'),
  );
});

it('imports nothing into them and leaves them out of files', async () => {
  const { sheet } = await withTrace();
  const file = Buffer.from('Trace.price\n1\n').toString('base64');
  const body = { file_name: 'prices.csv', file_content_base64: file };
  await me.post(`${sheet.path}/imports/file`, body, 400);
  const { body: csv } = await me.request('GET', `${sheet.path}/export?format=csv`);
  expect(String(csv).split('\r\n')[0]!.replace('\ufeff', '')).toBe('Column A,Trace');
});

it('sums them up over all rows when asked to', async () => {
  const { sheet } = await withTrace(['a', 'b', 'c', 'd']);
  const [, , price, latency] = await columnsOf(sheet);
  const url = `${sheet.path}/rows?limit=1&include_execution_metadata_aggregates=true`;
  expect(await me.get(`${sheet.path}/rows`)).not.toHaveProperty('execution_metadata_aggregates');
  const empty = { count: 0, sum: 0, avg: null, min: null, max: null };
  expect(await me.get(url)).toMatchObject({
    execution_metadata_aggregates: {
      by_column_id: { [price!.id]: { metric_key: 'price', metric_label: 'Cost', ...empty } },
      sheet: { by_metric: { price: empty, latency_ms: { metric_label: 'Latency', ...empty } } },
    },
  });
  // Only an import of traces fills them.
  const write = (id: string, values: (number | string)[]) =>
    app.sql(
      `INSERT INTO cells (workspace_id, column_key, row_index, version, value)
       SELECT workspace_id, key, row_index - 1, 1, value
         FROM sheet_columns, jsonb_array_elements($2::jsonb) WITH ORDINALITY AS v (value, row_index) WHERE id = $1`,
      [id, JSON.stringify(values)],
    );
  await write(price!.id, [0.5, 0.25, 'none']);
  await write(latency!.id, [10, 20, 60]);
  const prices = { count: 2, sum: 0.75, avg: 0.375, min: 0.25, max: 0.5 };
  expect(await me.get(url)).toMatchObject({
    execution_metadata_aggregates: {
      by_column_id: { [price!.id]: prices, [latency!.id]: { count: 3, sum: 90, avg: 30, min: 10, max: 60 } },
      sheet: { by_metric: { price: prices } },
    },
  });
});
