import fc from 'fast-check';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { FULL_SUCCESS, type JsonSpan, llmSpan, readSpans, send, span, spanId, text, traceId } from '../support/otlp.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.own({ works: false });
  me = app.client;
});
afterAll(() => app.stop());

interface Summary {
  span_count: number;
  error_count: number;
  input_tokens: string;
  output_tokens: string;
  cost: number;
  unpriced_count: number | null;
  start_ns: string;
  end_ns: string | null;
  root_name: string | null;
}

/** The summaries of a trace, one per workspace that has it. */
function summaries(trace: unknown): Promise<Summary[]> {
  return app.app.get(DataSource).query<Summary[]>(
    `SELECT span_count, error_count, input_tokens, output_tokens, cost::float8, unpriced_count, start_ns, end_ns, root_name FROM traces
      WHERE trace_id = $1 ORDER BY workspace_id`,
    [trace],
  );
}

const logsOf = (trace: unknown) =>
  app.app.get(DataSource).query<{ id: string }[]>('SELECT id FROM request_logs WHERE trace_id = $1', [trace]);

const at = (seconds: number): string => `${1_780_000_000 + seconds}000000000`;

/** A trace of an agent with two calls of a model, one of which failed and has no known price. */
function agentTrace(id = traceId()): JsonSpan[] {
  const root = span({ traceId: id, name: 'agent', startTimeUnixNano: at(0), endTimeUnixNano: at(9) });
  const below = { traceId: id, parentSpanId: root.spanId };
  return [
    root,
    llmSpan({ inputTokens: 10, outputTokens: 5 }, { ...below, startTimeUnixNano: at(1), endTimeUnixNano: at(2) }),
    llmSpan(
      { inputTokens: 20, outputTokens: 7, provider: 'house', model: 'our-own' },
      { ...below, startTimeUnixNano: at(3), endTimeUnixNano: at(4), status: { code: 2, message: 'overloaded' } },
    ),
    span({ ...below, name: 'tool', startTimeUnixNano: at(5), endTimeUnixNano: at(6) }),
  ];
}

const SUMMARY = {
  span_count: 4,
  error_count: 1,
  input_tokens: '30',
  output_tokens: '12',
  unpriced_count: 1,
  start_ns: at(0),
  end_ns: at(9),
  root_name: 'agent',
};

describe('spans sent again', () => {
  it('change nothing when they are the same: no id, no log, no sum', async () => {
    const spans = agentTrace();
    await send(me, spans);
    const [before, sums] = [await readSpans(me, spans[0]!.traceId), await summaries(spans[0]!.traceId)];
    expect(sums).toEqual([{ ...SUMMARY, cost: expect.any(Number) }]);
    expect(sums[0]!.cost).toBeCloseTo(
      before.reduce((sum, { cost }) => sum + (cost ?? 0), 0),
      12,
    );

    for (const again of [spans, spans.toReversed(), spans.slice(1, 3)]) await send(me, again);

    expect(await readSpans(me, spans[0]!.traceId)).toEqual(before);
    expect(await summaries(spans[0]!.traceId)).toEqual(sums);
    expect(await logsOf(spans[0]!.traceId)).toHaveLength(2);
  });

  it('replace stored ones that differ, under the same ids and without counting twice', async () => {
    const spans = agentTrace();
    const [root, first] = spans as [JsonSpan, JsonSpan];
    await send(me, spans);
    const before = await readSpans(me, root.traceId);

    const changed = llmSpan({ inputTokens: 100, output: 'Better' }, { ...first, attributes: undefined });
    const attributes = llmSpan({ inputTokens: 100, outputTokens: 5, output: 'Better' }).attributes;
    await send(me, [
      { ...changed, attributes },
      { ...root, name: 'renamed', endTimeUnixNano: at(60) },
    ]);

    const after = await readSpans(me, root.traceId);
    expect(after.map(({ id, request_log_id }) => [id, request_log_id])).toEqual(
      before.map(({ id, request_log_id }) => [id, request_log_id]),
    );
    expect(await summaries(root.traceId)).toMatchObject([
      { ...SUMMARY, input_tokens: '120', end_ns: at(60), root_name: 'renamed' },
    ]);
    const log = await me.get(
      `/api/public/v2/requests/${after.find(({ span_id }) => span_id === first.spanId)!.request_log_id}`,
    );
    expect(log).toMatchObject({
      input_tokens: 100,
      prompt_blueprint: { prompt_template: { messages: [{}, { content: [{ text: 'Better' }] }] } },
    });
  });

  it('within one request count once, the last one winning', async () => {
    const sent = span({ name: 'first' });
    expect((await send(me, [sent, { ...sent, name: 'second' }, { ...sent, name: 'third' }])).body).toEqual({
      partialSuccess: { rejectedSpans: 0, errorMessage: '' },
    });
    expect(await readSpans(me, sent.traceId)).toMatchObject([{ name: 'third' }]);
    expect(await summaries(sent.traceId)).toMatchObject([{ span_count: 1 }]);
  });

  it('keep the link to their request log, and its numbers, when they come back with less', async () => {
    const sent = llmSpan();
    await send(me, [sent]);
    const [before] = await readSpans(me, sent.traceId);
    const sums = await summaries(sent.traceId);
    await send(me, [{ ...sent, attributes: [text('poorer', 'yes')] }]);
    const { id, request_log_id, cost } = before!;
    expect(await readSpans(me, sent.traceId)).toMatchObject([
      { id, attributes: { poorer: 'yes' }, request_log_id, input_tokens: 3, output_tokens: 2, cost },
    ]);
    expect(await summaries(sent.traceId)).toEqual(sums);
    expect(await logsOf(sent.traceId)).toHaveLength(1);
  });

  it('become one request log when they were in progress before they were finished', async () => {
    const finished = llmSpan({}, { name: 'session' });
    await send(me, [{ ...finished, endTimeUnixNano: undefined, attributes: [] }]);
    expect(await readSpans(me, finished.traceId)).toMatchObject([{ end_time: null, request_log_id: null }]);

    for (let times = 0; times < 2; times++) await send(me, [finished]);

    const [read] = await readSpans(me, finished.traceId);
    expect(await logsOf(finished.traceId)).toEqual([{ id: String(read!.request_log_id) }]);
    expect(await summaries(finished.traceId)).toMatchObject([{ span_count: 1, input_tokens: '3' }]);
  });
});

describe('a trace', () => {
  it('reads the same in whatever order and parts its spans arrive', async () => {
    const parts = fc.tuple(fc.shuffledSubarray([0, 1, 2, 3], { minLength: 4 }), fc.subarray([1, 2, 3]));
    const strip = (spans: object[]) => spans.map((each) => ({ ...each, id: 0, request_log_id: 0, trace_id: '' }));
    const spans = agentTrace();
    await send(me, spans);
    const whole = strip(await readSpans(me, spans[0]!.traceId));
    const sums = await summaries(spans[0]!.traceId);

    await fc.assert(
      fc.asyncProperty(parts, async ([order, cuts]) => {
        const copy = spans.map((each) => ({ ...each, traceId: '' }));
        const id = traceId();
        const shuffled = order.map((index) => ({ ...copy[index], traceId: id }));
        const bounds = [0, ...cuts, 4];
        for (const [index, from] of bounds.slice(0, -1).entries())
          await send(me, shuffled.slice(from, bounds[index + 1]));
        expect(strip(await readSpans(me, id))).toEqual(whole);
        expect(await summaries(id)).toEqual(sums.map((sum) => ({ ...sum, cost: expect.closeTo(sum.cost, 12) })));
      }),
      { numRuns: 12 },
    );
  });

  it('counts the usage of its calls only, not what agents repeat of it', async () => {
    const fresh = await app.stranger();
    for (const isExpectedNew of [false, true]) {
      // Spans are written without reading stored ones when those of the previous request were new.
      if (isExpectedNew) await send(fresh, [span()]);
      const id = traceId();
      const usage = ['input_tokens', 'output_tokens'].map((key) => ({
        key: `gen_ai.usage.${key}`,
        value: { intValue: 1000 },
      }));
      const agent = span({
        traceId: id,
        attributes: [
          text('gen_ai.operation.name', 'invoke_agent'),
          text('gen_ai.request.model', 'gpt-4o-mini'),
          ...usage,
        ],
      });
      const call = llmSpan({ inputTokens: 10, outputTokens: 5 }, { traceId: id, parentSpanId: agent.spanId });
      await send(fresh, [agent, call]);
      const [read] = (await readSpans(fresh, id)).filter(({ span_id }) => span_id === agent.spanId);
      expect(read).toMatchObject({ request_log_id: null, input_tokens: 1000, output_tokens: 1000 });
      const sums = { input_tokens: '10', output_tokens: '5', cost: expect.closeTo(4.5e-6, 12) as number };
      expect(await summaries(id)).toMatchObject([sums]);
      // The sums of a trace are recomputed when one of its spans is replaced.
      await send(fresh, [{ ...agent, name: 'changed' }]);
      expect(await summaries(id)).toMatchObject([{ ...sums, root_name: 'changed' }]);
    }
  });

  it('is named after its earliest root, of two that begin together after the one with the smaller id', async () => {
    const id = traceId();
    const root = (name: string, second: number, spanId: string) =>
      span({ traceId: id, name, spanId: spanId.repeat(16), startTimeUnixNano: at(second) });
    await send(me, [root('third', 7, '1'), root('second', 5, 'b'), root('first', 5, 'a'), root('fourth', 8, '2')]);
    expect(await summaries(id)).toMatchObject([{ root_name: 'first', span_count: 4, start_ns: at(5) }]);
    await send(me, [root('later', 6, '3'), root('earlier', 4, 'f')]);
    expect(await summaries(id)).toMatchObject([{ root_name: 'earlier', span_count: 6, start_ns: at(4) }]);
  });

  it('has the log of each of its calls at the span of the call', async () => {
    const id = traceId();
    const calls = ['one', 'two', 'three'].map((output) => llmSpan({ output }, { traceId: id }));
    await send(me, [calls[0], span({ traceId: id }), calls[1], calls[2]]);
    const pairs = await app.app.get(DataSource).query<{ span: string; log: string; output: string }[]>(
      `SELECT s.span_id AS span, l.span_id AS log, l.output #>> '{messages,0,content,0,text}' AS output
         FROM spans s JOIN request_logs l ON l.id = s.request_log_id WHERE s.trace_id = $1 ORDER BY s.id`,
      [id],
    );
    expect(pairs).toEqual(
      calls.map((call, n) => ({ span: call.spanId, log: call.spanId, output: ['one', 'two', 'three'][n] })),
    );
  });

  it('shows a span whose parent never came', async () => {
    const orphan = span({ parentSpanId: spanId() });
    await send(me, [orphan]);
    expect(await readSpans(me, orphan.traceId)).toMatchObject([{ parent_id: orphan.parentSpanId }]);
  });

  it('is two traces when two workspaces send it', async () => {
    const stranger = await app.stranger();
    const [mine, theirs] = [span({ name: 'mine' }), span({ name: 'theirs' })];
    const shared = { traceId: mine.traceId, spanId: mine.spanId };
    await Promise.all([send(me, [mine]), send(stranger, [{ ...theirs, ...shared }])]);
    expect(await readSpans(me, mine.traceId)).toMatchObject([{ name: 'mine' }]);
    expect(await readSpans(stranger, mine.traceId)).toMatchObject([{ name: 'theirs' }]);
    expect(await summaries(mine.traceId)).toMatchObject([{ span_count: 1 }, { span_count: 1 }]);
  });

  it('are distinguished from new ones in the same request, and from those of a closed trace', async () => {
    const [known, closed, elsewhere] = [llmSpan(), span(), llmSpan()];
    await send(me, [known]);
    await send(me, [closed], '?close_after=true');
    const beside = span({ traceId: known.traceId, name: 'beside' });
    const late = span({ traceId: closed.traceId });
    const answer = await send(me, [elsewhere, { ...known, name: 'changed' }, beside, late]);
    expect(answer).toMatchObject({ status: 409, body: { trace_ids: [closed.traceId] } });
    const names = (await readSpans(me, known.traceId)).map(({ name }) => name);
    expect(names.toSorted()).toEqual(['beside', 'changed']);
    expect(await summaries(known.traceId)).toMatchObject([{ span_count: 2 }]);
    expect(await summaries(elsewhere.traceId)).toMatchObject([{ span_count: 1 }]);
    expect(await summaries(closed.traceId)).toMatchObject([{ span_count: 1 }]);
    for (const { traceId: id } of [known, elsewhere]) expect(await logsOf(id)).toHaveLength(1);
  });

  it('loses and doubles nothing when overlapping batches of it arrive at once', async () => {
    const ids = [traceId(), traceId(), traceId()];
    const spans = Array.from({ length: 60 }, (_, index) =>
      llmSpan({ inputTokens: 1, outputTokens: 1 }, { traceId: ids[index % 3], name: `call ${index}` }),
    );
    const batches = Array.from({ length: 16 }, (_, index) => [...spans.slice(index * 3), ...spans.slice(0, index * 3)]);
    const answers = await Promise.all(batches.map((batch, index) => send(me, index % 2 ? batch.toReversed() : batch)));
    expect(answers.map(({ status }) => status)).toEqual(batches.map(() => 200));
    for (const id of ids) {
      const sent = spans.filter((each) => each.traceId === id).map((each) => String(each.name));
      const stored = (await readSpans(me, id)).map(({ name }) => name);
      expect(stored.toSorted()).toEqual(sent.toSorted());
      expect(await summaries(id)).toMatchObject([{ span_count: 20, input_tokens: '20', output_tokens: '20' }]);
      expect(await logsOf(id)).toHaveLength(20);
    }
  });
});

describe('close_after', () => {
  it('closes when all is stored, also where the database refuses a span between the others', async () => {
    const [id, other] = [traceId(), traceId()];
    const spans = [span({ traceId: other }), ...Array.from({ length: 6 }, () => span({ traceId: id }))];
    spans[3]!.name = 'refused while closing';
    await app.sql(`ALTER TABLE spans ADD CONSTRAINT refuse_closing CHECK (name <> 'refused while closing')`);
    try {
      expect(await send(me, spans, '?close_after=true')).toMatchObject({
        status: 200,
        body: { partialSuccess: { rejectedSpans: 1, errorMessage: expect.stringContaining('refuse_closing') } },
      });
    } finally {
      await app.sql('ALTER TABLE spans DROP CONSTRAINT refuse_closing');
    }
    expect(await readSpans(me, id)).toHaveLength(5);
    for (const closed of [id, other]) expect((await send(me, [span({ traceId: closed })])).status).toBe(409);
  });

  it.each(['true', 'True', '1'])(
    '=%s stores the spans of its own request and closes their traces for ever',
    async (value) => {
      const sent = span();
      expect((await send(me, [sent], `?close_after=${value}`)).body).toEqual(FULL_SUCCESS);
      const late = await send(me, [span({ traceId: sent.traceId })]);
      expect(late).toMatchObject({
        status: 409,
        body: { error: `Trace already closed: ${String(sent.traceId)}`, trace_ids: [sent.traceId] },
      });
      expect(await readSpans(me, sent.traceId)).toHaveLength(1);
      expect(await summaries(sent.traceId)).toMatchObject([{ span_count: 1 }]);
    },
  );

  it('=false closes nothing', async () => {
    const sent = span();
    await send(me, [sent], '?close_after=false');
    expect((await send(me, [span({ traceId: sent.traceId })])).status).toBe(200);
  });

  it('refuses even the very same span afterwards', async () => {
    const sent = span();
    await send(me, [sent], '?close_after=1');
    expect((await send(me, [sent])).status).toBe(409);
  });

  it('leaves the open traces of a refused request stored and names only the closed ones', async () => {
    const [closed, alsoClosed, open] = [span(), span(), llmSpan()];
    await send(me, [closed, alsoClosed], '?close_after=1');
    const answer = await send(me, [span({ traceId: closed.traceId }), open, span({ traceId: alsoClosed.traceId })]);
    expect(answer.status).toBe(409);
    const { trace_ids: ids, error } = answer.body as { trace_ids: string[]; error: string };
    expect(ids.toSorted()).toEqual([closed.traceId, alsoClosed.traceId].map(String).toSorted());
    expect(error).toBe(`Trace already closed: ${ids.join(', ')}`);
    expect(await readSpans(me, open.traceId)).toHaveLength(1);
    expect(await logsOf(open.traceId)).toHaveLength(1);
  });

  it('does not concern the same trace of another workspace', async () => {
    const sent = span();
    await send(me, [sent], '?close_after=1');
    expect((await send(await app.stranger(), [sent])).status).toBe(200);
  });

  it('lets every racing write either happen before or be refused, and nothing in between', async () => {
    const id = traceId();
    const writes = Array.from({ length: 12 }, (_, index) =>
      send(me, [span({ traceId: id })], index === 6 ? '?close_after=1' : ''),
    );
    const statuses = (await Promise.all(writes)).map(({ status }) => status);
    expect(statuses.every((status) => status === 200 || status === 409)).toBe(true);
    const stored = statuses.filter((status) => status === 200).length;
    expect(await readSpans(me, id)).toHaveLength(stored);
    expect(await summaries(id)).toMatchObject([{ span_count: stored }]);
  });
});
