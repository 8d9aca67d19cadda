import { describe, expect, it } from 'vitest';
import type { ChatPrompt } from '../llm/shared/blueprint.js';
import type { JsonObject } from '../platform/json.js';
import { callOf, kindOf, told } from './conventions.fixture.js';

const LLM = { 'openinference.span.kind': 'LLM' };
const input = (attributes: JsonObject) => told(callOf({ ...LLM, ...attributes }).input);
const output = (attributes: JsonObject) => told(callOf({ ...LLM, ...attributes }).output);

describe('a span of OpenInference', () => {
  it.each([
    ['LLM', 'llm'],
    ['llm', 'llm'],
    ['EMBEDDING', 'EMBEDDING'],
    ['CHAIN', 'LLM_SESSION'],
    ['AGENT', 'LLM_SESSION'],
    ['RETRIEVER', 'RETRIEVER'],
    ['RERANKER', 'RETRIEVER'],
    ['TOOL', 'TOOL'],
    ['GUARDRAIL', 'CODE_EXECUTION'],
    ['EVALUATOR', 'CODE_EXECUTION'],
    ['PROMPT', 'CODE_EXECUTION'],
  ])('kind %s is read as %s', (kind, expected) => {
    const model = { 'llm.model_name': 'gpt-4o', 'llm.provider': 'openai', 'llm.token_count.prompt': 1 };
    expect(kindOf({ 'openinference.span.kind': kind, ...model })).toBe(expected);
  });

  it('is no call when its log is managed elsewhere, another mark denies it, or it still runs', () => {
    expect(kindOf({ ...LLM, 'promptlayer.request_log.managed': true })).toBe('CODE_EXECUTION');
    expect(kindOf({ ...LLM, 'gen_ai.operation.name': 'invoke_agent' })).toBe('LLM_SESSION');
    expect(kindOf({ ...LLM, node_type: 'CODE_EXECUTION' })).toBe('CODE_EXECUTION');
    expect(kindOf(LLM, { endNs: null })).toBe('LLM_CALL');
  });

  it('is read in full', () => {
    const call = callOf({
      ...LLM,
      'llm.model_name': 'claude-sonnet-4',
      'llm.provider': 'anthropic',
      'llm.system': 'openai',
      'llm.invocation_parameters': '{"model":"x","messages":[],"temperature":0.2,"maxTokens":5,"tools":[]}',
      'llm.tools.1.tool.json_schema': '{"name":"b","input_schema":{"type":"object"}}',
      'llm.tools.0.tool.json_schema': '{"type":"function","function":{"name":"a"}}',
      'llm.token_count.prompt': 10,
      'llm.token_count.completion': 5,
      'llm.token_count.total': 15,
      'llm.token_count.prompt_details.cache_read': 4,
      'llm.token_count.prompt_details.cache_write': 3,
      'llm.token_count.completion_details.reasoning': 2,
      'llm.cost.prompt': 0.25,
      'llm.cost.completion': 0.5,
      'llm.prompt_template.variables': '{"city":"Paris"}',
      'session.id': 's',
      'user.id': 'u',
      metadata: '{"k":"v"}',
      'tag.tags': ['t'],
    });
    expect(call).toMatchObject({
      provider: 'anthropic',
      model: 'claude-sonnet-4',
      apiType: 'messages',
      parameters: { temperature: 0.2, max_tokens: 5 },
      usage: { input: 10, output: 5, cached: 4, cacheWrite: 3, thinking: 2, cacheExclusive: false },
      reportedPrice: 0.75,
      tags: ['t'],
      metadata: { k: 'v', user_id: 'u', conversation_id: 's' },
      promptInputVariables: { city: 'Paris' },
      status: 'SUCCESS',
    });
    expect(Object.keys(call.parameters)).toEqual(['temperature', 'max_tokens']);
    const tools = (call.input as ChatPrompt).tools as { function: { name: string } }[];
    expect(tools.map((tool) => tool.function.name)).toEqual(['a', 'b']);
  });
});

describe('messages of OpenInference', () => {
  const prefix = 'llm.input_messages';

  it('are read in the order of their numbers, with calls and results', () => {
    expect(
      input({
        [`${prefix}.0.message.role`]: 'system',
        [`${prefix}.0.message.content`]: 'Be nice',
        [`${prefix}.7.message.role`]: 'tool',
        [`${prefix}.7.message.tool_call_id`]: 'c1',
        [`${prefix}.7.message.content`]: '20',
        [`${prefix}.2.message.role`]: 'assistant',
        [`${prefix}.2.message.tool_calls.0.tool_call.id`]: 'c1',
        [`${prefix}.2.message.tool_calls.0.tool_call.function.name`]: 'weather',
        [`${prefix}.2.message.tool_calls.0.tool_call.function.arguments`]: '{"city":"Paris"}',
      }),
    ).toEqual(['system: Be nice', 'assistant: weather({"city":"Paris"})#c1', 'tool#c1: 20']);
  });

  it('may hold parts: texts, pictures, sound, thinking and calls', () => {
    const part = 'llm.output_messages.0.message.contents';
    const call = callOf({
      ...LLM,
      'llm.output_messages.0.message.role': 'assistant',
      [`${part}.0.message_content.type`]: 'reasoning',
      [`${part}.0.message_content.text`]: 'hm',
      [`${part}.0.message_content.signature`]: 'sig',
      [`${part}.1.message_content.type`]: 'text',
      [`${part}.1.message_content.text`]: 'Look',
      [`${part}.2.message_content.type`]: 'image',
      [`${part}.2.message_content.image.image.url`]: 'https://e.org/i.png',
      [`${part}.3.message_content.type`]: 'audio',
      [`${part}.3.message_content.audio.url`]: 'https://e.org/a.wav',
      [`${part}.4.message_content.type`]: 'reasoning',
      [`${part}.4.message_content.data`]: 'hidden',
      [`${part}.5.message_content.type`]: 'tool_use',
      [`${part}.5.message_content.id`]: 'c',
      [`${part}.5.message_content.name`]: 'f',
    });
    expect((call.output as ChatPrompt).messages).toMatchObject([
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'hm', signature: 'sig' },
          { type: 'text', text: 'Look' },
          { type: 'image_url', image_url: { url: 'https://e.org/i.png' } },
          { type: 'media', media: { type: 'audio/wav', url: 'https://e.org/a.wav', format: 'url' } },
          { type: 'redacted_thinking', data: 'hidden' },
        ],
        tool_calls: [{ id: 'c', function: { name: 'f', arguments: '{}' } }],
      },
    ]);
  });

  it('may hold a call among the parts beside its type, and repeat it beside the parts', () => {
    const message = 'llm.output_messages.0.message';
    const call = callOf({
      ...LLM,
      [`${message}.role`]: 'assistant',
      [`${message}.contents.0.message_content.type`]: 'text',
      [`${message}.contents.0.message_content.text`]: 'I look',
      [`${message}.contents.1.message_content.type`]: 'tool_use',
      [`${message}.contents.1.tool_call.id`]: 'c',
      [`${message}.contents.1.tool_call.function.name`]: 'f',
      [`${message}.contents.1.tool_call.function.arguments`]: '{"a":1}',
      [`${message}.tool_calls.0.tool_call.id`]: 'c',
      [`${message}.tool_calls.0.tool_call.function.name`]: 'f',
      [`${message}.tool_calls.0.tool_call.function.arguments`]: '{"a":1}',
    });
    expect(told(call.output)).toEqual(['assistant: I look f({"a":1})#c']);
  });

  it('may call a function in the older form', () => {
    const name = { 'llm.output_messages.0.message.function_call_name': 'f' };
    const key = 'llm.output_messages.0.message.function_call_arguments_json';
    expect(output({ ...name, [key]: '{"a":1}' })).toEqual(['assistant: f({"a":1})#']);
    expect(output(name)).toEqual(['assistant: f({})#']);
  });

  it('come after those of OpenTelemetry, and before the value of the span', () => {
    const flattened = { [`${prefix}.0.message.content`]: 'flattened', 'input.value': 'value' };
    expect(input(flattened)).toEqual(['user: flattened']);
    const current = { 'gen_ai.input.messages': '[{"role":"user","content":"current"}]' };
    expect(input({ ...flattened, ...current })).toEqual(['user: current']);
  });

  it.each<[string, JsonObject, string[]]>([
    ['text', { 'input.value': 'Hi' }, ['user: Hi']],
    ['a request', { 'input.value': '{"messages":[{"role":"user","content":"Hi"}]}' }, ['user: Hi']],
    ['text that looks like JSON', { 'input.value': '["Hi"]', 'input.mime_type': 'text/plain' }, ['user: ["Hi"]']],
    ['what was hidden', { 'input.value': '__REDACTED__' }, []],
    ['nothing', { 'input.value': '{}' }, []],
  ])('are else the value: %s', (_, attributes, messages) => {
    expect(input(attributes)).toEqual(messages);
  });

  it('are a completion when there are only texts', () => {
    const call = callOf({
      ...LLM,
      'llm.prompts.0.prompt.text': 'Once',
      'llm.choices.0.completion.text': 'upon',
      'llm.choices.1.completion.text': 'more',
    });
    expect(call.input).toMatchObject({ type: 'completion', content: [{ type: 'text', text: 'Once' }] });
    expect(call.output).toMatchObject({ type: 'completion', content: [{ text: 'upon' }, { text: 'more' }] });
    expect(callOf({ ...LLM, 'llm.prompts': ['a', 'b'] }).input).toMatchObject({
      type: 'completion',
      content: [{ text: 'a' }, { text: 'b' }],
    });
    expect(callOf({ ...LLM, 'llm.prompts': ['a'], 'output.value': 'b' }).input.type).toBe('chat');
  });

  it.each<[string, JsonObject]>([
    ['numbers that are none', { [`${prefix}.x.message.content`]: 'a', [`${prefix}.-1.message.content`]: 'b' }],
    ['an absurd number', { [`${prefix}.99999999999999.message.content`]: 'a' }],
    ['no list of parts', { [`${prefix}.0.message.contents`]: 5, [`${prefix}.0.message.tool_calls`]: 'x' }],
  ])('survive %s', (_, attributes) => {
    expect(input(attributes).join()).not.toContain('a');
  });
});
