import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { tries } from '../support/depth.js';
import { llmSpan, logCall, send, traceId } from '../support/otlp.js';
import { publishPrompt } from '../support/prompts.js';
import { TestApp } from '../support/test-app.js';
import { type ChartSpec, expectedChart, type Fact, type Words } from './custom-analytics.oracle.js';

const URL = '/api/public/v2/requests/analytics/custom-analytics';
const NOON = Date.UTC(2026, 2, 15, 12);
const HOUR = 3_600_000;

const WORDS: Words = {
  counted: 'Requests',
  fields: {
    input_tokens: { title: 'Input tokens', unit: 'tokens' },
    output_tokens: { title: 'Output tokens', unit: 'tokens' },
    cost: { title: 'Cost', unit: 'currency' },
    latency_ms: { title: 'Latency', unit: 'duration_seconds' },
    prompt_version_number: { title: 'Prompt version', unit: 'number' },
    turn_count: { title: 'Turns', unit: 'count' },
    tool_call_count: { title: 'Tool calls', unit: 'count' },
    cached_tokens: { title: 'Cached tokens', unit: 'tokens' },
    thinking_tokens: { title: 'Thinking tokens', unit: 'tokens' },
  },
};

interface Result {
  series: { key: string; label: string; unit: string }[];
  data: Record<string, unknown>[];
  derivedInsights?: { value: number | null }[];
}

let app: TestApp;
let me: Client;
let facts: Fact[];
let words: Words;

beforeAll(async () => {
  app = await TestApp.own();
  me = app.client;
  const prompts = [await publishPrompt(me, 'greeting', { message: 'Hi {name}' }), await publishPrompt(me, 'other')];
  const calls = fc
    .sample(randomCalls, { numRuns: 80, seed: 5 })
    .map((call, index) => ({ ...call, name: `call ${index}` }));
  await send(
    me,
    calls.map((call) =>
      toSpan(
        call,
        prompts.map(({ prompt_name: name }) => name),
      ),
    ),
  );
  const stranger = await app.stranger();
  await send(stranger, [llmSpan({ model: 'gpt-4o', more: { 'promptlayer.tags': '["beta"]' } })]);
  facts = await readFacts(calls);
  words = {
    ...WORDS,
    names: { prompt_id: Object.fromEntries(prompts.map(({ id, prompt_name: name }) => [id, name])) },
  };
});
afterAll(() => app.stop());

/** A call as it is sent. */
interface SentCall {
  name?: string;
  model: string;
  provider: string;
  hour: number;
  ms: number;
  input: number;
  output: number;
  cached: number | null;
  thinking: number | null;
  /** In 64ths of a dollar, of which sums are exact. */
  cost: number | null;
  tags: string[];
  metadata: Record<string, string>;
  prompt: 0 | 1 | null;
  error: string | null;
  tools: string[];
  answer: string;
}

const maybe = <T>(values: fc.Arbitrary<T>) => fc.option(values);
const randomCalls: fc.Arbitrary<SentCall> = fc.record({
  model: fc.constantFrom('gpt-4o', 'no-such-model', 'Ünïcode model', 'label'),
  provider: fc.constantFrom('openai', 'anthropic'),
  hour: fc.integer({ min: 0, max: 71 }),
  ms: fc.integer({ min: 0, max: 5000 }),
  input: fc.integer({ min: 100, max: 900 }),
  output: fc.integer({ min: 0, max: 90 }),
  cached: maybe(fc.integer({ min: 0, max: 99 })),
  thinking: maybe(fc.integer({ min: 0, max: 9 })),
  cost: maybe(fc.integer({ min: 1, max: 100 })),
  tags: fc.uniqueArray(fc.constantFrom('beta', 'vip', 'bucketKey'), { maxLength: 3 }),
  metadata: fc.dictionary(fc.constantFrom('user', 'a=b', 'x.y'), fc.constantFrom('7', '8', 'x=y', 'z'.repeat(300)), {
    maxKeys: 3,
  }),
  prompt: maybe(fc.constantFrom(0 as const, 1 as const)),
  error: maybe(fc.constantFrom('timeout', 'rate_limit')),
  tools: fc.array(fc.constantFrom('search', 'pay'), { maxLength: 3 }),
  answer: fc.constantFrom('Hello', '{"city":"Paris"}', '{"city":"Rome","land":"Italy"}'),
});

function toSpan(call: SentCall, promptNames: string[]): object {
  const { tools, metadata, prompt, error, cost } = call;
  const parts = tools.map((name, index) => ({ type: 'tool_call', id: `t${index}`, name, arguments: {} }));
  const answer = [{ role: 'assistant', parts: [{ type: 'text', content: call.answer }, ...parts] }];
  const more: Record<string, string> = {
    'gen_ai.output.messages': JSON.stringify(answer),
    ...(call.tags.length > 0 && { 'promptlayer.tags': JSON.stringify(call.tags) }),
    ...(cost !== null && { 'gen_ai.usage.cost': String(cost / 64) }),
    ...(call.cached !== null && { 'gen_ai.usage.cache_read.input_tokens': String(call.cached) }),
    ...(call.thinking !== null && { 'gen_ai.usage.reasoning.output_tokens': String(call.thinking) }),
    ...(prompt !== null && {
      'promptlayer.prompt.name': promptNames[prompt]!,
      'promptlayer.prompt.input_variables': '{"name":"Ada"}',
    }),
    ...(error !== null && { 'error.type': error }),
  };
  for (const [key, value] of Object.entries(metadata)) more[`promptlayer.metadata.${key}`] = value;
  const start = BigInt(NOON + call.hour * HOUR) * 1_000_000n;
  return llmSpan(
    { model: call.model, provider: call.provider, inputTokens: call.input, outputTokens: call.output, more },
    {
      traceId: traceId(),
      name: call.name,
      startTimeUnixNano: String(start),
      endTimeUnixNano: String(start + BigInt(call.ms) * 1_000_000n),
      status: { code: error === null ? 1 : 2 },
    },
  );
}

interface Derived {
  name: string;
  status: string;
  error_type: string | null;
  price: number | null;
  prompt_id: number | null;
  prompt_version_number: number | null;
  turn_count: number;
  tool_call_count: number;
  metadata: Record<string, string>;
  output_keys: string[];
  input_variable_keys: string[];
}

/** Facts about the calls, as sent and as derived by the server. */
async function readFacts(calls: SentCall[]): Promise<Fact[]> {
  const rows = (await app.sql(
    `SELECT s.name, l.status, l.error_type, l.price, l.prompt_id, l.prompt_version_number, l.turn_count, l.tool_call_count,
       l.metadata, l.output_keys, l.input_variable_keys
       FROM request_logs l JOIN spans s ON s.workspace_id = l.workspace_id AND s.request_log_id = l.id
      WHERE l.workspace_id = 1`,
  )) as Derived[];
  const byName = new Map(rows.map((row) => [row.name, row]));
  return calls.map((call) => toFact(call, byName.get(call.name!)!));
}

function toFact(call: SentCall, row: Derived): Fact {
  const list = (value: unknown) => (value === null ? [] : [String(value)]);
  return {
    time: NOON + call.hour * HOUR,
    fields: {
      input_tokens: call.input,
      output_tokens: call.output,
      cost: row.price,
      latency_ms: call.ms / 1000,
      prompt_version_number: row.prompt_version_number,
      turn_count: row.turn_count,
      tool_call_count: row.tool_call_count,
      cached_tokens: call.cached,
      thinking_tokens: call.thinking,
    },
    groups: {
      engine: [call.model],
      provider_type: [call.provider],
      prompt_id: list(row.prompt_id),
      prompt_version_number: list(row.prompt_version_number),
      status: [row.status],
      error_type: list(row.error_type),
      tags: call.tags,
      metadata_keys: Object.keys(row.metadata),
      output_keys: row.output_keys,
      input_variable_keys: row.input_variable_keys,
      tool_names: call.tools,
    },
    metadata: row.metadata,
  };
}

async function charts(customCharts: ChartSpec[], query: object = {}): Promise<Result[]> {
  const answer = (await me.post(URL, { ...query, customCharts })) as { success: true; customCharts: Result[] };
  expect(answer.success).toBe(true);
  return answer.customCharts;
}

const fieldNames = Object.keys(WORDS.fields);
const groupNames = [
  'engine',
  'provider_type',
  'prompt_id',
  'prompt_version_number',
  'status',
  'error_type',
  'tags',
  'metadata_keys',
  'output_keys',
  'input_variable_keys',
  'tool_names',
];

const fieldMeasures = fc
  .tuple(
    fc.constantFrom('sum', 'avg', 'min', 'max', 'percentile'),
    fc.constantFrom(...fieldNames),
    fc.constantFrom(0, 33.3, 50, 95, 100),
  )
  .map(([metric, metricField, percentile]) => ({
    metric,
    metricField,
    ...(metric === 'percentile' && { percentile }),
  }));
const groupings = fc.oneof(
  fc.constantFrom(...groupNames).map((groupByField) => ({ groupByField })),
  fc.constantFrom('user', 'a=b', 'x.y', 'nobody').map((groupByMetadataKey) => ({ groupByMetadataKey })),
);
const limits = fc.constantFrom({}, { limit: 1 }, { limit: 2 }, { limit: 100 });
const singles = fc.tuple(
  fc.oneof(fc.constant({ metric: 'count' }), fieldMeasures),
  fc.oneof(fc.constant({}), groupings),
  fc.boolean(),
  limits,
);
const several = fc.tuple(
  fc.array(fieldMeasures, { minLength: 2, maxLength: 4 }),
  fc.oneof(fc.constant({}), groupings, fc.constant({ timeSeries: true })),
  limits,
);
const specs: fc.Arbitrary<ChartSpec> = fc
  .oneof(
    singles.map(([measure, grouping, timeSeries, limit]) => ({ ...measure, ...grouping, timeSeries, ...limit })),
    several.map(([measures, layout, limit]) => ({
      series: measures.map((measure, index) => ({ ...measure, key: `s${index}`, label: `Series ${index}` })),
      derivedInsights: [{ type: 'ratio', label: 'Share', numeratorSeriesKey: 's1', denominatorSeriesKey: 's0' }],
      ...layout,
      ...limit,
    })),
  )
  .map((spec) => ({ id: 'chart', chartType: 'bar', ...spec }));

/** Keys of series that a row could not carry are replaced. */
const comparable = ({ series }: Result) => series.every(({ key }) => !key.startsWith('group_'));

describe('charts of request logs', () => {
  it('hold what an evaluation of every log gives, for any chart', async () => {
    let full = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(specs, { minLength: 1, maxLength: 5 }), async (list) => {
        const numbered = list.map((spec, index) => ({ ...spec, id: `chart-${index}` }));
        const results = await charts(numbered);
        expect(results).toHaveLength(numbered.length);
        for (const [index, result] of results.entries()) {
          if (!comparable(result)) continue;
          full += result.data.length > 1 ? 1 : 0;
          expect(result, JSON.stringify(numbered[index])).toEqual(expectedChart(numbered[index]!, facts, words));
        }
      }),
      { numRuns: tries(60), seed: 3 },
    );
    expect(full).toBeGreaterThan(tries(60));
  });

  it('are about the logs that the filters and the text select', async () => {
    const filter_group = { logic: 'OR', filters: [{ field: 'tags', operator: 'contains', value: 'vip' }] };
    const filters = [{ field: 'provider_type', operator: 'is', value: 'openai' }];
    const selected = facts.filter(({ groups }) => groups.tags.includes('vip') && groups.provider_type[0] === 'openai');
    expect(selected.length).toBeGreaterThan(5);
    const spec = { id: 'a', chartType: 'bar', metric: 'sum', metricField: 'cost', groupByField: 'engine' };
    const [result] = await charts([spec], { filter_group, filters, q: 'hi', sort_by: 'cost', sort_order: 'desc' });
    expect(result).toEqual(expectedChart(spec, selected, words));
    const [nothing] = await charts([spec], { q: 'nobodysaidthis' });
    expect(nothing).toMatchObject({ data: [] });
  });

  it('show the whole time that the filters ask about, empty buckets as zeros and nulls', async () => {
    const day = (date: string) => ({ field: 'request_start_time', operator: 'between', value: [date, date] });
    const count = { id: 'n', chartType: 'line', metric: 'count', timeSeries: true };
    const average = { id: 'avg', chartType: 'area', metric: 'avg', metricField: 'latency_ms', timeSeries: true };
    const query = { filter_group: { filters: [day('2026-01-01')] } };
    const [empty, averages] = await charts([count, average], query);
    expect(empty.data).toHaveLength(96);
    expect(empty.data[1]).toEqual({ label: 'Jan 1, 00:15', bucketKey: '2026-01-01T00:15:00.000Z', value: 0 });
    expect(averages.data[95]).toEqual({ label: 'Jan 1, 23:45', bucketKey: '2026-01-01T23:45:00.000Z', value: null });
    const [noTime] = await charts([count], { q: 'nobodysaidthis' });
    expect(noTime).toMatchObject({ series: [{ key: 'value', label: 'Requests', unit: 'count' }], data: [] });
  });

  it('keep the order of the request and take the id for a missing title', async () => {
    const bars = ['b', 'a', '_-9'].map((id) => ({ id, chartType: 'bar', metric: 'count' }));
    const results = await charts([
      ...bars,
      { ...bars[0]!, id: 'z', title: 'Mine' },
      { ...bars[0]!, id: 'y', title: null },
    ] as ChartSpec[]);
    expect(results.map((result) => (result as unknown as { title: string }).title)).toEqual([
      'b',
      'a',
      '_-9',
      'Mine',
      'y',
    ]);
    expect(results[0]!.data).toEqual([{ label: 'Overall', value: 80 }]);
  });

  it('give a series another key than its value where a row could not carry it', async () => {
    const spec = { chartType: 'line', metric: 'count', timeSeries: true };
    const [tags, values] = await charts([
      { ...spec, id: 'tags', groupByField: 'tags' },
      { ...spec, id: 'values', groupByMetadataKey: 'user' },
    ]);
    const named = Object.fromEntries(tags.series.map(({ key, label }) => [label, key]));
    expect(named).toEqual({ beta: 'beta', vip: 'vip', bucketKey: expect.stringMatching(/^group_[123]$/) as string });
    const long = values.series.find(({ label }) => label === 'z'.repeat(300))!;
    expect(long.key).toMatch(/^group_\d$/);
    expect(values.data.some((row) => row[long.key] === 1)).toBe(true);
  });

  it('know long keys, keys with signs of their own, and what is inside JSON, by their whole texts', async () => {
    const client = await app.stranger();
    const [key, value] = ['k'.repeat(300), 'v'.repeat(300)];
    const order = JSON.stringify({ items: [{ name: 'tea' }, { name: value }, { name: 'tea' }] });
    const more = { 'promptlayer.metadata.order': order, [`promptlayer.metadata.${key}`]: value };
    await send(client, [llmSpan({ more }), llmSpan({ more: { 'promptlayer.metadata.a=b': 'sha256:x' } })]);
    const bar = { chartType: 'bar', metric: 'count' };
    const customCharts = [
      { ...bar, id: 'keys', groupByField: 'metadata_keys' },
      { ...bar, id: 'nested', groupByMetadataKey: 'order.items.name' },
      { ...bar, id: 'json', groupByMetadataKey: 'order' },
      { ...bar, id: 'long', groupByMetadataKey: key },
      { ...bar, id: 'signs', groupByMetadataKey: 'a=b' },
    ];
    const answer = (await client.post(URL, { customCharts })) as { customCharts: Result[] };
    const labels = answer.customCharts.map(({ data }) => data.map(({ label }) => label).sort());
    expect(labels[0]).toEqual(expect.arrayContaining(['a=b', key, 'order', 'order.items.name']));
    expect(labels.slice(1)).toEqual([['tea', value], [order], [value], ['sha256:x']]);
    expect(answer.customCharts[1].data.map((row) => row.value)).toEqual([1, 1]);
  });

  it('compare two series as a whole, whatever the chart shows of them', async () => {
    const series = [
      { key: 'in', label: 'Input', metric: 'sum', metricField: 'input_tokens' },
      { key: 'none', label: 'None', metric: 'max', metricField: 'input_tokens' },
    ];
    const ratio = (numeratorSeriesKey: string, denominatorSeriesKey: string) => ({
      label: 'Ratio',
      numeratorSeriesKey,
      denominatorSeriesKey,
    });
    const spec = { id: 'a', chartType: 'bar', series, derivedInsights: [ratio('in', 'none'), ratio('none', 'in')] };
    const [overall, grouped] = await charts([spec, { ...spec, id: 'b', groupByField: 'engine', limit: 1 }]);
    expect(grouped.derivedInsights).toEqual(overall.derivedInsights);
    expect(overall.derivedInsights![0]).toMatchObject({ type: 'ratio', ...ratio('in', 'none') });
    expect(overall.derivedInsights![0]!.value).toBeGreaterThan(1);
    const [empty] = await charts([spec], { q: 'nobodysaidthis' });
    expect(empty.derivedInsights!.map(({ value }) => value)).toEqual([null, null]);
  });

  it('call prompts by their names, which other workspaces never see', async () => {
    const spec = { id: 'p', chartType: 'bar', metric: 'count', groupByField: 'prompt_id' };
    const [{ data }] = await charts([spec]);
    expect(data.map(({ label }) => label).sort()).toEqual(['greeting', 'other']);
    const stranger = await app.stranger();
    const { customCharts } = (await stranger.post(URL, { customCharts: [spec] })) as { customCharts: Result[] };
    expect(customCharts[0]!.data).toEqual([]);
  });

  it('know nothing of other workspaces', async () => {
    const stranger = await app.stranger();
    await logCall(stranger, { model: 'only-theirs' });
    const spec = { id: 'a', chartType: 'bar', metric: 'count' };
    const { customCharts } = (await stranger.post(URL, { customCharts: [spec] })) as { customCharts: Result[] };
    expect(customCharts[0]!.data).toEqual([{ label: 'Overall', value: 1 }]);
    expect((await charts([spec]))[0]!.data).toEqual([{ label: 'Overall', value: facts.length }]);
  });
});
