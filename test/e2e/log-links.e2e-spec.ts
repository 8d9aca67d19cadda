import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bulkSpan, storeBulk } from '../support/bulk.js';
import type { Client } from '../support/client.js';
import { FULL_SUCCESS, type JsonSpan, llmSpan, readSpans, send, span, spanId, text, traceId } from '../support/otlp.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.start({ works: false });
  me = app.client;
});
afterAll(() => app.stop());

/**
 * The spans and the log that an SDK sends for one call: the run, the call below it that the run manages, and the log of
 * the run.
 */
function sdkRun(named = (run: string) => run) {
  const [trace, run, call] = [traceId(), spanId(), spanId()];
  const runSpan = span({
    traceId: trace,
    spanId: run,
    name: 'PromptLayer Run',
    attributes: [text('node_type', 'CODE_EXECUTION')],
  });
  const managed = {
    node_type: 'LLM_CALL',
    'promptlayer.request_log.managed': 'true',
    'promptlayer.request_log.span_id': named(run),
  };
  const callSpan = llmSpan({ more: managed }, { traceId: trace, spanId: call, parentSpanId: run });
  return { trace, run, call, runSpan, callSpan };
}

async function trackRun(client: Client, run: string, fields: object = {}): Promise<number> {
  const answer = (await client.post('/track-request', {
    function_name: 'openai.chat.completions.create',
    provider_type: 'openai',
    args: [],
    kwargs: { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Hi' }] },
    request_response: {
      model: 'gpt-4o-mini',
      choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 1_000_000, completion_tokens: 0, total_tokens: 1_000_000 },
    },
    request_start_time: 1_780_000_000.5,
    request_end_time: 1_780_000_001,
    span_id: run,
    ...fields,
  })) as { request_id: number };
  return answer.request_id;
}

type Step = 'run' | 'call' | 'log';
const ORDERS: Step[][] = [
  ['run', 'call', 'log'],
  ['run', 'log', 'call'],
  ['call', 'run', 'log'],
  ['call', 'log', 'run'],
  ['log', 'run', 'call'],
  ['log', 'call', 'run'],
];

async function play(order: Step[]) {
  const sdk = sdkRun();
  let log = 0;
  const steps: Record<Step, () => Promise<unknown>> = {
    run: () => send(me, [sdk.runSpan]),
    call: () => send(me, [sdk.callSpan]),
    log: async () => (log = await trackRun(me, sdk.run)),
  };
  for (const step of order) await steps[step]();
  return { ...sdk, log };
}

async function totalsOf(trace: string) {
  const [row] = (await app.sql(
    'SELECT span_count, input_tokens, cost, unpriced_count FROM traces WHERE trace_id = $1',
    [trace],
  )) as {
    span_count: number;
    input_tokens: string;
    cost: string;
    unpriced_count: number;
  }[];
  const { span_count: spans, unpriced_count: unpriced } = row!;
  return { spans, tokens: Number(row!.input_tokens), cost: Number(row!.cost), unpriced };
}

describe('the log that an SDK reports for a span', () => {
  it.each(ORDERS.map((order) => [order.join(', '), order] as const))(
    'belongs to both spans after %s',
    async (_, order) => {
      const { trace, run, log } = await play(order);
      const spans = await readSpans(me, trace);
      expect(spans.map(({ request_log_id }) => request_log_id)).toEqual([log, log]);
      expect(spans.find(({ span_id }) => span_id === run)).toMatchObject({
        cost: 0.15,
        provider: 'openai',
        model: 'gpt-4o-mini',
      });
      expect(await me.get(`/api/public/v2/requests/${log}`)).toMatchObject({ trace_id: trace, span_id: run });
      expect(await totalsOf(trace)).toEqual({ spans: 2, tokens: 1_000_000, cost: 0.15, unpriced: 0 });
    },
  );

  it('belongs to a span that names the other one in capital letters', async () => {
    const { trace, run, runSpan, callSpan } = sdkRun((id) => id.toUpperCase());
    await send(me, [runSpan, callSpan]);
    const log = await trackRun(me, run);
    expect((await readSpans(me, trace)).map(({ request_log_id }) => request_log_id)).toEqual([log, log]);
  });

  it('belongs to no span that names something too long for an id, which is stored all the same', async () => {
    const { trace, call, runSpan, callSpan } = sdkRun(() => randomBytes(4000).toString('hex'));
    expect(await send(me, [runSpan, callSpan])).toMatchObject({ status: 200, body: FULL_SUCCESS });
    const stored = (await readSpans(me, trace)).find(({ span_id }) => span_id === call);
    expect(stored).toMatchObject({ request_log_id: null });
  });

  it('stays with its spans when they are sent again', async () => {
    const { trace, runSpan, callSpan, log } = await play(['run', 'call', 'log']);
    await send(me, [{ ...runSpan, name: 'renamed' }, callSpan]);
    expect((await readSpans(me, trace)).map(({ request_log_id }) => request_log_id)).toEqual([log, log]);
    expect(await totalsOf(trace)).toEqual({ spans: 2, tokens: 1_000_000, cost: 0.15, unpriced: 0 });
  });

  it.each([
    ['after', ['span', 'log', 'span']],
    ['before', ['log', 'span', 'span']],
    ['after, when the span comes back changed', ['span', 'log', 'changed']],
    ['before, when the span comes back changed', ['log', 'span', 'changed']],
  ])('is shown by a call that is a log of its own, with its numbers: reported %s', async (_, order) => {
    const call = llmSpan({ inputTokens: 7, more: { node_type: 'LLM_CALL' } });
    let log = 0;
    const steps: Record<string, () => Promise<unknown>> = {
      span: () => send(me, [call]),
      changed: () => send(me, [{ ...call, name: 'changed' }]),
      log: async () => (log = await trackRun(me, String(call.spanId))),
    };
    for (const step of order) await steps[step]!();
    expect(await readSpans(me, call.traceId)).toMatchObject([
      { request_log_id: log, input_tokens: 1_000_000, output_tokens: 0, cost: 0.15 },
    ]);
    expect(await totalsOf(String(call.traceId))).toEqual({ spans: 1, tokens: 1_000_000, cost: 0.15, unpriced: 0 });
  });

  it('is the first of two, with its numbers, whatever comes again', async () => {
    const { trace, run, runSpan } = sdkRun();
    await send(me, [runSpan]);
    const first = await trackRun(me, run);
    const usage = { prompt_tokens: 5, completion_tokens: 5 };
    await trackRun(me, run, { request_end_time: 1_780_000_009, request_response: { model: 'gpt-4o-mini', usage } });
    await send(me, [runSpan]);
    await send(me, [{ ...runSpan, name: 'renamed' }]);
    expect(await readSpans(me, trace)).toMatchObject([
      { name: 'renamed', request_log_id: first, input_tokens: 1_000_000, cost: 0.15 },
    ]);
    expect(await totalsOf(trace)).toEqual({ spans: 1, tokens: 1_000_000, cost: 0.15, unpriced: 0 });
  });

  it.each(['node_type', 'function_name', 'function_input', 'function_output', 'prompt_name'])(
    'belongs to a span that an SDK marks by %s alone',
    async (key) => {
      const marked = span({ attributes: [text(key, 'x')] });
      await send(me, [marked]);
      const log = await trackRun(me, String(marked.spanId));
      expect(await readSpans(me, marked.traceId)).toMatchObject([{ request_log_id: log }]);
    },
  );

  it('sets the model of the span and its trace, and sets none when it has none', async () => {
    for (const order of [
      ['span', 'log'],
      ['log', 'span'],
      ['span', 'log', 'span'],
    ]) {
      for (const [kwargs, model] of [
        [{ model: 'gpt-4o-mini', messages: [] }, 'gpt-4o-mini'],
        [{}, null],
      ]) {
        const { trace, run, runSpan } = sdkRun();
        for (const step of order) {
          if (step === 'span') await send(me, [runSpan]);
          else await trackRun(me, run, { kwargs, request_response: {} });
        }
        expect(await me.get(`/api/public/v2/traces/${trace}`)).toMatchObject({
          trace: { models_used: model === null ? [] : [model] },
          spans: [{ model, provider: 'openai' }],
        });
      }
    }
  });

  describe.each<[string, () => JsonSpan]>([
    ['nothing', () => span()],
    ['a call of its own', () => llmSpan()],
  ])('belongs to a span that no SDK has marked and that contains %s', (_, make) => {
    it.each([
      ['span', 'log'],
      ['log', 'span'],
      ['log', 'span', 'span'],
      ['span', 'log', 'span'],
    ])('when they come as %s, %s', async (...order) => {
      const unmarked = make();
      let log = 0;
      for (const step of order) {
        if (step === 'span') await send(me, [unmarked]);
        else log = await trackRun(me, String(unmarked.spanId));
      }
      expect(await readSpans(me, unmarked.traceId)).toMatchObject([{ request_log_id: log, cost: 0.15 }]);
      expect(await me.get(`/api/public/v2/requests/${log}`)).toMatchObject({ trace_id: unmarked.traceId });
      expect(await totalsOf(String(unmarked.traceId))).toEqual({
        spans: 1,
        tokens: 1_000_000,
        cost: 0.15,
        unpriced: 0,
      });
    });
  });

  it('belongs to an unmarked span that has been indexed, and to one that came in bulk', async () => {
    const [indexed, bulk] = [span(), bulkSpan()];
    await send(me, [indexed]);
    await storeBulk(me, [bulk]);
    await me.post('/api/public/v2/traces/search', {});
    for (const [trace, id] of [
      [indexed.traceId, indexed.spanId],
      [bulk.context.trace_id, bulk.context.span_id],
    ]) {
      const log = await trackRun(me, String(id));
      expect(await readSpans(me, trace)).toMatchObject([{ request_log_id: log }]);
    }
  });

  it('finds its spans however the arrivals overlap', async () => {
    const runs = Array.from({ length: 12 }, sdkRun);
    const logs = await Promise.all(
      runs.map(async ({ run, runSpan, callSpan }) => {
        const [log] = await Promise.all([trackRun(me, run), send(me, [callSpan]), send(me, [runSpan])]);
        return log;
      }),
    );
    for (const [index, { trace }] of runs.entries()) {
      const spans = await readSpans(me, trace);
      expect(spans.map(({ request_log_id }) => request_log_id)).toEqual([logs[index], logs[index]]);
    }
  });

  it('belongs to the newest trace when a span id occurs in two', async () => {
    const { runSpan, run } = sdkRun();
    const newest = { ...runSpan, traceId: traceId() };
    await send(me, [runSpan]);
    await send(me, [newest]);
    const log = await trackRun(me, run);
    expect(await readSpans(me, newest.traceId)).toMatchObject([{ request_log_id: log }]);
    expect(await readSpans(me, runSpan.traceId)).toMatchObject([{ request_log_id: null }]);
  });

  it('may be reported for a span of a closed trace, which is no span write', async () => {
    const { runSpan, run, trace } = sdkRun();
    await send(me, [runSpan], '?close_after=true');
    const log = await trackRun(me, run);
    expect(await readSpans(me, trace)).toMatchObject([{ request_log_id: log }]);
  });

  it('is never linked to a span of another workspace', async () => {
    const stranger = await app.stranger();
    const { runSpan, run, trace } = sdkRun();
    await send(me, [runSpan]);
    await trackRun(stranger, run);
    expect(await readSpans(me, trace)).toMatchObject([{ request_log_id: null }]);
  });
});
