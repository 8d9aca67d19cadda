import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../platform/json.js';
import { readToolCalls } from './tool-calls.js';

const SEARCH = { tool: 'search', arguments: '{"q":"a"}' };

describe('tool calls of an answer', () => {
  const args = { q: 'a' };
  const json = '{"q":"a"}';
  const openAi = { id: 'c1', type: 'function', function: { name: 'search', arguments: json } };

  it.each<[string, JsonValue]>([
    ['an assistant message', { role: 'assistant', content: null, tool_calls: [openAi] }],
    ['one with text beside its calls', { role: 'assistant', content: 'Let me see.', tool_calls: [openAi] }],
    [
      'the older function_call',
      { role: 'assistant', content: null, function_call: { name: 'search', arguments: json } },
    ],
    ['a chat completion', { choices: [{ index: 0, message: { role: 'assistant', tool_calls: [openAi] } }] }],
    ['a list of calls', [openAi]],
    ['calls as a column of a prompt shows them', [{ id: 'c1', name: 'search', arguments: json }]],
    ['a detailed answer of such a column', { output: '', model: 'm', tool_calls: [openAi] }],
    [
      'the items of a response',
      { object: 'response', output: [{ type: 'function_call', call_id: 'c', name: 'search', arguments: json }] },
    ],
    [
      'content blocks',
      [
        { type: 'text', text: 'So' },
        { type: 'tool_use', id: 't', name: 'search', input: args },
      ],
    ],
    [
      'a message of content blocks',
      { type: 'message', role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'search', input: args }] },
    ],
    [
      'candidates',
      { candidates: [{ content: { role: 'model', parts: [{ functionCall: { name: 'search', args } }] } }] },
    ],
    [
      'a converse answer',
      {
        output: {
          message: { role: 'assistant', content: [{ toolUse: { toolUseId: 't', name: 'search', input: args } }] },
        },
      },
    ],
    [
      'a conversation',
      [
        { role: 'user', content: 'Find a' },
        { role: 'assistant', content: null, tool_calls: [openAi] },
        { role: 'tool', tool_call_id: 'c1', content: 'found' },
        { role: 'assistant', content: 'Here it is.' },
      ],
    ],
  ])('are found in %s', (_, answer) => {
    expect(readToolCalls(answer)).toEqual([SEARCH]);
    expect(readToolCalls(JSON.stringify(answer))).toEqual([SEARCH]);
  });

  it.each<JsonValue>([
    null,
    '',
    'search("a")',
    '{"a":',
    '[]',
    7,
    true,
    { role: 'assistant', content: 'No.' },
    { a: 1 },
  ])('there are none in %j', (answer) => expect(readToolCalls(answer)).toEqual([]));
});

describe('tool calls of a trace', () => {
  const tree = (attributes: JsonObject) => ({
    name: 'agent',
    start: '0',
    children: [{ name: 'Tool: search', start: '1', span_id: 'a', attributes, children: [] }],
  });

  it.each<[string, JsonObject, string | null]>([
    ['its arguments', { 'gen_ai.tool.call.arguments': '{"q":"a"}' }, '{"q":"a"}'],
    ['arguments that are no JSON', { tool_arguments: 'q=a' }, 'q=a'],
    ['arguments as an object', { 'tool.parameters': { q: 'a' } }, '{"q":"a"}'],
    ['the one object that a function was called with', { function_input: '[{"q":"a"}]' }, '{"q":"a"}'],
    ['the named arguments of a function', { function_input: '{"args":[],"kwargs":{"q":"a"}}' }, '{"q":"a"}'],
    ['arguments without names', { function_input: '{"args":["a"],"kwargs":{}}' }, null],
    ['several arguments without names', { function_input: '["a", 1]' }, null],
    ['what Python prints', { function_input: "{'q': 'a'}" }, null],
    ['nothing', {}, null],
  ])('are read from %s', (_, attributes, told) => {
    expect(readToolCalls(tree(attributes))).toEqual([{ tool: 'search', arguments: told }]);
  });

  it('are in the order they started, however deep, and of no other span', () => {
    const span = (name: string, start: string, children: JsonValue[] = []) => ({
      name,
      start,
      span_id: start,
      children,
    });
    const trace = span('agent', '0', [
      span('Tool: b', '3'),
      span('plan', '1', [span('Tool:a', '2')]),
      span('Toolbox', '4'),
    ]);
    expect(readToolCalls([trace]).map(({ tool }) => tool)).toEqual(['a', 'b']);
    expect(readToolCalls({ name: 'Tool: alone' })).toEqual([{ tool: 'alone', arguments: null }]);
  });
});
