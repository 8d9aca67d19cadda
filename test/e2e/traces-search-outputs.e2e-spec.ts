import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { llmSpan, send, span, text, traceId } from '../support/otlp.js';
import { TestApp } from '../support/test-app.js';

const SEARCH = '/api/public/v2/traces/search';

let app: TestApp;
let me: Client;
const [one, two] = [traceId(), traceId()];
beforeAll(async () => {
  app = await TestApp.start({ works: false });
  me = await app.stranger();
  const step = (trace: string, output: unknown) =>
    span({ traceId: trace, attributes: [text('function_output', JSON.stringify(output))] });
  await send(me, [
    step(one, { customer: { tier: 'gold', age: 40 }, items: [{ sku: 'a' }, { sku: 'b' }] }),
    step(one, { done: true }),
    step(two, { customer: { tier: 'silver' } }),
  ]);
});
afterAll(() => app.stop());

/** Filters of outputs, and the traces that match. */
const CASES: [object, string[]][] = [
  [{ span_output_keys: ['customer.tier'] }, [one, two]],
  [{ span_output_keys: ['customer.tier', 'customer.age'] }, [one]],
  [{ span_output_keys: ['customer.tier', 'done'] }, []],
  [{ span_output_keys: [] }, [one, two]],
  [{ span_output_keys: null, span_output_values: null }, [one, two]],
  [{ span_output_values: { 'customer.tier': 'gold' } }, [one]],
  [{ span_output_values: { 'customer.tier': ['gold', 'silver'] } }, [one, two]],
  [{ span_output_values: { 'customer.age': 40, 'items.sku': 'b' } }, [one]],
  [{ span_output_values: { done: true, 'customer.age': 40 } }, []],
  [{ span_output_values: ['silver'] }, [two]],
  [{ span_output_values: ['gold', 'b'] }, [one]],
  [{ span_output_values: ['gold', 'silver'] }, []],
  [{ span_output_keys: ['customer.age'], span_output_values: { 'customer.tier': 'gold' } }, [one]],
  [
    {
      span_output_keys: ['customer.tier'],
      filter_group: { filters: [{ field: 'trace_id', operator: 'is', value: two }] },
    },
    [two],
  ],
];

describe('a search of traces by the outputs of their spans', () => {
  it.each(CASES)('%j', async (asked, expected) => {
    const { items } = (await me.post(SEARCH, asked)) as { items: { trace_id: string }[] };
    expect(items.map(({ trace_id }) => trace_id).sort()).toEqual([...expected].sort());
  });

  it.each([
    [{ span_output_keys: 'done' }, ['body', 'span_output_keys']],
    [{ span_output_keys: [1] }, ['body', 'span_output_keys']],
    [{ span_output_values: 'gold' }, ['body', 'span_output_values']],
    [{ span_output_values: { a: { b: 1 } } }, ['body', 'span_output_values', 'a']],
    [{ span_output_values: { a: [null] } }, ['body', 'span_output_values', 'a', 0]],
  ])('refuses %j', async (asked, loc) => {
    expect(await me.request('POST', SEARCH, asked)).toMatchObject({ status: 422, body: { detail: [{ loc }] } });
  });

  it('goes on with a cursor only under the same outputs', async () => {
    const asked = { span_output_keys: ['customer.tier'], limit: 1 };
    const { next_cursor: cursor } = (await me.post(SEARCH, asked)) as { next_cursor: string };
    expect(await me.post(SEARCH, { ...asked, cursor })).toMatchObject({ items: [{}], has_more: false });
    const other = { ...asked, cursor, span_output_keys: ['done'] };
    expect(await me.request('POST', SEARCH, other)).toMatchObject({ status: 400 });
  });
});

/** An answer of a model that holds JSON, as people see it. */
const WRITTEN = 'Here is your town:\n```json\n{"town": {"name": "Bergen"}, "rain": true}\n```';

describe('the output of a span that is an answer with JSON', () => {
  const said = (operator: string, value: string) => ({ filters: [{ field: 'span_output', operator, value }] });
  const CASES: [operator: string, value: string, isFound: boolean][] = [
    ['contains', '"name": "bergen"', true],
    ['contains', 'your town', true],
    ['starts_with', 'here is', true],
    ['ends_with', '```', true],
    ['contains', 'town.name: Bergen', true],
    ['starts_with', 'town.name', true],
    ['contains', '"name": "Oslo"', false],
    ['not_contains', 'your town', false],
    ['not_contains', 'town.name: bergen', false],
    ['not_contains', 'oslo', true],
  ];

  it('is found by what was written and by its lines', async () => {
    const client = await app.stranger();
    const sent = llmSpan({ output: WRITTEN });
    await send(client, [sent]);
    for (const [operator, value, isFound] of CASES) {
      const { items } = (await client.post(SEARCH, { filter_group: said(operator, value) })) as { items: object[] };
      expect([operator, value, items.length]).toEqual([operator, value, Number(isFound)]);
    }
    for (const q of ['your bergen', '"is your town"'])
      expect(await client.post(SEARCH, { q })).toMatchObject({ items: [{ trace_id: sent.traceId }] });
  });
});
