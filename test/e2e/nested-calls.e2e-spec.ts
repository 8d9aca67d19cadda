import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { ANSWER, type Pair, PAIRS, QUESTION, spansOf, toSpan, TOKENS } from '../support/nested-calls.js';
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
  status: string;
  tags: string[];
  metadata: Record<string, string>;
  scores: { name: string; score: number }[];
  span_id: string;
  prompt_blueprint: { prompt_template: { messages: { role: string; content: { text: string }[] }[] } };
}
interface Totals {
  input_tokens: number;
  output_tokens: number;
  total_cost_usd: number;
}

const readTrace = async (trace: string): Promise<Totals> =>
  ((await me.get(`/api/public/v2/traces/${trace}`)) as { trace: Totals }).trace;

const logsOf = (trace: string): Promise<Log[]> => logsOfTrace(me, trace);

const textsOf = ({ prompt_blueprint: { prompt_template } }: Log): string[] =>
  prompt_template.messages.flatMap(({ content }) => content.map(({ text }) => text));

/** The batches in which the spans of a pair arrive. */
const ARRIVALS: Record<string, (outer: JsonSpan, inner: JsonSpan) => JsonSpan[][]> = {
  together: (outer, inner) => [[outer, inner]],
  'together, the inner one first': (outer, inner) => [[inner, outer]],
  'the inner one first': (outer, inner) => [[inner], [outer]],
  'the outer one first': (outer, inner) => [[outer], [inner]],
  'the outer one while it runs': (outer, inner) => [[{ ...outer, endTimeUnixNano: '0' }], [inner], [outer]],
  'both twice': (outer, inner) => [[outer], [inner], [inner], [outer], [outer, inner]],
};

const CASES = Object.entries(PAIRS).flatMap(([name, pair]) =>
  Object.entries(ARRIVALS).map(([order, arrive]) => [name, order, pair, arrive] as const),
);

describe('a call inside a call', () => {
  it.each(CASES)('%s: %s', async (_name, _order, pair, arrive) => {
    const trace = traceId();
    for (const batch of arrive(...spansOf(pair, trace))) await send(me, batch);

    const logs = await logsOf(trace);
    expect(logs).toHaveLength(1);
    const [log] = logs as [Log];
    expect(log).toMatchObject({ input_tokens: TOKENS.input, output_tokens: TOKENS.output, status: 'SUCCESS' });
    expect(log.price).toBeGreaterThan(0);
    expect(textsOf(log)).toEqual([QUESTION, ANSWER]);
    const totals = await readTrace(trace);
    expect(totals).toMatchObject({ input_tokens: TOKENS.input, output_tokens: TOKENS.output });
    expect(totals.total_cost_usd).toBeCloseTo(log.price, 12);
    const spans = await readSpans(me, trace);
    expect(spans.flatMap(({ request_log_id: id }) => id ?? [])).toEqual([log.request_id]);
    expect(spans.flatMap(({ cost }) => cost ?? [])).toEqual([log.price]);
  });

  it('keeps values that only one of the spans has', async () => {
    const trace = traceId();
    const [outer, inner] = spansOf(PAIRS['OpenInference: LangChain around the OpenAI client']!, trace);
    await send(me, [inner]);
    await send(me, [outer]);

    const [log] = await logsOf(trace);
    expect(log!.metadata).toMatchObject({ thread: 'a', conversation_id: 'session-1' });
  });

  it('keeps the id of a log and its additions when a better record arrives', async () => {
    const trace = traceId();
    const pair = PAIRS['OpenLLMetry: LangChain, that counts nothing while it streams, around the Anthropic client']!;
    const [outer, inner] = spansOf(pair, trace);
    await send(me, [outer]);
    const [before] = await logsOf(trace);
    await me.post('/rest/track-metadata', { request_id: before!.request_id, metadata: { ticket: '7' } });
    await me.post('/rest/track-score', { request_id: before!.request_id, score: 90, name: 'helpful' });

    await send(me, [inner]);

    const [after] = await logsOf(trace);
    expect(after).toMatchObject({
      request_id: before!.request_id,
      input_tokens: TOKENS.input,
      span_id: inner.spanId,
      metadata: { ticket: '7' },
      scores: [{ name: 'helpful', score: 90 }],
    });
  });

  it('is one call through three instrumentations, the middle one last', async () => {
    const trace = traceId();
    const call = (parentSpanId?: unknown) => llmSpan({}, { traceId: trace, parentSpanId });
    const outer = call();
    const middle = call(outer.spanId);
    const inner = call(middle.spanId);
    for (const one of [outer, inner, middle]) await send(me, [one]);

    expect(await logsOf(trace)).toHaveLength(1);
    expect(await readTrace(trace)).toMatchObject({ input_tokens: 3, output_tokens: 2 });
  });
});

/** Sends the spans in every order, each in a request of its own, and gives the number of logs and the tokens of the trace. */
async function outcomes(make: (trace: string) => JsonSpan[]) {
  const found = [];
  for (const order of permutations([...make('').keys()])) {
    const trace = traceId();
    const spans = make(trace);
    for (const index of order) await send(me, [spans[index]!]);
    const { input_tokens, output_tokens } = await readTrace(trace);
    found.push([(await logsOf(trace)).length, input_tokens, output_tokens]);
  }
  return found;
}

function permutations<T>(list: T[]): T[][] {
  if (list.length < 2) return [list];
  return list.flatMap((first, index) =>
    permutations(list.filter((_, other) => other !== index)).map((rest) => [first, ...rest]),
  );
}

const FAILED = { status: { code: 2, message: 'overloaded' } };

/** A call of the outer instrumentation with calls inside it: [logs, input tokens, output tokens]. */
const FAMILIES: [string, (trace: string) => JsonSpan[], number[]][] = [
  [
    'a first try that failed is a call of its own',
    (trace) => {
      const outer = llmSpan({}, { traceId: trace });
      const inside = { traceId: trace, parentSpanId: outer.spanId };
      const failed = llmSpan({ output: '', inputTokens: 0, outputTokens: 0 }, { ...inside, ...FAILED, ...at(1) });
      return [outer, failed, llmSpan({}, { ...inside, ...at(2) })];
    },
    [2, 3, 2],
  ],
  [
    'two tries that failed are two calls, the outer one is the same as one of them',
    (trace) => {
      const nothing = { output: '', inputTokens: 0, outputTokens: 0 };
      const outer = llmSpan(nothing, { traceId: trace, ...FAILED });
      const inside = { traceId: trace, parentSpanId: outer.spanId, ...FAILED };
      return [outer, llmSpan(nothing, { ...inside, ...at(1) }), llmSpan(nothing, { ...inside, ...at(2) })];
    },
    [2, 0, 0],
  ],
  [
    'a call that adds up the calls inside it is none itself',
    (trace) => {
      const outer = llmSpan({ output: 'Done', inputTokens: 30, outputTokens: 7 }, { traceId: trace });
      const inside = { traceId: trace, parentSpanId: outer.spanId };
      const first = llmSpan({ output: 'Searching', inputTokens: 10, outputTokens: 3 }, { ...inside, ...at(1) });
      return [outer, first, llmSpan({ output: 'Done', inputTokens: 20, outputTokens: 4 }, { ...inside, ...at(2) })];
    },
    [2, 30, 7],
  ],
  [
    'another answer is another call',
    (trace) => {
      const outer = llmSpan({ output: 'Hello' }, { traceId: trace });
      return [outer, llmSpan({ output: 'Hey' }, { traceId: trace, parentSpanId: outer.spanId })];
    },
    [2, 6, 4],
  ],
  [
    'another model is another call, whatever it answers',
    (trace) => {
      const outer = llmSpan({ model: 'gpt-4o' }, { traceId: trace });
      return [outer, llmSpan({ model: 'gpt-4o-mini' }, { traceId: trace, parentSpanId: outer.spanId })];
    },
    [2, 6, 4],
  ],
  [
    'an agent with the numbers of its only call is no call',
    (trace) => {
      const agent = llmSpan({ more: { 'gen_ai.operation.name': 'invoke_agent' } }, { traceId: trace, name: 'agent' });
      return [agent, llmSpan({}, { traceId: trace, parentSpanId: agent.spanId })];
    },
    [1, 3, 2],
  ],
  [
    'calls beside each other are calls of their own, however alike',
    (trace) => {
      const parentSpanId = spanId();
      return [1, 2].map((second) => llmSpan({}, { traceId: trace, parentSpanId, ...at(second) }));
    },
    [2, 6, 4],
  ],
];

describe('calls inside a call that are not the same', () => {
  it.each(FAMILIES)('%s', async (_name, make, expected) => {
    const found = await outcomes(make);
    expect(found).toEqual(found.map(() => expected));
  });

  it('leaves calls alone that were reported with their spans', async () => {
    const pair: Pair = PAIRS['OpenInference: LlamaIndex around the OpenAI client']!;
    const [trace, other] = [traceId(), traceId()];
    const [outer] = spansOf(pair, trace);
    await send(me, [outer, toSpan(pair.inner, { traceId: other, parentSpanId: outer.spanId })]);

    expect([await logsOf(trace), await logsOf(other)].map(({ length }) => length)).toEqual([1, 1]);
  });
});
