import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { llmSpan, send, span, traceId } from '../support/otlp.js';
import { TestApp } from '../support/test-app.js';

const SEARCH = '/api/public/v2/traces/search';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.start({ works: false });
  me = app.client;
});
afterAll(() => app.stop());

interface Found {
  items: { trace_id: string; name: string }[];
  next_cursor: string | null;
}

const is = (field: string, value: unknown) => ({ field, operator: 'is', value });
const at = (second: number) => `${1_780_000_000 + second}000000000`;

const SORTS = [
  'trace_start',
  'trace_end',
  'trace_duration_ms',
  'trace_total_cost_usd',
  'trace_total_tokens',
  'trace_input_tokens',
  'trace_output_tokens',
  'trace_span_count',
  'trace_depth',
  'trace_name',
  'trace_status',
];

describe('pages', () => {
  let client: Client;
  const COUNT = 5;
  beforeAll(async () => {
    client = await app.stranger();
    for (let index = 0; index < COUNT; index++) {
      // Two start at the same moment, and one never ends.
      const startTimeUnixNano = at(Math.floor(index / 2));
      const endTimeUnixNano = index === 3 ? '0' : at(20 - index);
      await send(client, [span({ traceId: traceId(), name: `t${index}`, startTimeUnixNano, endTimeUnixNano })]);
    }
  });

  it.each([
    ['nothing', []],
    ['what the indexes tell of a span', [is('span_type', 'CODE_EXECUTION')]],
    ['what they do not tell', [{ field: 'span_model', operator: 'is_not', value: 'gpt-4o' }]],
  ])(
    'come by number with totals, and by cursor, in every order, each trace once, with a filter for %s',
    async (_, filters) => {
      for (const sort of SORTS) {
        for (const order of ['asc', 'desc']) {
          const query = { sort_by: sort, sort_order: order, filter_group: { logic: 'SPAN_AND', filters } };
          const byNumber: string[] = [];
          for (let page = 1; page <= 3; page++) {
            const found = (await client.post(SEARCH, { ...query, page, per_page: 2 })) as Found;
            expect(found).toMatchObject({ total: COUNT, pages: 3, has_next: page < 3 });
            byNumber.push(...found.items.map((item) => item.trace_id));
          }
          const byCursor: string[] = [];
          for (let cursor: string | null | undefined; cursor !== null;) {
            const found = (await client.post(SEARCH, { ...query, limit: 2, cursor })) as Found;
            byCursor.push(...found.items.map((item) => item.trace_id));
            cursor = found.next_cursor;
          }
          expect(new Set(byNumber).size).toBe(COUNT);
          expect([sort, order, byCursor]).toEqual([sort, order, byNumber]);
        }
      }
    },
  );

  it('put traces without a value last in both directions, filtered or not', async () => {
    const group = { logic: 'SPAN_AND', filters: [{ field: 'span_model', operator: 'is_not', value: 'gpt-4o' }] };
    for (const filter_group of [undefined, group]) {
      for (const sort_order of ['asc', 'desc']) {
        const found = (await client.post(SEARCH, { sort_by: 'trace_end', sort_order, filter_group })) as Found;
        expect(found.items.map((item) => item.name)).toHaveLength(COUNT);
        expect(found.items.at(-1)!.name).toBe('t3');
      }
    }
  });

  it('go on behind the highest costs that clients can report', async () => {
    const spender = await app.stranger();
    const spans = ['1.5e308', '1.2e308'].map((cost) => llmSpan({ more: { 'gen_ai.usage.cost': cost } }));
    await send(spender, spans);
    const query = { sort_by: 'trace_total_cost_usd', sort_order: 'desc', limit: 1 };
    const { next_cursor: cursor, ...first } = (await spender.post(SEARCH, query)) as Found;
    const second = (await spender.post(SEARCH, { ...query, cursor })) as Found;
    expect([...first.items, ...second.items].map((item) => item.trace_id)).toEqual(spans.map((each) => each.traceId));
  });

  it('are empty beyond the end, with the same totals', async () => {
    expect(await client.post(SEARCH, { page: 99 })).toMatchObject({ items: [], total: COUNT, has_next: false });
  });

  it('are the same with GET, whose filter is JSON text', async () => {
    const filter = encodeURIComponent(JSON.stringify({ filters: [is('trace_name', 't1')] }));
    expect(await client.get(`${SEARCH}?filter_group=${filter}`)).toMatchObject({ total: 1, items: [{ name: 't1' }] });
    expect(await client.get(`${SEARCH}?limit=3&sort_by=trace_name`)).toMatchObject({ pagination: { limit: 3 } });
  });

  it('refuse page with cursor, and a cursor of another list', async () => {
    const { next_cursor: cursor } = (await client.post(SEARCH, { limit: 1 })) as Found;
    await client.post(SEARCH, { page: 1, cursor }, 422);
    await client.get(`${SEARCH}?page=1&cursor=${cursor!}`, 422);
    for (const other of [
      { sort_by: 'trace_name' },
      { sort_order: 'asc' },
      { q: 'x' },
      { filter_group: { filters: [] } },
    ]) {
      const refusal = await client.post(SEARCH, { cursor, ...other }, 400);
      expect(refusal).toMatchObject({ error: 'cursor_invalid' });
    }
    expect(await me.post(SEARCH, { cursor }, 400)).toMatchObject({ error: 'cursor_invalid' });
    expect(await client.get(`${SEARCH}?cursor=${cursor!}`)).toMatchObject({ success: true });
  });
});

describe('a filter that cannot be answered', () => {
  it.each<[number, unknown]>([
    [422, { filters: [is('nobody', 1)] }],
    [422, { filters: [{ field: 'span_name', operator: 'resembles', value: 'x' }] }],
    [422, { logic: 'SPAN', filters: [] }],
    [422, { filters: {} }],
    [422, {}],
    [422, { filters: [{ field: 'span_attributes', operator: 'key_equals', value: 'x' }] }],
    [400, { filters: [{ field: 'span_name', operator: 'gt', value: 1 }] }],
    [400, { filters: [{ field: 'trace_depth', operator: 'gt', value: 'deep' }] }],
    [400, { filters: [{ field: 'trace_start', operator: 'is', value: 'yesterday' }] }],
    [400, { filters: [{ field: 'trace_prompt_versions', operator: 'contains', value: { prompt_id: 1 } }] }],
    [400, { filters: [{ field: 'span_name', operator: 'in', value: 'x' }] }],
    [200, { filters: [] }],
    [200, { logic: 'SPAN_AND', filters: [] }],
    [200, { filters: [is('span_id', '\u0000'), is('span_name', '\ud800'), is('trace_user_id', 'x'.repeat(10_000))] }],
    [200, { filters: [{ field: 'span_tokens', operator: 'gt', value: 1e308 }] }],
    [200, { filters: [{ field: 'span_prompt_id', operator: 'is', value: '9223372036854775807' }] }],
    [200, { filters: [{ field: 'trace_start', operator: 'between', value: ['0001-01-01', '9999-12-31'] }] }],
    [200, { filters: [{ field: 'span_attributes', operator: 'key_equals', nested_key: '\u0000"\\', value: '{' }] }],
  ])('is answered %i, case %#', async (status, filterGroup) => {
    await me.post(SEARCH, { filter_group: filterGroup }, status);
    await me.get(`${SEARCH}?filter_group=${encodeURIComponent(JSON.stringify(filterGroup))}`, status);
  });

  it('is answered 422 when the text is no JSON', async () => {
    for (const bad of ['{', 'x', '%00', '['.repeat(5000)]) await me.get(`${SEARCH}?filter_group=${bad}`, 422);
  });
});
