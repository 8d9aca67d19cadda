import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../platform/json.js';
import { ASKED, read, said, SCHEMA, TOOL } from '../native-calls.fixture.js';

describe('Anthropic messages', () => {
  const name = 'anthropic.messages.create';
  const kwargs = {
    model: 'claude-sonnet-4-5',
    system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
    max_tokens: 100,
    messages: [
      { role: 'user', content: 'Weather?' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'weather', input: { city: 'Rome' } }] },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 't1', content: [{ type: 'text', text: 'sunny' }] },
          { type: 'text', text: 'And?' },
        ],
      },
    ],
    tools: [{ name: 'weather', input_schema: SCHEMA }],
  };
  const content = [
    { type: 'thinking', thinking: 'hm', signature: 's' },
    { type: 'text', text: 'Sunny.', citations: null },
    { type: 'tool_use', id: 't2', name: 'weather', input: { city: 'Bari' } },
  ];
  const usage = {
    input_tokens: 10,
    output_tokens: 20,
    cache_read_input_tokens: 1000,
    cache_creation_input_tokens: 500,
  };
  const answer = 'assistant | (hm) | Sunny. | t2:weather({"city":"Bari"})';

  it.each(['anthropic', 'anthropic.bedrock', 'vertexai'])(
    'are read through %s, with the cache beside the input',
    (provider) => {
      const result = read({
        name,
        provider,
        kwargs,
        response: { type: 'message', role: 'assistant', content, usage, stop_reason: 'tool_use' },
      });
      expect(said(result.input)).toEqual([
        'system | Be brief.',
        'user | Weather?',
        'assistant | t1:weather({"city":"Rome"})',
        'tool t1 | sunny',
        'user | And?',
      ]);
      expect(said(result.output)).toEqual([answer]);
      expect(result).toMatchObject({
        apiType: 'messages',
        parameters: { max_tokens: 100 },
        usage: { input: 10, output: 20, cached: 1000, cacheWrite: 500, cacheExclusive: true },
        input: { tools: [TOOL] },
      });
    },
  );

  it.each([
    [{ cache_creation_input_tokens: 500 }, 500, null],
    [{ cache_creation_input_tokens: 500, cache_creation: null }, 500, null],
    [{ cache_creation_input_tokens: 500, cache_creation: { ephemeral_1h_input_tokens: 200 } }, 500, 200],
    [{ cache_creation: { ephemeral_5m_input_tokens: 300, ephemeral_1h_input_tokens: 200 } }, 500, 200],
  ])('report the tokens that are cached for an hour: %j', (written, cacheWrite, cacheWriteHour) => {
    const response = { type: 'message', role: 'assistant', content, usage: { input_tokens: 10, ...written } };
    const result = read({ name, provider: 'anthropic', kwargs: { messages: ASKED }, response });
    expect(result.usage).toMatchObject({ input: 10, cacheWrite, cacheWriteHour });
  });

  it('are put together from the events of a stream', () => {
    const at = (index: number, delta: JsonObject) => ({ type: 'content_block_delta', index, delta });
    const start = (index: number, content_block: JsonObject) => ({ type: 'content_block_start', index, content_block });
    const events = [
      {
        type: 'message_start',
        message: { type: 'message', model: 'claude', content: [], usage: { input_tokens: 10, output_tokens: 1 } },
      },
      start(0, { type: 'thinking', thinking: '' }),
      at(0, { type: 'thinking_delta', thinking: 'h' }),
      at(0, { type: 'thinking_delta', thinking: 'm' }),
      at(0, { type: 'signature_delta', signature: 's' }),
      start(1, { type: 'text', text: '' }),
      at(1, { type: 'text_delta', text: 'Sun' }),
      at(1, { type: 'text_delta', text: 'ny.' }),
      start(2, { type: 'tool_use', id: 't2', name: 'weather', input: {} }),
      at(2, { type: 'input_json_delta', partial_json: '{"city":' }),
      at(2, { type: 'input_json_delta', partial_json: '"Bari"}' }),
      { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 20 } },
      { type: 'message_stop' },
    ];
    const result = read({ name, provider: 'anthropic', kwargs: { messages: ASKED }, response: events });
    expect(said(result.output)).toEqual([answer]);
    expect(result).toMatchObject({ model: 'claude', usage: { input: 10, output: 20 } });
  });
});
