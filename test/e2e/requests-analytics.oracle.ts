import { type JsonSpan, llmSpan, span, spanId, text } from '../support/otlp.js';

/** Random calls and the expected charts over them, computed without SQL and without the code under test. */

type Shape = 'json' | 'toolCall' | 'plainText';
export interface SentCall {
  /** Milliseconds since 1970. */
  at: number;
  latencyMs: number;
  model: string;
  provider: string;
  inputTokens: number;
  outputTokens: number;
  cachedTokens: number;
  thinkingTokens: number;
  /** Null for a model of which no price is known. */
  cost: number | null;
  error: string | null;
  tags: string[];
  metadata: Record<string, string>;
  shape: Shape;
  /** Functions that the answer calls, one of them maybe twice. */
  tools: string[];
  /** Earlier answers in the conversation, each of which called a tool. */
  earlier: number;
  prompt: string | null;
  traceId: string;
  word: string;
}
export interface ToolRun {
  traceId: string;
  tool: string;
  seconds: number;
}

export const FIRST_MOMENT = Date.UTC(2026, 1, 26, 23, 59, 30);
const HOUR = 3_600_000;
const ERRORS: Record<string, string> = { 'rate limit reached': 'PROVIDER_RATE_LIMIT', 'it broke': 'UNKNOWN_ERROR' };
const MODELS = {
  'gpt-4o': 'openai',
  'gpt-4o-mini': 'openai',
  'claude-sonnet-4-5': 'anthropic',
  ['__proto__']: 'openai',
};

/** Numbers that look random and are the same in every run (Park and Miller). */
function dice(seed: number) {
  let state = seed;
  const roll = (sides: number) => (state = (state * 48_271) % 2_147_483_647) % sides;
  return {
    roll,
    pick: <T>(items: readonly T[]): T => items[roll(items.length)]!,
    chance: (part: number) => roll(100) < part,
  };
}

export function randomCalls(count: number, prompts: string[]): SentCall[] {
  const { roll, pick, chance } = dice(20_260_226);
  return Array.from({ length: count }, () => {
    const [model, provider] = pick(Object.entries(MODELS));
    const [inputTokens, outputTokens] = [roll(2000) + 100, roll(500)];
    const shape = pick(['json', 'toolCall', 'plainText'] as const);
    return {
      at: FIRST_MOMENT + roll(70 * HOUR),
      latencyMs: roll(9000) + roll(1000) / 1000,
      model,
      provider,
      inputTokens,
      outputTokens,
      cachedTokens: chance(40) ? roll(100) : 0,
      thinkingTokens: chance(20) ? roll(300) : 0,
      cost: model === '__proto__' && inputTokens % 3 === 0 ? null : (roll(1000) + 1) / 10_000,
      error: chance(15) ? pick(Object.keys(ERRORS)) : null,
      tags: ['beta', 'prod', 'team a'].filter(() => chance(30)),
      metadata: { ...(chance(70) && { user: `u${roll(4)}` }), ...(chance(50) && { 'a = b': pick(['x', 'y']) }) },
      shape,
      tools: shape === 'toolCall' ? ['search', 'pay', 'search'].slice(roll(2), 1 + roll(3)).concat('lookup') : [],
      earlier: roll(4),
      prompt: chance(50) ? pick(prompts) : null,
      traceId: roll(2 ** 30)
        .toString(16)
        .padStart(32, '0'),
      word: pick(['apple', 'pear']),
    };
  });
}

/** Two runs for some of the tools that calls ask for, and one that nobody asked for. */
export function runsOf(calls: SentCall[]): ToolRun[] {
  const { roll, chance } = dice(7);
  const asked = calls.flatMap((call) => call.tools.filter((tool) => tool !== 'lookup').map((tool) => ({ call, tool })));
  const runs = asked.filter(() => chance(50)).map(({ call, tool }) => ({ traceId: call.traceId, tool }));
  const unasked = calls.slice(0, 5).map(({ traceId }) => ({ traceId, tool: 'nobody asked' }));
  return [...runs, ...unasked].map((run) => ({ ...run, seconds: roll(5000) / 1000 }));
}

const nano = (ms: number) => String(BigInt(Math.round(ms * 1000)) * 1000n);
const double = (key: string, doubleValue: number) => ({ key, value: { doubleValue } });

export function toSpan(call: SentCall): JsonSpan {
  const more = {
    'promptlayer.tags': JSON.stringify(call.tags),
    ...(call.prompt && { 'promptlayer.prompt.name': call.prompt }),
  };
  const sent = llmSpan({ ...call, more });
  const extra = [
    text('gen_ai.input.messages', JSON.stringify(inputOf(call))),
    text('gen_ai.output.messages', JSON.stringify([answerOf(call)])),
    double('gen_ai.usage.cache_read.input_tokens', call.cachedTokens),
    double('gen_ai.usage.reasoning.output_tokens', call.thinkingTokens),
    ...(call.cost === null ? [] : [double('gen_ai.usage.cost', call.cost)]),
    ...Object.entries(call.metadata).map(([key, value]) => text(`promptlayer.metadata.${key}`, value)),
  ];
  const kept = (sent.attributes as { key: string }[]).filter(({ key }) => !key.endsWith('.messages'));
  return {
    ...sent,
    traceId: call.traceId,
    attributes: [...kept, ...extra],
    startTimeUnixNano: nano(call.at),
    endTimeUnixNano: nano(call.at + call.latencyMs),
    ...(call.error && { status: { code: 2, message: call.error } }),
  };
}

/** One of two attributes that name tools. */
export function toToolSpan({ traceId, tool, seconds }: ToolRun, index: number): JsonSpan {
  return span({
    traceId,
    spanId: spanId(),
    ...(index % 2 ? { name: `Tool: ${tool}` } : { attributes: [text('gen_ai.tool.name', tool)] }),
    startTimeUnixNano: nano(FIRST_MOMENT),
    endTimeUnixNano: nano(FIRST_MOMENT + seconds * 1000),
  });
}

function inputOf({ earlier, word }: SentCall): object[] {
  const asked = { role: 'user', parts: [{ type: 'text', content: `an ${word}` }] };
  const called = { role: 'assistant', parts: [{ type: 'tool_call', id: 'c', name: 'earlier', arguments: {} }] };
  const given = { role: 'tool', parts: [{ type: 'tool_call_response', id: 'c', response: 'ok' }] };
  return [asked, ...Array.from({ length: earlier }, () => [called, given]).flat()];
}

function answerOf({ shape, tools }: SentCall): object {
  if (shape === 'toolCall') {
    const parts = tools.map((name, index) => ({ type: 'tool_call', id: `t${index}`, name, arguments: { q: 1 } }));
    return { role: 'assistant', parts };
  }
  const content = shape === 'json' ? '{"answer": 42, "why": {"source": "book"}}' : 'forty-two';
  return { role: 'assistant', parts: [{ type: 'text', content }] };
}

const KEYS: Record<Shape, string[]> = {
  json: ['answer', 'why', 'why.source'],
  toolCall: [],
  plainText: [],
};

const SIZES = [1, 5, 15, 30, 60, 300, 900, 1800, 3600, 10_800, 21_600, 43_200, 86_400];
const UNITS: [from: number, unit: string][] = [
  [86_400, 'day'],
  [3600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
];
const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);
const mean = (numbers: number[]) => (numbers.length ? sum(numbers) / numbers.length : 0);
const sumOf = (calls: SentCall[], key: 'inputTokens' | 'outputTokens' | 'cachedTokens' | 'thinkingTokens' | 'cost') =>
  sum(calls.map((call) => call[key] ?? 0));
const unpriced = (calls: SentCall[]) => calls.filter(({ cost }) => cost === null).length;

/** Linear between the two nearest. */
function percentile(numbers: number[], share: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const place = share * (sorted.length - 1);
  const [low, high] = [sorted[Math.floor(place)]!, sorted[Math.ceil(place)]!];
  return low + (high - low) * (place - Math.floor(place));
}

export interface Asked {
  calls: SentCall[];
  /** Tool runs of all calls that were sent. */
  runs: ToolRun[];
  promptIds: Map<string, number>;
  /** In milliseconds; an open end is that of the calls. */
  from?: number;
  to?: number;
  metadataKey?: string;
}

/** The whole answer. Calls are those that match. */
export function expectedAnalytics(asked: Asked): object {
  const { calls, promptIds } = asked;
  const times = calls.map(({ at }) => at);
  const [from, to] = [asked.from ?? Math.min(...times), asked.to ?? Math.max(...times)];
  const count = (size: number) => Math.floor(to / 1000 / size) - Math.floor(from / 1000 / size) + 1;
  const size = SIZES.find((candidate) => count(candidate) <= 100) ?? 86_400;
  const chart = chartOf(size);
  const starts = Array.from(
    { length: count(size) },
    (_, index) => (Math.floor(from / 1000 / size) + index) * size * 1000,
  );
  const promptOf = ({ prompt }: SentCall) => (prompt === null ? [] : [String(promptIds.get(prompt))]);
  const [models, providers, prompts] = [
    grouped(calls, ({ model }) => [model]),
    grouped(calls, ({ provider }) => [provider]),
    grouped(calls, promptOf),
  ];
  const unit = UNITS.find(([least]) => size >= least)![1];
  return {
    success: true,
    chartInterval: { interval: unit, bucketSizeMs: size * 1000, bucketMinutes: unit === 'minute' ? size / 60 : null },
    averageLatency: mean(calls.map((call) => call.latencyMs / 1000)),
    totalCost: sumOf(calls, 'cost'),
    totalUnpricedRequests: unpriced(calls),
    totalTokens: sumOf(calls, 'inputTokens') + sumOf(calls, 'outputTokens'),
    totalRequests: calls.length,
    totalCachedTokens: sumOf(calls, 'cachedTokens'),
    totalThinkingTokens: sumOf(calls, 'thinkingTokens'),
    cacheTokenRatio: calls.length ? sumOf(calls, 'cachedTokens') / sumOf(calls, 'inputTokens') : null,
    stats: starts.map((start) => ({
      date: chart.key(start),
      dateLabel: chart.label(start),
      ...statsOf(calls.filter((call) => chart.start(call) === start)),
    })),
    mostUsedModels: models.map(([name, of]) => [name, of.length]),
    modelRequestsByDay: byName(models, chart.counts),
    promptTemplateRequestsByDay: byName(prompts, chart.counts),
    providerRequestsByDay: byName(providers, chart.counts),
    mostUsedPromptTemplates: prompts.map(([promptId, of]) => ({
      promptId,
      requests: of.length,
      promptName: of[0]!.prompt,
    })),
    latency: mapValues(chart.latencies(calls), (pairs) => Object.fromEntries(pairs)),
    latencyByModelByDay: byName(models, chart.latencies),
    latencyByPromptTemplateByDay: byName(prompts, chart.latencies),
    latencyByProviderByDay: byName(providers, chart.latencies),
    errorTypes: grouped(calls, ({ error }) => (error ? [ERRORS[error]!] : [])).map(([errorType, of]) => ({
      errorType,
      requests: of.length,
    })),
    providerBreakdown: providers.map(([provider, of]) => ({ provider, ...breakdown(of) })),
    promptBreakdown: prompts.map(([promptId, of]) => ({ promptId, ...breakdown(of) })),
    tagsBreakdown: grouped(calls, ({ tags }) => tags).map(([tag, of]) => ({ tag, ...breakdown(of) })),
    metadataKeysTop: grouped(calls, ({ metadata }) => Object.keys(metadata)).map(([key, of]) => ({
      key,
      requests: of.length,
    })),
    outputKeysTop: grouped(calls, outputKeys).map(([key, of]) => ({ key, requests: of.length })),
    ...toolCharts(asked),
    metadataValueBreakdown: metadataCosts(asked),
  };
}

function chartOf(size: number) {
  const start = ({ at }: SentCall) => Math.floor(at / 1000 / size) * size * 1000;
  const key = (ms: number) => (size === 86_400 ? new Date(ms).toISOString().slice(0, 10) : new Date(ms).toISOString());
  const label = (ms: number) => {
    const date = new Date(ms);
    const day = `${MONTHS[date.getUTCMonth()]} ${date.getUTCDate()}`;
    if (size === 86_400) return day;
    return `${day}, ${date.toISOString().slice(11, size < 60 ? 19 : 16)}`;
  };
  const points = <T>(calls: SentCall[], make: (of: SentCall[]) => T): [string, T][] => {
    const starts = [...new Set(calls.map(start))].sort((a, b) => a - b);
    return starts.map((each) => [key(each), make(calls.filter((call) => start(call) === each))]);
  };
  const seconds = (of: SentCall[]) => of.map((call) => call.latencyMs / 1000);
  return {
    start,
    key,
    label,
    counts: (calls: SentCall[]) => points(calls, (of) => of.length),
    latencies: (calls: SentCall[]) => ({
      average_latency: points(calls, (of) => mean(seconds(of))),
      p50_latency: points(calls, (of) => percentile(seconds(of), 0.5)),
      p90_latency: points(calls, (of) => percentile(seconds(of), 0.9)),
      p95_latency: points(calls, (of) => percentile(seconds(of), 0.95)),
    }),
  };
}

function statsOf(calls: SentCall[]): object {
  const shaped = (shape: Shape) => calls.filter((call) => call.shape === shape).length;
  const toolCalls = calls.map((call) => call.earlier + call.tools.length);
  const failed = calls.filter((call) => call.error !== null).length;
  return {
    requests: calls.length,
    ...breakdown(calls),
    latency: mean(calls.map((call) => call.latencyMs / 1000)),
    cachedTokens: sumOf(calls, 'cachedTokens'),
    thinkingTokens: sumOf(calls, 'thinkingTokens'),
    traceShare: calls.length ? 1 : 0,
    statusCounts: { SUCCESS: calls.length - failed, WARNING: 0, ERROR: failed },
    outputShapeCounts: { json: shaped('json'), toolCall: shaped('toolCall'), plainText: shaped('plainText') },
    avgTurnCount: mean(calls.map((call) => call.earlier + 1)),
    avgToolCallCount: mean(toolCalls),
    toolCallCountP95: calls.length ? percentile(toolCalls, 0.95) : null,
  };
}

function breakdown(calls: SentCall[]): object {
  const [inputTokens, outputTokens] = [sumOf(calls, 'inputTokens'), sumOf(calls, 'outputTokens')];
  return {
    requests: calls.length,
    cost: sumOf(calls, 'cost'),
    unpricedRequests: unpriced(calls),
    tokens: inputTokens + outputTokens,
    inputTokens,
    outputTokens,
  };
}

/** Paths of a tool call are only counted here. Tests of the projection check how they look. */
function outputKeys({ shape }: SentCall): string[] {
  return shape === 'toolCall' ? TOOL_CALL_KEYS : KEYS[shape];
}
const TOOL_CALL_KEYS = [
  'tool_calls',
  'tool_calls.function',
  'tool_calls.function.arguments',
  'tool_calls.function.arguments.q',
  'tool_calls.function.name',
  'tool_calls.id',
  'tool_calls.type',
];

function toolCharts({ calls, runs }: Asked): object {
  const tools = grouped(calls, (call) => call.tools);
  const timesOf = (tool: string, callers: SentCall[]) => {
    const traces = new Set(callers.map((call) => call.traceId));
    return runs.filter((run) => run.tool === tool && traces.has(run.traceId)).map((run) => run.seconds);
  };
  return {
    toolsLatency: tools.map(([toolName, of]) => {
      const times = timesOf(toolName, of);
      const known = (value: number) => (times.length ? value : null);
      return {
        toolName,
        requests: of.length,
        avgLatencySeconds: known(mean(times)),
        minLatencySeconds: known(Math.min(...times)),
        maxLatencySeconds: known(Math.max(...times)),
      };
    }),
    toolsUsageBars: tools.map(([name, of]) => ({ name, requests: of.length })),
  };
}

function metadataCosts({ calls, metadataKey }: Asked): object[] {
  const pairs = grouped(calls, ({ metadata }) => Object.entries(metadata).map((pair) => JSON.stringify(pair)));
  return pairs
    .map(([pair, of]) => ({
      pair: JSON.parse(pair) as [string, string],
      requests: of.length,
      cost: sumOf(of, 'cost'),
      unpricedRequests: unpriced(of),
    }))
    .filter(({ pair: [key] }) => metadataKey === undefined || key === metadataKey)
    .sort((a, b) => b.cost - a.cost)
    .slice(0, 50)
    .map(({ pair: [key, value], requests, cost, unpricedRequests }) => ({
      key,
      value,
      label: metadataKey === undefined ? `${key} = ${value}` : value,
      requests,
      cost,
      unpricedRequests,
    }));
}

/** Calls by name, the most used name first. A call is once in each of its names. */
function grouped(calls: SentCall[], namesOf: (call: SentCall) => string[]): [string, SentCall[]][] {
  const groups = new Map<string, SentCall[]>();
  for (const call of calls) {
    for (const name of new Set(namesOf(call))) groups.set(name, [...(groups.get(name) ?? []), call]);
  }
  return [...groups].sort(([a, x], [b, y]) => y.length - x.length || (a < b ? -1 : 1));
}

function byName<T>(groups: [string, SentCall[]][], make: (calls: SentCall[]) => T): Record<string, T> {
  return Object.fromEntries(groups.map(([name, calls]) => [name, make(calls)]));
}

function mapValues<T, R>(record: Record<string, T>, make: (value: T) => R): Record<string, R> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, make(value)]));
}
