import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bulkSpan, loggedCall, storeBulk } from '../support/bulk.js';
import type { Client } from '../support/client.js';
import { llmSpan, send, span, spanId, text, traceId } from '../support/otlp.js';
import { publishPrompt } from '../support/prompts.js';
import { TestApp } from '../support/test-app.js';

const SEARCH = '/api/public/v2/traces/search';

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start({ works: false });
});
afterAll(() => app.stop());

/** Filters that match the call, which has a million tokens of input. */
const OF_THE_CALL = [
  { field: 'span_model', operator: 'is', value: 'gpt-4o-mini' },
  { field: 'span_provider', operator: 'is', value: 'openai' },
  { field: 'trace_models_used', operator: 'contains', value: 'gpt-4o-mini' },
  { field: 'span_cost_usd', operator: 'between', value: [0.149, 0.151] },
  { field: 'trace_total_cost_usd', operator: 'between', value: [0.149, 0.151] },
  { field: 'span_input_tokens', operator: 'eq', value: 1_000_000 },
  { field: 'trace_input_tokens', operator: 'eq', value: 1_000_000 },
  { field: 'has_request_log', operator: 'is_true' },
];

async function count(client: Client, query: object): Promise<number> {
  return ((await client.post(SEARCH, query)) as { total: number }).total;
}

async function expectFound(client: Client, filters: object[]): Promise<void> {
  for (const filter of filters) {
    expect([filter, await count(client, { filter_group: { filters: [filter] } })]).toEqual([filter, 1]);
  }
}

describe('a trace of /spans-bulk with a logged call', () => {
  it('is found by what the call was and cost, and by its prompt', async () => {
    const me = await app.stranger();
    const { id } = await publishPrompt(me, 'greeting');
    await storeBulk(me, [bulkSpan({ name: 'answer', log_request: loggedCall({ prompt_name: 'greeting' }) })]);
    await storeBulk(me, [bulkSpan({ name: 'no call' })]);
    await expectFound(me, [
      ...OF_THE_CALL,
      { field: 'span_prompt_id', operator: 'is', value: id },
      { field: 'trace_prompt_versions', operator: 'contains', value: `${id}:1` },
    ]);
    expect(await count(me, { q: 'answer' })).toBe(1);
  });
});

describe('a span of /spans-bulk that says nothing of its call itself', () => {
  const said = (text: string) => ({
    type: 'chat',
    messages: [{ role: 'assistant', content: [{ type: 'text', text }] }],
  });
  const of = (field: string, operator: string, value: unknown, nested_key?: string) => {
    return { field, operator, value, nested_key };
  };

  it('is found by what was logged with it, as it was logged last', async () => {
    const me = await app.stranger();
    const call = loggedCall({
      output: said('{"parcel": {"place": "Oslo"}}'),
      prompt_input_variables: { order: { number: 17 } },
      tags: ['post'],
      metadata: { user_id: 'ada', team: 'support' },
    });
    const sent = bulkSpan({ name: 'answer', log_request: call });
    const { request_logs: logs } = await storeBulk(me, [sent]);
    await expectFound(me, [
      of('span_input', 'contains', 'is my parcel'),
      of('span_output', 'contains', 'place: oslo'),
      of('span_output_keys', 'contains', 'parcel.place'),
      of('span_output_values', 'key_equals', 'Oslo', 'parcel.place'),
      of('span_input_variables', 'key_equals', '17', 'order.number'),
      of('trace_tags', 'contains', 'post'),
      of('trace_metadata', 'key_equals', 'support', 'team'),
      of('trace_user_id', 'is', 'ada'),
    ]);
    for (const q of ['where parcel', 'oslo']) expect([q, await count(me, { q })]).toEqual([q, 1]);
    expect(await me.post(SEARCH, {})).toMatchObject({
      items: [{ user_id: 'ada', tags: ['post'], metadata: { user_id: 'ada', team: 'support' } }],
    });

    await me.post('/rest/track-metadata', { request_id: logs![0]!.id, metadata: { later: '1' } });
    await storeBulk(me, [{ ...sent, log_request: { ...call, output: said('In Bergen.'), tags: ['mail'] } }]);
    expect(await me.post(SEARCH, { q: 'bergen' })).toMatchObject({
      items: [{ tags: ['mail'], metadata: { user_id: 'ada', team: 'support' }, last_output: 'In Bergen.' }],
    });
    expect(await count(me, { q: 'oslo' })).toBe(0);
  });

  it('takes its own attributes first where they differ', async () => {
    const me = await app.stranger();
    const attributes = {
      function_output: 'In Bergen.',
      'promptlayer.metadata.team': 'sales',
      'promptlayer.tags': 'own',
    };
    const call = loggedCall({ tags: ['post'], metadata: { team: 'support' } });
    await storeBulk(me, [bulkSpan({ attributes, log_request: call })]);
    expect(await me.post(SEARCH, {})).toMatchObject({
      items: [
        {
          tags: ['own', 'post'],
          metadata: { team: 'sales' },
          first_input: '[user]: Where is my parcel?',
          last_output: 'In Bergen.',
        },
      ],
    });
  });
});

describe('a trace of a run of an SDK', () => {
  type Step = 'run' | 'call' | 'log';
  it.each<[Step, Step, Step]>([
    ['run', 'call', 'log'],
    ['call', 'run', 'log'],
    ['log', 'call', 'run'],
  ])('is found by what the call was, cost and said, when %s, %s and %s arrive in this order', async (...order) => {
    const me = await app.stranger();
    const [trace, run] = [traceId(), spanId()];
    const managed = { 'promptlayer.request_log.managed': 'true', 'promptlayer.request_log.span_id': run };
    const call = { input: 'Where is my parcel?', output: 'On its way.', more: { node_type: 'LLM_CALL', ...managed } };
    const attributes = [text('node_type', 'CODE_EXECUTION')];
    const steps: Record<Step, () => Promise<unknown>> = {
      run: () => send(me, [span({ traceId: trace, spanId: run, name: 'Run', attributes })]),
      call: () => send(me, [llmSpan(call, { traceId: trace, parentSpanId: run })]),
      log: () => trackRun(me, run),
    };
    for (const step of order) await steps[step]();
    await expectFound(me, [
      ...OF_THE_CALL,
      { field: 'span_input', operator: 'contains', value: 'my parcel' },
      { field: 'span_output', operator: 'contains', value: 'on its way' },
      { field: 'span_input_variables', operator: 'key_equals', nested_key: 'order', value: 17 },
      { field: 'trace_tags', operator: 'contains', value: 'post' },
      { field: 'trace_user_id', operator: 'is', value: 'ada' },
    ]);
    for (const q of ['parcel', 'way', 'parcel way']) expect([q, await count(me, { q })]).toEqual([q, 1]);
  });

  function trackRun(client: Client, run: string): Promise<unknown> {
    return client.post('/track-request', {
      function_name: 'openai.chat.completions.create',
      provider_type: 'openai',
      kwargs: { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Where is my parcel?' }] },
      request_response: {
        model: 'gpt-4o-mini',
        choices: [{ index: 0, message: { role: 'assistant', content: 'On its way.' }, finish_reason: 'stop' }],
        usage: { prompt_tokens: 1_000_000, completion_tokens: 0, total_tokens: 1_000_000 },
      },
      request_start_time: 1_780_000_000.5,
      request_end_time: 1_780_000_001,
      prompt_input_variables: { order: 17 },
      tags: ['post'],
      metadata: { user_id: 'ada' },
      span_id: run,
    });
  }
});
