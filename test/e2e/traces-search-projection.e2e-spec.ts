import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  holdClaims,
  releaseClaims,
  removeFromQueue,
  renewClaims,
} from '../../src/traces/search/trace-queue.queries.js';
import type { Client } from '../support/client.js';
import { JSON_TYPE, send, span, spanId, text, traceId } from '../support/otlp.js';
import { TestApp } from '../support/test-app.js';
import { TraceWorker } from '../support/trace-worker.js';
import { until } from '../support/until.js';
import { summaryOf, type TestSpan, type TestTrace, toResourceSpans, traces } from './traces-search.samples.js';

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

describe('a changed trace', () => {
  it('waits in the queue until a worker has read it, and then no more', async () => {
    const one = span({ name: 'one' });
    const id = one.traceId as string;
    await send(me, [one]);
    expect(await worker.queued(id)).toMatchObject({ claim: null });
    await worker.project([await worker.claim(id)]);
    expect([await worker.queued(id), await worker.searchedName(id)]).toEqual([undefined, 'one']);
  });

  it('does not wait when the same spans come again', async () => {
    const one = span();
    await send(me, [one]);
    await worker.project([await worker.claim(one.traceId as string)]);
    await send(me, [one]);
    expect(await worker.queued(one.traceId as string)).toBeUndefined();
  });

  it('keeps its place and its claim, and gets another generation, when it changes while it waits', async () => {
    const one = span();
    const id = one.traceId as string;
    await send(me, [one]);
    const held = await worker.claim(id);
    await send(me, [span({ traceId: id })]);
    const row = await worker.queued(id);
    expect(row!.claim).toBe(held.claim);
    expect(row!.generation).not.toBe(held.generation);
  });

  it('stays free when its claim is renewed after it was released', async () => {
    const one = span();
    const id = one.traceId as string;
    await send(me, [one]);
    const held = await worker.claim(id);
    await releaseClaims(worker.db.manager, [held]);
    await renewClaims(worker.db.manager, [held], 60_000);
    expect((await worker.claim(id)).claim).not.toBe(held.claim);
  });

  it('stays in the queue when it changed after it was claimed, and is free again', async () => {
    const one = span({ name: 'root' });
    const id = one.traceId as string;
    await send(me, [one]);
    const held = await worker.claim(id);
    await send(me, [{ ...one, name: 'renamed' }]);
    await worker.project([held]);
    expect(await worker.queued(id)).toBeDefined();
    await worker.project([await worker.claim(id)]);
    expect([await worker.queued(id), await worker.searchedName(id)]).toEqual([undefined, 'renamed']);
  });

  it('is written by the last who claimed it, whatever an earlier worker still does', async () => {
    const one = span({ name: 'old' });
    const id = one.traceId as string;
    await send(me, [one]);
    const slow = await worker.claim(id);
    await worker.expire(id);
    const quick = await worker.claim(id);
    await worker.project([slow]);
    expect([await worker.searchedName(id), (await worker.queued(id))!.claim]).toEqual([undefined, quick.claim]);
    await worker.project([quick]);
    expect([await worker.queued(id), await worker.searchedName(id)]).toEqual([undefined, 'old']);
  });

  it('is not taken out of the queue by a claim on an earlier life of its row', async () => {
    const one = span({ name: 'first' });
    const id = one.traceId as string;
    await send(me, [one]);
    const stale = await worker.claim(id);
    await worker.expire(id);
    await worker.project([await worker.claim(id)]);
    await send(me, [{ ...one, name: 'second' }]);
    await worker.project([stale]);
    expect(await worker.queued(id)).toBeDefined();
    await worker.project([await worker.claim(id)]);
    expect(await worker.searchedName(id)).toBe('second');
  });

  it('is claimed again when the lease of a dead worker ends', async () => {
    const one = span({ name: 'left' });
    const id = one.traceId as string;
    await send(me, [one]);
    await worker.claim(id);
    await app.sql('UPDATE trace_search_queue SET due_at = now()');
    const due = async () => (await worker.claimDue(100)).filter(({ traceId: found }) => found === id);
    expect(await due()).toEqual([]);
    await worker.expire(id);
    await worker.project(await due());
    expect(await worker.searchedName(id)).toBe('left');
  });

  it('waits the longer the larger it is, up to half a minute', async () => {
    const id = traceId();
    const batch = (count: number) => Array.from({ length: count }, () => span({ traceId: id }));
    await send(me, batch(1000));
    await worker.project([await worker.claim(id)]);
    const secondsOf = async (time: string, from = '') => {
      const [row] = (await app.sql(`SELECT extract(epoch FROM ${time})::float8 AS seconds ${from}`)) as {
        seconds: number;
      }[];
      return row!.seconds;
    };
    const before = await secondsOf('now()');
    await send(me, batch(1));
    const due = await secondsOf('due_at', `FROM trace_search_queue WHERE trace_id = '${id}'`);
    // Five milliseconds for each of its spans.
    expect(due).toBeGreaterThanOrEqual(before + 5);
    expect(due).toBeLessThanOrEqual((await secondsOf('now()')) + 5.01);
  });

  it('is left to other workers when those before it are large', async () => {
    const ids = Array.from({ length: 5 }, traceId);
    await send(
      me,
      ids.flatMap((id) => Array.from({ length: 3 }, () => span({ traceId: id, spanId: spanId() }))),
    );
    await app.sql('UPDATE trace_search_queue SET due_at = now() WHERE trace_id = ANY($1)', [ids]);
    const claimed = [await worker.claimDue(100, { spans: 6 }), await worker.claimDue(100, { spans: 7 })];
    expect(claimed.map((traces) => traces.map(({ spanCount }) => spanCount))).toEqual([
      [3, 3],
      [3, 3, 3],
    ]);
    await worker.project(claimed.flat());
  });

  it('never blocks ingestion while a worker reads it', async () => {
    const one = span();
    const id = one.traceId as string;
    await send(me, [one]);
    const held = await worker.claim(id);
    await worker.db.transaction(async (tx) => {
      expect(await holdClaims(tx, [held])).toEqual([held]);
      expect((await send(me, [span({ traceId: id })])).status).toBe(200);
    });
    await worker.project([held]);
  });

  it('is left in the queue while ingestion holds its row, instead of being waited for', async () => {
    const one = span();
    const id = one.traceId as string;
    await send(me, [one]);
    const held = await worker.claim(id);
    const other = worker.db.createQueryRunner();
    await other.startTransaction();
    try {
      await other.query('SELECT FROM trace_search_queue WHERE trace_id = $1 FOR UPDATE', [id]);
      expect(await removeFromQueue(worker.db.manager, [held])).toEqual(new Set());
    } finally {
      await other.rollbackTransaction();
      await other.release();
    }
  });

  it('loses values that its spans no longer have', async () => {
    const id = traceId();
    const root = span({ traceId: id, name: 'root' });
    const child = span({ traceId: id, parentSpanId: root.spanId, attributes: [text('workflow_id', 'w1')] });
    await send(me, [root, child]);
    await worker.project([await worker.claim(id)]);
    await send(me, [{ ...child, attributes: [] }]);
    await worker.project([await worker.claim(id)]);
    const rows = await app.sql(
      'SELECT workflow_id, subtree_workflow_ids AS below FROM span_search WHERE trace_id = $1',
      [id],
    );
    expect(rows).toEqual(Array(2).fill({ workflow_id: null, below: [] }));
  });

  it('is found by parts of its words, by way of the words that have them', async () => {
    const one = span({ name: 'watching', attributes: [text('output.value', 'three oystercatchers')] });
    const id = one.traceId as string;
    await send(me, [one]);
    await worker.project([await worker.claim(id)]);
    const found = async (value: string) => {
      const filters = [{ field: 'span_output', operator: 'contains', value }];
      const { items } = (await me.post(SEARCH, { filter_group: { logic: 'SPAN_AND', filters } })) as {
        items: { trace_id: string }[];
      };
      return items.map((trace) => trace.trace_id);
    };
    for (const part of ['stercat', 'ree oyst', 'oystercatchers'])
      expect([part, await found(part)]).toEqual([part, [id]]);
    expect(await found('stercatx')).toEqual([]);
    await app.sql(`DELETE FROM vocabulary WHERE word = 'oystercatchers'`);
    expect(await found('stercat')).toEqual([]);
  });

  it('is found by all that many large spans say, though they are read in pieces', async () => {
    const id = traceId();
    const large = (index: number) =>
      span({
        traceId: id,
        name: `part ${index}`,
        attributes: [text('function_input', `${'x'.repeat(700_000)} ${index}`), text('n', `v${index}`)],
      });
    for (let index = 0; index < 12; index += 4)
      await send(
        me,
        [0, 1, 2, 3].map((more) => large(index + more)),
      );
    await worker.project([await worker.claim(id)]);
    for (const index of [0, 5, 11]) {
      const filter = { field: 'span_attributes', operator: 'key_equals', nested_key: 'n', value: `v${index}` };
      const found = await me.post(SEARCH, { filter_group: { filters: [filter] } });
      expect(found).toMatchObject({ items: [{ trace_id: id }] });
    }
  });
});

describe('a search for a trace that waits', () => {
  const idsOf = async (body: object) => {
    const { items, ...page } = (await me.post(SEARCH, body)) as {
      items: { trace_id: string }[];
      partial?: true;
      total: number;
      total_is_exact: boolean;
    };
    return { ...page, ids: items.map(({ trace_id: id }) => id) };
  };

  it('waits for somebody else who has claimed it and not committed yet, or says that it is partial', async () => {
    const client = await app.stranger();
    const strangers = [await app.stranger(), await app.stranger()];
    const one = span({ name: 'kestrel' });
    await send(client, [one]);
    const other = worker.db.createQueryRunner();
    await other.startTransaction();
    let found: Promise<unknown>;
    try {
      await other.query('SELECT FROM trace_search_queue WHERE trace_id = $1 FOR UPDATE', [one.traceId]);
      found = client.post(SEARCH, { q: 'kestrel' });
      // Long enough for the search to have passed over the row.
      for (const stranger of strangers) await stranger.post(SEARCH, { q: 'kestrel' });
    } finally {
      await other.rollbackTransaction();
      await other.release();
    }
    const complete = { items: [{ trace_id: one.traceId }], total: 1 };
    const first = (await found) as { partial?: true };
    if (!first.partial) expect(first).toMatchObject(complete);
    expect(await client.post(SEARCH, { q: 'kestrel' })).toMatchObject(complete);
  });

  it('takes it over from a worker that was killed', async () => {
    const one = span({ name: 'merganser' });
    await send(me, [one]);
    const dead = await worker.claim(one.traceId as string);
    const found = await idsOf({ q: 'merganser' });
    expect([found.ids, found.partial]).toEqual([[one.traceId], undefined]);
    await worker.project([dead]);
    expect(await worker.searchedName(one.traceId as string)).toBe('merganser');
  });

  it('says that its answer is partial while more traces wait than it reads itself', async () => {
    const client = await app.stranger();
    const count = async (body: object) => {
      const found = (await client.post(SEARCH, body)) as { total: number; total_is_exact: boolean; partial?: true };
      return [found.total, found.total_is_exact, found.partial];
    };
    await send(
      client,
      Array.from({ length: 230 }, () => span({ name: 'dunlin' })),
    );
    expect(await count({ q: 'dunlin' })).toEqual([200, false, true]);
    expect(await count({ q: 'dunlin' })).toEqual([230, true, undefined]);
    await send(
      client,
      Array.from({ length: 210 }, () => span({ name: 'dunlin' })),
    );
    expect(await count({})).toEqual([440, true, undefined]);
  });
});

describe('a trace with more different values than its index takes', () => {
  it('is found by every one of them, and by none it has not', async () => {
    const id = traceId();
    const keys = Array.from({ length: 1500 }, (_, index) => index);
    const spans = [0, 1, 2].map((part) =>
      span({ traceId: id, name: `crowd ${part}`, attributes: keys.map((key) => text(`k${key}`, `${part}-${key}`)) }),
    );
    await send(me, spans);
    const byKey = async (key: number, value: string, logic: string) => {
      const filter = { field: 'span_attributes', operator: 'key_equals', nested_key: `k${key}`, value };
      const more = { field: 'span_name', operator: 'starts_with', value: 'crowd' };
      const found = await me.post(SEARCH, { filter_group: { logic, filters: [filter, more] } });
      return (found as { total: number }).total;
    };
    for (const logic of ['AND', 'SPAN_AND']) {
      expect([await byKey(0, '0-0', logic), await byKey(1499, '2-1499', logic), await byKey(7, 'no', logic)]).toEqual([
        1, 1, 0,
      ]);
    }
    const crowd = { field: 'span_name', operator: 'is', value: 'crowd 2' };
    expect(await me.post(SEARCH, { filter_group: { filters: [crowd] } })).toMatchObject({ total: 1 });
  });
});

describe('the same spans', () => {
  /**
   * Search documents of a trace, without the ids that depend on arrival. The summary is the same before and after
   * indexing.
   */
  async function documentOf(id: string): Promise<unknown> {
    const trace = await summaryOfOne(id);
    await me.post(SEARCH, {});
    expect(await summaryOfOne(id)).toEqual(trace);
    const rows = await app.sql(
      `SELECT row_to_json(x)::jsonb - 'trace_id' AS trace,
              (SELECT jsonb_agg(to_jsonb(d) - 'trace_id' ORDER BY span_id) FROM span_search d WHERE d.trace_id = x.trace_id) AS spans
         FROM trace_search x WHERE trace_id = $1`,
      [id],
    );
    const root = trace.root_span as Record<string, unknown>;
    return [{ ...trace, trace_id: '', root_span: { ...root, id: 0 } }, rows];
  }

  async function deliver(trace: TestTrace, spans: TestSpan[], cuts: number[]): Promise<void> {
    const edges = [0, ...[...new Set(cuts)].sort((a, b) => a - b), spans.length];
    for (let index = 1; index < edges.length; index++) {
      const part = spans.slice(edges[index - 1], edges[index]);
      if (part.length === 0) continue;
      const resourceSpans = part.map((each) => toResourceSpans(trace, each));
      await me.with(JSON_TYPE).request('POST', '/v1/traces', JSON.stringify({ resourceSpans }));
      // Now and then somebody looks before the rest is there.
      if (index % 2 === 0) await me.post(SEARCH, {});
    }
  }

  it('give the same trace in any order, split and repetition', async () => {
    const arrivals = traces.chain((trace) =>
      fc.record({
        trace: fc.constant(trace),
        order: fc.shuffledSubarray(trace.spans, { minLength: trace.spans.length, maxLength: trace.spans.length }),
        repeated: fc.subarray(trace.spans),
        cuts: fc.array(fc.integer({ min: 1, max: trace.spans.length * 2 }), { maxLength: 4 }),
      }),
    );
    await fc.assert(
      fc.asyncProperty(arrivals, async ({ trace, order, repeated, cuts }) => {
        const [first, second] = [
          { ...trace, id: traceId() },
          { ...trace, id: traceId() },
        ];
        await deliver(first, trace.spans, []);
        await deliver(second, [...order, ...repeated], cuts);
        const told = await documentOf(first.id);
        expect(await documentOf(second.id)).toEqual(told);
        const { root, depth, status } = summaryOf(trace);
        expect((told as [object])[0]).toMatchObject({
          depth,
          status,
          span_count: trace.spans.length,
          root_span: { span_id: root.id },
        });
      }),
      { numRuns: 25 },
    );
  });

  it('have a parent that comes late as their parent', async () => {
    const id = traceId();
    const [top, child] = [spanId(), span({ traceId: id, name: 'child', startTimeUnixNano: '1780000000500000000' })];
    await send(me, [{ ...child, parentSpanId: top }]);
    expect(await me.get(`/api/public/v2/traces/${id}`)).toMatchObject({ trace: { name: 'child', depth: 1 } });
    await send(me, [span({ traceId: id, spanId: top, name: 'top' })]);
    expect(await me.get(`/api/public/v2/traces/${id}`)).toMatchObject({ trace: { name: 'top', depth: 2 } });
  });
});

describe('a working server', () => {
  it('indexes traces after a notification of ingestion, without a sweep', async () => {
    const working = await TestApp.own();
    try {
      await send(working.client, [span(), span(), span()]);
      await until(async () => (await working.sql('SELECT FROM trace_search_queue')).length === 0);
      expect(await working.sql('SELECT FROM trace_search')).toHaveLength(3);
    } finally {
      await working.stop();
    }
  });
});
