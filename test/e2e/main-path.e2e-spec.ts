import { afterAll, beforeAll, expect, it } from 'vitest';
import { OTLP_EXAMPLE } from '../../src/traces/otlp/example.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.stop());

interface Trace {
  spans: { request_log_id: number; cost: number }[];
}
interface Created {
  table: { id: string };
  default_sheet: { id: string };
}
interface Rows {
  data: { row_index: number; cells: Record<string, { status: string; value: unknown }> }[];
  columns: { id: string; title: string }[];
}

it('turns a trace into a request log, the request log into a row, and the row into a computed cell', async () => {
  const me = app.client;
  expect(await me.with({ 'content-type': 'application/json' }).post('/v1/traces', OTLP_EXAMPLE)).toEqual({
    partialSuccess: { rejectedSpans: 0, errorMessage: '' },
  });

  const trace = (await me.get('/api/public/v2/traces/5B8EFFF798038103D269B633813FC60C')) as Trace;
  const log = await me.get(`/api/public/v2/requests/${trace.spans[0]!.request_log_id}`);
  expect(log).toMatchObject({
    provider: 'openai',
    model: 'gpt-4o-mini',
    input_tokens: 12,
    output_tokens: 7,
    priced: true,
  });

  const { table, default_sheet: sheet } = (await me.post(
    '/api/public/v2/tables',
    { title: 'Answers' },
    201,
  )) as Created;
  const path = `/api/public/v2/tables/${table.id}/sheets/${sheet.id}`;
  const start = (await me.post(`${path}/imports/request-logs`, { filter_group: { filters: [] } }, 202)) as {
    status_url: string;
  };
  await until(async () => {
    const { operation } = (await me.get(start.status_url)) as {
      operation: { status: string; error_message: string | null };
    };
    expect(operation.error_message).toBeNull();
    return operation.status === 'completed';
  });

  await me.post(
    `${path}/columns`,
    { title: 'Refund', type: 'contains', config: { source: 'input', value: 'REFUND' } },
    201,
  );
  await me.post(`${path}/columns`, { title: 'Words', type: 'COUNT', config: { source: 'output', type: 'words' } }, 201);
  await until(async () => {
    const counts = (await me.get(`${path}/status-counts`)) as {
      total_cells: number;
      status_counts: { COMPLETED: number };
    };
    return counts.status_counts.COMPLETED === counts.total_cells;
  });

  const rows = (await me.get(`${path}/rows`)) as Rows;
  expect(rows.columns.map((column) => column.title)).toEqual(['input', 'output', 'Refund', 'Words']);
  const values = rows.data.map((row) => rows.columns.map((column) => row.cells[column.id]!.value));
  expect(values).toEqual([
    ['[{"role":"user","content":[{"type":"text","text":"May I get a refund?"}]}]', 'Yes, within 30 days.', true, 4],
  ]);
});
