import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { loggedCall } from '../support/bulk.js';
import { download } from '../support/exports.js';
import { type JsonSpan, llmSpan, send, span, traceId } from '../support/otlp.js';
import { REQUESTS } from '../support/request-logs.js';
import { TestApp } from '../support/test-app.js';

const TRACES = '/api/public/v2/traces';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.start();
  me = await app.stranger();
});
afterAll(() => app.stop());

const UNKNOWN = { provider: 'house', model: 'our-own' };
const MILLION = 1_000_000;

interface Totals {
  total_cost_usd: number;
  unpriced_request_count: number | null;
}

async function totalsOf(id: string): Promise<Totals> {
  const { trace } = (await me.get(`${TRACES}/${id}`)) as { trace: Totals };
  return { total_cost_usd: trace.total_cost_usd, unpriced_request_count: trace.unpriced_request_count };
}

/** A trace with a call of 15 cents and one of an unknown model, below an agent that is no call. */
async function mixedTrace(): Promise<{ id: string; agent: JsonSpan; priced: JsonSpan; unpriced: JsonSpan }> {
  const id = traceId();
  const agent = span({ traceId: id, name: 'agent' });
  const below = { traceId: id, parentSpanId: agent.spanId };
  const priced = llmSpan({ inputTokens: MILLION, outputTokens: 0 }, below);
  const unpriced = llmSpan(UNKNOWN, below);
  await send(me, [agent, priced, unpriced]);
  return { id, agent, priced, unpriced };
}

describe('calls without a known price', () => {
  it('are counted beside the cost of their trace', async () => {
    const { id } = await mixedTrace();
    const totals = { total_cost_usd: 0.15, unpriced_request_count: 1 };
    expect(await totalsOf(id)).toEqual(totals);
    const found = await me.post(`${TRACES}/search`, {
      filter_group: { filters: [{ field: 'trace_id', operator: 'is', value: id }] },
    });
    expect(found).toMatchObject({ items: [totals] });
    const file = await download(me, {
      source: 'traces',
      format: 'jsonl',
      filters: [{ field: 'trace_id', operator: 'is', value: id }],
    });
    expect(JSON.parse(file.bytes.toString())).toMatchObject(totals);
  });

  it('are counted once, also when spans come again, later or with another model', async () => {
    const { id, agent, priced, unpriced } = await mixedTrace();
    await send(me, [unpriced, priced]);
    expect(await totalsOf(id)).toMatchObject({ unpriced_request_count: 1 });
    await send(me, [llmSpan(UNKNOWN, { traceId: id, parentSpanId: agent.spanId })]);
    expect(await totalsOf(id)).toMatchObject({ unpriced_request_count: 2 });
    // A span that is there and one that is new.
    await send(me, [agent, llmSpan(UNKNOWN, { traceId: id })]);
    expect(await totalsOf(id)).toMatchObject({ unpriced_request_count: 3 });
    await send(me, [llmSpan({}, { traceId: id, spanId: unpriced.spanId })]);
    expect(await totalsOf(id)).toMatchObject({ unpriced_request_count: 2 });
  });

  it('are unknown in traces of a time when nobody counted, until a span of them is replaced', async () => {
    const { id, unpriced } = await mixedTrace();
    await app.sql('UPDATE traces SET unpriced_count = NULL WHERE trace_id = $1', [id]);
    await send(me, [llmSpan(UNKNOWN, { traceId: id })]);
    expect(await totalsOf(id)).toEqual({ total_cost_usd: 0.15, unpriced_request_count: null });
    await send(me, [{ ...unpriced, name: 'renamed' }]);
    expect(await totalsOf(id)).toEqual({ total_cost_usd: 0.15, unpriced_request_count: 2 });
  });

  it('say so when they are logged, and are counted beside every cost of the analytics', async () => {
    const times = { request_start_time: '2026-05-04T10:21:52Z', request_end_time: '2026-05-04T10:21:53Z' };
    const tags = ['unpriced'];
    const log = (fields: object) => me.post('/log-request', loggedCall({ ...times, tags, ...fields }), 201);
    expect(await log(UNKNOWN)).toMatchObject({ price: 0, priced: false });
    expect(await log({})).toMatchObject({ price: 0.15, priced: true });
    const filters = [{ field: 'tags', operator: 'contains', value: 'unpriced' }];
    expect(await me.post(`${REQUESTS}/analytics`, { filters })).toMatchObject({
      totalCost: 0.15,
      totalUnpricedRequests: 1,
      stats: [{ requests: 2, cost: 0.15, unpricedRequests: 1 }],
      providerBreakdown: [
        { provider: 'house', cost: 0, unpricedRequests: 1 },
        { provider: 'openai', cost: 0.15, unpricedRequests: 0 },
      ],
    });
  });

  it('are left out of averages and minima rather than counted as free', async () => {
    me = await app.stranger();
    const call = () => llmSpan({ inputTokens: MILLION, outputTokens: 0 });
    await send(me, [call(), call(), llmSpan(UNKNOWN), span()]);
    await send(me, [llmSpan(UNKNOWN)]);
    const chart = (metric: string, metricField: string) => ({ id: metric, chartType: 'bar', metric, metricField });
    const read = async (path: string, field: string) => {
      const customCharts = ['avg', 'min', 'sum'].map((metric) => chart(metric, field));
      const answer = (await me.post(`${path}/analytics/custom-analytics`, { customCharts })) as {
        customCharts: { data: { value: number }[] }[];
      };
      return answer.customCharts.map(({ data }) => data[0]!.value);
    };
    expect(await read(REQUESTS, 'cost')).toEqual([0.15, 0.15, 0.3]);
    expect(await read(TRACES, 'span_cost_usd')).toEqual([0.15, 0.15, 0.3]);
    // A trace without calls of a model did cost nothing.
    expect(await read(TRACES, 'trace_total_cost_usd')).toEqual([0.1, 0, 0.3]);
  });
});
