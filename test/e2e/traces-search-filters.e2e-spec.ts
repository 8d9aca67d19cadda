import fc from 'fast-check';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SqlParameters } from '../../src/platform/filters/sql-parameters.js';
import { traceConditions } from '../../src/traces/index.js';
import { tries } from '../support/depth.js';
import { JSON_TYPE, send, span, text } from '../support/otlp.js';
import { TestApp } from '../support/test-app.js';
import { groups, textLeaves } from './traces-search.groups.js';
import { naive } from './traces-search.oracle.js';
import { summaryOf, type TestTrace, toResourceSpans, traces } from './traces-search.samples.js';

const SEARCH = '/api/public/v2/traces/search';

/** Queues all traces for tomorrow: the index is outdated, and no worker reads them. */
const letAllWait = (app: TestApp) =>
  app.sql(`INSERT INTO trace_search_queue (workspace_id, trace_id, generation, due_at)
           SELECT workspace_id, trace_id, 0, now() + interval '1 day' FROM traces`);

/** The server's answer is compared with a naive evaluation of the same filter over the spans that were sent. */
describe('filters of traces', () => {
  const sample = fc.sample(traces, { numRuns: 120, seed: 5 });
  let app: TestApp;

  beforeAll(async () => {
    app = await TestApp.own({ works: false });
    const resourceSpans = sample.flatMap((trace) => trace.spans.map((each) => toResourceSpans(trace, each)));
    await app.client.with(JSON_TYPE).request('POST', '/v1/traces', JSON.stringify({ resourceSpans }));
    await app.client.get(SEARCH);
  });
  afterAll(() => app.stop());

  async function found(filterGroup: unknown): Promise<string[]> {
    const db = app.app.get(DataSource);
    const parameters = new SqlParameters();
    const condition = await traceConditions(db.manager, 1, { filterGroup }, parameters);
    const sql = `SELECT t.trace_id FROM traces t WHERE ${condition} ORDER BY 1`;
    return (await db.query<{ trace_id: string }[]>(sql, parameters.values)).map((row) => row.trace_id);
  }

  const expected = (matches: (trace: TestTrace) => boolean) =>
    sample
      .filter(matches)
      .map(({ id }) => id)
      .sort();

  it('see each trace as the model describes it', async () => {
    const found = await app.client.get(`${SEARCH}?per_page=100`);
    const { items } = found as { items: { trace_id: string; name: string; depth: number; status: string }[] };
    for (const item of items) {
      const trace = sample.find(({ id }) => id === item.trace_id)!;
      const { root, depth, status, user, session } = summaryOf(trace);
      expect(item).toMatchObject({
        name: root.name,
        depth,
        status,
        user_id: user,
        session_id: session,
        root_span: { span_id: root.id },
      });
    }
    expect(items).toHaveLength(100);
  });

  it('find exactly the traces that a naive evaluation finds, for any group', async () => {
    let some = 0;
    await fc.assert(
      fc.asyncProperty(groups, async (group) => {
        const ids = await found(group);
        expect(ids).toEqual(expected((trace) => naive(group, trace)));
        if (ids.length > 0 && ids.length < sample.length) some += 1;
      }),
      { numRuns: tries(600) },
    );
    // Guards the test itself: groups that match all traces or none would prove little.
    expect(some).toBeGreaterThan(tries(200));
  });

  it('find the same traces while they wait for the index', async () => {
    await letAllWait(app);
    await fc.assert(
      fc.asyncProperty(groups, async (group) => {
        expect(await found(group)).toEqual(expected((trace) => naive(group, trace)));
      }),
      { numRuns: tries(100) },
    );
    await app.sql('DELETE FROM trace_search_queue');
  });

  it('find exactly the traces with one of some texts, which are looked up by their words first', async () => {
    const group = fc.record({
      logic: fc.constantFrom('OR', 'SPAN_OR'),
      filters: fc.array(textLeaves, { minLength: 2, maxLength: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(group, async (either) => {
        expect(await found(either)).toEqual(expected((trace) => naive(either, trace)));
      }),
      { numRuns: tries(100) },
    );
  });
});

describe('metadata that hold JSON', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await TestApp.own({ works: false });
  });
  afterAll(() => app.stop());

  it('are found by what lies in them, however many values the trace has', async () => {
    const { client } = app;
    const context = JSON.stringify({ plan: 'pro', seats: [{ n: 4 }, { n: 7 }], roles: [], note: 'x'.repeat(300) });
    const attributes = [text('promptlayer.metadata.context', context), text('metadata', '{"roles":["a",[["b"]]]}')];
    const plain = [text('promptlayer.metadata.context.plan', 'free'), text('metadata', '{"n":1}')];
    await send(client, [span({ name: 'nesting', attributes }), span({ name: 'plain', attributes: plain })]);
    const names = async (filter_group: object) => {
      const { items } = (await client.post(SEARCH, { filter_group })) as { items: { name: string }[] };
      return items.map(({ name }) => name).sort();
    };
    const of = (operator: string, nested_key: string, value?: unknown) => ({
      filters: [{ field: 'trace_metadata', operator, nested_key, value }],
    });
    const cases: [ReturnType<typeof of>, string[]][] = [
      [of('key_equals', 'context.plan', 'pro'), ['nesting']],
      [of('key_equals', 'context.plan', 'free'), ['plain']],
      [of('in', 'context.seats.n', [1, 7]), ['nesting']],
      [of('key_equals', 'context.note', 'x'.repeat(300)), ['nesting']],
      [of('key_equals', 'roles', 'b'), ['nesting']],
      [of('key_contains', 'context.plan', 'R'), ['nesting', 'plain']],
      [of('key_not_equals', 'context.plan', 'pro'), ['plain']],
      [of('is_empty', 'context.seats.n'), ['plain']],
      [of('is_empty', 'context.roles'), ['nesting', 'plain']],
      [of('is_not_empty', 'context'), ['nesting']],
    ];
    for (const [filter, found] of cases) expect([filter, await names(filter)]).toEqual([filter, found]);
    await app.sql('UPDATE trace_search SET facets_cut = true, facets = facets || (workspace_id || $1)', [':~']);
    await letAllWait(app);
    for (const [filter, found] of cases) expect([filter, await names(filter)]).toEqual([filter, found]);
  });
});
