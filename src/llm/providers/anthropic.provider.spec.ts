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
  INLINE_IMAGE,
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
  providers.kwargs('anthropic', call(prompt, { parameters }));
const messagesOf = (...messages: Message[]): JsonValue => kwargs(chat(messages)).messages ?? [];
const said = (role: string, ...texts: string[]): JsonObject => ({
  role,
  content: texts.map((content) => ({ type: 'text', text: content })),
});

describe('a chat of Anthropic', () => {
  it.each([
    ['anthropic', 'claude-1'],
    ['anthropic.bedrock', 'anthropic.claude-1'],
    ['vertexai', 'claude-1'],
  ])('through %s has its instructions beside the messages', (provider, model) => {
    const prompt = chat([system('Be {mood}'), user('Hi {name}'), message('developer', 'b'), system(' ')]);
    expect(providers.kwargs(provider, call(prompt, { model }))).toEqual({
      system: [
        { type: 'text', text: 'Be {mood}' },
        { type: 'text', text: 'b' },
      ],
      messages: [said('user', 'Hi {name}')],
      model,
      max_tokens: 4096,
    });
  });

  it.each<[string, Message[], JsonObject[]]>([
    [
      'merges neighbours of one role, also across instructions',
      [user('a'), system('x'), user('b'), assistant('c'), assistant('d'), user('e')],
      [said('user', 'a', 'b'), said('assistant', 'c', 'd'), said('user', 'e')],
    ],
    [
      'has results of tools in one message of the user',
      [
        assistant('x', toolCall('c1', 'f', '{"a":1}'), toolCall('c2', 'g', 'no json')),
        tool('c1', '1'),
        tool('c2', [IMAGE]),
        user('y'),
      ],
      [
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'x' },
            { type: 'tool_use', id: 'c1', name: 'f', input: { a: 1 } },
            { type: 'tool_use', id: 'c2', name: 'g', input: {} },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'c1', content: [{ type: 'text', text: '1' }] },
            {
              type: 'tool_result',
              tool_use_id: 'c2',
              content: [{ type: 'image', source: { type: 'url', url: 'https://x.test/a.png' } }],
            },
            { type: 'text', text: 'y' },
          ],
        },
      ],
    ],
    [
      'gives ids to older function calls, in the order of their results',
      [
        message('assistant', null, { function_call: { name: 'f', arguments: '[1]' } }),
        message('function', null, { name: 'f' }),
        message('assistant', null, { function_call: { name: 'f', arguments: '{}' } }),
        message('function', '2', { name: 'f' }),
      ],
      [
        { role: 'assistant', content: [{ type: 'tool_use', id: 'call00001', name: 'f', input: {} }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call00001' }] },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'call00002', name: 'f', input: {} }] },
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: 'call00002', content: [{ type: 'text', text: '2' }] }],
        },
      ],
    ],
    [
      'skips what is left over',
      [message('placeholder', null, { name: 'x' }), user({ type: 'media_variable', name: 'x' }), user(' ')],
      [],
    ],
    [
      'gives back what the API wrote, and leaves out what others wrote',
      [assistant([...VENDOR_PARTS, { type: 'redacted_thinking', data: 'd' }])],
      [
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'signed', signature: 'sig' },
            { type: 'server_tool_use', id: 'srv_1', name: 'web_search', input: { query: 'q' } },
            {
              type: 'web_search_tool_result',
              tool_use_id: 'srv_1',
              content: [{ type: 'web_search_result', url: 'u', title: 't', encrypted_content: 'e' }],
            },
            { type: 'bash_code_execution_tool_result', tool_use_id: 'srv_2', content: { stdout: '1' } },
            { type: 'text_editor_code_execution_tool_result', tool_use_id: 'srv_3', content: { lines: [] } },
            { type: 'redacted_thinking', data: 'd' },
          ],
        },
      ],
    ],
    [
      'gives back the citations of the search',
      [
        assistant([
          text('a', {
            annotations: [
              { type: 'url_citation', url: 'u', title: 't', cited_text: 'c', encrypted_index: 'e' },
              { type: 'url_citation', url: 'of another vendor', title: 't' },
            ],
          }),
        ]),
      ],
      [
        {
          role: 'assistant',
          content: [
            {
              type: 'text',
              text: 'a',
              citations: [
                { type: 'web_search_result_location', url: 'u', title: 't', cited_text: 'c', encrypted_index: 'e' },
              ],
            },
          ],
        },
      ],
    ],
  ])('%s', (_, messages, expected) => {
    expect(messagesOf(...messages)).toEqual(expected);
  });

  it.each<[string, ContentPart, JsonObject | null]>([
    ['an image', INLINE_IMAGE, { type: 'image', source: { type: 'base64', media_type: 'image/png', data: DATA } }],
    ['an image it cannot read', media('image/tiff', DATA, 'base64'), null],
    [
      'a PDF',
      media('application/pdf', DATA, 'base64'),
      {
        type: 'document',
        source: { type: 'base64', media_type: 'application/pdf', data: DATA },
        title: 'a file',
      },
    ],
    [
      'a PDF behind an address',
      media(null, 'https://x.test/a.pdf', 'neither'),
      {
        type: 'document',
        source: { type: 'url', url: 'https://x.test/a.pdf' },
        title: 'a file',
      },
    ],
    [
      'plain text',
      media('text/plain', DATA, 'base64'),
      {
        type: 'document',
        source: { type: 'text', media_type: 'text/plain', data: 'Hi' },
        title: 'a file',
      },
    ],
    [
      'a file of the vendor',
      media('image/png', 'file_1', 'neither'),
      { type: 'image', source: { type: 'file', file_id: 'file_1' } },
    ],
    ['sound', media('audio/wav', DATA, 'base64'), null],
    ['a sheet', media('text/csv', DATA, 'base64'), null],
  ])('shows %s', (_, part, expected) => {
    expect(messagesOf(user(part))).toEqual(expected ? [{ role: 'user', content: [expected] }] : []);
  });
});

describe('the tools of Anthropic', () => {
  const input_schema = { type: 'object', properties: { city: { type: 'string' } }, additionalProperties: false };
  const f = { name: 'f', description: 'Calls f', input_schema };

  it.each<[string, JsonObject, JsonObject]>([
    ['are declared', { tools: [functionTool('f')] }, { tools: [f] }],
    [
      'are strict if they say so',
      { tools: [functionTool('f', { strict: true })] },
      { tools: [{ ...f, strict: true }] },
    ],
    [
      'may be functions',
      { functions: [{ name: 'g' }], function_call: 'auto' },
      {
        tools: [{ name: 'g', input_schema: { type: 'object', properties: {} } }],
        tool_choice: { type: 'auto' },
      },
    ],
    [
      'may be forbidden',
      { tools: [functionTool('f')], tool_choice: 'none' },
      { tools: [f], tool_choice: { type: 'none' } },
    ],
    [
      'may be demanded',
      { tools: [functionTool('f')], tool_choice: 'required' },
      { tools: [f], tool_choice: { type: 'any' } },
    ],
    [
      'may be demanded by name',
      { tools: [functionTool('f')], tool_choice: { type: 'function', function: { name: 'f' } } },
      { tools: [f], tool_choice: { type: 'tool', name: 'f' } },
    ],
    [
      'include those of the vendor',
      {
        tools: [
          builtIn('anthropic', 'web_search', { max_uses: 3 }),
          builtIn('anthropic', 'bash', { type: 'bash_20990101' }),
          builtIn('anthropic', 'google_maps'),
          builtIn('openai', 'web_search'),
        ],
      },
      {
        tools: [
          { type: 'web_search_20250305', name: 'web_search', max_uses: 3 },
          { type: 'bash_20990101', name: 'bash' },
        ],
      },
    ],
    ['say nothing when there are none', { tools: [], tool_choice: 'auto' }, {}],
  ])('%s', (_, tools, expected) => {
    const prompt = chat([user('x')], tools);
    expect(providers.kwargs('anthropic', call(prompt, { model: null }))).toEqual({
      messages: [said('user', 'x')],
      ...expected,
    });
  });
});

describe('the parameters of Anthropic', () => {
  it.each<[string, JsonObject, JsonObject]>([
    ['keep a limit', { max_tokens: 5, top_k: 3 }, { max_tokens: 5, top_k: 3 }],
    ['have a limit although it is null', { max_tokens: null }, { max_tokens: 4096 }],
    [
      'have a limit above the budget of the thoughts',
      { thinking: { budget_tokens: 9000 } },
      {
        thinking: { budget_tokens: 9000 },
        max_tokens: 13096,
      },
    ],
    [
      'nest a schema',
      {
        response_format: { type: 'json_schema', json_schema: { name: 'a', schema: { type: 'object' } } },
        output_config: { effort: 'low' },
      },
      {
        max_tokens: 4096,
        output_config: { format: { type: 'json_schema', schema: { type: 'object' } }, effort: 'low' },
      },
    ],
    ['know no other format', { response_format: { type: 'json_object' } }, { max_tokens: 4096 }],
  ])('%s', (_, parameters, expected) => {
    const { messages: _messages, model: _model, ...rest } = kwargs(chat([user('x')]), parameters);
    expect(rest).toEqual(expected);
  });

  it('belong to the legacy endpoint for a completion', () => {
    const legacy = { prompt: 'Say {x}', model: 'model-1' };
    expect(kwargs(completion('Say {x}'))).toEqual({ ...legacy, max_tokens_to_sample: 4096 });
    expect(kwargs(completion('Say {x}'), { max_tokens: 5 })).toEqual({ ...legacy, max_tokens_to_sample: 5 });
  });
});
