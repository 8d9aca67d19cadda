import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../platform/json.js';
import { ASKED, read, said, TOOL } from '../native-calls.fixture.js';

describe('OpenAI chat completions', () => {
  const kwargs = {
    model: 'gpt-4o',
    messages: [
      { role: 'system', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look' },
          { type: 'image_url', image_url: { url: 'https://x/y.png' } },
        ],
      },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'weather', arguments: '{"city":"Rome"}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'sunny' },
    ],
    tools: [TOOL],
    tool_choice: 'auto',
    temperature: 0.5,
    stream: false,
  };
  const response = {
    id: 'x',
    model: 'gpt-4o-2024-08-06',
    choices: [
      {
        index: 0,
        finish_reason: 'stop',
        message: { role: 'assistant', content: 'Sunny.', refusal: null, tool_calls: null },
      },
    ],
    usage: {
      prompt_tokens: 100,
      completion_tokens: 30,
      prompt_tokens_details: { cached_tokens: 60 },
      completion_tokens_details: { reasoning_tokens: 20 },
    },
  };

  it('are read with tools, usage and parameters', () => {
    const result = read({ kwargs, response });
    expect(said(result.input)).toEqual([
      'system | Be brief.',
      'user | Look | <image_url>',
      'assistant | c1:weather({"city":"Rome"})',
      'tool c1 | sunny',
    ]);
    expect(said(result.output)).toEqual(['assistant | Sunny.']);
    expect(result).toMatchObject({
      model: 'gpt-4o',
      apiType: 'chat-completions',
      parameters: { temperature: 0.5, stream: false },
      usage: { input: 100, output: 30, cached: 60, thinking: 20, cacheExclusive: false },
      input: { tools: [TOOL], tool_choice: 'auto' },
    });
  });

  it.each(['openai.AzureOpenAI.chat.completions.create', 'mistral.client.chat', 'openrouter.chat.send', 'house.chat'])(
    'are read the same under the name %s',
    (name) => expect(said(read({ name, provider: 'house', kwargs, response }).output)).toEqual(['assistant | Sunny.']),
  );

  it('are read from the one argument without a name that JavaScript clients take', () => {
    const result = read({ name: 'openai.OpenAI.chat.completions.create', args: [kwargs], response });
    expect(said(result.input)).toHaveLength(4);
    expect(result.parameters).toEqual({ temperature: 0.5, stream: false });
  });

  it('are read in camelCase, with thoughts and pictures, as OpenRouter answers', () => {
    const message = {
      role: 'assistant',
      content: 'Here.',
      reasoning: 'hm',
      images: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,QQ==' } }],
    };
    const result = read({
      name: 'openrouter.chat.send',
      provider: 'openrouter',
      kwargs: { model: 'openai/gpt-5', messages: ASKED },
      response: {
        choices: [{ finishReason: 'stop', message }],
        usage: { promptTokens: 5, completionTokens: 7, cost: 0.25 },
      },
    });
    expect(said(result.output)).toEqual(['assistant | (hm) | Here. | <image_url>']);
    expect(result).toMatchObject({ usage: { input: 5, output: 7 }, price: 0.25 });
  });

  it('are put together from the chunks of a stream', () => {
    const delta = (piece: JsonObject): JsonObject => ({
      model: 'm',
      choices: [{ index: 0, delta: piece, finish_reason: null }],
    });
    const call = (piece: JsonObject) => delta({ tool_calls: [{ index: 0, ...piece }] });
    const chunks = [
      delta({ role: 'assistant', content: '' }),
      delta({ content: 'Let me ' }),
      delta({ content: 'see.' }),
      call({ id: 'c9', type: 'function', function: { name: 'weather', arguments: '' } }),
      call({ function: { arguments: '{"city":' } }),
      call({ function: { arguments: '"Rome"}' } }),
      { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
      { choices: [], usage: { prompt_tokens: 9, completion_tokens: 4 } },
    ];
    const result = read({ kwargs: { model: 'm', messages: ASKED }, response: chunks });
    expect(said(result.output)).toEqual(['assistant | Let me see. | c9:weather({"city":"Rome"})']);
    expect(result).toMatchObject({ usage: { input: 9, output: 4 } });
  });

  it('are read as the SDK puts a stream together: the choice is the message', () => {
    const choices = [{ role: '', content: 'Sunny.' }];
    expect(said(read({ kwargs, response: { choices } }).output)).toEqual(['assistant | Sunny.']);
  });

  it('keep the older form of functions', () => {
    const result = read({
      kwargs: { messages: ASKED, functions: [{ name: 'weather', parameters: {} }], function_call: 'auto' },
      response: {
        choices: [
          { message: { role: 'assistant', content: null, function_call: { name: 'weather', arguments: '{}' } } },
        ],
      },
    });
    expect(said(result.output)).toEqual(['assistant | :weather({})']);
    expect(result.input).toMatchObject({ functions: [{ name: 'weather' }], function_call: 'auto' });
  });

  it.each([{}, null, ''])('without an answer (%j) have an empty output', (response) => {
    const result = read({ kwargs, response });
    expect(result.output).toMatchObject({ type: 'chat', messages: [] });
    expect(said(result.input)).toHaveLength(4);
  });
});
