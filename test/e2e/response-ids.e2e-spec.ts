import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { ANSWER, QUESTION, type Told, toSpan, TOKENS } from '../support/nested-calls.js';
import { at, type JsonSpan, llmSpan, readSpans, send, spanId, traceId } from '../support/otlp.js';
import { logsOfTrace } from '../support/request-logs.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.start({ works: false });
  me = app.client;
});
afterAll(() => app.stop());

interface Log {
  request_id: number;
  input_tokens: number;
  output_tokens: number;
  price: number;
  span_id: string;
}

const logsOf = (client: Client, trace: unknown): Promise<Log[]> => logsOfTrace(client, trace);

const totalsOf = async (trace: unknown) =>
  ((await me.get(`/api/public/v2/traces/${String(trace)}`)) as { trace: Record<string, number> }).trace;

const newId = () => `chatcmpl-${randomUUID().replaceAll('-', '')}`;

/** Span of a call with this id, in the form of each instrumentation. */
const SENDERS: Record<string, (id: string) => Told> = {
  'OpenTelemetry, the numbers without content': (id) => ({
    name: 'chat gpt-4o-mini',
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai',
      'gen_ai.request.model': 'gpt-4o-mini',
      'gen_ai.response.id': id,
      'gen_ai.usage.input_tokens': TOKENS.input,
      'gen_ai.usage.output_tokens': TOKENS.output,
    },
  }),
  'OpenLLMetry, which counts nothing while it streams': (id) => ({
    name: 'openai.chat',
    attributes: {
      'llm.request.type': 'chat',
      'gen_ai.system': 'OpenAI',
      'gen_ai.request.model': 'gpt-4o-mini',
      'llm.response.id': id,
      'gen_ai.prompt.0.role': 'user',
      'gen_ai.prompt.0.content': QUESTION,
      'gen_ai.completion.0.role': 'assistant',
      'gen_ai.completion.0.content': ANSWER,
    },
  }),
  'the AI SDK of Vercel, with a name of its own for the model': (id) => ({
    name: 'ai.generateText.doGenerate',
    attributes: {
      'operation.name': 'ai.generateText.doGenerate',
      'ai.operationId': 'ai.generateText.doGenerate',
      'ai.model.id': 'our-deployment',
      'ai.model.provider': 'openai.chat',
      'ai.prompt.messages': JSON.stringify([{ role: 'user', content: [{ type: 'text', text: QUESTION }] }]),
      'ai.response.text': ANSWER,
      'ai.response.id': id,
    },
  }),
  'OpenInference, which repeats the answer as it came': (id) => ({
    name: 'ChatCompletion',
    attributes: {
      'openinference.span.kind': 'LLM',
      'llm.model_name': 'gpt-4o-mini',
      'llm.input_messages.0.message.role': 'user',
      'llm.input_messages.0.message.content': QUESTION,
      'output.value': JSON.stringify({ id, choices: [{ message: { role: 'assistant', content: ANSWER } }] }),
    },
  }),
};

type Send = (spans: JsonSpan[]) => Promise<unknown>;

/** The ways in which spans arrive. */
const ARRIVALS: Record<string, (spans: JsonSpan[], send: Send) => Promise<unknown>> = {
  'in one request': (spans, put) => put(spans),
  'in one request, in the other order': (spans, put) => put(spans.toReversed()),
  'one by one': async (spans, put) => {
    for (const each of spans) await put([each]);
  },
  'one by one in the other order, each twice': async (spans, put) => {
    for (const each of [...spans, ...spans].toReversed()) await put([each]);
  },
  'all at once': (spans, put) => Promise.all(spans.map((each) => put([each]))),
};

/** Sibling spans under one that is no call. */
function besideEachOther(tell: Told[], trace = traceId()): JsonSpan[] {
  const parentSpanId = spanId();
  return tell.map((told) => toSpan(told, { traceId: trace, parentSpanId }));
}

describe('calls beside each other whose answer has one id', () => {
  const [counting, ...others] = Object.values(SENDERS);
  const PAIRS = Object.keys(SENDERS).slice(1);
  it.each(PAIRS.flatMap((name) => Object.keys(ARRIVALS).map((arrival) => [name, arrival])))(
    'are one call: OpenTelemetry and %s, %s',
    async (name, arrival) => {
      const id = newId();
      const spans = besideEachOther([counting!(id), SENDERS[name!]!(id)]);
      const trace = spans[0]!.traceId;
      await ARRIVALS[arrival!]!(spans, (some) => send(me, some));

      const logs = await logsOf(me, trace);
      expect(logs).toMatchObject([{ input_tokens: TOKENS.input, output_tokens: TOKENS.output }]);
      expect(JSON.stringify(logs[0])).toContain(ANSWER);
      const totals = await totalsOf(trace);
      expect(totals).toMatchObject({ input_tokens: TOKENS.input, output_tokens: TOKENS.output });
      expect(totals.total_cost_usd).toBeCloseTo(logs[0]!.price, 12);
      const stored = await readSpans(me, trace);
      expect(stored).toHaveLength(2);
      expect(stored.flatMap(({ request_log_id: log }) => log ?? [])).toEqual([logs[0]!.request_id]);
      // Tokens are worth most.
      expect(logs[0]!.span_id).toBe(spans[0]!.spanId);
    },
  );

  it('are one call through any number of instrumentations at any depth', async () => {
    const id = newId();
    const spans = besideEachOther([counting!(id), ...others.map((tell) => tell(id))]);
    const [trace, step] = [spans[0]!.traceId, toSpan({ name: 'step', attributes: {} }, { parentSpanId: spanId() })];
    Object.assign(step, { traceId: trace });
    Object.assign(spans[3]!, { parentSpanId: step.spanId });
    for (const each of [spans[2]!, spans[3]!, step, spans[0]!, spans[1]!]) await send(me, [each]);

    expect(await logsOf(me, trace)).toHaveLength(1);
    expect(await totalsOf(trace)).toMatchObject({ input_tokens: TOKENS.input, span_count: 5 });
  });

  it('keep the log that a client has reported for one of them', async () => {
    const id = newId();
    const reported = llmSpan({ more: { 'gen_ai.response.id': id, function_name: 'ask' } });
    const beside = llmSpan({ more: { 'gen_ai.response.id': id } }, { traceId: reported.traceId });
    await send(me, [beside]);
    await send(me, [reported]);
    const report = (await me.post('/track-request', {
      args: [],
      function_name: 'openai.chat.completions.create',
      provider_type: 'openai',
      kwargs: { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Hi' }] },
      request_response: {
        model: 'gpt-4o-mini',
        choices: [{ message: { role: 'assistant', content: 'Hello' } }],
        usage: { prompt_tokens: 3, completion_tokens: 2 },
      },
      request_start_time: 1_780_000_000,
      request_end_time: 1_780_000_001,
      span_id: reported.spanId,
    })) as { request_id: number };

    const spans = await readSpans(me, reported.traceId);
    const shown = spans.flatMap(({ request_log_id: log }) => log ?? []);
    expect(shown).toEqual([report.request_id]);
    expect(await totalsOf(reported.traceId)).toMatchObject({ input_tokens: 3, output_tokens: 2 });
  });

  it('are counted once by charts, whichever came first', async () => {
    const other = await app.stranger();
    const id = newId();
    const [first, second] = besideEachOther([SENDERS[PAIRS[0]!]!(id), counting!(id)]);
    await send(other, [first]);
    await send(other, [second]);

    const charts = (await other.post('/api/public/v2/requests/analytics', {})) as Record<string, object[]>;
    expect(charts.stats).toMatchObject([{ requests: 1 }]);
  });
});

const SHARED = 'chatcmpl-000000000000000000000001';
const call = (output: string, tokens: number, fields: JsonSpan) =>
  llmSpan({ output, outputTokens: tokens, more: { 'gen_ai.response.id': SHARED } }, fields);

/** Spans whose answers have the same id, and the number of logs. */
const FAMILIES: [string, (trace: string, parentSpanId: string) => JsonSpan[], number][] = [
  [
    'one answered differently, since its server gives every answer the same id',
    (trace, parentSpanId) => [
      call('Hello', 2, { traceId: trace, parentSpanId }),
      call('Hey', 3, { traceId: trace, parentSpanId }),
    ],
    2,
  ],
  [
    'one began when the other had ended, since it is repeated by a cache',
    (trace, parentSpanId) => [
      call('Hello', 2, { traceId: trace, parentSpanId, ...at(0) }),
      call('Hello', 2, { traceId: trace, parentSpanId, ...at(9) }),
    ],
    2,
  ],
  [
    'an agent adds up two calls, whose framework makes spans, too',
    (trace) => {
      const agent = llmSpan({ output: 'Finished', inputTokens: 30, outputTokens: 7 }, { traceId: trace });
      const parentSpanId = agent.spanId;
      return [
        agent,
        ...[0, 1].flatMap((step) =>
          [0, 1].map(() =>
            llmSpan(
              {
                output: ['Searching', 'Done'][step]!,
                inputTokens: 10 * (step + 1),
                outputTokens: 3 + step,
                more: { 'gen_ai.response.id': 'ab'[step]! },
              },
              { traceId: trace, parentSpanId, ...at(step * 5) },
            ),
          ),
        ),
      ];
    },
    2,
  ],
];

describe('calls whose answers have one id', () => {
  it.each(FAMILIES)('are as many as there are when %s', async (_name, make, count) => {
    for (const turn of [0, 1, 2, 3]) {
      const trace = traceId();
      const spans = make(trace, spanId());
      if (turn === 0) await send(me, spans);
      else for (const each of turn === 1 ? spans : rotated(spans, turn)) await send(me, [each]);
      expect(await logsOf(me, trace), `turn ${turn}`).toHaveLength(count);
    }
  });

  it('are calls of their own in other traces and workspaces', async () => {
    const other = await app.stranger();
    const trace = traceId();
    await send(me, [call('Hello', 2, { traceId: trace })]);
    await send(other, [call('Hello', 2, { traceId: trace })]);
    const elsewhere = traceId();
    await send(me, [call('Hello', 2, { traceId: elsewhere }), call('Hello', 2, { traceId: trace })]);

    const counts = [await logsOf(me, trace), await logsOf(other, trace), await logsOf(me, elsewhere)];
    expect(counts.map(({ length }) => length)).toEqual([1, 1, 1]);
  });
});

const rotated = <T>(list: T[], by: number): T[] => [...list.slice(-by), ...list.slice(0, -by)].toReversed();
