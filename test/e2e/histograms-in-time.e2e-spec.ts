import { afterAll, beforeAll, expect, it } from 'vitest';
import { at, llmSpan, send } from '../support/otlp.js';
import { REQUESTS } from '../support/request-logs.js';
import { TestApp } from '../support/test-app.js';
import { histogramOf, TRACES } from './histograms.oracle.js';

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start({ works: false });
  await send(app.client, [llmSpan({}, at(0))]);
  // Waits until everything is indexed.
  await app.client.post(`${TRACES}/search`, {});
});
afterAll(() => app.stop());

const day = { start_time: '2026-05-28', end_time: '2026-05-29' };
const filters = { filter_group: { filters: [{ field: 'FIELD', operator: 'gt', value: 0 }] } };

it.each([
  [REQUESTS, 'request_logs', 'input_tokens'],
  [TRACES, 'span_search', 'span_cost_usd'],
])('a histogram of %s says when there was no time to count everything', async (path, table, field) => {
  const asked = { ...day, ...(JSON.parse(JSON.stringify(filters).replace('FIELD', field)) as object) };
  expect(await histogramOf(app.client, path, asked)).toMatchObject({ partial: false });
  await app.inTransaction(async (sql) => {
    await sql(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
    const hasty = app.withSettings({ statementTimeoutMs: 500 }, () => histogramOf(app.client, path, asked));
    expect(await hasty).toMatchObject({
      partial: true,
      counted_from: '2026-05-30T00:00:00.000Z',
      end_time: '2026-05-30T00:00:00.000Z',
      buckets: [],
    });
  });
});
