import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { JSON_TYPE, readSpans, span } from '../support/otlp.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.start({ works: false });
  me = app.client;
});
afterAll(() => app.stop());

type Attributes = Record<string, unknown>;

const json = (value: unknown): string => JSON.stringify(value);

/** The log of a span with these attributes. */
async function logOf(attributes: Attributes, more: { name?: string; events?: unknown[] } = {}): Promise<unknown> {
  const sent = span({ name: 'call', attributes, ...more });
  const body = { resourceSpans: [{ scopeSpans: [{ scope: { name: 'sender' }, spans: [sent] }] }] };
  expect(await me.with(JSON_TYPE).request('POST', '/v1/traces', json(body))).toMatchObject({ status: 200 });
  const [stored] = await readSpans(me, sent.traceId);
  return me.get(`/api/public/v2/requests/${stored!.request_log_id}`);
}

const dollars = (millionths: number): unknown => expect.closeTo(millionths / 1e6, 10);
/** Per million tokens. */
const MINI = { in: 0.15, cached: 0.075, out: 0.6 };

describe('a gateway that reports what a call has cost', () => {
  const attributes = {
    'gen_ai.operation.name': 'chat',
    'gen_ai.request.model': 'openai/gpt-4o-mini',
    'gen_ai.provider.name': 'OpenAI',
    'gen_ai.usage.input_tokens': 10_000,
    'gen_ai.usage.output_tokens': 500,
    'gen_ai.usage.input_tokens.cached': 8000,
    'gen_ai.usage.output_tokens.reasoning': 100,
    'gen_ai.completion': json({ completion: 'Sunny', reasoning: 'Summer', toolCalls: [] }),
  };

  it('is believed, and the log says so', async () => {
    const log = await logOf({ ...attributes, 'gen_ai.usage.total_cost': 0.0159 }, { name: 'LLM Generation' });
    expect(log).toMatchObject({ price: 0.0159, priced_by: 'reported', cached_tokens: 8000, thinking_tokens: 100 });
    expect(json(log)).toContain('Sunny');
  });

  it('has its parts added', async () => {
    const parts = {
      'gen_ai.usage.input_cost': 0.01,
      'gen_ai.usage.output_cost': 0.02,
      'gen_ai.usage.cache_read_cost': 0.005,
    };
    expect(await logOf({ ...attributes, ...parts })).toMatchObject({
      price: expect.closeTo(0.035, 10),
      priced_by: 'reported',
    });
  });

  it('leaves the price to the table where it reports none', async () => {
    const price = dollars(2000 * MINI.in + 8000 * MINI.cached + 500 * MINI.out);
    expect(await logOf(attributes)).toMatchObject({ price, priced_by: 'table' });
    expect(
      await logOf({ ...attributes, 'gen_ai.request.model': 'of-nobody', 'gen_ai.provider.name': 'nobody' }),
    ).toMatchObject({
      price: 0,
      priced: false,
      priced_by: null,
    });
  });
});

describe('the total of tokens', () => {
  const usage = { input: 5000, input_cached_tokens: 1000, output: 100 };
  const priceWith = (total: number): Promise<unknown> =>
    logOf({
      'langfuse.observation.type': 'generation',
      'langfuse.observation.model.name': 'gpt-4o-mini',
      'langfuse.observation.usage_details': json({ ...usage, total }),
    });

  it('puts cached tokens beside the input', async () => {
    const price = dollars(5000 * MINI.in + 1000 * MINI.cached + 100 * MINI.out);
    expect(await priceWith(6100)).toMatchObject({ price, input_tokens: 5000, cached_tokens: 1000 });
  });

  it('puts cached tokens inside the input', async () => {
    const price = dollars(4000 * MINI.in + 1000 * MINI.cached + 100 * MINI.out);
    expect(await priceWith(5100)).toMatchObject({ price, input_tokens: 5000, cached_tokens: 1000 });
  });

  it.each([
    [300, 200],
    [350, 250],
  ])('at %d prices %d tokens of output', async (total, output) => {
    const log = await logOf({
      'openinference.span.kind': 'LLM',
      'llm.model_name': 'gpt-4o-mini',
      'llm.provider': 'openai',
      'llm.token_count.prompt': 100,
      'llm.token_count.completion': 200,
      'llm.token_count.completion_details.reasoning': 50,
      'llm.token_count.total': total,
    });
    expect(log).toMatchObject({ price: dollars(100 * MINI.in + output * MINI.out), thinking_tokens: 50 });
  });
});

describe('a command line tool', () => {
  it('has counts without a prefix, with the cache beside the input', async () => {
    const log = await logOf(
      {
        'span.type': 'llm_request',
        model: 'claude-sonnet-4-5',
        input_tokens: 10_000,
        output_tokens: 200,
        cache_read_tokens: 3000,
        cache_creation_tokens: 1000,
      },
      { name: 'claude_code.llm_request' },
    );
    const price = dollars(10_000 * 3 + 3000 * 0.3 + 1000 * 3.75 + 200 * 15);
    expect(log).toMatchObject({ provider: 'anthropic', model: 'claude-sonnet-4-5', price, priced_by: 'table' });
    expect(log).toMatchObject({ input_tokens: 10_000, cached_tokens: 3000, cache_write_tokens: 1000 });
  });
});

describe('a run of LangSmith', () => {
  it('has failed when it holds an exception', async () => {
    const attributes = { 'langsmith.span.kind': 'llm', 'gen_ai.request.model': 'gpt-4o-mini' };
    const exception = { name: 'exception', timeUnixNano: '1', attributes: { 'exception.message': 'Error code: 429' } };
    expect(await logOf(attributes, { events: [exception] })).toMatchObject({
      status: 'ERROR',
      error_type: 'PROVIDER_RATE_LIMIT',
      error_message: 'Error code: 429',
    });
  });
});

describe('a log that a client sends', () => {
  const call = {
    provider: 'openai',
    model: 'gpt-4o-mini',
    input: { type: 'completion', content: [{ type: 'text', text: 'i' }] },
    output: { type: 'completion', content: [{ type: 'text', text: 'o' }] },
    request_start_time: '2026-11-20T10:21:52.120Z',
    request_end_time: '2026-11-20T10:21:53.470Z',
    input_tokens: 10,
    output_tokens: 5,
  };

  it.each([
    [0.5, 'reported'],
    [0, 'table'],
  ])('with the price %d is priced by: %s', async (price, pricedBy) => {
    const { id } = (await me.post('/log-request', { ...call, price }, 201)) as { id: number };
    expect(await me.get(`/api/public/v2/requests/${id}`)).toMatchObject({ priced_by: pricedBy });
  });
});
