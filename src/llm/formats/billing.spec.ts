import { describe, expect, it } from 'vitest';
import { ASKED, read } from './native-calls.fixture.js';
import { openAiUsage } from './openai-chat/usage.js';

const OPENAI_USAGE = { prompt_tokens: 3, completion_tokens: 2 };
const choices = [{ message: { role: 'assistant', content: 'Sunny' } }];

function chat(more: object, asked: object = {}) {
  return read({
    kwargs: { model: 'gpt-5', messages: ASKED, ...asked },
    response: { choices, usage: OPENAI_USAGE, ...more },
  }).usage;
}

function responses(item: object) {
  return read({
    name: 'openai.responses.create',
    kwargs: { model: 'gpt-5', input: 'Weather?' },
    response: {
      object: 'response',
      output: [item],
      usage: { input_tokens: 3, output_tokens: 2 },
      service_tier: 'flex',
    },
  }).usage;
}

function claude(usage: object) {
  return read({
    name: 'anthropic.messages.create',
    provider: 'anthropic',
    kwargs: { model: 'claude-sonnet-4-5', messages: ASKED },
    response: { type: 'message', content: [], usage: { input_tokens: 3, output_tokens: 2, ...usage } },
  }).usage;
}

function gemini(usage: object, candidate: object = {}) {
  return read({
    name: 'google.generate_content',
    provider: 'google',
    kwargs: { model: 'gemini-2.5-flash', contents: 'Weather?' },
    response: { candidates: [candidate], usageMetadata: { promptTokenCount: 3, ...usage } },
  }).usage;
}

describe('the service tier of an answer', () => {
  it.each([
    [chat({ service_tier: 'flex' }), 'flex'],
    [chat({ service_tier: 'default' }, { service_tier: 'priority' }), undefined],
    [chat({}, { service_tier: 'flex' }), 'flex'],
    [chat({}, { service_tier: 'priority' }), 'priority unconfirmed'],
    [chat({}, { service_tier: 'auto' }), undefined],
    [responses({ type: 'message' }), 'flex'],
    [claude({ service_tier: 'standard', inference_geo: 'not_available' }), undefined],
    [claude({ service_tier: 'batch' }), 'batch'],
    [claude({ service_tier: 'batch', inference_geo: 'us' }), 'batch us'],
    [claude({ speed: 'fast' }), 'fast'],
    [gemini({ trafficType: 'ON_DEMAND' }), undefined],
    [gemini({ trafficType: 'PROVISIONED_THROUGHPUT' }), 'provisioned_throughput'],
  ])('%j is %j', ({ serviceTier }, expected) => expect(serviceTier).toBe(expected));
});

describe('what a vendor bills apart', () => {
  it('is counted where its price is known', () => {
    expect(claude({ server_tool_use: { web_search_requests: 3 } }).webSearches).toBe(3);
    expect(claude({ server_tool_use: { web_search_requests: 0 } }).webSearches).toBeUndefined();
  });

  it.each([
    [responses({ type: 'web_search_call', action: { type: 'search' } }), true],
    [responses({ type: 'code_interpreter_call' }), true],
    [responses({ type: 'function_call', name: 'f', arguments: '{}' }), undefined],
    [gemini({}, { groundingMetadata: { webSearchQueries: ['Rome'] } }), true],
    [gemini({}, { groundingMetadata: {} }), undefined],
  ])('is known to be there where it is not: %j', ({ hasOtherCharges }, expected) => {
    expect(hasOtherCharges).toBe(expected);
  });

  it('is what Perplexity reports for all of a call', () => {
    const cost = { input_tokens_cost: 0.001, request_cost: 0.005, total_cost: 0.006 };
    const { price } = read({
      provider: 'perplexity',
      kwargs: { model: 'sonar', messages: ASKED },
      response: { choices, usage: { ...OPENAI_USAGE, cost } },
    });
    expect(price).toBe(0.006);
  });
});

it('reads the amount of web context, where it is billed', () => {
  const read = (more: object) => openAiUsage({ prompt_tokens: 1, completion_tokens: 1, ...more }).searchContext;
  expect([read({ search_context_size: 'High' }), read({}), read({ search_context_size: 1 })]).toEqual([
    'high',
    undefined,
    undefined,
  ]);
});
