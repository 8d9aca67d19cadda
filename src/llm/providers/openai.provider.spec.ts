import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../platform/json.js';
import type { ContentPart, Message } from '../shared/blueprint.js';
import {
  assistant,
  builtIn,
  call,
  chat,
  completion,
  DATA,
  functionTool,
  IMAGE,
  media,
  message,
  system,
  text,
  tool,
  toolCall,
  user,
  VENDOR_PARTS,
} from './prompts.fixture.js';
import { providers } from './providers.fixture.js';

describe('a chat of OpenAI', () => {
  it('is made of messages, the model and its parameters', () => {
    const prompt = chat([system('Be {mood}'), user('Hi {name}')]);
    expect(providers.kwargs('openai', call(prompt, { parameters: { temperature: 0, stop: [], seed: null } }))).toEqual({
      messages: [
        { role: 'system', content: 'Be {mood}' },
        { role: 'user', content: [{ type: 'text', text: 'Hi {name}' }] },
      ],
      model: 'model-1',
      temperature: 0,
    });
  });

  it.each<[string, Message[], JsonObject[]]>([
    [
      'joins the texts of system and developer messages',
      [system([text('a'), text('b')]), message('developer', 'c')],
      [
        { role: 'system', content: 'ab' },
        { role: 'developer', content: 'c' },
      ],
    ],
    [
      'keeps the names of speakers',
      [message('user', 'a', { name: 'ann' })],
      [{ role: 'user', content: [{ type: 'text', text: 'a' }], name: 'ann' }],
    ],
    [
      'writes calls and results of tools',
      [assistant(null, toolCall('c1', 'f', '{"a":1}')), tool('c1', [text('4'), text('2')])],
      [
        {
          role: 'assistant',
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }],
        },
        { role: 'tool', content: '42', tool_call_id: 'c1' },
      ],
    ],
    [
      'writes arguments that were stored parsed, or not at all, as JSON text',
      [assistant('x', toolCall('c1', 'f', { a: 1 }), toolCall('c2', 'g', undefined))],
      [
        {
          role: 'assistant',
          content: 'x',
          tool_calls: [
            { id: 'c1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } },
            { id: 'c2', type: 'function', function: { name: 'g', arguments: '{}' } },
          ],
        },
      ],
    ],
    [
      'keeps the older function calls and their results',
      [
        message('assistant', null, { function_call: { name: 'f', arguments: '{}' } }),
        message('function', '42', { name: 'f' }),
      ],
      [
        { role: 'assistant', function_call: { name: 'f', arguments: '{}' } },
        { role: 'function', name: 'f', content: '42' },
      ],
    ],
    ['skips placeholders nobody filled', [message('placeholder', null, { name: 'history' })], []],
    ['skips messages nothing is left of', [user({ type: 'media_variable', name: 'x' }), assistant(null)], []],
    ['keeps empty texts', [user('')], [{ role: 'user', content: [{ type: 'text', text: '' }] }]],
    [
      'leaves out what other APIs wrote',
      [assistant([...VENDOR_PARTS, text('a')])],
      [{ role: 'assistant', content: 'a' }],
    ],
  ])('%s', (_, messages, expected) => {
    expect(providers.kwargs('openai', call(chat(messages))).messages ?? []).toEqual(expected);
  });

  it.each<[string, ContentPart, JsonObject | null]>([
    ['an image', IMAGE, { type: 'image_url', image_url: { url: 'https://x.test/a.png', detail: 'low' } }],
    [
      'an image in base64',
      media('image/png', DATA, 'base64'),
      { type: 'image_url', image_url: { url: `data:image/png;base64,${DATA}` } },
    ],
    ['sound', media('audio/mpeg', DATA, 'base64'), { type: 'input_audio', input_audio: { data: DATA, format: 'mp3' } }],
    ['sound behind an address', media('audio/wav', 'https://x.test/a.wav', 'url'), null],
    [
      'a PDF',
      media('application/pdf', DATA, 'base64'),
      { type: 'file', file: { filename: 'a file', file_data: `data:application/pdf;base64,${DATA}` } },
    ],
    ['a PDF behind an address', media('application/pdf', 'https://x.test/a.pdf', 'url'), null],
    [
      'a file of the vendor',
      media('application/pdf', 'file-1', 'neither'),
      { type: 'file', file: { file_id: 'file-1' } },
    ],
    [
      'an untyped image behind an address',
      media(null, 'https://x.test/a', 'neither'),
      { type: 'image_url', image_url: { url: 'https://x.test/a' } },
    ],
    ['an empty medium', media('image/png', null, 'base64'), null],
    ['a film', media('video/mp4', DATA, 'base64'), null],
    ['an image without an address', { type: 'image_url', image_url: { url: '' }, image_variable: 'pic' }, null],
  ])('shows %s', (_, part, expected) => {
    const { messages } = providers.kwargs('openai', call(chat([user('see', part)])));
    const content = [{ type: 'text', text: 'see' }, ...(expected ? [expected] : [])];
    expect(messages).toEqual([{ role: 'user', content }]);
  });
});

describe('tools of a chat of OpenAI', () => {
  const declared = {
    name: 'f',
    description: 'Calls f',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, additionalProperties: false },
  };

  it.each<[string, JsonObject, JsonObject]>([
    [
      'are declared',
      { tools: [functionTool('f')], tool_choice: 'required' },
      { tools: [{ type: 'function', function: declared }], tool_choice: 'required' },
    ],
    [
      'are strict if they say so',
      { tools: [functionTool('f', { strict: true })] },
      { tools: [{ type: 'function', function: { ...declared, strict: true } }] },
    ],
    [
      'may be demanded by name',
      { tools: [functionTool('f')], tool_choice: { type: 'function', function: { name: 'f' } } },
      {
        tools: [{ type: 'function', function: declared }],
        tool_choice: { type: 'function', function: { name: 'f' } },
      },
    ],
    ['say nothing when there are none', { tools: [], functions: [], function_call: 'none', tool_choice: 'auto' }, {}],
    [
      'may be functions',
      {
        functions: [{ name: 'f', description: 'Calls f', parameters: declared.parameters }],
        function_call: { name: 'f' },
      },
      { functions: [declared], function_call: { name: 'f' } },
    ],
    [
      'take an object if they do not say',
      { functions: [{ name: 'f' }] },
      {
        functions: [{ name: 'f', parameters: { type: 'object', properties: {} } }],
      },
    ],
    [
      'are function tools only',
      {
        tools: [
          builtIn('openai', 'web_search'),
          { type: 'registry', tool_registry_id: 1 },
          { type: 'variable', name: 'v' },
          { type: 'mcp', mcp_server_id: 1 },
        ],
        tool_choice: 'auto',
      },
      {},
    ],
  ])('%s', (_, tools, expected) => {
    const { messages: _messages, ...rest } = providers.kwargs(
      'openai',
      call(chat([user('x')], tools), { model: null }),
    );
    expect(rest).toEqual(expected);
  });
});

describe('the arguments for OpenAI', () => {
  it('hold no model when none is known', () => {
    expect(providers.kwargs('openai', call(chat([user('x')]), { model: null }))).toEqual({
      messages: [{ role: 'user', content: [{ type: 'text', text: 'x' }] }],
    });
  });

  it.each<[string, JsonValue]>([
    ['model', 'other'],
    ['messages', [{ role: 'user', content: 'mine' }]],
    ['tools', [{ type: 'custom' }]],
  ])('take %s from the parameters rather than from the prompt', (name, value) => {
    const kwargs = providers.kwargs('openai', call(chat([user('x')]), { parameters: { [name]: value } }));
    expect(kwargs[name]).toEqual(value);
  });

  it('keep the format of the answer as it is', () => {
    const response_format = { type: 'json_schema', json_schema: { name: 'a', schema: {} } };
    const kwargs = providers.kwargs('openai.azure', call(chat([user('x')]), { parameters: { response_format } }));
    expect(kwargs.response_format).toEqual(response_format);
  });

  it('are a prompt for a completion', () => {
    const parameters = { max_completion_tokens: 5, temperature: 1 };
    expect(providers.kwargs('openai', call(completion('Say {x}', ' twice'), { parameters }))).toEqual({
      prompt: 'Say {x} twice',
      model: 'model-1',
      max_tokens: 5,
      temperature: 1,
    });
  });

  it.each(['openai', 'openai.azure'])('are a prompt for an image of %s', (provider) => {
    const images = { apiType: 'images', parameters: { size: '1024x1024' } };
    const expected = { prompt: 'A cat', model: 'model-1', size: '1024x1024' };
    expect(providers.kwargs(provider, call(completion('A cat'), images))).toEqual(expected);
    expect(providers.kwargs(provider, call(chat([user('A cat')]), images))).toEqual(expected);
  });

  it('are the same for an unknown provider', () => {
    const prompt = chat([system('a'), user('b')], { tools: [functionTool('f')] });
    expect(providers.kwargs('my-gateway', call(prompt))).toEqual(providers.kwargs('openai', call(prompt)));
  });
});
