import { expect, it } from 'vitest';
import { readMessages } from './read-messages';

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
