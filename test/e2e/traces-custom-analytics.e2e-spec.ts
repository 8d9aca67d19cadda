import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { tries } from '../support/depth.js';
import { llmSpan, send, span } from '../support/otlp.js';
import { publishPrompt } from '../support/prompts.js';
import { TestApp } from '../support/test-app.js';
import { type ChartSpec, expectedChart, type Fact, type Words } from './custom-analytics.oracle.js';
import { randomTraces, toFacts, toSpans } from './traces-custom-analytics.fixture.js';

const URL = '/api/public/v2/traces/analytics/custom-analytics';

const FIELDS: Words['fields'] = {
  trace_duration_ms: { title: 'Duration', unit: 'duration_seconds' },
  trace_total_cost_usd: { title: 'Cost', unit: 'currency' },
  trace_total_tokens: { title: 'Tokens', unit: 'tokens' },
  trace_input_tokens: { title: 'Input tokens', unit: 'tokens' },
  trace_output_tokens: { title: 'Output tokens', unit: 'tokens' },
  trace_span_count: { title: 'Spans', unit: 'count' },
  trace_depth: { title: 'Depth', unit: 'number' },
  span_duration_ms: { title: 'Duration', unit: 'duration_seconds' },
  span_cost_usd: { title: 'Cost', unit: 'currency' },
  span_tokens: { title: 'Tokens', unit: 'tokens' },
  span_input_tokens: { title: 'Input tokens', unit: 'tokens' },
  span_output_tokens: { title: 'Output tokens', unit: 'tokens' },
};
const GROUPS = {
  trace: [
    'trace_status',
    'trace_name',
    'trace_models_used',
    'trace_prompt_ids',
    'trace_workflow_ids',
    'trace_tool_names',
  ],
  span: ['span_tool_name', 'span_name', 'span_type', 'span_kind', 'span_status'],
};
type Level = keyof typeof GROUPS;

interface Result {
  series: { key: string; label: string; unit: string }[];
  data: Record<string, unknown>[];
}

let app: TestApp;
let me: Client;
let facts: Record<Level, Fact[]>;
let names: Words['names'];

beforeAll(async () => {
  app = await TestApp.own();
  me = app.client;
  const prompts = [await publishPrompt(me, 'greeting'), await publishPrompt(me, 'other')];
  names = { trace_prompt_ids: Object.fromEntries(prompts.map(({ id, prompt_name: name }) => [id, name])) };
  const traces = fc.sample(randomTraces, { numRuns: 40, seed: 9 });
  const sent = traces.map((trace) => toSpans(trace));
  await send(me, sent.flat());
  await send(await app.stranger(), [span({ name: 'theirs' })]);
  const types = await readTypes();
  const promptIds = prompts.map(({ id }) => String(id));
  const all = traces.map((trace, index) => {
    const ofTrace = sent[index]!.map(({ spanId: id }) => types.get(id)!);
    return toFacts(trace, { types: ofTrace, promptIds });
  });
  facts = { trace: all.map(({ trace }) => trace), span: all.flatMap(({ spans }) => spans) };
});
afterAll(() => app.stop());

/** The type is worked out by the rules of ingestion. */
async function readTypes(): Promise<Map<string, string>> {
  const rows = (await app.sql(`SELECT span_id, span_type FROM spans WHERE workspace_id = 1`)) as Record<
    string,
    string
  >[];
  return new Map(rows.map((row) => [row.span_id!, row.span_type!]));
}

async function charts(customCharts: object[], filter_group?: object): Promise<Result[]> {
  const answer = (await me.post(URL, { customCharts, ...(filter_group && { filter_group }) })) as {
    customCharts: Result[];
  };
  return answer.customCharts;
}

const wordsOf = (level: Level): Words => ({ counted: level === 'trace' ? 'Traces' : 'Spans', fields: FIELDS, names });

interface Levelled {
  level: Level;
  spec: ChartSpec;
}

function chartsOf(level: Level): fc.Arbitrary<Levelled> {
  const fields = Object.keys(FIELDS).filter((name) => name.startsWith(level));
  const group = fc.constantFrom(...GROUPS[level]);
  const ofField = fc
    .tuple(
      fc.constantFrom('sum', 'avg', 'min', 'max', 'percentile'),
      fc.constantFrom(...fields),
      fc.constantFrom(0, 50, 95),
    )
    .map(([metric, metricField, percentile]) => ({
      metric,
      metricField,
      ...(metric === 'percentile' && { percentile }),
    }));
  const measure = fc.oneof(fc.constant({ metric: 'count' }), ofField);
  const limit = fc.constantFrom({}, { limit: 1 }, { limit: 2 });
  const series = fc
    .array(ofField, { minLength: 2, maxLength: 3 })
    .map((list) => ({ series: list.map((each, index) => ({ ...each, key: `s${index}`, label: `Series ${index}` })) }));
  const grouped = group.map((groupByField) => ({ groupByField }));
  const hierarchy = fc
    .uniqueArray(group, { minLength: 2, maxLength: 4 })
    .map((hierarchyFields) => ({ hierarchyFields }));
  const overTime = level === 'trace' ? fc.boolean().map((timeSeries) => ({ timeSeries })) : fc.constant({});
  const shapes: fc.Arbitrary<object>[] = [
    fc.tuple(measure, grouped, overTime, limit, fc.constant({ chartType: 'bar' })).map((parts) => merged(parts)),
    fc
      .tuple(measure, grouped, limit, fc.constantFrom({ chartType: 'pie' }, { chartType: 'donut' }))
      .map((parts) => merged(parts)),
    fc
      .tuple(series, fc.oneof(fc.constant({}), grouped, overTime), limit, fc.constant({ chartType: 'bar' }))
      .map((parts) => merged(parts)),
    fc
      .tuple(
        measure,
        grouped,
        group.map((secondaryGroupByField) => ({ secondaryGroupByField })),
        limit,
        fc.constant({ chartType: 'heatmap' }),
      )
      .map((parts) => merged(parts)),
    fc
      .tuple(measure, hierarchy, limit, fc.constantFrom({ chartType: 'treemap' }, { chartType: 'sunburst' }))
      .map((parts) => merged(parts)),
  ];
  return fc.oneof(...shapes).map((spec) => ({ level, spec: { id: 'chart', ...spec } as ChartSpec }));
}

const merged = (parts: object[]): object => Object.assign({}, ...parts) as object;

/** A count of spans needs a field of spans to be one. */
const isOfSpans = ({ spec }: Levelled) =>
  [
    spec.groupByField,
    spec.metricField,
    ...(spec.hierarchyFields ?? []),
    ...(spec.series ?? []).map((each) => each.metricField),
  ].some((name) => name?.startsWith('span_'));

describe('charts of traces and spans', () => {
  it('hold what an evaluation of every trace and span gives, for any chart', async () => {
    let full = 0;
    const any = fc.oneof(chartsOf('trace'), chartsOf('span').filter(isOfSpans));
    await fc.assert(
      fc.asyncProperty(fc.array(any, { minLength: 1, maxLength: 10 }), async (list) => {
        const numbered = list.map(({ level, spec }, index) => ({ level, spec: { ...spec, id: `chart-${index}` } }));
        const results = await charts(numbered.map(({ spec }) => spec));
        for (const [index, { level, spec }] of numbered.entries()) {
          expect(results[index], JSON.stringify(spec)).toEqual(expectedChart(spec, facts[level], wordsOf(level)));
          full += results[index]!.data.length > 1 ? 1 : 0;
        }
      }),
      { numRuns: tries(40), seed: 4 },
    );
    expect(full).toBeGreaterThan(tries(60));
  });

  it.each(Object.keys(FIELDS).map((field) => [field]))(
    'count the values of %s in round bins without gaps',
    async (histogramField) => {
      const level = histogramField.startsWith('trace') ? 'trace' : 'span';
      const found = facts[level].flatMap(({ fields }) => fields[histogramField] ?? []);
      const chart = { id: 'h', chartType: 'histogram', histogramField };
      const narrow = histogramField.endsWith('_ms') ? 100 : 3;
      const results = await charts([chart, { ...chart, id: 'i', histogramInterval: narrow, metric: 'count' }]);
      for (const { data, series } of results) {
        expect(series).toEqual([{ key: 'value', label: level === 'trace' ? 'Traces' : 'Spans', unit: 'count' }]);
        for (const [index, { binStart, binEnd, label, value }] of (data as unknown as Bin[]).entries()) {
          expect(label).toBe(`${binStart}–${binEnd}`);
          expect(value).toBe(found.filter((number) => number >= binStart && number < binEnd).length);
          if (index > 0) expect(binStart).toBe((data as unknown as Bin[])[index - 1]!.binEnd);
        }
        expect((data as unknown as Bin[]).reduce((sum, { value }) => sum + value, 0)).toBe(found.length);
        expect([data[0]!.value, data.at(-1)!.value]).not.toContain(0);
      }
      const [automatic, given] = results.map(({ data }) => data as unknown as Bin[]);
      expect(automatic!.length).toBeLessThanOrEqual(33);
      expect(given![0]!.binEnd - given![0]!.binStart).toBeCloseTo(histogramField.endsWith('_ms') ? 0.1 : 3, 9);
    },
  );

  it('are about all spans of the traces that the filters select', async () => {
    const filter_group = { filters: [{ field: 'span_tool_name', operator: 'is', value: 'pay' }] };
    const [tools, traces] = await charts(
      [
        { id: 's', chartType: 'bar', metric: 'count', groupByField: 'span_status' },
        { id: 't', chartType: 'bar', metric: 'count' },
      ],
      filter_group,
    );
    const selected = facts.trace.filter(({ groups }) => groups.trace_tool_names!.includes('pay'));
    const spans = selected.reduce((sum, { fields }) => sum + fields.trace_span_count!, 0);
    expect(tools.data.reduce((sum, { value }) => sum + (value as number), 0)).toBe(spans);
    expect(traces.data).toEqual([{ label: 'Overall', value: selected.length }]);
  });

  it('can be of days, weeks and months', async () => {
    const client = await app.stranger();
    const at = (date: string) =>
      span({ startTimeUnixNano: String(BigInt(Date.parse(date)) * 1_000_000n), endTimeUnixNano: '0' });
    await send(client, [at('2026-02-28T23:59:59.999Z'), at('2026-03-01T00:00:00Z'), at('2026-03-09T00:00:00Z')]);
    const chart = { chartType: 'line', metric: 'count', timeSeries: true };
    const customCharts = ['day', 'week', 'month'].map((timeBucket) => ({ ...chart, id: timeBucket, timeBucket }));
    const answer = (await client.post(URL, { customCharts })) as { customCharts: Result[] };
    const [days, weeks, months] = answer.customCharts.map(({ data }) => data);
    expect(days).toHaveLength(10);
    expect(days![1]).toEqual({ label: 'Mar 1', bucketKey: '2026-03-01', value: 1 });
    expect(weeks).toEqual([
      { label: 'Week of Feb 23', bucketKey: '2026-02-23', value: 2 },
      { label: 'Week of Mar 2', bucketKey: '2026-03-02', value: 0 },
      { label: 'Week of Mar 9', bucketKey: '2026-03-09', value: 1 },
    ]);
    expect(months).toEqual([
      { label: 'Feb 2026', bucketKey: '2026-02-01', value: 1 },
      { label: 'Mar 2026', bucketKey: '2026-03-01', value: 2 },
    ]);
  });

  it('can be grouped by the metadata of traces', async () => {
    const client = await app.stranger();
    await send(client, [llmSpan({ more: { 'promptlayer.metadata.team': 'red' } }), llmSpan()]);
    const chart = { id: 'm', chartType: 'donut', metric: 'count', groupByMetadataKey: 'team' };
    const answer = (await client.post(URL, { customCharts: [chart] })) as { customCharts: Result[] };
    expect(answer.customCharts[0]!.data).toEqual([{ label: 'red', value: 1 }]);
  });

  it('are empty without traces', async () => {
    const client = await app.stranger();
    const customCharts = [
      { id: 'a', chartType: 'bar', metric: 'sum', metricField: 'trace_total_cost_usd' },
      { id: 'b', chartType: 'pie', metric: 'count', groupByField: 'span_name' },
      { id: 'c', chartType: 'area', metric: 'count', timeSeries: true, groupByField: 'trace_name' },
      { id: 'd', chartType: 'heatmap', metric: 'count', groupByField: 'span_name', secondaryGroupByField: 'span_type' },
      { id: 'e', chartType: 'sunburst', metric: 'count', hierarchyFields: ['trace_name', 'trace_status'] },
      { id: 'f', chartType: 'histogram', histogramField: 'trace_depth' },
      { id: 'g', chartType: 'histogram', histogramField: 'span_cost_usd', histogramInterval: 0.1 },
    ];
    const answer = (await client.post(URL, { customCharts })) as { customCharts: Result[] };
    const rows = answer.customCharts.map(({ data }) => data);
    expect(rows).toEqual([[{ label: 'Overall', value: 0 }], [], [], [], [], [], []]);
  });

  it('leave out bins without values where there would be too many', async () => {
    const client = await app.stranger();
    const lasting = (ns: string) => span({ startTimeUnixNano: '1', endTimeUnixNano: ns });
    await send(client, [lasting('2'), lasting('9000000000000000001')]);
    const chart = { id: 'h', chartType: 'histogram', histogramField: 'span_duration_ms', histogramInterval: 1 };
    const answer = (await client.post(URL, { customCharts: [chart] })) as { customCharts: Result[] };
    expect(answer.customCharts[0]!.data).toEqual([
      { label: '0–0.001', value: 1, binStart: 0, binEnd: 0.001 },
      { label: '9000000000–9000000000.001', value: 1, binStart: 9_000_000_000, binEnd: 9_000_000_000.001 },
    ]);
  });
});

interface Bin {
  label: string;
  value: number;
  binStart: number;
  binEnd: number;
}
