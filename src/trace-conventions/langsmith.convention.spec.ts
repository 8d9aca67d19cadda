import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../platform/json.js';
import { callOf, kindOf, told } from './conventions.fixture.js';

const json = (value: JsonValue) => JSON.stringify(value);
const LLM = { 'langsmith.span.kind': 'llm' };

/** A message as LangChain serialises it. */
function serialised(className: string, kwargs: JsonObject): JsonObject {
  return { lc: 1, type: 'constructor', id: ['langchain_core', 'messages', className], kwargs };
}

describe('a span of LangSmith', () => {
  it.each([
    ['llm', 'llm'],
    ['chain', 'LLM_SESSION'],
    ['tool', 'TOOL'],
    ['retriever', 'RETRIEVER'],
    ['embedding', 'EMBEDDING'],
    ['prompt', 'CODE_EXECUTION'],
    ['parser', 'CODE_EXECUTION'],
  ])('kind %s is read as %s', (kind, expected) => {
    const chat = { 'gen_ai.request.model': 'gpt-4o', 'gen_ai.system': 'openai' };
    const operation: JsonObject = expected === 'CODE_EXECUTION' ? { 'gen_ai.operation.name': 'chat' } : {};
    expect(kindOf({ 'langsmith.span.kind': kind, ...chat, ...operation })).toBe(expected);
  });

  it('is read in full', () => {
    const call = callOf({
      ...LLM,
      'gen_ai.system': 'langchain',
      'langsmith.metadata.ls_provider': 'anthropic',
      'langsmith.metadata.ls_model_name': 'claude-sonnet-4',
      'langsmith.metadata.ls_temperature': 0.5,
      'langsmith.metadata.plan': 'pro',
      'langsmith.span.tags': 'a, b',
      'langsmith.trace.session_id': 's',
      'gen_ai.request.extra_body': '{"topK":4}',
      'gen_ai.usage.input_tokens': 10,
      'gen_ai.usage.output_tokens': 5,
      'gen_ai.usage.total_tokens': 15,
      'gen_ai.usage.input_token_details': '{"cache_read":4,"cache_creation":3}',
      'gen_ai.usage.output_token_details': '{"reasoning":2}',
      'gen_ai.response.finish_reasons': 'stop, length',
    });
    expect(call).toMatchObject({
      provider: 'anthropic',
      model: 'claude-sonnet-4',
      parameters: { temperature: 0.5, top_k: 4 },
      usage: { input: 10, output: 5, cached: 4, cacheWrite: 3, thinking: 2 },
      tags: ['a', 'b'],
      metadata: { plan: 'pro', conversation_id: 's' },
      status: 'WARNING',
    });
  });

  it('holds its messages as LangChain serialises them', () => {
    const messages = [
      serialised('SystemMessage', { content: 'Be nice' }),
      serialised('HumanMessage', { content: [{ type: 'text', text: 'Hi' }] }),
      serialised('AIMessage', { content: '', tool_calls: [{ id: 'c1', name: 'f', args: { a: 1 } }] }),
      serialised('ToolMessage', { content: '20', tool_call_id: 'c1' }),
    ];
    const answer = { text: 'Hello', message: serialised('AIMessageChunk', { content: 'Hello' }) };
    const call = callOf({
      ...LLM,
      'gen_ai.prompt': json({ messages: [messages] }),
      'gen_ai.completion': json({ generations: [[answer]] }),
    });
    expect(told(call.input)).toEqual(['system: Be nice', 'user: Hi', 'assistant: f({"a":1})#c1', 'tool#c1: 20']);
    expect(told(call.output)).toEqual(['assistant: Hello']);
  });

  it.each<[JsonValue, JsonObject]>([
    [
      {
        generations: [
          [{ message: { kwargs: { usage_metadata: { input_tokens: 3, output_tokens: 2, total_tokens: 5 } } } }],
        ],
      },
      { input: 3, output: 2 },
    ],
    [{ llm_output: { token_usage: { prompt_tokens: 3, completion_tokens: 2 } } }, { input: 3, output: 2 }],
    [
      { usage_metadata: { input_tokens: 3, input_token_details: { cache_read: 1 } } },
      { input: 3, cached: 1, output: null },
    ],
    [{ usage: 'none' }, { input: null, output: null }],
    ['junk', { input: null, output: null }],
  ])('may report its usage in the answer %j', (answer, usage) => {
    expect(callOf({ ...LLM, 'gen_ai.completion': json(answer) }).usage).toMatchObject(usage);
  });

  it('has its usage read from attributes before the answer', () => {
    const answer = json({ usage: { prompt_tokens: 99, completion_tokens: 99 } });
    const metadata = { 'langsmith.usage_metadata': '{"input_tokens":3,"output_token_details":{"reasoning":1}}' };
    const { usage } = callOf({ ...LLM, 'gen_ai.completion': answer, 'gen_ai.usage.output_tokens': 2, ...metadata });
    expect(usage).toMatchObject({ input: 3, output: 2, thinking: 1 });
  });
});
