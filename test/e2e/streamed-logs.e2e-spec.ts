import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bulkSpan, loggedCall, storeBulk } from '../support/bulk.js';
import type { Client } from '../support/client.js';
import { type JsonSpan, llmSpan, readSpans, send, span, spanId, text, traceId } from '../support/otlp.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.own({ works: false });
  me = app.client;
});
afterAll(() => app.stop());

interface Log {
  input_tokens: number;
  output_tokens: number;
  price: number;
  model: string;
  trace_id: string;
  metadata: Record<string, string>;
}

const readLog = async (id: number): Promise<Log> => (await me.get(`/api/public/v2/requests/${id}`)) as Log;

/** Reports a streamed call like a proxy does. The chunks contain no token counts. */
async function trackStreamed(span: unknown, fields: object = {}): Promise<number> {
  const chunk = (content: string) => ({ model: 'gpt-4o-mini', choices: [{ index: 0, delta: { content } }] });
  const answer = (await me.post('/track-request', {
    function_name: 'openai.chat.completions.create',
    provider_type: 'openai',
    kwargs: { model: 'gpt-4o-mini', stream: true, messages: [{ role: 'user', content: 'Hi' }] },
    request_response: [chunk('Hel'), chunk('lo')],
    request_start_time: 1_780_000_000.5,
    request_end_time: 1_780_000_001,
    span_id: span,
    ...fields,
  })) as { request_id: number };
  return answer.request_id;
}

const CALL = { inputTokens: 1_000_000, outputTokens: 0 };
const NUMBERS = { input_tokens: 1_000_000, output_tokens: 0 };
const PRICE = 0.15;

/** The span that a log is reported for, and another one that belongs to it, if there is one. */
interface Family {
  own: JsonSpan;
  other?: JsonSpan;
}

const sdkSpan = (trace: string): JsonSpan =>
  span({ traceId: trace, name: 'run', attributes: [text('node_type', 'CODE_EXECUTION')] });

/** Sources of the numbers of a call, in addition to its log. */
const FAMILIES: Record<string, (trace: string) => Family> = {
  'the span itself': (trace) => ({ own: llmSpan(CALL, { traceId: trace }) }),
  'the span itself, marked by an SDK': (trace) => ({
    own: llmSpan({ ...CALL, more: { node_type: 'LLM_CALL', function_name: 'create' } }, { traceId: trace }),
  }),
  'the call that the span manages': (trace) => {
    const own = sdkSpan(trace);
    const more = {
      node_type: 'LLM_CALL',
      'promptlayer.request_log.managed': 'true',
      'promptlayer.request_log.span_id': String(own.spanId),
    };
    return { own, other: llmSpan({ ...CALL, more }, { traceId: trace, parentSpanId: own.spanId }) };
  },
  'another instrumentation inside the span': (trace) => {
    const own = sdkSpan(trace);
    return { own, other: llmSpan(CALL, { traceId: trace, parentSpanId: own.spanId }) };
  },
  'another instrumentation around the span': (trace) => {
    const other = llmSpan(CALL, { traceId: trace });
    return { own: { ...sdkSpan(trace), parentSpanId: other.spanId }, other };
  },
};

type Step = 'own' | 'other' | 'log';
const ORDERS: Step[][] = [
  ['own', 'other', 'log'],
  ['own', 'log', 'other'],
  ['other', 'own', 'log'],
  ['other', 'log', 'own'],
  ['log', 'own', 'other'],
  ['log', 'other', 'own'],
];

const CASES = Object.entries(FAMILIES).flatMap(([name, make]) => {
  const hasOther = make('').other !== undefined;
  const orders = ORDERS.map((order) => order.filter((step) => hasOther || step !== 'other').join(', '));
  return [...new Set(orders)].map((order) => [name, order, make] as const);
});

async function logsOf(trace: string): Promise<string[]> {
  const rows = await app.sql('SELECT id FROM request_logs WHERE trace_id = $1 ORDER BY id', [trace]);
  return (rows as { id: string }[]).map(({ id }) => id);
}

describe('a log of a streamed call has the tokens and the price of', () => {
  it.each(CASES)('%s: %s', async (name, order, make) => {
    const trace = traceId();
    const { own, other } = make(trace);
    let log = 0;
    const steps: Record<Step, () => Promise<unknown>> = {
      own: () => send(me, [own]),
      other: () => send(me, [other]),
      log: async () => (log = await trackStreamed(own.spanId)),
    };
    for (const step of order.split(', ') as Step[]) await steps[step]();

    expect(await readLog(log)).toMatchObject({ ...NUMBERS, price: PRICE, trace_id: trace });
    const spans = await readSpans(me, trace);
    expect(spans.find(({ span_id }) => span_id === own.spanId)).toMatchObject({
      ...NUMBERS,
      request_log_id: log,
      cost: PRICE,
    });
    expect(await me.get(`/api/public/v2/traces/${trace}`)).toMatchObject({
      trace: { ...NUMBERS, total_cost_usd: PRICE },
    });
    // The log that was made of the span itself before stays: somebody may have its id.
    const hadOwn = name.startsWith('the span itself') && order.startsWith('own');
    expect(await logsOf(trace)).toHaveLength(hadOwn ? 2 : 1);
  });

  it('its span also when it comes in the same request as the call that it manages, and again', async () => {
    const trace = traceId();
    const { own, other } = FAMILIES['the call that the span manages']!(trace);
    const log = await trackStreamed(own.spanId);
    for (let time = 0; time < 2; time++) await send(me, [other, own]);
    expect(await readLog(log)).toMatchObject({ ...NUMBERS, price: PRICE });
    expect(await readSpans(me, trace)).toContainEqual(
      expect.objectContaining({ span_id: own.spanId, request_log_id: log, cost: PRICE, ...NUMBERS }),
    );
  });

  it('the span of a trace that is closed', async () => {
    const own = llmSpan({ ...CALL, more: { node_type: 'LLM_CALL' } });
    await send(me, [own], '?close_after=true');
    expect(await readLog(await trackStreamed(own.spanId))).toMatchObject({ ...NUMBERS, price: PRICE });
  });

  it('the price that its span reports', async () => {
    const own = llmSpan({ ...CALL, more: { 'gen_ai.usage.cost': '0.5' } });
    const log = await trackStreamed(own.spanId);
    await send(me, [own]);
    expect(await readLog(log)).toMatchObject({ ...NUMBERS, price: 0.5 });
    const [row] = await app.sql('SELECT priced_by FROM request_logs WHERE id = $1', [log]);
    expect(row).toEqual({ priced_by: 'reported' });
  });

  it('its span, and keeps what was tracked for it before', async () => {
    const own = llmSpan(CALL);
    const log = await trackStreamed(own.spanId);
    await me.post('/rest/track-metadata', { request_id: log, metadata: { ticket: '7' } });
    await send(me, [own]);
    expect(await readLog(log)).toMatchObject({ ...NUMBERS, metadata: { ticket: '7' } });
  });

  it('the span that it came beside', async () => {
    const attributes = { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'gpt-4o-mini' };
    const counted = { ...attributes, 'gen_ai.usage.input_tokens': 1_000_000, 'gen_ai.usage.output_tokens': 0 };
    const log_request = loggedCall({ input_tokens: null, output_tokens: null });
    const { request_logs: logs } = await storeBulk(me, [bulkSpan({ attributes: counted, log_request })]);
    expect(await readLog(logs![0]!.id)).toMatchObject({ ...NUMBERS, price: PRICE });
  });

  it('its span, by which a search finds it', async () => {
    const own = llmSpan(CALL, { spanId: spanId() });
    const log = await trackStreamed(own.spanId);
    await me.post('/api/public/v2/requests/search', {});
    await send(me, [own]);
    const filter_group = {
      filters: [
        { field: 'trace_id', operator: 'is', value: own.traceId },
        { field: 'input_tokens', operator: 'eq', value: 1_000_000 },
      ],
    };
    const found = (await me.post('/api/public/v2/requests/search', { filter_group })) as { items: { id: number }[] };
    expect(found.items.map(({ id }) => id)).toEqual([log]);
  });
});

describe('a log of a streamed call keeps its own numbers', () => {
  it.each([
    [
      'where it has them',
      { request_response: { model: 'gpt-4o-mini', usage: { prompt_tokens: 7, completion_tokens: 1 } } },
      7,
    ],
    ['where its span is a call of another model', { kwargs: { model: 'gpt-4o' }, request_response: {} }, 0],
  ])('%s', async (_name, fields, tokens) => {
    for (const order of [
      ['span', 'log'],
      ['log', 'span'],
    ]) {
      const own = llmSpan(CALL);
      let log = 0;
      for (const step of order) {
        if (step === 'span') await send(me, [own]);
        else log = await trackStreamed(own.spanId, fields);
      }
      expect((await readLog(log)).input_tokens ?? 0).toBe(tokens);
    }
  });
});
