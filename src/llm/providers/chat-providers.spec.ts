import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../platform/json.js';
import type { ContentPart, Message } from '../shared/blueprint.js';
import type { ModelCall } from './model-provider.js';
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
  text,
  tool,
  toolCall,
  user,
  VENDOR_PARTS,
} from './prompts.fixture.js';
import { providers } from './providers.fixture.js';

/** Developer message, speaker's name, calls by both forms, result by name. */
const CONVERSATION: Message[] = [
  message('developer', 'Be {mood}', { name: 'boss' }),
  message('user', 'Hi {name}', { name: 'ann' }),
  assistant([...VENDOR_PARTS, text('a')], toolCall('c1', 'f', '{}')),
  tool('c1', '42'),
  message('assistant', null, { function_call: { name: 'g', arguments: '{}' } }),
  message('function', '43', { name: 'g' }),
];

const calls = (id: string, name: string): JsonObject => ({
  tool_calls: [{ id, type: 'function', function: { name, arguments: '{}' } }],
});

describe.each<[string, { system: JsonObject; user: JsonObject; assistant: JsonObject; f: JsonObject; g: JsonObject }]>([
  ['mistral', { system: { role: 'system' }, user: {}, assistant: {}, f: { name: 'f' }, g: { name: 'g' } }],
  ['cohere', { system: { role: 'system' }, user: {}, assistant: {}, f: {}, g: {} }],
  ['huggingface', { system: { role: 'system', name: 'boss' }, user: { name: 'ann' }, assistant: {}, f: {}, g: {} }],
  [
    'openrouter',
    {
      system: { role: 'developer', name: 'boss' },
      user: { name: 'ann' },
      assistant: { reasoning: 'signedsummary' },
      f: {},
      g: {},
    },
  ],
  ['vertexai', { system: { role: 'developer', name: 'boss' }, user: { name: 'ann' }, assistant: {}, f: {}, g: {} }],
])('a chat of %s', (provider, differences) => {
  it('has messages in the format of OpenAI', () => {
    const { messages } = providers.kwargs(provider, call(chat(CONVERSATION)));
    const older =
      provider === 'vertexai'
        ? [
            { role: 'assistant', function_call: { name: 'g', arguments: '{}' } },
            { role: 'function', name: 'g', content: '43' },
          ]
        : [
            { role: 'assistant', ...calls('call00001', 'g') },
            { role: 'tool', content: '43', tool_call_id: 'call00001', ...differences.g },
          ];
    expect(messages).toEqual([
      { ...differences.system, content: 'Be {mood}' },
      { role: 'user', content: [{ type: 'text', text: 'Hi {name}' }], ...differences.user },
      { role: 'assistant', content: 'a', ...calls('c1', 'f'), ...differences.assistant },
      { role: 'tool', content: '42', tool_call_id: 'c1', ...differences.f },
      ...older,
    ]);
  });

  it('takes the model and the parameters as they are', () => {
    const { messages: _messages, ...rest } = providers.kwargs(
      provider,
      call(chat([user('x')]), { parameters: { temperature: 0.5, anything: { a: null } } }),
    );
    expect(rest).toEqual({ model: 'model-1', temperature: 0.5, anything: { a: null } });
  });
});

describe('media', () => {
  const pdf = media('application/pdf', 'https://x.test/a.pdf', 'url');
  const sound = media('audio/wav', DATA, 'base64');
  const film = media('video/mp4', 'https://x.test/a.mp4', 'url');
  const image = { type: 'image_url', image_url: { url: 'https://x.test/a.png', detail: 'low' } };

  it.each<[string, ContentPart[], JsonObject[]]>([
    [
      'mistral',
      [IMAGE, pdf, sound, film],
      [
        image,
        { type: 'document_url', document_url: 'https://x.test/a.pdf' },
        { type: 'input_audio', input_audio: DATA },
      ],
    ],
    ['cohere', [IMAGE, pdf, sound, film], [image]],
    ['huggingface', [IMAGE, pdf, sound, film], [image]],
    [
      'openrouter',
      [IMAGE, pdf, sound, film],
      [
        image,
        { type: 'file', file: { filename: 'a file', file_data: 'https://x.test/a.pdf' } },
        { type: 'input_audio', input_audio: { data: DATA, format: 'wav' } },
        { type: 'video_url', video_url: { url: 'https://x.test/a.mp4' } },
      ],
    ],
  ])('for %s are those that its API accepts', (provider, parts, content) => {
    const { messages } = providers.kwargs(provider, call(chat([user(...parts)])));
    expect(messages).toEqual([{ role: 'user', content }]);
  });
});

describe('tools', () => {
  const parameters = { type: 'object', properties: { city: { type: 'string' } }, additionalProperties: false };
  const f = { name: 'f', description: 'Calls f', parameters };
  const strict = [{ type: 'function', function: { ...f, strict: true } }];
  const lax = [{ type: 'function', function: f }];
  const byName = { type: 'function', function: { name: 'f' } };

  it.each<[string, JsonObject, JsonObject]>([
    ['mistral', { tool_choice: 'required' }, { tools: strict, tool_choice: 'required' }],
    ['huggingface', { tool_choice: byName }, { tools: strict, tool_choice: byName }],
    ['openrouter', { tool_choice: 'any' }, { tools: strict, tool_choice: 'required' }],
    ['cohere', { tool_choice: 'required' }, { tools: lax, tool_choice: 'REQUIRED' }],
    ['cohere', { tool_choice: 'none' }, { tools: lax, tool_choice: 'NONE' }],
    ['cohere', { tool_choice: 'auto' }, { tools: lax }],
    ['cohere', { tool_choice: byName }, { tools: lax }],
    ['mistral', { tools: [], tool_choice: 'auto', functions: [], function_call: 'none' }, {}],
    ['mistral', { tools: [builtIn('mistral', 'web_search')], tool_choice: 'auto' }, {}],
    [
      'mistral',
      { tools: [], functions: [{ name: 'g' }], function_call: { name: 'g' } },
      {
        tools: [{ type: 'function', function: { name: 'g', parameters: { type: 'object', properties: {} } } }],
        tool_choice: { type: 'function', function: { name: 'g' } },
      },
    ],
    [
      'openrouter',
      {
        tools: [
          builtIn('openrouter', 'web_search', { id: 'web', max_results: 3 }),
          builtIn('openrouter', 'web_search', {
            openrouter_server_tool: 'openrouter:web_search',
            parameters: { a: 1 },
          }),
          builtIn('openai', 'web_search', { id: 'web' }),
        ],
      },
      { tools: [{ type: 'openrouter:web_search', parameters: { a: 1 } }], plugins: [{ id: 'web', max_results: 3 }] },
    ],
  ])('for %s with %j', (provider, given, expected) => {
    const prompt = chat([user('x')], { tools: [functionTool('f', { strict: true })], ...given });
    const { messages: _messages, ...rest } = providers.kwargs(provider, call(prompt, { model: null }));
    expect(rest).toEqual(expected);
  });
});

describe('particularities', () => {
  const completed = { role: 'user', content: [{ type: 'text', text: 'Say {x}' }] };

  it.each<[string, Partial<ModelCall>, JsonObject]>([
    ['mistral', {}, { messages: [completed] }],
    ['cohere', {}, { messages: [completed] }],
    ['huggingface', {}, { prompt: 'Say {x}' }],
    ['openrouter', {}, { messages: [completed] }],
    ['openrouter', { apiType: 'images' }, { prompt: 'Say {x}' }],
    ['openrouter', { apiType: 'video' }, { prompt: 'Say {x}' }],
    ['openrouter', { apiType: 'speech', parameters: { voice: 'v' } }, { input: 'Say {x}', voice: 'v' }],
    ['elsewhere', {}, { prompt: 'Say {x}' }],
  ])('for a completion of %s with %j', (provider, extra, expected) => {
    const kwargs = providers.kwargs(provider, call(completion('Say {x}'), extra));
    expect(kwargs).toEqual({ model: 'model-1', ...expected });
  });

  it('let the schema of Cohere be part of its format', () => {
    const response_format = { type: 'json_schema', json_schema: { name: 'a', schema: { type: 'object' } } };
    const kwargs = providers.kwargs('cohere', call(chat([user('x')]), { parameters: { response_format } }));
    expect(kwargs.response_format).toEqual({ type: 'json_object', json_schema: { type: 'object' } });
  });

  it.each<[string | null, JsonObject, string]>([
    ['gemini-2', {}, 'history'],
    ['claude-4', {}, 'max_tokens'],
    ['publishers/anthropic/models/claude-4', {}, 'max_tokens'],
    ['llama-4', {}, 'messages'],
    ['gemini-2', { model: 'claude-4' }, 'max_tokens'],
    [null, {}, 'history'],
  ])('let the model %s with %j decide the shape for Vertex AI', (model, parameters, member) => {
    expect(providers.kwargs('vertexai', call(chat([user('x')]), { model, parameters }))).toHaveProperty(member);
  });
});
