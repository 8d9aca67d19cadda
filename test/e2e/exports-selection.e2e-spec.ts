import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { download, lines } from '../support/exports.js';
import { at, llmSpan, send, span } from '../support/otlp.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.own();
});
afterAll(() => app.stop());

describe('what filters select', () => {
  const SEARCH = '/api/public/v2/traces/search';
  let me: Client;
  const sent = [3, 1, 2, 0].map((second, index) => {
    const root = span({ name: index === 1 ? 'odd' : 'even', ...at(10 * second) });
    const call = { model: second > 1 ? 'gpt-4o' : 'gpt-4o-mini', output: second === 2 ? 'a pear' : 'an apple' };
    const child = llmSpan(call, { traceId: root.traceId, parentSpanId: root.spanId, ...at(10 * second + 1) });
    return [child, root];
  });
  beforeAll(async () => {
    me = await app.stranger();
    await send(me, sent.flat());
  });

  const model = (value: string) => ({ field: 'trace_models_used', operator: 'contains', value });
  const named = (value: string) => ({ field: 'trace_name', operator: 'is', value });
  const idsOf = async (source: string, wish: object, column: string) => {
    const { bytes, export: done } = await download(me, { source, format: 'jsonl', columns: [column], ...wish });
    const ids = lines(bytes).map((line) => line[column]);
    expect(done).toMatchObject({ row_count: ids.length, total: ids.length });
    return ids;
  };

  it.each([
    ['all there is', {}, 4],
    ['a group', { filter_group: { logic: 'AND', filters: [model('gpt-4o')] } }, 2],
    ['either of two', { filter_group: { logic: 'OR', filters: [model('gpt-4o'), named('odd')] } }, 3],
    ['further filters', { filter_group: { filters: [named('even')] }, filters: [model('gpt-4o')] }, 2],
    ['words', { q: 'pear' }, 1],
    ['words and filters', { q: 'apple', filters: [named('odd')] }, 1],
    ['nothing', { q: 'avocado' }, 0],
  ])('is in the files of traces and of their spans as a search finds it: %s', async (_, wish, count) => {
    const { filter_group: group, filters = [], q } = wish as { filter_group?: object; filters?: object[]; q?: string };
    const filter_group = { logic: 'AND', filters: [...(group ? [group] : []), ...filters] };
    const asked = { ...(filter_group.filters.length > 0 && { filter_group }), ...(q && { q }) };
    const { items } = (await me.post(SEARCH, asked)) as { items: { trace_id: string }[] };
    const found = items.map((trace) => trace.trace_id);
    expect(found).toHaveLength(count);
    expect(await idsOf('traces', wish, 'trace_id')).toEqual(found);
    const spans = found.flatMap((id) => sent.find(([span]) => span!.traceId === id)!.map(({ spanId }) => spanId));
    expect(await idsOf('spans', wish, 'span_id')).toEqual(spans);
    expect(await idsOf('traces', { ...wish, limit: 1 }, 'trace_id')).toEqual(found.slice(0, 1));
    for (const limit of [1, 3])
      expect(await idsOf('spans', { ...wish, limit }, 'span_id')).toEqual(spans.slice(0, limit));
  });
});

describe('what is read while a trace waits that search could not read', () => {
  const V2 = '/api/public/v2';
  const filter_group = { filters: [{ field: 'trace_name', operator: 'is', value: 'kept' }] };
  const customCharts = [{ id: 'names', title: 'Names', chartType: 'pie', metric: 'count', groupByField: 'trace_name' }];

  it('says that it is partial, until the trace is read', async () => {
    const me = await app.stranger();
    const [kept, waiting] = [span({ name: 'kept' }), span({ name: 'kept' })];
    await send(me, [kept, waiting]);
    const partials = async () => {
      const asked = [
        await me.post(`${V2}/traces/search`, { filter_group }),
        await me.post(`${V2}/traces/histogram`, { filter_group }),
        await me.post(`${V2}/traces/analytics/custom-analytics`, { filter_group, customCharts }),
        (await download(me, { source: 'traces', format: 'jsonl', filter_group })).export,
        (await download(me, { source: 'spans', format: 'jsonl', q: 'kept' })).export,
      ];
      return asked.map((answer) => (answer as { partial?: boolean }).partial ?? false);
    };
    expect(await partials()).toEqual([false, false, false, false, false]);
    const ofWaiting = `WHERE trace_id = '${String(waiting.traceId)}'`;
    await app.sql(`INSERT INTO trace_search_queue (workspace_id, trace_id, generation, due_at)
      SELECT workspace_id, trace_id, nextval('trace_search_generations'), now() + interval '1 day' FROM traces ${ofWaiting}`);
    expect(await partials()).toEqual([true, true, true, true, true]);
    // Results that do not depend on the search index are complete.
    expect(await me.post(`${V2}/traces/histogram`, {})).toMatchObject({ partial: false });
    expect((await download(me, { source: 'requests', format: 'jsonl' })).export).toMatchObject({ partial: false });
    await app.sql(`UPDATE trace_search_queue SET due_at = now() ${ofWaiting}`);
    expect(await partials()).toEqual([false, false, false, false, false]);
  });
});

describe('exports of more than is found at once', () => {
  const TRACES = 2600;
  const PARTS = 2500;
  let me: Client;
  beforeAll(async () => {
    me = await app.stranger();
    const { workspaces } = (await app.operator().get('/api/admin/v1/workspaces')) as { workspaces: { id: number }[] };
    const id = workspaces.at(-1)!.id;
    // Several begin at the same moment, and one of them has most of the spans.
    await app.sql(
      `INSERT INTO traces (workspace_id, trace_id, start_ns, span_count)
       SELECT $1, md5(n::text), 1780000000000000000 + n / 7, CASE n WHEN 2000 THEN $2::int ELSE 1 END
         FROM generate_series(1, $3::int) n`,
      [id, PARTS, TRACES],
    );
    await app.sql(
      `INSERT INTO spans (workspace_id, trace_id, span_id, id, start_ns, kind, status, sanitized, source_hash, name,
                          span_type, trace_state, attributes)
       SELECT $1, md5(n::text), lpad(part::text, 16, '0'), -(n * 100000 + part), 1780000000000000000 + n / 7 + part % 100,
              0, 0, FALSE, '\\x00', 'step', 'UNKNOWN', '', '{}'
         FROM generate_series(1, $3::int) n, generate_series(1, CASE n WHEN 2000 THEN $2::int ELSE 1 END) part`,
      [id, PARTS, TRACES],
    );
  });

  const newestFirst = `t.start_ns DESC, t.trace_id`;
  const inOrder = async (what: string, order: string) => {
    const sql = `SELECT ${what} AS id FROM traces t JOIN spans s USING (workspace_id, trace_id)
      WHERE s.id < 0 GROUP BY ${order.replaceAll(' DESC', '')}, ${what} ORDER BY ${order}`;
    return ((await app.sql(sql)) as { id: string }[]).map(({ id }) => id);
  };

  it('have every log once, newest first and then by id, though many began at the same moment', async () => {
    const customer = await app.stranger();
    for (const second of [1, 0, 1]) {
      await send(
        customer,
        Array.from({ length: 700 }, () => llmSpan({}, at(second))),
      );
    }
    const columns = ['request_start_time', 'request_id'];
    const { bytes } = await download(customer, { source: 'requests', format: 'jsonl', columns });
    const rows = lines(bytes) as { request_start_time: string; request_id: number }[];
    const places = rows.map(({ request_start_time: time, request_id: id }) => `${time} ${String(id).padStart(9, '0')}`);
    expect([places.length, new Set(places).size]).toEqual([2100, 2100]);
    expect(places).toEqual(places.toSorted().toReversed());
    const few = await download(customer, { source: 'requests', format: 'jsonl', columns, limit: 1500 });
    expect(lines(few.bytes)).toEqual(rows.slice(0, 1500));
  });

  it('have every trace and every span once, trace by trace and in the same order each time', async () => {
    const ids = async (wish: object, column: string) => {
      const { bytes, export: done } = await download(me, { format: 'jsonl', columns: ['trace_id', column], ...wish });
      const rows = lines(bytes);
      expect(done).toMatchObject({ row_count: rows.length, total: rows.length });
      return rows.map((row) =>
        column === 'trace_id' ? row.trace_id : `${String(row.trace_id)} ${String(row[column])}`,
      );
    };
    const traces = await inOrder('t.trace_id', newestFirst);
    expect(traces).toHaveLength(TRACES);
    expect(await ids({ source: 'traces' }, 'trace_id')).toEqual(traces);
    const spans = await inOrder(`t.trace_id || ' ' || s.span_id`, `${newestFirst}, s.start_ns DESC, s.id DESC`);
    expect(spans).toHaveLength(TRACES - 1 + PARTS);
    expect(await ids({ source: 'spans' }, 'span_id')).toEqual(spans);
    expect(await ids({ source: 'spans', limit: 3001 }, 'span_id')).toEqual(spans.slice(0, 3001));
    const last = { field: 'trace_id', operator: 'is', value: traces.at(-1) };
    expect(await ids({ source: 'spans', filters: [last] }, 'span_id')).toEqual(spans.slice(-1));
  });
});
