import { describe, expect, it } from 'vitest';
import { read, said, SCHEMA } from '../native-calls.fixture.js';

describe('OpenAI responses', () => {
  const name = 'openai.responses.create';
  const kwargs = {
    model: 'o4-mini',
    instructions: 'Be brief.',
    input: [
      { role: 'user', content: [{ type: 'input_text', text: 'Weather?' }] },
      { type: 'reasoning', id: 'rs_0', summary: [] },
      { type: 'function_call', id: 'fc_1', call_id: 'c1', name: 'weather', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c1', output: 'sunny' },
    ],
    tools: [{ type: 'function', name: 'weather', parameters: SCHEMA, strict: true }, { type: 'web_search' }],
    reasoning: { effort: 'low' },
  };
  const output = [
    { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'thinking' }] },
    { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'rome' } },
    {
      type: 'message',
      id: 'msg_1',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'Sunny.', annotations: [] }],
    },
    { type: 'function_call', id: 'fc_2', call_id: 'c2', name: 'weather', arguments: '{"city":"Rome"}' },
    { type: 'image_generation_call', id: 'ig_1', result: 'QQ==', output_format: 'webp' },
    {
      type: 'code_interpreter_call',
      id: 'ci_1',
      container_id: 'cn',
      code: '1+1',
      outputs: [{ type: 'logs', logs: '2' }],
    },
    { type: 'mcp_list_tools', id: 'm', server_label: 's', tools: [] },
  ];
  const usage = {
    input_tokens: 50,
    output_tokens: 40,
    input_tokens_details: { cached_tokens: 10 },
    output_tokens_details: { reasoning_tokens: 30 },
  };
  const response = { object: 'response', model: 'o4-mini', status: 'completed', output, usage };
  const answer =
    'assistant | (thinking) | <server_tool_use> | Sunny. | <output_media> | <code> | <code_execution_result> | <mcp_list_tools> | c2:weather({"city":"Rome"})';

  it('are read item by item, those of the model as one message', () => {
    const result = read({ name, kwargs, response });
    expect(said(result.input)).toEqual([
      'system | Be brief.',
      'user | Weather?',
      'assistant | () | c1:weather({})',
      'tool c1 | sunny',
    ]);
    expect(said(result.output)).toEqual([answer]);
    expect(result).toMatchObject({
      apiType: 'responses',
      parameters: { reasoning: { effort: 'low' } },
      usage: { input: 50, output: 40, cached: 10, thinking: 30 },
      input: {
        tools: [
          { type: 'function', function: { name: 'weather', strict: true, parameters: SCHEMA } },
          { type: 'web_search' },
        ],
      },
    });
    expect(result.output).toMatchObject({
      messages: [{ content: expect.arrayContaining([expect.objectContaining({ type: 'text', id: 'msg_1' })]) }],
    });
  });

  it('are read from the last event of a stream', () => {
    const events = [
      { type: 'response.created', response: { output: [] } },
      { type: 'response.completed', response },
    ];
    expect(said(read({ name, kwargs, response: events }).output)).toEqual([answer]);
  });

  it('are read from the events of a broken stream', () => {
    const done = output.slice(0, 3).map((item) => ({ type: 'response.output_item.done', item }));
    expect(said(read({ name, kwargs, response: done }).output)).toEqual([
      'assistant | (thinking) | <server_tool_use> | Sunny.',
    ]);
    const deltas = ['Sun', 'ny.'].map((delta) => ({ type: 'response.output_text.delta', delta }));
    expect(said(read({ name, kwargs, response: deltas }).output)).toEqual(['assistant | Sunny.']);
  });

  it('take a text for input', () => {
    expect(said(read({ name, kwargs: { model: 'm', input: 'Hi' }, response }).input)).toEqual(['user | Hi']);
  });
});
