import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../platform/json.js';
import type { ContentPart, Message } from '../../shared/blueprint.js';
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
} from '../../providers/prompts.fixture.js';
import { providers } from '../../providers/providers.fixture.js';

function kwargs(prompt: Parameters<typeof call>[0], parameters: JsonObject = {}): JsonObject {
  return providers.kwargs('openai', call(prompt, { apiType: 'responses', parameters }));
}

const inputOf = (...messages: Message[]): JsonValue => kwargs(chat(messages)).input ?? [];

describe('the input of a response', () => {
  it.each<[string, Message[], JsonObject[]]>([
    [
      'holds the messages',
      [system('Be {mood}'), message('developer', 'b'), user('Hi {name}'), assistant([text('a'), text('b')])],
      [
        { role: 'system', content: [{ type: 'input_text', text: 'Be {mood}' }] },
        { role: 'developer', content: [{ type: 'input_text', text: 'b' }] },
        { role: 'user', content: [{ type: 'input_text', text: 'Hi {name}' }] },
        { role: 'assistant', content: 'ab' },
      ],
    ],
    [
      'gives back what the endpoint answered',
      [
        assistant([
          text('a', { id: 'msg_1', annotations: [{ type: 'url_citation', url: 'u' }, { type: 'map_citation' }] }),
          text('b', { id: 'msg_1' }),
          text('c', { id: 'msg_2' }),
        ]),
      ],
      [
        {
          type: 'message',
          role: 'assistant',
          id: 'msg_1',
          status: 'completed',
          content: [
            { type: 'output_text', text: 'a', annotations: [{ type: 'url_citation', url: 'u' }] },
            { type: 'output_text', text: 'b', annotations: [] },
          ],
        },
        {
          type: 'message',
          role: 'assistant',
          id: 'msg_2',
          status: 'completed',
          content: [{ type: 'output_text', text: 'c', annotations: [] }],
        },
      ],
    ],
    [
      'holds calls and their results as items',
      [
        assistant(
          'x',
          toolCall('c1', 'f', '{"a":1}', { tool_id: 'fc_1' }),
          toolCall('c2', 'g', '', { tool_id: 'toolu_1' }),
        ),
        tool('c1', '42'),
        tool('c2', [text('see'), IMAGE]),
      ],
      [
        { role: 'assistant', content: 'x' },
        { type: 'function_call', id: 'fc_1', call_id: 'c1', name: 'f', arguments: '{"a":1}' },
        { type: 'function_call', call_id: 'c2', name: 'g', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c1', output: '42' },
        {
          type: 'function_call_output',
          call_id: 'c2',
          output: [
            { type: 'input_text', text: 'see' },
            { type: 'input_image', image_url: 'https://x.test/a.png', detail: 'low' },
          ],
        },
      ],
    ],
    [
      'turns older function calls into calls with an id',
      [
        message('assistant', null, { function_call: { name: 'f', arguments: '{}' } }),
        message('function', '42', { name: 'f' }),
      ],
      [
        { type: 'function_call', call_id: 'call00001', name: 'f', arguments: '{}' },
        { type: 'function_call_output', call_id: 'call00001', output: '42' },
      ],
    ],
    [
      'skips what is left over',
      [message('placeholder', null, { name: 'x' }), user({ type: 'media_variable', name: 'x' })],
      [],
    ],
    [
      'puts thoughts with one id together',
      [
        assistant([
          { type: 'thinking', thinking: 'a', id: 'rs_1' },
          { type: 'thinking', thinking: 'b', id: 'rs_1' },
          { type: 'thinking', thinking: '', id: 'rs_2' },
          { type: 'thinking', thinking: 'of another vendor', id: 'thought_1' },
        ]),
      ],
      [
        {
          type: 'reasoning',
          id: 'rs_1',
          summary: [
            { type: 'summary_text', text: 'a' },
            { type: 'summary_text', text: 'b' },
          ],
        },
        { type: 'reasoning', id: 'rs_2', summary: [] },
      ],
    ],
    [
      'lets the user approve',
      [user('yes', { type: 'mcp_approval_response', approval_request_id: 'mcpr_1', approve: true })],
      [
        { role: 'user', content: [{ type: 'input_text', text: 'yes' }] },
        { type: 'mcp_approval_response', approval_request_id: 'mcpr_1', approve: true },
      ],
    ],
  ])('%s', (_, messages, expected) => {
    expect(inputOf(...messages)).toEqual(expected);
  });

  it('gives back every built-in call, and leaves out what other vendors wrote', () => {
    expect(inputOf(assistant(VENDOR_PARTS))).toEqual([
      { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'summary' }] },
      {
        type: 'code_interpreter_call',
        id: 'ci_1',
        container_id: 'cntr_1',
        code: 'print(1)',
        outputs: [],
        status: 'completed',
      },
      { type: 'image_generation_call', id: 'ig_1', result: DATA, status: 'completed' },
      { type: 'mcp_list_tools', id: 'mcpl_1', server_label: 's', tools: [] },
      { type: 'mcp_call', id: 'mcp_1', name: 'n', server_label: 's', arguments: '{}', output: 'o' },
      { type: 'mcp_approval_request', id: 'mcpr_1', name: 'n', arguments: '{}', server_label: 's' },
      { type: 'mcp_approval_response', approval_request_id: 'mcpr_1', approve: false },
      { type: 'shell_call', id: 'sh_1', call_id: 'c1', action: { commands: ['ls'] }, status: 'completed' },
      { type: 'shell_call_output', call_id: 'c1', output: [{ stdout: 'a' }] },
      {
        type: 'apply_patch_call',
        id: 'ap_1',
        call_id: 'c2',
        operation: { type: 'delete_file', path: 'p' },
        status: 'completed',
      },
      { type: 'apply_patch_call_output', call_id: 'c2', output: 'done', status: 'completed' },
    ]);
  });

  it.each<[string, ContentPart, JsonObject | null]>([
    [
      'an image',
      media('image/png', DATA, 'base64'),
      { type: 'input_image', image_url: `data:image/png;base64,${DATA}` },
    ],
    ['an image of the vendor', media('image/png', 'file-1', 'neither'), { type: 'input_image', file_id: 'file-1' }],
    [
      'a file',
      media('application/pdf', DATA, 'base64'),
      {
        type: 'input_file',
        filename: 'a file',
        file_data: `data:application/pdf;base64,${DATA}`,
      },
    ],
    [
      'an address',
      media('application/pdf', 'https://x.test/a', 'url'),
      { type: 'input_file', file_url: 'https://x.test/a' },
    ],
    ['sound', media('audio/wav', DATA, 'base64'), null],
  ])('shows %s', (_, part, expected) => {
    expect(inputOf(user(part))).toEqual(expected ? [{ role: 'user', content: [expected] }] : []);
  });

  it('is one message of the user for a completion', () => {
    expect(kwargs(completion('Say {x}'))).toEqual({
      input: [{ role: 'user', content: [{ type: 'input_text', text: 'Say {x}' }] }],
      model: 'model-1',
    });
  });
});

describe('the tools of a response', () => {
  const schema = { type: 'object', properties: { city: { type: 'string' } }, additionalProperties: false };

  it.each<[string, JsonObject, JsonObject]>([
    [
      'say whether they are strict',
      { tools: [functionTool('f')], tool_choice: { type: 'function', function: { name: 'f' } } },
      {
        tools: [{ type: 'function', name: 'f', description: 'Calls f', parameters: schema, strict: false }],
        tool_choice: { type: 'function', name: 'f' },
      },
    ],
    [
      'include the older functions',
      { functions: [{ name: 'g', strict: true }], function_call: 'auto' },
      {
        tools: [{ type: 'function', name: 'g', parameters: { type: 'object', properties: {} }, strict: true }],
        tool_choice: 'auto',
      },
    ],
    [
      'include those the endpoint runs itself',
      {
        tools: [
          builtIn('openai', 'web_search', { type: 'web_search_2025_08_26', search_context_size: 'low' }),
          builtIn('openai.azure', 'code_interpreter'),
          builtIn('openai', 'openai_mcp', {
            type: 'mcp',
            server_label: 's',
            server_url: 'u',
            execution_mode: 'provider',
          }),
          builtIn('anthropic', 'web_search'),
          builtIn('openai', 'google_maps'),
          { type: 'mcp', mcp_server_id: 3 },
        ],
      },
      {
        tools: [
          { type: 'web_search_2025_08_26', search_context_size: 'low' },
          { type: 'code_interpreter', container: { type: 'auto' } },
          { type: 'mcp', server_label: 's', server_url: 'u' },
        ],
      },
    ],
    ['say nothing when there are none', { tools: [], tool_choice: 'auto' }, {}],
  ])('%s', (_, tools, expected) => {
    const { input: _input, model: _model, ...rest } = kwargs(chat([user('x')], tools));
    expect(rest).toEqual(expected);
  });
});

describe('the parameters of a response', () => {
  const json_schema = { name: 'answer', schema: { type: 'object' }, strict: true };
  const format = { type: 'json_schema', ...json_schema };

  it.each<[string, JsonObject, JsonObject]>([
    ['nest the format', { response_format: { type: 'json_schema', json_schema } }, { text: { format } }],
    [
      'keep what stands beside the format',
      { response_format: { type: 'json_object' }, text: { verbosity: 'low' } },
      { text: { format: { type: 'json_object' }, verbosity: 'low' } },
    ],
    [
      'nest the effort',
      { reasoning_effort: 'low', reasoning: { summary: 'auto' } },
      {
        reasoning: { effort: 'low', summary: 'auto' },
      },
    ],
    ['stay as they are otherwise', { max_output_tokens: 5, store: false }, { max_output_tokens: 5, store: false }],
  ])('%s', (_, parameters, expected) => {
    const { input: _input, model: _model, ...rest } = kwargs(chat([user('x')]), parameters);
    expect(rest).toEqual(expected);
  });
});
