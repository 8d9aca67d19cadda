import { describe, expect, it } from 'vitest';
import type { Message } from '../shared/blueprint.js';
import type { JsonObject, JsonValue } from '../../platform/json.js';
import { readInstructions, readMessages } from './messages.js';

/** The messages without the fields that are the same for all of them. */
function brief(value: JsonValue, fallback: Message['role'] = 'user'): JsonObject[] {
  return readMessages(value, fallback).map((message) => {
    const { input_variables, template_format, ...rest } = message;
    expect([input_variables, template_format]).toEqual([[], 'f-string']);
    if (rest.name === null) delete rest.name;
    if (rest.tool_calls === null) delete rest.tool_calls;
    return rest as JsonObject;
  });
}

function contentOf(part: JsonValue, role = 'user'): JsonValue {
  return brief([{ role, parts: [part] }])[0].content;
}

const text = (value: string) => ({ type: 'text', text: value });
const call = (id: string, name: string, args: string) => ({
  id,
  type: 'function',
  tool_id: null,
  function: { name, arguments: args },
});

describe('readMessages', () => {
  it.each<[string, JsonValue, JsonObject[]]>([
    ['a plain text', 'Hi', [{ role: 'user', content: [text('Hi')] }]],
    ['nothing', null, []],
    ['an empty text', '', []],
    ['an empty list', '[]', []],
    ['an answer that is JSON', '["a", [1, 2]]', [{ role: 'user', content: [text('["a", [1, 2]]')] }]],
    ['text that only begins like JSON', '[not json', [{ role: 'user', content: [text('[not json')] }]],
    ['one message', { role: 'system', content: 'Be nice' }, [{ role: 'system', content: [text('Be nice')] }]],
    [
      'a list of texts',
      ['a', 'b'],
      [
        { role: 'user', content: [text('a')] },
        { role: 'user', content: [text('b')] },
      ],
    ],
    ['a list of parts', [text('a'), text('b')], [{ role: 'user', content: [text('a'), text('b')] }]],
    ['messages as JSON text', '[{"role":"assistant","content":"x"}]', [{ role: 'assistant', content: [text('x')] }]],
    ['a list of JSON texts', ['{"role":"assistant","content":"x"}'], [{ role: 'assistant', content: [text('x')] }]],
    [
      'an object that holds messages',
      { messages: [{ role: 'user', content: 'x' }] },
      [{ role: 'user', content: [text('x')] }],
    ],
    ['a batch', { messages: [[{ role: 'user', content: 'x' }]] }, [{ role: 'user', content: [text('x')] }]],
    [
      'a request with instructions',
      { system: 'S', messages: ['x'] },
      [
        { role: 'system', content: [text('S')] },
        { role: 'user', content: [text('x')] },
      ],
    ],
    ['any other object', { question: 'x' }, [{ role: 'user', content: [text('{"question":"x"}')] }]],
    ['an empty object', [{}], [{ role: 'user', content: [] }]],
    ['a message without content', [{ role: 'user' }], [{ role: 'user', content: [] }]],
  ])('reads %s', (_, value, expected) => {
    expect(brief(value)).toEqual(expected);
  });

  it.each([
    ['human', 'user'],
    ['ai', 'assistant'],
    ['model', 'assistant'],
    ['Developer', 'developer'],
    ['stranger', 'user'],
  ])('reads role %s as %s', (role, expected) => {
    expect(brief([{ role, content: 'x' }])[0].role).toBe(expected);
  });

  it('reads serialised LangChain messages', () => {
    const lc = (name: string, kwargs: JsonObject) => ({ lc: 1, type: 'constructor', id: ['langchain', name], kwargs });
    const calls = [{ id: 'c1', name: 'f', args: { a: 1 }, type: 'tool_call' }];
    expect(
      brief({
        messages: [
          [
            lc('SystemMessage', { content: 'S' }),
            lc('HumanMessage', { content: 'H' }),
            lc('AIMessageChunk', { content: '', tool_calls: calls }),
            lc('ToolMessage', { content: 'T', tool_call_id: 'c1' }),
          ],
        ],
      }),
    ).toEqual([
      { role: 'system', content: [text('S')] },
      { role: 'user', content: [text('H')] },
      { role: 'assistant', content: [], tool_calls: [call('c1', 'f', '{"a":1}')] },
      { role: 'tool', content: [text('T')], tool_call_id: 'c1' },
    ]);
  });

  it.each<[string, JsonValue]>([
    [
      'OpenAI choices',
      { choices: [{ index: 0, message: { role: 'assistant', content: 'A' }, finish_reason: 'stop' }] },
    ],
    [
      'LangChain generations',
      { generations: [[{ text: 'A', message: { kwargs: { content: 'A' }, id: ['AIMessage'] } }]] },
    ],
    ['Google candidates', { candidates: [{ content: { role: 'model', parts: [{ text: 'A' }] } }] }],
    ['completion choices', { choices: [{ text: 'A' }] }],
  ])('reads an answer in the form of %s', (_, value) => {
    expect(brief(value, 'assistant')).toEqual([{ role: 'assistant', content: [text('A')] }]);
  });

  it('reads a request in the form of Google', () => {
    const value = {
      systemInstruction: { parts: [{ text: 'S' }] },
      contents: [{ role: 'user', parts: [{ text: 'U' }] }],
    };
    expect(brief(value)).toEqual([
      { role: 'system', content: [text('S')] },
      { role: 'user', content: [text('U')] },
    ]);
  });

  it('reads the items of the Responses API', () => {
    const items: JsonValue = [
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi' }] },
      { type: 'reasoning', id: 'r', summary: [{ type: 'summary_text', text: 'hm' }] },
      { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c1', output: 'done' },
    ];
    expect(brief(items)).toEqual([
      { role: 'user', content: [text('Hi')] },
      { role: 'assistant', content: [{ type: 'thinking', thinking: 'hm', signature: null, id: 'r' }] },
      { role: 'assistant', content: [], tool_calls: [call('c1', 'f', '{}')] },
      { role: 'tool', content: [text('done')], tool_call_id: 'c1' },
    ]);
  });
});

describe('a content part', () => {
  it.each<[string, JsonValue, JsonValue]>([
    ['text of OpenTelemetry', { type: 'text', content: 'x' }, text('x')],
    ['text of everyone else', { type: 'text', text: 'x', annotations: [1] }, { ...text('x'), annotations: [1] }],
    ['input text', { type: 'input_text', text: 'x' }, text('x')],
    ['output text', { type: 'output_text', text: 'x' }, text('x')],
    ['refusal', { type: 'refusal', refusal: 'no' }, text('no')],
    [
      'reasoning',
      { type: 'reasoning', content: 'hm' },
      { type: 'thinking', thinking: 'hm', signature: null, id: null },
    ],
    [
      'summarised reasoning',
      { type: 'reasoning', id: 'r', summary: [{ type: 'summary_text', text: 'hm' }] },
      { type: 'thinking', thinking: 'hm', signature: null, id: 'r' },
    ],
    [
      'thinking of Anthropic',
      { type: 'thinking', thinking: 'hm', signature: 's' },
      { type: 'thinking', thinking: 'hm', signature: 's', id: null },
    ],
    [
      'thinking of Mistral',
      {
        type: 'thinking',
        thinking: [
          { type: 'text', text: 'h' },
          { type: 'text', text: 'm' },
        ],
      },
      { type: 'thinking', thinking: 'hm', signature: null, id: null },
    ],
    [
      'thought of Google',
      { text: 'hm', thought: true },
      { type: 'thinking', thinking: 'hm', signature: null, id: null },
    ],
    ['redacted thinking', { type: 'redacted_thinking', data: 'x' }, { type: 'redacted_thinking', data: 'x' }],
    [
      'server tool call',
      { type: 'server_tool_call', id: 's', name: 'web_search', server_tool_call: { q: 1 } },
      { type: 'server_tool_use', id: 's', name: 'web_search', input: { q: 1 } },
    ],
    [
      'web search result',
      { type: 'server_tool_call_response', id: 's', server_tool_call_response: { type: 'web_search', content: [] } },
      { type: 'web_search_tool_result', tool_use_id: 's', content: [] },
    ],
    [
      'code execution result',
      {
        type: 'server_tool_call_response',
        id: 's',
        server_tool_call_response: { type: 'code_interpreter', output: '4' },
      },
      { type: 'code_execution_result', output: '4', outcome: 'OUTCOME_OK' },
    ],
    [
      'other server result',
      { type: 'server_tool_call_response', id: 's', server_tool_call_response: { x: 1 } },
      text('{"x":1}'),
    ],
    ['unknown part', { type: 'hologram', x: 1 }, text('{"type":"hologram","x":1}')],
    ['number', 5, text('5')],
  ])('%s is kept', (_, part, expected) => {
    expect(contentOf(part)).toEqual([expected]);
  });

  const image = (url: string, extra = {}) => ({
    type: 'image_url',
    image_url: { url, ...extra },
    image_variable: null,
  });
  const media = (type: string | null, url: string, format: string, title = 'media') => ({
    type: 'media',
    media: { title, type, url, format },
  });

  it.each<[string, JsonValue, JsonValue]>([
    [
      'image blob',
      { type: 'blob', modality: 'image', mime_type: 'image/gif', content: 'AA' },
      image('data:image/gif;base64,AA'),
    ],
    [
      'audio blob',
      { type: 'blob', modality: 'audio', mime_type: 'audio/mp3', content: 'AA' },
      media('audio/mp3', 'AA', 'base64'),
    ],
    ['image URI', { type: 'uri', modality: 'image', uri: 'https://i' }, image('https://i')],
    [
      'video URI',
      { type: 'uri', modality: 'video', mime_type: 'video/mp4', uri: 'gs://v' },
      media('video/mp4', 'gs://v', 'url'),
    ],
    [
      'file by id',
      { type: 'file', modality: 'document', mime_type: 'application/pdf', file_id: 'f1' },
      media('application/pdf', 'f1', 'neither'),
    ],
    [
      'OpenAI image',
      { type: 'image_url', image_url: { url: 'https://i', detail: 'low' } },
      image('https://i', { detail: 'low' }),
    ],
    ['OpenAI image as text', { type: 'image_url', image_url: 'https://i' }, image('https://i')],
    ['Responses image', { type: 'input_image', image_url: 'https://i' }, image('https://i')],
    [
      'OpenAI audio',
      { type: 'input_audio', input_audio: { data: 'AA', format: 'wav' } },
      media('audio/wav', 'AA', 'base64'),
    ],
    [
      'OpenAI file',
      { type: 'file', file: { file_data: 'AA', filename: 'a.pdf' } },
      media(null, 'AA', 'base64', 'a.pdf'),
    ],
    [
      'Anthropic image',
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA' } },
      image('data:image/png;base64,AA'),
    ],
    ['Anthropic image URL', { type: 'image', source: { type: 'url', url: 'https://i' } }, image('https://i')],
    [
      'Anthropic document',
      { type: 'document', title: 'T', source: { media_type: 'application/pdf', data: 'AA' } },
      media('application/pdf', 'AA', 'base64', 'T'),
    ],
    ['LangChain image', { type: 'image', base64: 'AA', mime_type: 'image/png' }, image('data:image/png;base64,AA')],
    ['LangChain image URL', { type: 'image', url: 'https://i' }, image('https://i')],
    ['LangChain audio', { type: 'audio', base64: 'AA', mime_type: 'audio/wav' }, media('audio/wav', 'AA', 'base64')],
    [
      'LangChain file',
      { type: 'file', base64: 'AA', mime_type: 'application/pdf', filename: 'a.pdf' },
      media('application/pdf', 'AA', 'base64', 'a.pdf'),
    ],
    ['Vercel media', { type: 'media', data: 'AA', mediaType: 'image/png' }, image('data:image/png;base64,AA')],
    [
      'Vercel image data',
      { type: 'image-data', data: 'AA', mediaType: 'image/gif' },
      image('data:image/gif;base64,AA'),
    ],
    [
      'Vercel file data',
      { type: 'file-data', data: 'AA', mediaType: 'application/pdf', filename: 'a.pdf' },
      media('application/pdf', 'AA', 'base64', 'a.pdf'),
    ],
    ['image URL of Pydantic AI', { type: 'image-url', url: 'https://i' }, image('https://i')],
    ['document URL of Pydantic AI', { type: 'document-url', url: 'https://d' }, media(null, 'https://d', 'url')],
    [
      'binary content of Pydantic AI',
      { type: 'binary', media_type: 'audio/wav', content: 'AA' },
      media('audio/wav', 'AA', 'base64'),
    ],
    ['media as it is kept', media('image/png', 'https://i', 'url'), media('image/png', 'https://i', 'url')],
    ['Google inline data', { inlineData: { mimeType: 'image/png', data: 'AA' } }, image('data:image/png;base64,AA')],
    ['Google file', { fileData: { mimeType: 'video/mp4', fileUri: 'gs://v' } }, media('video/mp4', 'gs://v', 'url')],
    ['a picture without content', { type: 'image' }, text('{"type":"image"}')],
    ['a video that was found', { type: 'video', url: 'https://v' }, text('{"type":"video","url":"https://v"}')],
  ])('%s is recognised', (_, part, expected) => {
    expect(contentOf(part)).toEqual([expected]);
  });

  it.each<[string, JsonObject]>([
    ['OpenTelemetry', { type: 'tool_call', id: 'c1', name: 'f', arguments: { a: 1 } }],
    ['OpenTelemetry with text', { type: 'tool_call', id: 'c1', name: 'f', arguments: '{"a":1}' }],
    ['Anthropic', { type: 'tool_use', id: 'c1', name: 'f', input: { a: 1 } }],
    ['Google', { functionCall: { id: 'c1', name: 'f', args: { a: 1 } } }],
    ['Vercel', { type: 'tool-call', toolCallId: 'c1', toolName: 'f', input: { a: 1 } }],
    ['Bedrock', { toolUse: { toolUseId: 'c1', name: 'f', input: { a: 1 } } }],
  ])('is a tool call in the form of %s', (_, part) => {
    const expected = [{ role: 'assistant', content: [], tool_calls: [call('c1', 'f', '{"a":1}')] }];
    expect(brief([{ role: 'assistant', parts: [part] }])).toEqual(expected);
    expect(brief([{ role: 'user', content: [part] }])).toEqual(expected);
  });

  it.each<[string, JsonObject, JsonObject]>([
    ['OpenTelemetry', { type: 'tool_call_response', id: 'c1', response: 'ok' }, text('ok')],
    ['OpenTelemetry with result', { type: 'tool_call_response', id: 'c1', result: { a: 1 } }, text('{"a":1}')],
    ['Anthropic', { type: 'tool_result', tool_use_id: 'c1', content: [{ type: 'text', text: 'ok' }] }, text('ok')],
    [
      'Anthropic that is no content',
      { type: 'tool_result', tool_use_id: 'c1', content: [{ type: 'tool_use', name: 'f' }] },
      text('[{"type":"tool_use","name":"f"}]'),
    ],
    ['Google', { functionResponse: { id: 'c1', response: { a: 1 } } }, text('{"a":1}')],
    ['Vercel', { type: 'tool-result', toolCallId: 'c1', output: { type: 'json', value: [1, 2] } }, text('[1,2]')],
    ['Bedrock', { toolResult: { toolUseId: 'c1', content: [{ text: 'ok' }] } }, text('ok')],
    [
      'data with a type and a value',
      { type: 'tool_call_response', id: 'c1', response: { type: 'celsius', value: 20 } },
      text('{"type":"celsius","value":20}'),
    ],
    [
      'data with a text',
      { type: 'tool_call_response', id: 'c1', response: [{ text: 'found', score: 1 }] },
      text('[{"text":"found","score":1}]'),
    ],
  ])('is a tool result in the form of %s', (_, part, content) => {
    expect(brief([{ role: 'user', content: ['before', part, 'after'] }])).toEqual([
      { role: 'user', content: [text('before')] },
      { role: 'tool', content: [content], tool_call_id: 'c1' },
      { role: 'user', content: [text('after')] },
    ]);
  });
});

describe('members beside the content', () => {
  it.each<[string, JsonObject]>([
    [
      'tool calls of OpenAI',
      { content: null, tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }] },
    ],
    [
      'tool calls as JSON text',
      { content: '', tool_calls: '[{"id":"c1","type":"tool_call","name":"f","arguments":"{}"}]' },
    ],
    [
      'tool calls beside the same call in the parts',
      { parts: [{ type: 'tool_call', id: 'c1', name: 'f' }], tool_calls: [{ id: 'c1', function: { name: 'f' } }] },
    ],
    [
      'tool calls in additional_kwargs',
      { content: '', tool_calls: [], additional_kwargs: { tool_calls: [{ id: 'c1', function: { name: 'f' } }] } },
    ],
  ])('is read: %s', (_, message) => {
    expect(brief([{ role: 'assistant', ...message }])).toEqual([
      { role: 'assistant', content: [], tool_calls: [call('c1', 'f', '{}')] },
    ]);
  });

  it('is read: a function call of the older kind', () => {
    const message = { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } };
    expect(brief([message])[0].tool_calls).toEqual([call('', 'f', '{}')]);
  });

  it('is read: a name, the id of a tool call, reasoning', () => {
    expect(brief([{ role: 'tool', name: 'f', content: '{"a":1}', tool_call_id: 'c1' }])).toEqual([
      { role: 'tool', name: 'f', content: [text('{"a":1}')], tool_call_id: 'c1' },
    ]);
    expect(brief([{ role: 'assistant', content: 'x', reasoning_content: 'hm' }])[0].content).toEqual([
      { type: 'thinking', thinking: 'hm', signature: null, id: null },
      text('x'),
    ]);
  });
});

describe('the result of a tool', () => {
  it('takes the call and the name beside the parts, unless it has its own', () => {
    const beside = { role: 'tool', tool_call_id: 'c1', name: 'f' };
    expect(brief([{ ...beside, parts: [{ type: 'tool_call_response', result: 'ok' }] }])).toEqual([
      { role: 'tool', name: 'f', content: [text('ok')], tool_call_id: 'c1' },
    ]);
    expect(brief([{ ...beside, parts: [{ type: 'tool_call_response', id: 'c2', name: 'g', result: 'ok' }] }])).toEqual([
      { role: 'tool', name: 'g', content: [text('ok')], tool_call_id: 'c2' },
    ]);
  });
});

describe('readInstructions', () => {
  it.each<[string, JsonValue]>([
    ['a text', 'Be nice'],
    ['a message', [{ role: 'system', content: 'Be nice' }]],
    ['a message with parts', '[{"role":"system","parts":[{"type":"text","content":"Be nice"}]}]'],
    ['a list of parts', [{ type: 'text', content: 'Be nice' }]],
    ['a list of parts as JSON text', '[{"type":"text","content":"Be nice"}]'],
  ])('makes a system message of %s', (_, value) => {
    expect(readInstructions(value)).toMatchObject({ role: 'system', content: [text('Be nice')] });
  });

  it('is null without instructions', () => {
    expect(readInstructions('')).toBeNull();
    expect(readInstructions([])).toBeNull();
  });
});
