import { describe, expect, it } from 'vitest';
import type { ChatPrompt } from '../llm/shared/blueprint.js';
import type { JsonObject } from '../platform/json.js';
import { callOf, kindOf, told } from './conventions.fixture.js';

const MODEL = { 'gen_ai.request.model': 'gpt-4o', 'gen_ai.system': 'OpenAI' };

describe('a span of OpenLLMetry', () => {
  it.each<[JsonObject, string]>([
    [{ 'llm.request.type': 'chat' }, 'llm'],
    [{ 'llm.request.type': 'completion' }, 'llm'],
    [{ 'llm.request.type': 'responses' }, 'llm'],
    [{ 'llm.request.type': 'embedding', ...MODEL }, 'EMBEDDING'],
    [{ 'llm.request.type': 'rerank', ...MODEL }, 'RETRIEVER'],
    [{ 'llm.request.type': 'unknown', ...MODEL }, 'llm'],
    [{ 'llm.request.type': 'unknown' }, 'CODE_EXECUTION'],
    [{ 'traceloop.span.kind': 'workflow', ...MODEL }, 'LLM_SESSION'],
    [{ 'traceloop.span.kind': 'agent', ...MODEL }, 'LLM_SESSION'],
    [{ 'traceloop.span.kind': 'task', ...MODEL }, 'CODE_EXECUTION'],
    [{ 'traceloop.span.kind': 'tool', ...MODEL }, 'TOOL'],
    [{ 'traceloop.span.kind': 'task', 'llm.request.type': 'chat' }, 'CODE_EXECUTION'],
  ])('with %j is %s', (attributes, kind) => {
    expect(kindOf(attributes)).toBe(kind);
  });

  it('is read in full', () => {
    const call = callOf({
      'llm.request.type': 'chat',
      'gen_ai.system': 'Langchain',
      'traceloop.association.properties.ls_provider': 'openai',
      'gen_ai.request.model': 'gpt-4o',
      'gen_ai.prompt.0.role': 'user',
      'gen_ai.prompt.0.content':
        '[{"type":"text","text":"Look"},{"type":"image_url","image_url":{"url":"https://e/i"}}]',
      'gen_ai.prompt.1.role': 'assistant',
      'gen_ai.prompt.1.tool_calls.0.id': 'c1',
      'gen_ai.prompt.1.tool_calls.0.name': 'f',
      'gen_ai.prompt.1.tool_calls.0.arguments': '{"a":1}',
      'gen_ai.prompt.2.role': 'tool',
      'gen_ai.prompt.2.tool_call_id': 'c1',
      'gen_ai.prompt.2.content': '20',
      'gen_ai.completion.0.role': 'assistant',
      'gen_ai.completion.0.content': 'Hello',
      'gen_ai.completion.0.reasoning': 'hm',
      'gen_ai.usage.prompt_tokens': 10,
      'llm.usage.total_tokens': 15,
      'gen_ai.usage.completion_tokens': 5,
      'gen_ai.usage.cache_read_input_tokens': 4,
      'gen_ai.usage.cache_creation_input_tokens': 3,
      'gen_ai.usage.reasoning_tokens': 2,
      'llm.request.functions.0.name': 'f',
      'llm.request.functions.0.description': 'does f',
      'llm.request.functions.0.parameters': '{"type":"object"}',
      'llm.is_streaming': true,
      'llm.user': 'l',
      'traceloop.association.properties.user_id': 'u',
      'traceloop.association.properties.session_id': 's',
      'traceloop.association.properties.plan': 'pro',
      'traceloop.association.properties.tags': '["t"]',
      'traceloop.prompt.template_variables': '{"city":"Paris"}',
    });
    expect(call).toMatchObject({
      provider: 'openai',
      model: 'gpt-4o',
      apiType: 'chat-completions',
      parameters: { stream: true },
      usage: { input: 10, output: 5, cached: 4, cacheWrite: 3, thinking: 2 },
      tags: ['t'],
      metadata: { user_id: 'u', conversation_id: 's', plan: 'pro' },
      promptInputVariables: { city: 'Paris' },
    });
    expect(told(call.input)).toEqual(['user: Look image_url', 'assistant: f({"a":1})#c1', 'tool#c1: 20']);
    expect(told(call.output)).toEqual(['assistant: <hm> Hello']);
    expect((call.input as ChatPrompt).tools).toEqual([
      {
        type: 'function',
        function: { name: 'f', description: 'does f', strict: false, parameters: { type: 'object' } },
      },
    ]);
  });

  it('falls back to its input and output values', () => {
    const attributes = { 'traceloop.entity.input': 'Hi', 'traceloop.entity.output': '{"content":"Hello"}' };
    const call = callOf({ 'llm.request.type': 'chat', ...attributes });
    expect([...told(call.input), ...told(call.output)]).toEqual(['user: Hi', 'assistant: Hello']);
  });
});

describe('a span of LiteLLM', () => {
  it.each<[string, JsonObject, string]>([
    ['litellm_request', { 'llm.request.type': 'acompletion' }, 'llm'],
    ['litellm_request', { 'llm.request.type': 'aresponses' }, 'llm'],
    ['litellm_request', { 'llm.request.type': 'aembedding', ...MODEL }, 'EMBEDDING'],
    ['litellm_request', { 'llm.request.type': 'arerank', ...MODEL }, 'RETRIEVER'],
    ['litellm_request', { 'llm.request.type': 'aimage_generation', ...MODEL }, 'CODE_EXECUTION'],
    ['litellm_request', { 'llm.request.type': 'something_new', ...MODEL }, 'llm'],
    ['litellm_request', MODEL, 'llm'],
    ['raw_gen_ai_request', MODEL, 'CODE_EXECUTION'],
    ['Received Proxy Server Request', MODEL, 'CODE_EXECUTION'],
  ])('named %s with %j is %s', (name, attributes, kind) => {
    expect(kindOf(attributes, { name })).toBe(kind);
  });

  it('is read in full', () => {
    const call = callOf(
      {
        'llm.request.type': 'acompletion',
        'gen_ai.system': 'azure',
        'gen_ai.request.model': 'gpt-4o',
        'gen_ai.input.messages': '[{"role":"user","parts":[{"type":"text","content":"Hi"}]}]',
        'gen_ai.output.messages':
          '[{"role":"assistant","parts":[],"tool_calls":[{"id":"c","function":{"name":"f","arguments":"{}"}}]}]',
        'gen_ai.system_instructions': 'Be nice',
        'gen_ai.usage.total_tokens': 15,
        'gen_ai.usage.output_tokens': 5,
        'gen_ai.cost.total_cost': 0.5,
        'gen_ai.response.finish_reasons': '["tool_calls"]',
        'metadata.user_api_key_user_id': 'k',
        'llm.user': 'u',
      },
      { name: 'litellm_request' },
    );
    expect(call).toMatchObject({
      provider: 'openai.azure',
      usage: { input: 10, output: 5 },
      reportedPrice: 0.5,
      metadata: { user_api_key_user_id: 'k', user_id: 'u' },
    });
    expect([...told(call.input), ...told(call.output)]).toEqual(['system: Be nice', 'user: Hi', 'assistant: f({})#c']);
  });

  it('may put calls of tools and their answers beside the parts', () => {
    const messages = [
      {
        role: 'assistant',
        parts: [{ type: 'text', content: 'Let me see.' }],
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'c', parts: [{ type: 'text', content: '20' }] },
    ];
    const call = callOf({ ...MODEL, 'gen_ai.input.messages': JSON.stringify(messages) }, { name: 'litellm_request' });
    expect(told(call.input)).toEqual(['assistant: Let me see. f({})#c', 'tool#c: 20']);
  });

  it('may report a tool call beside a message without parts', () => {
    const attributes = {
      'gen_ai.output.messages': '[{"role":"assistant","parts":[],"finish_reason":"tool_calls"}]',
      'gen_ai.completion.0.function_call.name': 'f',
      'gen_ai.completion.0.function_call.arguments': '{"a":1}',
    };
    const call = callOf({ ...MODEL, ...attributes }, { name: 'litellm_request' });
    expect(told(call.output)).toEqual(['assistant: f({"a":1})#']);
  });

  it('has its error read from attributes', () => {
    const error = { 'error.code': '429', 'error.type': 'RateLimitError', 'error.message': 'slow down' };
    const call = callOf({ ...MODEL, ...error }, { name: 'litellm_request', statusCode: 2 });
    expect(call).toMatchObject({
      status: 'ERROR',
      errorType: 'PROVIDER_RATE_LIMIT',
      errorMessage: 'slow down',
      provider: 'openai',
    });
  });
});
