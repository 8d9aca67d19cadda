import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { llmSpan, send, span, text, traceId } from '../support/otlp.js';
import { TestApp } from '../support/test-app.js';

const SEARCH = '/api/public/v2/traces/search';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.start({ works: false });
  me = app.client;
  for (const trace of TRACES) await send(me, spansOf(trace));
});
afterAll(() => app.stop());

interface Sent {
  name: string;
  /** Seconds. */
  from: number;
  to: number;
  cost: number;
  inputTokens: number;
  outputTokens: number;
  status: number;
  /** Nested spans under the root, and siblings. */
  chain: number;
  siblings: number;
}

/** No two have a value in common. */
const TRACES: Sent[] = [
  { name: 'b', from: 30, to: 31, cost: 0.3, inputTokens: 5, outputTokens: 9, status: 1, chain: 0, siblings: 0 },
  { name: 'a', from: 10, to: 40, cost: 0.2, inputTokens: 20, outputTokens: 1, status: 2, chain: 2, siblings: 0 },
  { name: 'c', from: 20, to: 25, cost: 0.1, inputTokens: 1, outputTokens: 2, status: 0, chain: 1, siblings: 3 },
];

const at = (second: number) => `${1_780_000_000 + second}000000000`;

function spansOf(sent: Sent): object[] {
  const times = { traceId: traceId(), startTimeUnixNano: at(sent.from), endTimeUnixNano: at(sent.to) };
  const call = llmSpan(sent, { ...times, name: sent.name, status: { code: sent.status } });
  const cost = { key: 'gen_ai.usage.cost', value: { doubleValue: sent.cost } };
  const root = { ...call, attributes: [...(call.attributes as object[]), cost] };
  const chain: Record<string, unknown>[] = [];
  for (let index = 0; index < sent.chain; index++) {
    chain.push(span({ ...times, parentSpanId: (chain.at(-1) ?? call).spanId }));
  }
  return [
    root,
    ...chain,
    ...Array.from({ length: sent.siblings }, () => span({ ...times, parentSpanId: call.spanId })),
  ];
}

interface Found {
  items: { name: string }[];
}
const names = async (body: object): Promise<string> =>
  ((await me.post(SEARCH, body)) as Found).items.map(({ name }) => name).join('');

describe('the order of traces', () => {
  it.each([
    ['trace_start', 'acb'],
    ['trace_end', 'cba'],
    ['trace_duration_ms', 'bca'],
    ['trace_total_cost_usd', 'cab'],
    ['trace_total_tokens', 'cba'],
    ['trace_input_tokens', 'cba'],
    ['trace_output_tokens', 'acb'],
    ['trace_span_count', 'bac'],
    ['trace_depth', 'bca'],
    ['trace_name', 'abc'],
    ['trace_status', 'abc'],
  ])('by %s ascending is %s, and descending its reverse', async (sort_by, ascending) => {
    const descending = [...ascending].reverse().join('');
    for (const filter_group of [undefined, { filters: [{ field: 'span_model', operator: 'is_not', value: 'x' }] }]) {
      expect(await names({ sort_by, sort_order: 'asc', filter_group })).toBe(ascending);
      expect(await names({ sort_by, sort_order: 'desc', filter_group })).toBe(descending);
      expect(await names({ sort_by, filter_group })).toBe(descending);
      expect(await names({ sort_by, sort_order: 'asc', filter_group, limit: 100 })).toBe(ascending);
    }
  });

  it('is that of their start, the newest first, unless another is wanted', async () => {
    expect(await names({})).toBe('bca');
    expect(await names({ sort_order: 'asc' })).toBe('acb');
    expect(((await me.get(SEARCH)) as Found).items.map(({ name }) => name)).toEqual(['b', 'c', 'a']);
  });
});

/** Ids of equal traces share the beginning that the index stores, and the traces start at the same moment. */
describe('the order of traces that are equal', () => {
  const CODES = { UNSET: 0, OK: 1, ERROR: 2 };
  const statuses = Object.keys(CODES) as (keyof typeof CODES)[];
  const equal = Array.from({ length: 40 }, (_, index) => ({
    id: `abcdef${traceId().slice(6)}`,
    status: statuses[index % 3]!,
  }));
  let client: Client;
  beforeAll(async () => {
    client = await app.stranger();
    const spans = equal.map(({ id, status }) =>
      span({ traceId: id, startTimeUnixNano: at(1), endTimeUnixNano: at(2), status: { code: CODES[status] } }),
    );
    await send(client, spans);
  });

  const search = async (body: object) =>
    (await client.post(SEARCH, body)) as { items: { trace_id: string }[]; next_cursor: string | null; total: number };

  /** Ids from all pages, in order. */
  async function idsOf(body: object): Promise<string[]> {
    const ids: string[] = [];
    for (let cursor: string | null = null; ;) {
      const page = await search({ ...body, limit: 7, cursor });
      ids.push(...page.items.map((item) => item.trace_id));
      cursor = page.next_cursor;
      if (cursor === null) return ids;
    }
  }

  it.each(['trace_status', 'trace_start', 'trace_end', 'trace_duration_ms', 'trace_total_cost_usd', 'trace_name'])(
    'by %s is that of their ids, against the order, over all pages',
    async (sort_by) => {
      const rank = ({ status }: (typeof equal)[0]) => (sort_by === 'trace_status' ? status : '');
      const ascending = equal.toSorted(
        (a, b) => (rank(a) + ' ').localeCompare(rank(b) + ' ') || (a.id < b.id ? 1 : -1),
      );
      const expected = ascending.map(({ id }) => id);
      const filter_group = { filters: [{ field: 'span_type', operator: 'is_not', value: 'x' }] };
      for (const body of [
        { sort_by, sort_order: 'asc' },
        { sort_by, sort_order: 'asc', filter_group },
      ]) {
        expect(await idsOf(body)).toEqual(expected);
        expect(await idsOf({ ...body, sort_order: 'desc' })).toEqual(expected.toReversed());
        const second = await search({ ...body, page: 3, per_page: 9 });
        expect(second.items.map((item) => item.trace_id)).toEqual(expected.slice(18, 27));
        expect(second.total).toBe(40);
      }
    },
  );
});

describe('free text together with a filter', () => {
  it('finds the traces that fulfil both', async () => {
    const client = await app.stranger();
    const said = (name: string, words: string, tool: string) => {
      const id = traceId();
      const root = span({ traceId: id, name, attributes: [text('function_input', words)] });
      return [root, span({ traceId: id, parentSpanId: root.spanId, name: `Tool: ${tool}` })];
    };
    await send(client, said('both', 'a red kite', 'pay'));
    await send(client, said('words alone', 'a red kite', 'look'));
    await send(client, said('filter alone', 'a blue kite', 'pay'));
    const filter_group = { filters: [{ field: 'span_tool_name', operator: 'is', value: 'pay' }] };
    for (const more of [{}, { limit: 10 }]) {
      for (const q of ['red', '"red kite"', 'RED ki']) {
        expect(((await client.post(SEARCH, { q, filter_group, ...more })) as Found).items).toMatchObject([
          { name: 'both' },
        ]);
      }
    }
    const not = { filters: [{ field: 'span_tool_name', operator: 'is_not', value: 'pay' }] };
    expect(((await client.post(SEARCH, { q: 'kite', filter_group: not })) as Found).items).toMatchObject([
      { name: 'words alone' },
    ]);
    expect(await client.post(SEARCH, { q: 'green', filter_group })).toMatchObject({ items: [], total: 0 });
    expect(await client.post(SEARCH, { q: 'red', filter_group })).toMatchObject({ total: 1 });
  });
});
