import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { llmSpan, send } from '../support/otlp.js';
import { publishPrompt } from '../support/prompts.js';
import { untilSearchable } from '../support/sweeps.js';
import { TestApp } from '../support/test-app.js';
import {
  type Asked,
  expectedAnalytics,
  FIRST_MOMENT,
  randomCalls,
  runsOf,
  type SentCall,
  type ToolRun,
  toSpan,
  toToolSpan,
} from './requests-analytics.oracle.js';

const ANALYTICS = '/api/public/v2/requests/analytics';
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

let app: TestApp;
let me: Client;
let calls: SentCall[];
let runs: ToolRun[];
const promptIds = new Map<string, number>();

beforeAll(async () => {
  app = await TestApp.own();
  me = app.client;
  for (const name of ['greeting', 'farewell']) promptIds.set(name, (await publishPrompt(me, name)).id);
  calls = randomCalls(240, [...promptIds.keys()]);
  runs = runsOf(calls);
  await send(me, [...calls.map(toSpan), ...runs.map(toToolSpan)]);
  // Another workspace has the same calls, with slower tools.
  const slower = runs.map((run) => ({ ...run, seconds: run.seconds + 60 }));
  await send(await app.stranger(), [...calls.map(toSpan), ...slower.map(toToolSpan)]);
  await untilSearchable(app);
  expect(await app.sql('SELECT FROM request_logs WHERE output_shape IS NULL')).toEqual([]);
});
afterAll(() => app.stop());

/** Sums of fractions depend on their order in the last digits. */
function rounded(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (_, item: unknown) =>
    typeof item === 'number' ? Number(item.toFixed(9)) + 0 : item,
  ) as unknown;
}

type Keep = (call: SentCall) => boolean;
const oracle = (keep: Keep, asked: Partial<Asked> = {}) =>
  rounded(expectedAnalytics({ calls: calls.filter(keep), runs, promptIds, ...asked }));
const read = async (body: object = {}) => rounded(await me.post(ANALYTICS, body)) as Record<string, unknown>;
const iso = (ms: number) => new Date(ms).toISOString();
const leaf = (field: string, operator: string, value?: unknown) => ({ field, operator, value });
const start = (operator: string, value: unknown) => leaf('request_start_time', operator, value);

describe('the charts over request logs', () => {
  it('show everything there is', async () => {
    expect(await read()).toEqual(oracle(() => true));
  });

  it.each([
    ['a model', { filter_group: { filters: [leaf('engine', 'is', 'gpt-4o')] } }, (call) => call.model === 'gpt-4o'],
    ['a list of filters', { filters: [leaf('status', 'is', 'ERROR')] }, (call) => call.error !== null],
    [
      'both',
      {
        filter_group: { filters: [leaf('tags', 'contains', 'beta')] },
        filters: [leaf('provider_type', 'is', 'openai')],
      },
      (call) => call.tags.includes('beta') && call.provider === 'openai',
    ],
    ['words', { q: 'PEAR' }, (call) => call.word === 'pear'],
    [
      'words and filters',
      { q: 'apple', filters: [leaf('is_json', 'is_true')] },
      (call) => call.word === 'apple' && call.shape === 'json',
    ],
    ['a sort order, which changes nothing', { sort_by: 'cost', sort_order: 'asc' }, () => true],
  ] satisfies [string, object, Keep][])('show what matches %s', async (_, body, keep) => {
    expect(await read(body)).toEqual(oracle(keep));
  });

  it('break costs down by the values of one key of metadata', async () => {
    expect(await read({ metadata_cost_breakdown_key: 'user' })).toEqual(oracle(() => true, { metadataKey: 'user' }));
    expect((await read({ metadata_cost_breakdown_key: '' })).metadataValueBreakdown).toHaveLength(6);
    expect((await read({ metadata_cost_breakdown_key: 'nobody' })).metadataValueBreakdown).toEqual([]);
  });
});

describe('the time that charts show', () => {
  const noon = FIRST_MOMENT + 12 * HOUR;

  it.each([
    ['minutes', noon, noon + HOUR - 1],
    ['seconds', noon, noon + 99_999],
    ['five seconds', noon, noon + 100_000],
    ['hours', noon, noon + 2 * DAY],
    ['days before and after the first and last request', noon - 60 * DAY, noon + 60 * DAY],
  ])('is that of the filters, in %s', async (_, from, to) => {
    const body = { filter_group: { filters: [start('between', [iso(from), iso(to)])] } };
    expect(await read(body)).toEqual(oracle(({ at }) => at >= from && at <= to, { from, to }));
  });

  it('begins with the first moment after the last one of a second, and ends with the last one before a full second', async () => {
    const until = Math.floor(noon / DAY) * DAY;
    const filters = [start('after', iso(until - DAY - 1)), { filters: [start('before', iso(until))] }];
    expect(await read({ filters })).toEqual(
      oracle(({ at }) => at >= until - DAY && at < until, { from: until - DAY, to: until - 1 }),
    );
  });

  it('reaches to the last request where the filters leave the end open', async () => {
    expect(await read({ filters: [start('after', iso(noon))] })).toEqual(oracle(({ at }) => at > noon, { from: noon }));
  });

  it('is not limited by conditions that requests outside them pass too', async () => {
    const early = start('before', iso(FIRST_MOMENT + HOUR));
    const or = { logic: 'OR', filters: [early, leaf('engine', 'is', 'gpt-4o')] };
    expect(await read({ filter_group: or })).toEqual(
      oracle(({ at, model }) => at < FIRST_MOMENT + HOUR || model === 'gpt-4o'),
    );
  });

  it('has empty buckets when nothing happened in it', async () => {
    const [from, to] = [Date.UTC(2020, 0, 1), Date.UTC(2020, 0, 1) + 10_000];
    const body = { filters: [start('between', [iso(from), iso(to)])] };
    expect(await read(body)).toEqual(oracle(() => false, { from, to }));
  });

  it('gives the days with requests alone when there are more days than a chart can have', async () => {
    const { stats, chartInterval } = await read({ filters: [start('between', ['0001-01-01', '9999-12-31'])] });
    expect(chartInterval).toEqual({ interval: 'day', bucketSizeMs: DAY, bucketMinutes: null });
    expect((stats as { date: string }[]).map(({ date }) => date)).toEqual(['2026-02-27', '2026-02-28', '2026-03-01']);
  });

  it('is empty when there is nothing at all', async () => {
    expect(await (await app.stranger()).post(ANALYTICS, {})).toEqual({
      success: true,
      chartInterval: { interval: 'day', bucketSizeMs: DAY, bucketMinutes: null },
      averageLatency: 0,
      totalCost: 0,
      totalUnpricedRequests: 0,
      totalTokens: 0,
      totalRequests: 0,
      totalCachedTokens: 0,
      totalThinkingTokens: 0,
      cacheTokenRatio: null,
      stats: [],
      mostUsedModels: [],
      modelRequestsByDay: {},
      promptTemplateRequestsByDay: {},
      providerRequestsByDay: {},
      mostUsedPromptTemplates: [],
      latency: { average_latency: {}, p50_latency: {}, p90_latency: {}, p95_latency: {} },
      latencyByModelByDay: {},
      latencyByPromptTemplateByDay: {},
      latencyByProviderByDay: {},
      errorTypes: [],
      providerBreakdown: [],
      promptBreakdown: [],
      tagsBreakdown: [],
      metadataKeysTop: [],
      outputKeysTop: [],
      toolsLatency: [],
      toolsUsageBars: [],
      metadataValueBreakdown: [],
    });
  });
});

describe('unusual logs', () => {
  it('keep sums within what a number can be, and lists within 50 names', async () => {
    const other = await app.stranger();
    const cost = { key: 'gen_ai.usage.cost', value: { doubleValue: 1e308 } };
    const spans = Array.from({ length: 60 }, (_, index) => {
      const sent = llmSpan({ model: `m${index}`, inputTokens: 2_147_483_647 });
      return { ...sent, attributes: [...(sent.attributes as object[]), cost] };
    });
    const long = { startTimeUnixNano: '1', endTimeUnixNano: '1780000000000000000' };
    await send(other, [...spans, llmSpan({ model: 'm0' }, long), llmSpan({ model: 'm0' })]);
    const answer = (await other.post(ANALYTICS)) as Record<string, unknown>;
    expect(answer).toMatchObject({ totalRequests: 62, totalCost: expect.any(Number) });
    expect(Number.isFinite(answer.totalCost)).toBe(true);
    expect(answer.mostUsedModels).toHaveLength(50);
    expect((answer.mostUsedModels as unknown[])[0]).toEqual(['m0', 3]);
    expect(Object.keys(answer.modelRequestsByDay as object)).toHaveLength(25);
    expect((answer.stats as { date: string }[]).map(({ date }) => date)).toEqual(['1970-01-01', '2026-05-28']);
  });
});

describe('what cannot be answered', () => {
  it.each([
    [422, 'half a sort order', { sort_by: 'cost' }],
    [422, 'an unknown sort', { sort_by: 'beauty', sort_order: 'asc' }],
    [422, 'an unknown field', { filter_group: { filters: [leaf('nothing', 'is', 1)] } }],
    [422, 'a group that is none', { filter_group: { logic: 'AND' } }],
    [422, 'filters that are no list', { filters: {} }],
    [422, 'a number for words', { q: 7 }],
    [422, 'a key of metadata that is none', { metadata_cost_breakdown_key: ['user'] }],
    [400, 'an operator of another field', { filters: [leaf('cost', 'contains', 'x')] }],
    [400, 'a time that is none', { filters: [start('after', '2026-02-30')] }],
    [400, 'a range of one end', { filters: [start('between', ['2026-02-01'])] }],
  ])('is refused with %i: %s', async (status, _, body) => {
    expect((await me.request('POST', ANALYTICS, body)).status).toBe(status);
  });
});
