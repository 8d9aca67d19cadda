import { describe, expect, it } from 'vitest';
import type { ChatPrompt } from '../llm/shared/blueprint.js';
import type { JsonObject, JsonValue } from '../platform/json.js';
import { readCall, said, testEvent } from './test-span.fixture.js';

const json = (value: JsonValue) => JSON.stringify(value);

describe('messages in flattened attributes', () => {
  it('are read in the order of their numbers, with tool calls and results', () => {
    const attributes = {
      'gen_ai.prompt.0.role': 'system',
      'gen_ai.prompt.0.content': 'Be nice',
      'gen_ai.prompt.2.role': 'tool',
      'gen_ai.prompt.2.content': '{"t":20}',
      'gen_ai.prompt.2.tool_call_id': 'c1',
      'gen_ai.prompt.1.role': 'assistant',
      'gen_ai.prompt.1.tool_calls.0.id': 'c1',
      'gen_ai.prompt.1.tool_calls.0.name': 'weather',
      'gen_ai.prompt.1.tool_calls.0.arguments': '{}',
      'gen_ai.prompt.10.role': 'user',
      'gen_ai.prompt.10.content': json([{ type: 'text', text: 'And now?' }]),
      'gen_ai.completion.0.role': 'assistant',
      'gen_ai.completion.0.content': 'Warm.',
      'gen_ai.completion.0.finish_reason': 'stop',
    };
    expect(said('input', attributes)).toEqual([
      'system: Be nice',
      'assistant: weather({})',
      'tool: {"t":20}',
      'user: And now?',
    ]);
    expect(said('output', attributes)).toEqual(['assistant: Warm.']);
  });

  it('may have tool calls as JSON text, or a function call', () => {
    const calls = json([{ id: 'c1', type: 'tool_call', name: 'f', arguments: '{}' }]);
    expect(said('output', { 'gen_ai.completion.0.tool_calls': calls })).toEqual(['assistant: f({})']);
    const older = {
      'gen_ai.completion.0.function_call.name': 'f',
      'gen_ai.completion.0.function_call.arguments': '{}',
    };
    expect(said('output', older)).toEqual(['assistant: f({})']);
  });

  it('may carry the name of the constant they were leaked from', () => {
    expect(said('input', { 'SpanAttributes.LLM_PROMPTS.0.content': 'Hi' })).toEqual(['user: Hi']);
    expect(said('output', { 'SpanAttributes.LLM_COMPLETIONS.0.content': 'Hello' })).toEqual(['assistant: Hello']);
  });

  it('keep a text that happens to be JSON', () => {
    expect(said('input', { 'gen_ai.prompt.0.content': '[1,2]' })).toEqual(['user: [1,2]']);
  });
});

describe('messages in one attribute', () => {
  it.each<[string, JsonValue, string[]]>([
    ['a text', 'Hi', ['user: Hi']],
    [
      'a list of messages',
      json([
        { role: 'system', content: 'S' },
        { role: 'user', content: 'U' },
      ]),
      ['system: S', 'user: U'],
    ],
    ['an object with messages', json({ messages: [{ role: 'user', content: 'U' }] }), ['user: U']],
    [
      'LangChain objects',
      json({ messages: [[{ lc: 1, type: 'constructor', id: ['x', 'HumanMessage'], kwargs: { content: 'U' } }]] }),
      ['user: U'],
    ],
  ])('are read from %s', (_, value, expected) => {
    expect(said('input', { 'gen_ai.prompt': value })).toEqual(expected);
  });

  it('may say that they are JSON', () => {
    const attributes = {
      'gen_ai.prompt_json': json([{ role: 'user', content: 'U' }]),
      'gen_ai.completion_json': json([{ role: 'assistant', content: 'A' }]),
    };
    expect([...said('input', attributes), ...said('output', attributes)]).toEqual(['user: U', 'assistant: A']);
  });

  it('are read from an answer', () => {
    const generations = { generations: [[{ message: { kwargs: { content: 'A', tool_calls: [] } } }]] };
    expect(said('output', { 'gen_ai.completion': json(generations) })).toEqual(['assistant: A']);
  });
});

describe('messages in events', () => {
  const conversation = [
    testEvent('gen_ai.choice', { index: 0, finish_reason: 'stop', message: json({ content: 'Warm.' }) }, 9n),
    testEvent('gen_ai.tool.message', { content: '20', id: 'c1' }, 4n),
    testEvent(
      'gen_ai.assistant.message',
      { tool_calls: json([{ id: 'c1', function: { name: 'f', arguments: '{}' } }]) },
      3n,
    ),
    testEvent('gen_ai.user.message', { content: 'Weather?' }, 2n),
    testEvent('gen_ai.system.message', { content: 'Be nice' }, 1n),
  ];

  it('are read in the order of time', () => {
    const events = { events: conversation };
    expect(said('input', {}, events)).toEqual(['system: Be nice', 'user: Weather?', 'assistant: f({})', 'tool: 20']);
    expect(said('output', {}, events)).toEqual(['assistant: Warm.']);
    const tool = (readCall({}, events).input as ChatPrompt).messages[3];
    expect(tool.tool_call_id).toBe('c1');
  });

  it('with equal times are read in the order they were sent', () => {
    const events = ['a', 'b', 'c'].map((content) => testEvent('gen_ai.user.message', { content }));
    expect(said('input', {}, { events })).toEqual(['user: a', 'user: b', 'user: c']);
  });

  it.each<[string, JsonObject]>([
    ['plain fields', { content: 'Hi' }],
    ['fields with the name of the event', { 'gen_ai.user.message.content': 'Hi' }],
    ['a body', { body: json({ content: 'Hi' }) }],
    ['an event body', { event_body: { content: 'Hi' } }],
    ['a body named after the convention', { 'gen_ai.event.content': json({ role: 'user', content: 'Hi' }) }],
    ['content in parts', { content: json([{ type: 'text', text: 'Hi' }]) }],
  ])('may have %s', (_, attributes) => {
    expect(said('input', {}, { events: [testEvent('gen_ai.user.message', attributes)] })).toEqual(['user: Hi']);
  });

  it.each<[string, JsonObject]>([
    ['a message', { message: json({ role: 'assistant', content: 'A' }) }],
    ['flattened fields', { 'message.content': 'A', 'message.role': 'assistant' }],
    ['a text for a message', { message: 'A' }],
    ['a body', { body: { index: 0, message: { content: 'A' } } }],
    ['parts for a message', { message: json([{ text: 'A' }]) }],
  ])('may give a choice as %s', (_, attributes) => {
    expect(said('output', {}, { events: [testEvent('gen_ai.choice', attributes)] })).toEqual(['assistant: A']);
  });

  it('may give a choice with tool calls beside its message', () => {
    const choice = {
      message: json({ role: 'assistant' }),
      tool_calls: json([{ id: 'c', function: { name: 'f', arguments: '{}' } }]),
    };
    expect(said('output', {}, { events: [testEvent('gen_ai.choice', choice)] })).toEqual(['assistant: f({})']);
  });

  it('may give the calls of a choice among the parts of its message', () => {
    const parts: JsonValue = [{ text: 'I look' }, { toolUse: { toolUseId: 't', name: 'f', input: { a: 1 } } }];
    const events = [testEvent('gen_ai.choice', { finish_reason: 'tool_use', message: json(parts) })];
    expect(said('output', {}, { events })).toEqual(['assistant: I look f({"a":1})']);
  });

  it('may give a text for a choice that looks like JSON', () => {
    const events = [testEvent('gen_ai.choice', { message: '[1, 2]' })];
    expect(said('output', {}, { events })).toEqual(['assistant: [1, 2]']);
  });

  it('may stand in the event of the operation', () => {
    const details = testEvent('gen_ai.client.inference.operation.details', {
      'gen_ai.system_instructions': 'Be nice',
      'gen_ai.input.messages': json([{ role: 'user', parts: [{ type: 'text', content: 'Hi' }] }]),
      'gen_ai.output.messages': json([{ role: 'assistant', parts: [{ type: 'text', content: 'Hello' }] }]),
    });
    expect(said('input', {}, { events: [details] })).toEqual(['system: Be nice', 'user: Hi']);
    expect(said('output', {}, { events: [details] })).toEqual(['assistant: Hello']);
  });

  it('may stand in an event of the operation each', () => {
    const details: JsonObject[] = [
      { 'gen_ai.system_instructions': json([{ type: 'text', content: 'Be nice' }]) },
      { 'gen_ai.input.messages': json([{ role: 'user', parts: [{ type: 'text', content: 'Hi' }] }]) },
      { 'gen_ai.output.messages': json([{ role: 'assistant', parts: [{ type: 'text', content: 'Hello' }] }]) },
    ];
    const events = details.map((attributes) => testEvent('gen_ai.client.inference.operation.details', attributes));
    expect(said('input', {}, { events })).toEqual(['system: Be nice', 'user: Hi']);
    expect(said('output', {}, { events })).toEqual(['assistant: Hello']);
  });

  it('may be the prompt and the completion as a whole', () => {
    const events = [
      testEvent('gen_ai.content.prompt', { 'gen_ai.prompt': json([{ role: 'user', content: 'Hi' }]) }),
      testEvent('gen_ai.content.completion', { 'gen_ai.completion': 'Hello' }),
    ];
    expect(said('input', {}, { events })).toEqual(['user: Hi']);
    expect(said('output', {}, { events })).toEqual(['assistant: Hello']);
  });

  it('lose against attributes, for input and output separately', () => {
    expect(said('input', { 'gen_ai.prompt': 'attribute' }, { events: conversation })).toEqual(['user: attribute']);
    expect(said('output', { 'gen_ai.prompt': 'attribute' }, { events: conversation })).toEqual(['assistant: Warm.']);
  });
});
