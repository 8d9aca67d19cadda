import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../platform/json.js';
import { callOf, kindOf, scoped, told } from './conventions.fixture.js';
import { testEvent } from './test-span.fixture.js';

const json = JSON.stringify;

/** Attributes that most senders set on a call. */
const CALL = { 'gen_ai.request.model': 'claude-sonnet-4-5', 'gen_ai.provider.name': 'anthropic' };

describe('the cost of a call', () => {
  it.each<[JsonObject, number]>([
    [{ 'gen_ai.usage.total_cost': 0.5, 'gen_ai.usage.input_cost': 0.1, 'gen_ai.usage.output_cost': 0.1 }, 0.5],
    [{ 'gen_ai.usage.cost_usd': 0.5 }, 0.5],
    [{ 'gen_ai.usage.totalCost': '0.5' }, 0.5],
    [{ 'gen_ai.cost.total_tokens': 0.5, 'gen_ai.cost.input_tokens': 0.1 }, 0.5],
    [{ 'gen_ai.cost.input_tokens': 0.25, 'gen_ai.cost.output_tokens': 0.5 }, 0.75],
    [{ 'gen_ai.cost.usd': 0.5 }, 0.5],
    [{ 'ai.total_cost': 0.5 }, 0.5],
    [{ 'gen_ai.cost.input_cost': 0.25, 'gen_ai.cost.output_cost': 0.5, 'gen_ai.cost.tool_usage_cost': 0.125 }, 0.875],
    [
      {
        'gen_ai.usage.input_cost': 0.25,
        'gen_ai.usage.output_cost': 0.5,
        'gen_ai.usage.cache_read_cost': 0.125,
        'gen_ai.usage.cache_creation_cost': 0.0625,
        'gen_ai.usage.reasoning_cost': 1,
      },
      1.9375,
    ],
    [{ 'gen_ai.usage.input_cost': 0.25, 'gen_ai.usage.prompt_cost': 0.25, 'gen_ai.usage.completion_cost': 0.5 }, 0.75],
    [{ 'llm.cost.prompt': 0.25, 'llm.cost.prompt_details.cache_read': 0.125, 'llm.cost.completion': 0.5 }, 0.75],
    [{ 'llm.cost.prompt_details.input': 0.25, 'llm.cost.prompt_details.cache_read': 0.125 }, 0.375],
    [{ 'llm.usage.total_cost': 0.5 }, 0.5],
    [{ 'langfuse.observation.cost_details': json({ input: 0.25, input_cached_tokens: 0.125, output: 0.5 }) }, 0.875],
    [{ 'mlflow.llm.cost': json({ input_cost: 0.25, output_cost: 0.5, total_cost: 0.8 }) }, 0.8],
    [{ 'mlflow.llm.cost': json({ input_cost: 0.25, output_cost: 0.5 }) }, 0.75],
    [{ 'langsmith.usage_metadata': json({ input_tokens: 10, output_tokens: 5, total_cost: 0.5 }) }, 0.5],
    [{ 'langsmith.usage_metadata': json({ input_tokens: 10, input_cost: 0.25, output_cost: 0.5 }) }, 0.75],
    [{ 'judgment.usage.total_cost_usd': 0.5 }, 0.5],
    [{ 'langwatch.metrics': json({ type: 'json', value: { promptTokens: 1, cost: 0.5 } }) }, 0.5],
    [{ 'braintrust.metrics': json({ prompt_tokens: 10, estimated_cost: 0.5 }) }, 0.5],
  ])('is read from %j', (attributes, price) => {
    expect(callOf({ ...CALL, 'gen_ai.operation.name': 'chat', ...attributes }).reportedPrice).toBe(price);
  });

  it('is not what tokens are called', () => {
    const attributes = { 'langsmith.usage_metadata': json({ input_tokens: 10, output_tokens: 5, total_tokens: 15 }) };
    expect(callOf({ ...CALL, 'gen_ai.operation.name': 'chat', ...attributes }).reportedPrice).toBeNull();
  });
});

describe('the conversation of a call', () => {
  it.each<[string, JsonObject, string[]]>([
    [
      'an answer of OpenRouter',
      { 'gen_ai.completion': json({ completion: 'Sunny', reasoning: 'Summer', toolCalls: [] }) },
      ['assistant: <Summer> Sunny'],
    ],
    [
      'an answer of OpenRouter that calls tools',
      {
        'gen_ai.completion': json({
          completion: null,
          toolCalls: [{ id: 'c', type: 'function', function: { name: 'weather', arguments: '{"city":"Rome"}' } }],
        }),
      },
      ['assistant: weather({"city":"Rome"})#c'],
    ],
    ['a text of Sentry', { 'gen_ai.response.text': 'Sunny' }, ['assistant: Sunny']],
    ['texts of Sentry', { 'gen_ai.response.text': '["Sunny","Warm"]' }, ['assistant: Sunny Warm']],
    [
      'tools that Sentry tells beside the text',
      {
        'gen_ai.response.text': 'I look.',
        'gen_ai.response.tool_calls': json([
          { id: 'c', type: 'function', function: { name: 'weather', arguments: '{}' } },
        ]),
      },
      ['assistant: I look. weather({})#c'],
    ],
    ['texts of Sentry as it was', { 'ai.responses': ['Sunny'] }, ['assistant: Sunny']],
    [
      'an answer of Cloudflare',
      { 'gen_ai.completion_json': json([{ role: 'assistant', content: 'Sunny' }]) },
      ['assistant: Sunny'],
    ],
    [
      'an output of Laminar',
      { 'lmnr.span.type': 'LLM', 'lmnr.span.output': json([{ role: 'assistant', content: 'Sunny' }]) },
      ['assistant: Sunny'],
    ],
    [
      'an output of LangWatch',
      { 'langwatch.output': json({ type: 'chat_messages', value: [{ role: 'assistant', content: 'Sunny' }] }) },
      ['assistant: Sunny'],
    ],
    ['an output without a prefix', { output: 'Sunny' }, ['assistant: Sunny']],
    [
      'chunks of Gemini',
      {
        'output.value': json([
          { candidates: [{ content: { role: 'model', parts: [{ text: 'Sun' }] } }] },
          { candidates: [{ content: { role: 'model', parts: [{ text: 'ny' }] } }], usageMetadata: {} },
        ]),
      },
      ['assistant: Sunny'],
    ],
    [
      'chunks of OpenAI',
      {
        'output.value': json([
          { object: 'chat.completion.chunk', choices: [{ index: 0, delta: { role: 'assistant', content: 'Sun' } }] },
          { object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content: 'ny' } }] },
        ]),
      },
      ['assistant: Sunny'],
    ],
  ])('is read from %s', (_, attributes, expected) => {
    expect(told(callOf({ ...CALL, 'gen_ai.operation.name': 'chat', ...attributes }).output)).toEqual(expected);
  });

  it('is read from the requests of Sentry', () => {
    const asked = { 'gen_ai.request.messages': json([{ role: 'user', content: 'Weather?' }]) };
    expect(told(callOf({ ...CALL, ...asked }).input)).toEqual(['user: Weather?']);
    expect(kindOf({ ...CALL, ...asked, 'gen_ai.operation.type': 'agent' })).not.toBe('llm');
    expect(kindOf({ ...CALL, ...asked, 'sentry.op': 'gen_ai.invoke_agent' })).not.toBe('llm');
    expect(kindOf({ 'sentry.op': 'gen_ai.chat' })).toBe('llm');
  });
});

describe('a component of Haystack', () => {
  const answer = {
    role: 'assistant',
    content: [{ text: 'Sunny' }],
    meta: { model: 'gpt-4o-mini', usage: { prompt_tokens: 10, completion_tokens: 5 } },
  };

  it('is a call when it generates', () => {
    const attributes = {
      'haystack.component.type': 'OpenAIChatGenerator',
      'haystack.component.input': json({ messages: [{ role: 'user', content: [{ text: 'Weather?' }] }] }),
      'haystack.component.output': json({ replies: [answer] }),
    };
    const call = callOf(attributes, { name: 'haystack.component.run' });
    expect(call).toMatchObject({ model: 'gpt-4o-mini', provider: 'openai', usage: { input: 10, output: 5 } });
    expect([...told(call.input), ...told(call.output)]).toEqual(['user: Weather?', 'assistant: Sunny']);
  });

  it.each([
    ['OpenAITextEmbedder', 'EMBEDDING'],
    ['InMemoryBM25Retriever', 'RETRIEVER'],
    ['PromptBuilder', 'CODE_EXECUTION'],
    ['ToolInvoker', 'TOOL'],
  ])('is none as %s', (component, kind) => {
    expect(kindOf({ 'haystack.component.type': component })).toBe(kind);
  });
});

describe('a span of the agents SDK of OpenAI', () => {
  const items = [
    { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }] },
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Sunny' }] },
    { type: 'function_call', call_id: 'c', name: 'weather', arguments: '{}' },
  ];

  it('is read in full from its raw response', () => {
    const raw = {
      object: 'response',
      model: 'gpt-5',
      instructions: 'Be brief.',
      temperature: 0.5,
      input: 'Weather?',
      output: items,
      tools: [{ type: 'function', name: 'weather', parameters: {} }],
      usage: {
        input_tokens: 100,
        input_tokens_details: { cached_tokens: 40 },
        output_tokens: 20,
        output_tokens_details: { reasoning_tokens: 8 },
        total_tokens: 120,
      },
    };
    const call = callOf({ 'openai_agents.span_type': 'response', 'openai_agents.response.raw_json': json(raw) });
    expect(call).toMatchObject({
      model: 'gpt-5',
      parameters: { temperature: 0.5 },
      usage: { input: 100, output: 20, cached: 40, thinking: 8 },
      input: { tools: [{ function: { name: 'weather' } }] },
    });
    expect(told(call.input)).toEqual(['system: Be brief.', 'user: Weather?']);
    expect(told(call.output)).toEqual(['assistant: <Hm.> Sunny weather({})#c']);
  });

  it('has its messages read from its raw input and output', () => {
    const call = callOf({
      'openai_agents.span_type': 'generation',
      'gen_ai.request.model': 'gpt-5',
      'openai_agents.generation.raw_input_json': json([{ role: 'user', content: 'Weather?' }]),
      'openai_agents.generation.raw_output_json': json([{ role: 'assistant', content: 'Sunny' }]),
    });
    expect([...told(call.input), ...told(call.output)]).toEqual(['user: Weather?', 'assistant: Sunny']);
  });
});

describe('a span of OpenInference', () => {
  const LLM = { 'openinference.span.kind': 'LLM' };

  it.each([
    [{ 'llm.invocation_parameters': '{"model":"gpt-4o-mini","temperature":0}' }],
    [{ 'input.value': '{"model":"gpt-4o-mini","messages":[]}', 'input.mime_type': 'application/json' }],
  ])('keeps the model of a call that failed: %j', (attributes) => {
    expect(callOf({ ...LLM, ...attributes }, { statusCode: 2 })).toMatchObject({
      model: 'gpt-4o-mini',
      provider: 'openai',
      status: 'ERROR',
    });
  });

  it('names the model that answered before the one in the parameters', () => {
    const attributes = { ...LLM, 'llm.model_name': 'a', 'llm.invocation_parameters': '{"model":"b"}' };
    expect(callOf(attributes).model).toBe('a');
  });

  it.each([
    ['OpenAI._prepare_chat_with_tools', false],
    ['OpenAI.predict_and_call', false],
    ['Anthropic.astream_chat_with_tools', false],
    ['OpenAI.structured_predict', false],
    ['OpenAI.chat', true],
    ['OpenAI._achat', true],
    ['OpenAI.astream_complete', true],
    ['ChatCompletion', true],
  ])('from LlamaIndex with name %s is a call: %s', (name, isCall) => {
    const source = scoped('openinference.instrumentation.llama_index');
    const attributes = { ...LLM, 'llm.model_name': 'gpt-4o-mini' };
    expect(kindOf(attributes, { name, ...source }) === 'llm').toBe(isCall);
    expect(kindOf({ ...attributes, 'llm.token_count.total': 5 }, { name, ...source })).toBe('llm');
  });
});

describe('an exception', () => {
  const events = [
    testEvent('exception', { 'exception.type': 'RateLimitError', 'exception.message': 'Too many requests' }),
  ];
  const answer = { 'gen_ai.completion': 'Sunny' };

  it('makes a run of LangSmith a failed call, whatever its status', () => {
    const run = { ...CALL, 'langsmith.span.kind': 'llm', ...answer };
    const failed = { status: 'ERROR', errorType: 'PROVIDER_RATE_LIMIT', errorMessage: 'Too many requests' };
    expect(callOf(run, { events })).toMatchObject(failed);
    expect(callOf(run, { events, statusCode: 1 })).toMatchObject(failed);
  });

  it('makes any call without a status and an answer a failed one', () => {
    const call = { ...CALL, 'gen_ai.operation.name': 'chat' };
    expect(callOf(call, { events }).status).toBe('ERROR');
    expect(callOf({ ...call, ...answer }, { events }).status).toBe('SUCCESS');
    expect(callOf(call, { events, statusCode: 1 }).status).toBe('SUCCESS');
  });
});
