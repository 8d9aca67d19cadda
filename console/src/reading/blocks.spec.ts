import { describe, expect, it } from 'vitest';
import { readConversation, readIfJson, readMessages } from './blocks';

const text = (value: string) => [{ type: 'text', text: value }];

it.each([
  ['nothing', undefined, [{ role: 'text', text: '' }]],
  ['a completion', { type: 'completion', content: text('Once') }, [{ role: 'text', text: 'Once' }]],
  [
    'messages',
    {
      messages: [
        {
          role: 'user',
          content: [...text('<b>Hi</b>'), { type: 'image_url', image_url: { url: 'https://a.example/x' } }],
        },
        { role: 'assistant', content: 'Hello' },
      ],
    },
    [
      { role: 'user', text: '<b>Hi</b>\n(image) https://a.example/x' },
      { role: 'assistant', text: 'Hello' },
    ],
  ],
  [
    'calls of tools and thoughts',
    {
      messages: [
        {
          role: 'assistant',
          content: [{ type: 'thinking', thinking: 'Hm' }],
          tool_calls: [{ function: { name: 'add', arguments: '{"a":1}' } }],
        },
      ],
    },
    [{ role: 'assistant', text: '(thinking) Hm\nadd({"a":1})' }],
  ],
  [
    'what is unknown',
    { messages: [7, { content: [{ odd: 1 }] }] },
    [
      { role: 'unknown', text: '' },
      { role: 'unknown', text: '{\n  "odd": 1\n}' },
    ],
  ],
])('%s', (_, prompt, expected) => expect(readMessages(prompt)).toEqual(expected));

it('shortens images that are in the message', () => {
  const url = `data:image/png;base64,${'A'.repeat(5000)}`;
  const [message] = readMessages({
    messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }],
  });
  expect(message!.text.length).toBeLessThan(250);
});

describe('results of tools', () => {
  const asking = (id: string) => ({
    role: 'assistant',
    tool_calls: [{ id, function: { name: 'add', arguments: '{}' } }],
  });
  const answering = (id: string, value: string) => ({ role: 'tool', tool_call_id: id, content: text(value) });
  const call = (id: string, value: string | null) => ({
    kind: 'call',
    id,
    name: 'add',
    input: '{}',
    result: value === null ? null : [{ kind: 'text', text: value }],
  });

  it('stand beside their calls', () => {
    expect(readConversation({ messages: [asking('a'), answering('a', '3'), asking('b')] })).toEqual([
      { role: 'assistant', blocks: [call('a', '3')] },
      { role: 'assistant', blocks: [call('b', null)] },
    ]);
  });

  it('belong to the latest call with their id', () => {
    const messages = [asking('a'), answering('a', '3'), asking('a'), answering('a', '4')];
    expect(readConversation({ messages }).map(({ blocks }) => blocks)).toEqual([[call('a', '3')], [call('a', '4')]]);
  });

  it('stay where they are without a call', () => {
    const orphan = { kind: 'result', callId: 'x', blocks: [{ kind: 'text', text: '3' }] };
    expect(readConversation({ messages: [answering('x', '3')] })).toEqual([{ role: 'tool', blocks: [orphan] }]);
  });

  it('stand beside their calls for tools of the provider', () => {
    const content = [
      { type: 'server_tool_use', id: 's', name: 'web_search', input: { query: 'kettle' } },
      { type: 'web_search_tool_result', tool_use_id: 's', content: [] },
      { type: 'mcp_call', id: 'm', name: 'read', arguments: '{"a":1}', output: null, error: 'gone' },
    ];
    expect(readConversation({ messages: [{ role: 'assistant', content }] })).toEqual([
      {
        role: 'assistant',
        blocks: [
          {
            kind: 'call',
            id: 's',
            name: 'web_search',
            input: { query: 'kettle' },
            result: [{ kind: 'data', title: 'result', value: [] }],
          },
          {
            kind: 'call',
            id: 'm',
            name: 'read',
            input: { a: 1 },
            result: [{ kind: 'data', title: 'error', value: 'gone' }],
          },
        ],
      },
    ]);
  });
});

it.each([
  ['{"a":1}', { a: 1 }],
  [' [1]', [1]],
  ['{"a":', '{"a":'],
  ['42', '42'],
  ['{"id":9007199254740993}', '{"id":9007199254740993}'],
])('reads %s as JSON where that loses nothing', (given, expected) => expect(readIfJson(given)).toEqual(expected));

it.each([
  ['a parameter named like a part of objects', { messages: [{ role: 'user', content: [{ type: 'constructor' }] }] }],
  ['no message', { messages: [null, 1, 'x', [], { role: null, content: 3, tool_calls: [null, 4] }] }],
  ['no prompt', 7],
])('reads %s', (_, prompt) => expect(readConversation(prompt).length).toBeGreaterThan(0));
