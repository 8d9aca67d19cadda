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
  INLINE_IMAGE,
  media,
  message,
  system,
  tool,
  toolCall,
  user,
  VENDOR_PARTS,
} from './prompts.fixture.js';
import { providers } from './providers.fixture.js';

const kwargs = (prompt: Parameters<typeof call>[0], parameters: JsonObject = {}): JsonObject =>
  providers.kwargs('amazon.bedrock', call(prompt, { parameters }));
const messagesOf = (...messages: Message[]): JsonValue => kwargs(chat(messages)).messages ?? [];
const said = (role: string, ...texts: string[]): JsonObject => ({
  role,
  content: texts.map((content) => ({ text: content })),
});

describe('a conversation of Converse', () => {
  it('has its instructions beside the messages and its parameters in groups', () => {
    const parameters = {
      max_tokens: 5,
      topP: 1,
      stop: 'end',
      top_k: 3,
      aws_region: 'eu-west-1',
      inferenceConfig: { temperature: 0 },
      additionalModelRequestFields: { thinking: {} },
    };
    expect(kwargs(chat([system('Be {mood}'), user('Hi {name}')]), parameters)).toEqual({
      modelId: 'model-1',
      system: [{ text: 'Be {mood}' }],
      messages: [said('user', 'Hi {name}')],
      inferenceConfig: { maxTokens: 5, topP: 1, stopSequences: ['end'], temperature: 0 },
      additionalModelRequestFields: { top_k: 3, thinking: {} },
      aws_region: 'eu-west-1',
    });
  });

  it('takes its model from the parameters rather than from the prompt', () => {
    expect(kwargs(completion('Say {x}'), { model: 'other' })).toEqual({
      modelId: 'other',
      messages: [said('user', 'Say {x}')],
    });
  });

  it('has no model when none is known', () => {
    const nothingElse = { messages: [said('user', 'x')] };
    expect(providers.kwargs('amazon.bedrock', call(chat([user('x')]), { model: null }))).toEqual(nothingElse);
  });

  it.each<[string, Message[], JsonObject[]]>([
    [
      'merges neighbours of one role',
      [user('a'), message('developer', 'x'), user('b'), assistant('c'), assistant('d')],
      [said('user', 'a', 'b'), said('assistant', 'c', 'd')],
    ],
    [
      'has results of tools in messages of the user',
      [assistant('x', toolCall('c1', 'f', '{"a":1}')), tool('c1', '42'), tool('c1', ''), user('y')],
      [
        { role: 'assistant', content: [{ text: 'x' }, { toolUse: { toolUseId: 'c1', name: 'f', input: { a: 1 } } }] },
        {
          role: 'user',
          content: [
            { toolResult: { toolUseId: 'c1', content: [{ text: '42' }] } },
            { toolResult: { toolUseId: 'c1', content: [] } },
            { text: 'y' },
          ],
        },
      ],
    ],
    [
      'has older function calls like others',
      [
        message('assistant', null, { function_call: { name: 'f', arguments: 'null' } }),
        message('function', '42', { name: 'f' }),
      ],
      [
        { role: 'assistant', content: [{ toolUse: { toolUseId: 'call00001', name: 'f', input: {} } }] },
        { role: 'user', content: [{ toolResult: { toolUseId: 'call00001', content: [{ text: '42' }] } }] },
      ],
    ],
    [
      'skips what is left over',
      [message('placeholder', null, { name: 'x' }), user({ type: 'media_variable', name: 'x' }, ' ')],
      [],
    ],
    [
      'gives back signed thoughts, and leaves out what others wrote',
      [assistant(VENDOR_PARTS)],
      [
        {
          role: 'assistant',
          content: [{ reasoningContent: { reasoningText: { text: 'signed', signature: 'sig' } } }],
        },
      ],
    ],
  ])('%s', (_, messages, expected) => {
    expect(messagesOf(...messages)).toEqual(expected);
  });

  it.each<[string, ContentPart, JsonObject | null]>([
    ['an image', INLINE_IMAGE, { image: { format: 'png', source: { bytes: DATA } } }],
    [
      'a PDF',
      { type: 'media', media: { title: 'Q1/report_1.pdf', type: 'application/pdf', url: DATA, format: 'base64' } },
      {
        document: { format: 'pdf', name: 'Q1 report 1 pdf', source: { bytes: DATA } },
      },
    ],
    [
      'a film in S3',
      media('video/mp4', 's3://bucket/a', 'url'),
      {
        video: { format: 'mp4', source: { s3Location: { uri: 's3://bucket/a' } } },
      },
    ],
    ['an image on the web', media('image/png', 'https://x.test/a', 'url'), null],
    ['sound', media('audio/wav', DATA, 'base64'), null],
  ])('shows %s', (_, part, expected) => {
    expect(messagesOf(user(part))).toEqual(expected ? [{ role: 'user', content: [expected] }] : []);
  });
});

describe('the tools of Converse', () => {
  const json = { type: 'object', properties: { city: { type: 'string' } }, additionalProperties: false };
  const tools = [{ toolSpec: { name: 'f', description: 'Calls f', inputSchema: { json } } }];

  it.each<[string, Message, JsonObject, JsonValue | undefined]>([
    ['are declared', user('x'), { tools: [functionTool('f', { strict: true })] }, { tools }],
    [
      'may be demanded',
      user('x'),
      { tools: [functionTool('f')], tool_choice: 'required' },
      { tools, toolChoice: { any: {} } },
    ],
    [
      'may be left to the model',
      user('x'),
      { tools: [functionTool('f')], tool_choice: 'auto' },
      { tools, toolChoice: { auto: {} } },
    ],
    [
      'may be demanded by name',
      user('x'),
      { tools: [functionTool('f')], tool_choice: { type: 'function', function: { name: 'f' } } },
      { tools, toolChoice: { tool: { name: 'f' } } },
    ],
    ['are not offered when forbidden', user('x'), { tools: [functionTool('f')], tool_choice: 'none' }, undefined],
    [
      'are shown although forbidden when the conversation has calls of them',
      assistant(null, toolCall('c', 'f', '{}')),
      { tools: [functionTool('f')], tool_choice: 'none' },
      { tools },
    ],
    ['of other vendors are left out', user('x'), { tools: [builtIn('openai', 'web_search')] }, undefined],
    [
      'may be functions',
      user('x'),
      { functions: [{ name: 'g' }] },
      {
        tools: [{ toolSpec: { name: 'g', inputSchema: { json: { type: 'object', properties: {} } } } }],
      },
    ],
  ])('%s', (_, first, given, expected) => {
    expect(kwargs(chat([first], given)).toolConfig).toEqual(expected);
  });
});
