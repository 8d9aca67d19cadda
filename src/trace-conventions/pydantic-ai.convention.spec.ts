import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../platform/json.js';
import { callOf, kindOf, scoped, told } from './conventions.fixture.js';

const json = (value: JsonValue) => JSON.stringify(value);
const SCOPE = scoped('pydantic-ai');
const CHAT = { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'gpt-4o', 'gen_ai.system': 'openai' };

describe('a span of Pydantic AI', () => {
  it.each<[string, JsonObject, string]>([
    ['a call', CHAT, 'llm'],
    ['the run of an agent', { ...CHAT, 'pydantic_ai.all_messages': '[]' }, 'LLM_SESSION'],
    ['the run of an agent of old', { ...CHAT, all_messages_events: '[]' }, 'LLM_SESSION'],
    ['a tool', { 'gen_ai.tool.name': 'f', tool_arguments: '{}' }, 'TOOL'],
    ['anything else', { 'logfire.msg': 'running 1 tool' }, 'CODE_EXECUTION'],
  ])('that is %s', (_, attributes, kind) => {
    expect(kindOf(attributes, SCOPE)).toBe(kind);
    expect(kindOf({ 'logfire.msg': 'x', ...attributes })).toBe(kind);
  });

  it('alone is an agent by such keys', () => {
    expect(kindOf({ ...CHAT, final_result: 'x' })).toBe('llm');
  });

  it('is the run of an agent by keys of its own or by its name', () => {
    expect(kindOf({ ...CHAT, 'pydantic_ai.all_messages': '[]' })).toBe('LLM_SESSION');
    const { 'gen_ai.operation.name': _operation, ...usage } = { ...CHAT, 'gen_ai.usage.input_tokens': 3 };
    expect(kindOf(usage, { ...SCOPE, name: 'agent run' })).toBe('LLM_SESSION');
  });

  it('held its messages as events in one attribute', () => {
    const events: JsonValue = [
      { 'event.name': 'gen_ai.system.message', content: 'Be nice', 'gen_ai.message.index': 0 },
      { 'event.name': 'gen_ai.user.message', content: 'Hi', role: 'user', 'gen_ai.message.index': 0 },
      {
        'event.name': 'gen_ai.assistant.message',
        role: 'assistant',
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: { a: 1 } } }],
      },
      { 'event.name': 'gen_ai.tool.message', content: '20', id: 'c1', role: 'tool' },
      { 'event.name': 'gen_ai.choice', index: 0, message: { role: 'assistant', content: 'Hello' } },
      'junk',
      null,
      {},
    ];
    const call = callOf({ ...CHAT, events: json(events) }, SCOPE);
    expect(told(call.input)).toEqual(['system: Be nice', 'user: Hi', 'assistant: f({"a":1})#c1', 'tool#c1: 20']);
    expect(told(call.output)).toEqual(['assistant: Hello']);
  });

  it('named the kinds of parts in those events', () => {
    const picture = { kind: 'binary', media_type: 'image/png', binary_content: 'AA' };
    const events: JsonValue = [
      { 'event.name': 'gen_ai.user.message', content: ['See', { kind: 'image-url', url: 'https://i' }, picture] },
      {
        'event.name': 'gen_ai.choice',
        message: {
          content: [
            { kind: 'thinking', text: 'hm' },
            { kind: 'text', text: 'A cat' },
          ],
        },
      },
    ];
    const call = callOf({ ...CHAT, events: json(events) }, SCOPE);
    expect(told(call.input)).toEqual(['user: See image_url image_url']);
    expect(call.input).toMatchObject({
      messages: [{ content: [{}, {}, { image_url: { url: 'data:image/png;base64,AA' } }] }],
    });
    expect(told(call.output)).toEqual(['assistant: <hm> A cat']);
  });

  it('has thinking, tools, usage and a price', () => {
    const call = callOf(
      {
        ...CHAT,
        'gen_ai.output.messages': json([
          {
            role: 'assistant',
            parts: [
              { type: 'thinking', content: 'hm' },
              { type: 'text', content: 'Hello' },
            ],
          },
        ]),
        model_request_parameters: json({
          function_tools: [{ name: 'f', description: 'does f', parameters_json_schema: { type: 'object' } }],
          output_mode: 'text',
        }),
        'gen_ai.usage.details.cache_read_tokens': 4,
        'gen_ai.usage.details.cache_write_tokens': 3,
        'gen_ai.usage.details.reasoning_tokens': 2,
        'operation.cost': 0.5,
      },
      SCOPE,
    );
    expect(told(call.output)).toEqual(['assistant: <hm> Hello']);
    expect(call).toMatchObject({
      parameters: { output_mode: 'text' },
      usage: { cached: 4, cacheWrite: 3, thinking: 2 },
      reportedPrice: 0.5,
      input: { tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }] },
    });
  });

  it('may be one of Logfire with request and answer as JSON', () => {
    const call = callOf(
      {
        'gen_ai.system': 'openai',
        'gen_ai.request.model': 'gpt-4o',
        request_data: json({ model: 'gpt-4o', messages: [{ role: 'user', content: 'Hi' }] }),
        response_data: json({
          message: { role: 'assistant', content: 'Hello' },
          usage: { prompt_tokens: 3, completion_tokens: 2, prompt_tokens_details: { cached_tokens: 1 } },
        }),
      },
      scoped('logfire.openai'),
    );
    expect([...told(call.input), ...told(call.output)]).toEqual(['user: Hi', 'assistant: Hello']);
    expect(call.usage).toMatchObject({ input: 3, output: 2, cached: 1 });
  });
});
