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

const kwargs = (prompt: Parameters<typeof call>[0], parameters: JsonObject = {}): JsonObject =>
  providers.kwargs('google', call(prompt, { parameters }));
const historyOf = (...messages: Message[]): JsonValue => kwargs(chat(messages)).history ?? [];
const said = (role: string, ...texts: string[]): JsonObject => ({
  role,
  parts: texts.map((content) => ({ text: content })),
});

describe('a chat of Google', () => {
  it.each([
    ['google', 'gemini-2'],
    ['vertexai', 'gemini-2'],
    ['vertexai', 'publishers/google/models/gemini-2'],
  ])('through %s is a history and a configuration', (provider, model) => {
    const prompt = chat([
      system('Be {mood}'),
      user('Hi {name}'),
      assistant('Ho'),
      user('How?'),
      message('developer', 'b'),
    ]);
    expect(providers.kwargs(provider, call(prompt, { model, parameters: { temperature: 0, stream: true } }))).toEqual({
      history: [said('user', 'Hi {name}'), said('model', 'Ho'), said('user', 'How?')],
      generation_config: { system_instruction: { parts: [{ text: 'Be {mood}' }, { text: 'b' }] }, temperature: 0 },
      model,
      stream: true,
    });
  });

  it('has no configuration when there is nothing to configure', () => {
    expect(providers.kwargs('google', call(chat([user('x')]), { model: null }))).toEqual({
      history: [said('user', 'x')],
    });
  });

  it.each<[string, Message[], JsonObject[]]>([
    [
      'merges neighbours of one role',
      [user('a'), system('x'), user('b'), assistant('c'), assistant('d')],
      [said('user', 'a', 'b'), said('model', 'c', 'd')],
    ],
    [
      'has calls and results by name',
      [
        assistant(
          'x',
          toolCall('c1', 'f', '{"a":1}', { provider_metadata: { thought_signature: 's' } }),
          toolCall('', 'g', { b: 2 }),
        ),
        tool('c1', '{"ok":true}'),
        tool('', [text('4'), text('2'), IMAGE]),
      ],
      [
        {
          role: 'model',
          parts: [
            { text: 'x' },
            { function_call: { id: 'c1', name: 'f', args: { a: 1 } }, thought_signature: 's' },
            { function_call: { name: 'g', args: { b: 2 } } },
          ],
        },
        {
          role: 'user',
          parts: [
            { function_response: { id: 'c1', name: 'f', response: { ok: true } } },
            { function_response: { name: 'g', response: { result: '42' } } },
            { file_data: { mime_type: 'image/png', file_uri: 'https://x.test/a.png' } },
          ],
        },
      ],
    ],
    [
      'pairs results with calls without ids by name',
      [
        assistant(null, toolCall('', 'f', '{}'), toolCall('', 'g', '{}')),
        message('tool', 'of g', { name: 'g' }),
        tool('', 'of f'),
      ],
      [
        {
          role: 'model',
          parts: [{ function_call: { name: 'f', args: {} } }, { function_call: { name: 'g', args: {} } }],
        },
        {
          role: 'user',
          parts: [
            { function_response: { name: 'g', response: { result: 'of g' } } },
            { function_response: { name: 'f', response: { result: 'of f' } } },
          ],
        },
      ],
    ],
    [
      'has older function calls like others',
      [
        message('assistant', null, { function_call: { name: 'f', arguments: '{broken' } }),
        message('function', '[1]', { name: 'f' }),
      ],
      [
        { role: 'model', parts: [{ function_call: { name: 'f', args: {} } }] },
        { role: 'user', parts: [{ function_response: { name: 'f', response: { result: '[1]' } } }] },
      ],
    ],
    [
      'skips what is left over',
      [message('placeholder', null, { name: 'x' }), user({ type: 'media_variable', name: 'x' }, '')],
      [],
    ],
    [
      'gives back what the API wrote, and leaves out what others wrote',
      [
        assistant([
          ...VENDOR_PARTS,
          text('', { thought_signature: 's' }),
          { type: 'output_media', url: DATA, mime_type: 'image/webp', provider_metadata: { thought_signature: 't' } },
        ]),
      ],
      [
        {
          role: 'model',
          parts: [
            { text: 'signed', thought: true, thought_signature: 'sig' },
            { text: 'summary', thought: true },
            { executable_code: { code: 'print(2)', language: 'PYTHON' } },
            { code_execution_result: { outcome: 'OUTCOME_OK', output: '2' } },
            { inline_data: { mime_type: 'image/png', data: DATA } },
            { text: '', thought_signature: 's' },
            { inline_data: { mime_type: 'image/webp', data: DATA }, thought_signature: 't' },
          ],
        },
      ],
    ],
  ])('%s', (_, messages, expected) => {
    expect(historyOf(...messages)).toEqual(expected);
  });

  it.each<[string, ContentPart, JsonObject | null]>([
    ['sound', media('audio/wav', DATA, 'base64'), { inline_data: { mime_type: 'audio/wav', data: DATA } }],
    [
      'a PDF',
      media(null, 'gs://bucket/a.pdf', 'url'),
      { file_data: { mime_type: 'application/pdf', file_uri: 'gs://bucket/a.pdf' } },
    ],
    ['a file of another vendor', media('application/pdf', 'file-1', 'neither'), null],
  ])('shows %s', (_, part, expected) => {
    expect(historyOf(user(part))).toEqual(expected ? [{ role: 'user', parts: [expected] }] : []);
  });

  it('is contents for a completion', () => {
    expect(kwargs(completion('Say {x}', IMAGE), { max_output_tokens: 5 })).toEqual({
      contents: [
        { parts: [{ text: 'Say {x}' }, { file_data: { mime_type: 'image/png', file_uri: 'https://x.test/a.png' } }] },
      ],
      generation_config: { max_output_tokens: 5 },
      model: 'model-1',
    });
  });
});

describe('the tools of Google', () => {
  const f = {
    name: 'f',
    description: 'Calls f',
    parameters: { type: 'object', properties: { city: { type: 'string' } } },
  };

  it.each<[string, JsonObject, JsonObject]>([
    ['are declared', { tools: [functionTool('f')] }, { tools: [{ function_declarations: [f] }] }],
    [
      'have no parameters when they take nothing',
      { functions: [{ name: 'g', parameters: { type: 'object', properties: {} } }], function_call: 'none' },
      {
        tools: [{ function_declarations: [{ name: 'g' }] }],
        tool_config: { function_calling_config: { mode: 'NONE' } },
      },
    ],
    [
      'may be demanded by name',
      { tools: [functionTool('f')], tool_choice: { type: 'function', function: { name: 'f' } } },
      {
        tools: [{ function_declarations: [f] }],
        tool_config: { function_calling_config: { mode: 'ANY', allowed_function_names: ['f'] } },
      },
    ],
    [
      'include those of the vendor',
      {
        tools: [
          builtIn('google', 'web_search'),
          builtIn('vertexai', 'file_search', { type: 'file_search', file_search_store_names: ['a'] }),
          builtIn('google', 'bash'),
          builtIn('openai', 'web_search'),
        ],
        tool_choice: 'required',
      },
      { tools: [{ google_search: {} }, { file_search: { file_search_store_names: ['a'] } }] },
    ],
  ])('%s', (_, tools, expected) => {
    expect(kwargs(chat([user('x')], tools)).generation_config).toEqual(expected);
  });

  it('lose the words of JSON schema that are refused, but no properties of that name', () => {
    const parameters = {
      $schema: 'x',
      type: 'object',
      properties: { strict: { type: 'array', items: { type: 'object', additionalProperties: false } } },
      required: ['strict'],
    };
    const { generation_config } = kwargs(chat([user('x')], { tools: [functionTool('f', { parameters })] }));
    expect(generation_config).toMatchObject({
      tools: [
        {
          function_declarations: [
            {
              parameters: {
                type: 'object',
                properties: { strict: { type: 'array', items: { type: 'object' } } },
                required: ['strict'],
              },
            },
          ],
        },
      ],
    });
    expect(JSON.stringify(generation_config)).not.toMatch(/additionalProperties|\$schema/);
  });
});

describe('the parameters of Google', () => {
  const schema = { type: 'object', properties: { a: { type: 'string' } } };

  it.each<[string, JsonObject, JsonObject]>([
    [
      'hold a schema for the answer',
      {
        response_format: {
          type: 'json_schema',
          json_schema: { name: 'a', schema: { ...schema, additionalProperties: false } },
        },
      },
      { response_mime_type: 'application/json', response_schema: schema },
    ],
    ['ask for any JSON', { response_format: { type: 'json_object' } }, { response_mime_type: 'application/json' }],
    [
      'keep the words of the API',
      { response_format: { type: 'json_object' }, response_mime_type: 'text/x.enum', thinking_config: { a: 1 } },
      { response_mime_type: 'text/x.enum', thinking_config: { a: 1 } },
    ],
    ['may be a whole configuration', { top_p: 1, generation_config: { top_p: 0, top_k: 2 } }, { top_p: 0, top_k: 2 }],
    ['win over the prompt', { system_instruction: 'mine' }, { system_instruction: 'mine' }],
  ])('%s', (_, parameters, expected) => {
    expect(kwargs(chat([system('theirs'), user('x')]), parameters).generation_config).toEqual({
      system_instruction: { parts: [{ text: 'theirs' }] },
      ...expected,
    });
  });

  it('may name another model and history', () => {
    expect(kwargs(chat([user('x')]), { model: 'other', history: [said('user', 'y')] })).toEqual({
      model: 'other',
      history: [said('user', 'y')],
    });
  });
});
