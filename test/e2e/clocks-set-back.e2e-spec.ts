import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { type JsonSpan, llmSpan, send, span, traceId } from '../support/otlp.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.start({ works: false });
  me = app.client;
});
afterAll(() => app.stop());

const START = '1780000000000000000';
const BEFORE = '1779999999000000000';
const LATER = '1780000003000000000';

interface Times {
  start_time: string;
  end_time: string | null;
  duration_ms: number | null;
}

const setBack = (trace: string, fields: JsonSpan = {}) =>
  llmSpan({}, { traceId: trace, startTimeUnixNano: START, endTimeUnixNano: BEFORE, ...fields });

/** The spans of a trace, one of which ends before it starts, in the requests in which they arrive; and how long the trace takes. */
const CASES: [string, (trace: string) => JsonSpan[][], number][] = [
  ['alone', (trace) => [[setBack(trace)]], 0],
  ['beside one that runs', (trace) => [[setBack(trace), span({ traceId: trace, endTimeUnixNano: '0' })]], 0],
  [
    'beside an earlier one',
    (trace) => [[setBack(trace, { startTimeUnixNano: LATER })], [span({ traceId: trace })]],
    3000,
  ],
  [
    'and is sent again',
    (trace) => {
      const sent = setBack(trace);
      return [[sent], [{ ...sent, name: 'again' }]];
    },
    0,
  ],
];

describe('a span that ends before it starts', () => {
  it.each(CASES)('takes no time, nor does its trace end before it starts: %s', async (_name, make, duration) => {
    const trace = traceId();
    for (const spans of make(trace)) await send(me, spans);

    const found = (await me.get(`/api/public/v2/traces/${trace}`)) as { trace: Times; spans: Times[] };
    expect(found.trace.duration_ms).toBe(duration);
    expect(found.trace.end_time! >= found.trace.start_time).toBe(true);
    expect(found.spans.every(({ duration_ms }) => duration_ms === null || duration_ms >= 0)).toBe(true);
    const listed = (await me.post('/api/public/v2/traces/search', {
      filter_group: {
        filters: [
          { field: 'trace_id', operator: 'is', value: trace },
          { field: 'span_duration_ms', operator: 'between', value: [0, 0] },
          { field: 'trace_duration_ms', operator: 'gte', value: 0 },
        ],
      },
    })) as { items: Times[] };
    expect(listed.items).toMatchObject([{ duration_ms: duration, end_time: found.trace.end_time }]);
  });

  it('does not reduce any chart, and its log has no latency below zero', async () => {
    const stranger = await app.stranger();
    const trace = traceId();
    await send(stranger, [setBack(trace)]);
    const chart = { id: 'c', chartType: 'bar', metric: 'min' };
    const charted = (metricField: string) => ({ customCharts: [{ ...chart, metricField }] });
    const value = { customCharts: [{ data: [{ value: 0 }] }] };
    const path = (what: string) => `/api/public/v2/${what}/analytics/custom-analytics`;
    expect(await stranger.post(path('traces'), charted('trace_duration_ms'))).toMatchObject(value);
    expect(await stranger.post(path('traces'), charted('span_duration_ms'))).toMatchObject(value);
    expect(await stranger.post(path('requests'), charted('latency_ms'))).toMatchObject(value);
    expect(await stranger.post('/api/public/v2/requests/search', {})).toMatchObject({ items: [{ latency: 0 }] });
  });
});
