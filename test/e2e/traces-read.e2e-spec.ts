import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { llmSpan, readSpans, send, span, spanId, text, traceId } from '../support/otlp.js';
import { TestApp } from '../support/test-app.js';

const TRACES = '/api/public/v2/traces';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.start({ works: false });
  me = app.client;
});
afterAll(() => app.stop());

interface Skeleton {
  trace: { name: string; span_count: number; depth: number };
  spans: Record<string, unknown>[];
}

describe('the skeleton of a trace', () => {
  it('has of every span what is short, and the summary of the trace', async () => {
    const id = traceId();
    const root = span({ traceId: id, name: 'root', kind: 2, status: { code: 1 }, attributes: [text('a', 'b')] });
    const call = llmSpan({}, { traceId: id, parentSpanId: root.spanId, startTimeUnixNano: '1780000000500000000' });
    await send(me, [call, root]);
    const full = await readSpans(me, id);
    expect(await me.get(`${TRACES}/${id}?view=skeleton`)).toMatchObject({
      success: true,
      trace_id: id,
      trace: { trace_id: id, name: 'root', status: 'OK', depth: 2, span_count: 2, total_tokens: 5 },
      spans: [
        {
          id: full[0]!.id,
          span_id: root.spanId,
          parent_id: null,
          name: 'root',
          kind: 'SpanKind.SERVER',
          start_time: '2026-05-28T20:26:40.000000Z',
          end_time: '2026-05-28T20:26:41.000000Z',
          duration_ms: 1000,
          status_code: 'StatusCode.OK',
          request_log_id: null,
          model: null,
          input_tokens: null,
          output_tokens: null,
          cost: null,
        },
        {
          span_id: call.spanId,
          parent_id: root.spanId,
          span_type: 'LLM_CALL',
          request_log_id: full[1]!.request_log_id,
          model: 'gpt-4o-mini',
          input_tokens: 3,
          output_tokens: 2,
          cost: full[1]!.cost,
        },
      ],
    });
  });

  it('lists the spans of a large trace in the order of the whole trace, and reads no payload', async () => {
    const id = traceId();
    const count = 2500;
    const root = span({ traceId: id, name: 'root' });
    const others = Array.from({ length: count - 1 }, (_, index) =>
      span({
        traceId: id,
        parentSpanId: root.spanId,
        // Many start at the same moment.
        startTimeUnixNano: String(1_780_000_000_000_000_000n + BigInt(index % 7)),
        attributes: [text('function_input', 'x'.repeat(100))],
      }),
    );
    await send(me, [...others, root]);
    const { trace, spans } = (await me.get(`${TRACES}/${id}?view=skeleton`)) as Skeleton;
    const full = (await me.get(`${TRACES}/${id}`)) as Skeleton;
    expect(trace).toMatchObject({ span_count: count, depth: 2 });
    expect(spans).toHaveLength(count);
    expect(full.spans.map((each) => each.id)).toEqual(spans.map((each) => each.id));
    expect(Object.keys(spans[0]!)).not.toContain('attributes');
  });
});

describe('a trace', () => {
  it('with a few large spans is read completely, in pieces', async () => {
    const id = traceId();
    const sent = Array.from({ length: 6 }, (_, index) =>
      span({
        traceId: id,
        startTimeUnixNano: String(1_780_000_000_000_000_000n + BigInt(index)),
        attributes: [text('text', `${index}`.repeat(1_500_000))],
      }),
    );
    await send(me, sent.toReversed());
    const spans = await readSpans(me, id);
    expect(spans.map((each) => (each.attributes.text as string).slice(-1))).toEqual(['0', '1', '2', '3', '4', '5']);
    expect(spans.map((each) => (each.attributes.text as string).length)).toEqual(Array(6).fill(1_500_000));
  });

  it('is summed up over its calls of models, orphans and running spans included', async () => {
    const id = traceId();
    const orphan = llmSpan({}, { traceId: id, parentSpanId: spanId() });
    const running = span({
      traceId: id,
      name: 'running',
      endTimeUnixNano: '0',
      startTimeUnixNano: '1780000000900000000',
    });
    await send(me, [orphan, running]);
    expect(await me.get(`${TRACES}/${id}`)).toMatchObject({
      trace: { name: orphan.name, depth: 1, span_count: 2, total_tokens: 5, end_time: '2026-05-28T20:26:41.000000Z' },
    });
  });

  it('knows no other views, and nobody else reads it', async () => {
    const one = span();
    await send(me, [one]);
    await me.get(`${TRACES}/${String(one.traceId)}?view=bones`, 422);
    const stranger = await app.stranger();
    for (const view of ['full', 'skeleton']) {
      await stranger.get(`${TRACES}/${String(one.traceId)}?view=${view}`, 404);
      await me.get(`${TRACES}/${traceId()}?view=${view}`, 404);
    }
  });
});
