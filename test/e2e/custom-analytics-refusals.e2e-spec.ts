import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { TestApp } from '../support/test-app.js';

const URL = '/api/public/v2/requests/analytics/custom-analytics';
const TRACES = '/api/public/v2/traces/analytics/custom-analytics';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.start({ works: false });
  me = app.client;
});
afterAll(() => app.stop());

const bar = { id: 'a', chartType: 'bar', metric: 'count' };
const sum = { id: 'a', chartType: 'bar', metric: 'sum', metricField: 'cost' };
const one = { key: 'x', label: 'X', metric: 'sum', metricField: 'cost' };
const other = { key: 'y', label: 'Y', metric: 'avg', metricField: 'latency_ms' };
const two = { id: 'a', chartType: 'bar', series: [one, other] };
const insight = { type: 'ratio', label: 'R', numeratorSeriesKey: 'x', denominatorSeriesKey: 'y' };

describe('a chart of request logs that is not valid', () => {
  it.each<[string, object[], (string | number)[]]>([
    ['no charts', [], []],
    ['no id', [{ chartType: 'bar', metric: 'count' }], [0, 'id']],
    ['an id with a space', [{ ...bar, id: 'a b' }], [0, 'id']],
    ['an id of 65 characters', [{ ...bar, id: 'x'.repeat(65) }], [0, 'id']],
    ['an empty id', [{ ...bar, id: '' }], [0, 'id']],
    ['a title of 201 characters', [{ ...bar, title: 'x'.repeat(201) }], [0, 'title']],
    ['no type', [{ id: 'a', metric: 'count' }], [0, 'chartType']],
    ['a type of other charts', [{ ...bar, chartType: 'pie' }], [0, 'chartType']],
    ['an unknown metric', [bar, { ...bar, id: 'b', metric: 'median' }], [1, 'metric']],
    ['an unknown field', [{ ...sum, metricField: 'price' }], [0, 'metricField']],
    ['a percentile of 101', [{ ...sum, metric: 'percentile', percentile: 101 }], [0, 'percentile']],
    ['a percentile of -1', [{ ...sum, metric: 'percentile', percentile: -1 }], [0, 'percentile']],
    ['a percentile in words', [{ ...sum, metric: 'percentile', percentile: '95' }], [0, 'percentile']],
    ['one series', [{ ...two, series: [one] }], [0, 'series']],
    ['a series without a key', [{ ...two, series: [one, { ...other, key: undefined }] }], [0, 'series', 1, 'key']],
    ['a series that counts', [{ ...two, series: [one, { ...other, metric: 'count' }] }], [0, 'series', 1, 'metric']],
    [
      'a label of 121 characters',
      [{ ...two, series: [{ ...one, label: 'x'.repeat(121) }, other] }],
      [0, 'series', 0, 'label'],
    ],
    [
      'another insight',
      [{ ...two, derivedInsights: [{ ...insight, type: 'sum' }] }],
      [0, 'derivedInsights', 0, 'type'],
    ],
    ['an unknown group', [{ ...bar, groupByField: 'user_id' }], [0, 'groupByField']],
    ['a blank metadata key', [{ ...bar, groupByMetadataKey: ' ' }], [0, 'groupByMetadataKey']],
    ['a timeSeries in words', [{ ...bar, timeSeries: 'yes' }], [0, 'timeSeries']],
    ['a limit of 0', [{ ...bar, limit: 0 }], [0, 'limit']],
    ['a limit of 101', [{ ...bar, limit: 101 }], [0, 'limit']],
    ['a limit of 1.5', [{ ...bar, limit: 1.5 }], [0, 'limit']],
    ['51 charts', Array.from({ length: 51 }, (_, index) => ({ ...bar, id: `c${index}` })), []],
  ])('is refused with 422 for its form: %s', async (_, customCharts, at) => {
    const { status, body } = await me.request('POST', URL, { customCharts });
    expect(status).toBe(422);
    expect((body as { detail: { loc: unknown }[] }).detail[0]!.loc).toEqual(['body', 'customCharts', ...at]);
  });

  it.each<[string, object[]]>([
    ['an id twice', [bar, { ...sum, groupByField: 'engine' }]],
    ['an overall line', [{ ...bar, chartType: 'line' }]],
    ['an overall area of series', [{ ...two, chartType: 'area' }]],
    ['neither metric nor series', [{ id: 'a', chartType: 'bar' }]],
    ['a sum of nothing', [{ ...bar, metric: 'sum' }]],
    ['a percentile of nothing', [{ ...bar, metric: 'percentile', percentile: 5 }]],
    ['a percentile without its number', [{ ...sum, metric: 'percentile' }]],
    ['a percentile for a sum', [{ ...sum, percentile: 5 }]],
    ['a percentile for a count', [{ ...bar, percentile: 0 }]],
    ['series and a metric', [{ ...two, metric: 'count' }]],
    ['series and a metricField', [{ ...two, metricField: 'cost' }]],
    ['series and a percentile', [{ ...two, percentile: 0 }]],
    ['a series key twice', [{ ...two, series: [one, { ...other, key: 'x' }] }]],
    ['a series key that rows have already', [{ ...two, series: [one, { ...other, key: 'label' }] }]],
    ['a series without its percentile', [{ ...two, series: [one, { ...other, metric: 'percentile' }] }]],
    ['a series with a percentile too many', [{ ...two, series: [one, { ...other, percentile: 5 }] }]],
    ['insights without series', [{ ...bar, derivedInsights: [insight] }]],
    ['an insight about no series', [{ ...two, derivedInsights: [{ ...insight, numeratorSeriesKey: 'z' }] }]],
    ['two groupings', [{ ...bar, groupByField: 'tags', groupByMetadataKey: 'user' }]],
    ['series, grouping and timeSeries', [{ ...two, groupByField: 'tags', timeSeries: true }]],
    ['series, a metadata key and timeSeries', [{ ...two, groupByMetadataKey: 'user', timeSeries: true }]],
  ])('is refused with 400 for what its fields say together: %s', async (_, customCharts) => {
    const { status, body } = await me.request('POST', URL, { customCharts });
    expect([status, body]).toEqual([400, expect.objectContaining({ success: false, error: 'chart_invalid' })]);
  });

  it('is refused for the filters before anything is read', async () => {
    const unknown = { filter_group: { filters: [{ field: 'colour', operator: 'is', value: 1 }] }, customCharts: [bar] };
    await me.post(URL, unknown, 422);
    const misfit = { filter_group: { filters: [{ field: 'cost', operator: 'is', value: 1 }] }, customCharts: [bar] };
    await me.post(URL, misfit, 400);
    await me.post(URL, { sort_by: 'cost', customCharts: [bar] }, 422);
    await me.post(URL, { customCharts: [bar], q: 'x'.repeat(1001) }, 422);
  });

  it('is refused with 400 when the answer would be too large', async () => {
    const tenYears = { field: 'request_start_time', operator: 'between', value: ['2016-01-01', '2025-12-31'] };
    const charts = Array.from({ length: 50 }, (_, index) => ({ ...two, id: `c${index}`, timeSeries: true }));
    const body = { filter_group: { filters: [tenYears] }, customCharts: charts };
    const refusal = (await me.post(URL, body, 400)) as { error: string; message: string };
    // 3,653 days of two series each: the 28th chart passes 200,000 values.
    expect(refusal).toMatchObject({ error: 'chart_too_large', message: expect.stringContaining('"c27"') as string });
    const { customCharts } = (await me.post(URL, { ...body, customCharts: charts.slice(0, 1) })) as {
      customCharts: { data: unknown[] }[];
    };
    expect(customCharts[0]!.data).toHaveLength(3653);
  });

  it.each<[string, object]>([
    [
      'nulls for everything that may be left out',
      {
        ...bar,
        title: null,
        metricField: null,
        percentile: null,
        series: null,
        derivedInsights: null,
        groupByField: null,
        groupByMetadataKey: null,
        timeSeries: null,
        limit: null,
      },
    ],
    ['a field that a count has no use for', { ...bar, metricField: 'cost' }],
    ['a metadata key that no text can be', { ...bar, groupByMetadataKey: 'a\u0000\ud800"\\=$.*%' }],
  ])('is not one with %s', async (_, spec) => {
    await me.post(URL, { customCharts: [spec] });
  });
});

const total = { id: 'a', chartType: 'bar', metric: 'sum', metricField: 'trace_total_cost_usd' };
const spans = { id: 'a', chartType: 'bar', metric: 'count', groupByField: 'span_name' };
const cost = { key: 'x', label: 'X', metric: 'sum', metricField: 'trace_total_cost_usd' };
const depth = { key: 'y', label: 'Y', metric: 'avg', metricField: 'trace_depth' };
const both = { id: 'a', chartType: 'bar', series: [cost, depth] };
const histogram = { id: 'a', chartType: 'histogram', histogramField: 'trace_depth' };
const heatmap = { ...spans, chartType: 'heatmap', secondaryGroupByField: 'span_type' };
const treemap = { id: 'a', chartType: 'treemap', metric: 'count', hierarchyFields: ['trace_name', 'trace_status'] };

describe('a chart of traces that is not valid', () => {
  it.each<[string, object[]]>([
    ['no charts', []],
    ['11 charts', Array.from({ length: 11 }, (_, index) => ({ ...bar, id: `c${index}` }))],
    ['no id', [{ chartType: 'bar', metric: 'count' }]],
    ['an id of other characters', [{ ...bar, id: 'ä' }]],
    ['an unknown type', [{ ...bar, chartType: 'radar' }]],
    ['a field of request logs', [{ ...total, metricField: 'cost' }]],
    ['a group of request logs', [{ ...bar, groupByField: 'engine' }]],
    ['an unknown time bucket', [{ ...bar, timeSeries: true, timeBucket: 'year' }]],
    ['one level', [{ ...treemap, hierarchyFields: ['trace_name'] }]],
    ['six levels', [{ ...treemap, hierarchyFields: Array.from({ length: 6 }, () => 'trace_name') }]],
    ['an interval of 0', [{ ...histogram, histogramInterval: 0 }]],
    ['an interval below 0', [{ ...histogram, histogramInterval: -1 }]],
    ['an interval that is no number', [{ ...histogram, histogramInterval: '1' }]],
    ['an interval beyond all values', [{ ...histogram, histogramInterval: 1e300 }]],
    ['one series', [{ ...both, series: [cost] }]],
    ['a limit of 101', [{ ...bar, limit: 101 }]],
  ])('is refused with 400 for its form: %s', async (_, customCharts) => {
    const { status, body } = await me.request('POST', TRACES, { customCharts });
    const message = expect.stringMatching(/^body\.customCharts/) as string;
    expect([status, body]).toEqual([400, { success: false, error: 'validation_error', message }]);
  });

  it.each<[string, object[]]>([
    ['an id twice', [bar, bar]],
    ['no metric', [{ id: 'a', chartType: 'bar' }]],
    ['a sum of nothing', [{ ...bar, metric: 'sum' }]],
    ['a percentile without its number', [{ ...total, metric: 'percentile' }]],
    ['a percentile too many', [{ ...total, percentile: 50 }]],
    ['an overall line', [{ ...bar, chartType: 'line' }]],
    ['a pie of one slice', [{ ...bar, chartType: 'pie' }]],
    ['a donut over time', [{ ...bar, chartType: 'donut', timeSeries: true }]],
    ['a series key twice', [{ ...both, series: [cost, { ...depth, key: 'x' }] }]],
    ['series and a metric', [{ ...both, metric: 'sum' }]],
    ['series, grouping and timeSeries', [{ ...both, groupByField: 'trace_name', timeSeries: true }]],
    ['spans in groups of traces', [{ ...total, metricField: 'span_tokens', groupByField: 'trace_name' }]],
    ['traces in groups of spans', [{ ...total, groupByField: 'span_name' }]],
    ['series of both', [{ ...both, series: [cost, { ...depth, metricField: 'span_tokens' }] }]],
    ['a hierarchy of both', [{ ...treemap, hierarchyFields: ['trace_name', 'span_name'] }]],
    ['a heatmap of both', [{ ...heatmap, groupByField: 'trace_name' }]],
    ['a heatmap with numbers of traces', [{ ...heatmap, metric: 'sum', metricField: 'trace_depth' }]],
    ['spans over time', [{ ...spans, chartType: 'line', timeSeries: true }]],
    ['spans by metadata', [{ ...total, metricField: 'span_tokens', groupByMetadataKey: 'user' }]],
    ['two groupings', [{ ...bar, groupByField: 'trace_name', groupByMetadataKey: 'user' }]],
    ['a time bucket without timeSeries', [{ ...bar, timeBucket: 'week' }]],
    ['a histogram without a field', [{ id: 'a', chartType: 'histogram', metric: 'count' }]],
    ['a histogram that sums', [{ ...histogram, metric: 'sum' }]],
    ['a histogram of groups', [{ ...histogram, groupByField: 'trace_name' }]],
    ['a histogram over time', [{ ...histogram, timeSeries: true }]],
    ['a histogram of series', [{ ...histogram, series: [cost, depth] }]],
    ['a bar with a histogram field', [{ ...bar, histogramField: 'trace_depth' }]],
    ['a bar with an interval', [{ ...bar, histogramInterval: 1 }]],
    ['a bar with a second grouping', [{ ...spans, secondaryGroupByField: 'span_type' }]],
    ['a bar with a hierarchy', [{ ...bar, hierarchyFields: ['trace_name', 'trace_status'] }]],
    ['a heatmap of one grouping', [{ ...heatmap, secondaryGroupByField: undefined }]],
    ['a heatmap without its first grouping', [{ ...heatmap, groupByField: undefined }]],
    ['a heatmap of series', [{ ...heatmap, metric: undefined, series: [cost, depth] }]],
    ['a treemap without a hierarchy', [{ ...treemap, hierarchyFields: undefined }]],
    ['a treemap of groups', [{ ...treemap, groupByField: 'trace_name' }]],
    ['a sunburst without a metric', [{ ...treemap, chartType: 'sunburst', metric: undefined }]],
    ['a level twice', [{ ...treemap, hierarchyFields: ['trace_name', 'trace_name'] }]],
  ])('is refused with 400 for what its fields say together: %s', async (_, customCharts) => {
    const { status, body } = await me.request('POST', TRACES, { customCharts });
    expect([status, body]).toEqual([400, expect.objectContaining({ success: false, error: 'chart_invalid' })]);
  });

  it('is refused with 400 for its filters, too', async () => {
    const unknown = { filters: [{ field: 'colour', operator: 'is', value: 1 }] };
    const mixed = { logic: 'SPAN_AND', filters: [{ field: 'trace_name', operator: 'is', value: 'x' }] };
    for (const filter_group of [unknown, mixed, { logic: 'XOR', filters: [] }, 'x', []]) {
      await me.post(TRACES, { filter_group, customCharts: [bar] }, 400);
    }
    for (const body of [{}, { customCharts: null }, { customCharts: {} }, { customCharts: 'bar' }]) {
      await me.post(TRACES, body, 400);
    }
  });

  it.each<[string, object]>([
    ['series for slices', { ...both, chartType: 'pie' }],
    ['insights', { ...both, derivedInsights: [insight] }],
    ['a time bucket that is left to the server', { ...bar, timeBucket: 'auto' }],
    ['a field of the other level that a count has no use for', { ...spans, metricField: 'trace_depth' }],
    ['a histogram that says it counts', { ...histogram, metric: 'count', timeSeries: false }],
  ])('is not one with %s', async (_, spec) => {
    await me.post(TRACES, { customCharts: [spec] });
  });
});
