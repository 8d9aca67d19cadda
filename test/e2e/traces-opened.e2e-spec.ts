import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { type JsonSpan, send, span, text, traceId } from '../support/otlp.js';
import { TestApp } from '../support/test-app.js';
import { TraceWorker } from '../support/trace-worker.js';
import { until } from '../support/until.js';

const SEARCH = '/api/public/v2/traces/search';

/** A server whose worker does nothing by itself: the tests are the workers. */
let app: TestApp;
let me: Client;
let worker: TraceWorker;
beforeAll(async () => {
  app = await TestApp.own({ works: false });
  me = app.client;
  worker = new TraceWorker(app);
});
afterAll(() => app.stop());

/** Reads the summary of an opened trace. */
async function summaryOfOne(id: string): Promise<Record<string, unknown>> {
  const { trace } = (await me.get(`/api/public/v2/traces/${id}?view=skeleton`)) as { trace: Record<string, unknown> };
  return trace;
}

/** A root, and so many spans below it, one of which is a tool of a workflow and ends last. */
function grown(id: string, count: number): JsonSpan[] {
  const root = span({ traceId: id, name: 'root', attributes: [text('function_input', 'go'), text('user.id', 'u1')] });
  const others = Array.from({ length: count }, (_, index) => step(id, root.spanId, { index }));
  const attributes = [text('tool.name', 'search'), text('workflow_id', 'w1'), text('function_output', 'done')];
  return [root, ...others, step(id, root.spanId, { index: count, attributes })];
}

const step = (id: string, parentSpanId: unknown, { index, ...fields }: { index: number; attributes?: object[] }) =>
  span({
    traceId: id,
    parentSpanId,
    startTimeUnixNano: String(1_780_000_000_000_000_001n + BigInt(index)),
    endTimeUnixNano: String(1_780_000_001_000_000_001n + BigInt(index)),
    ...fields,
  });

describe('one trace that is opened', () => {
  it('is current during every claim, and reading it writes nothing', async () => {
    const id = traceId();
    const spans = grown(id, 3);
    await send(me, spans.slice(0, -1));
    expect(await summaryOfOne(id)).toMatchObject({ depth: 2, tool_names: [], first_input: 'go', last_output: null });
    expect(await worker.queued(id)).toMatchObject({ claim: null });
    expect(await worker.searchedName(id)).toBeUndefined();
    const held = await worker.claim(id);
    await send(me, spans.slice(-1));
    const told = { tool_names: ['search'], workflows: [{ id: 'w1' }], user_id: 'u1', last_output: 'done' };
    expect(await summaryOfOne(id)).toMatchObject(told);
    await worker.project([held]);
    expect(await summaryOfOne(id)).toMatchObject(told);
  });

  it('is the same for simultaneous readers, is read in pieces, and beyond a size is returned as a worker stored it last', async () => {
    const id = traceId();
    await send(me, grown(id, 1100));
    const told = { span_count: 1102, depth: 2, tool_names: ['search'], last_output: 'done', user_id: 'u1' };
    const readers = await Promise.all([1, 2, 3].map(() => summaryOfOne(id)));
    for (const read of readers) expect(read).toMatchObject(told);
    await worker.project([await worker.claim(id)]);
    expect(await summaryOfOne(id)).toEqual(readers[0]);
    await send(me, [span({ traceId: id, name: 'late', attributes: [text('tool.name', 'late')] })]);
    expect(await summaryOfOne(id)).toMatchObject({ tool_names: ['late', 'search'] });
    // Simulates many more spans.
    await app.sql('UPDATE traces SET span_count = 4001 WHERE trace_id = $1', [id]);
    expect(await summaryOfOne(id)).toMatchObject({ tool_names: ['search'] });
    await worker.project([await worker.claim(id)]);
    expect(await summaryOfOne(id)).toMatchObject({ tool_names: ['late', 'search'] });
  });
});

describe('a trace of several pieces', () => {
  const WAITING = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;

  it('is left to the worker that claims it while another one is half through', async () => {
    const id = traceId();
    const spans = grown(id, 1200);
    await send(me, spans);
    await worker.project([await worker.claim(id)]);
    const last: JsonSpan = { ...spans.at(-1), name: 'renamed' };
    await send(me, [{ ...spans[0], name: 'newer root' }, last]);
    const slow = await worker.claim(id);
    let working = Promise.resolve();
    await app.inTransaction(async (sql) => {
      // It is in the third piece.
      await sql('SELECT FROM span_search WHERE trace_id = $1 AND span_id = $2 FOR UPDATE', [id, last.spanId]);
      working = worker.project([slow]);
      await until(async () => (await app.sql(WAITING)).length > 0);
      await worker.expire(id);
      await worker.claim(id);
    });
    await working;
    expect([await worker.queued(id), await worker.searchedName(id)]).toMatchObject([{}, 'root']);
    await worker.expire(id);
    await worker.project([await worker.claim(id)]);
    expect([await worker.queued(id), await worker.searchedName(id)]).toEqual([undefined, 'newer root']);
    const rows = await app.sql('SELECT count(*)::int AS n FROM span_search WHERE trace_id = $1', [id]);
    expect(rows).toEqual([{ n: 1202 }]);
    const renamed = { field: 'span_name', operator: 'is', value: 'renamed' };
    expect(await me.post(SEARCH, { filter_group: { filters: [renamed] } })).toMatchObject({
      items: [{ trace_id: id }],
      total: 1,
    });
  });
});
