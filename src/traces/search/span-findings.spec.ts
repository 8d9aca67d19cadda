import '../../trace-conventions/provided-conventions.js';
import { describe, expect, it } from 'vitest';
import type { Message } from '../../llm/shared/blueprint.js';
import { chat } from '../../llm/providers/prompts.fixture.js';
import type { JsonObject } from '../../platform/json.js';
import { readFindings, type SpanPayload } from './span-findings.js';

const span = (attributes: JsonObject, more: Partial<SpanPayload> = {}): SpanPayload => ({
  name: 'step',
  spanType: 'CODE_EXECUTION',
  statusMessage: null,
  attributes,
  events: [],
  resource: {},
  call: null,
  ...more,
});
const parts = (role: string, ...content: object[]) => JSON.stringify([{ role, parts: content }]);
const said = (content: string) => ({ type: 'text', content });

describe('the tool of a span', () => {
  it.each<[string | null, JsonObject, Partial<SpanPayload>?]>([
    ['search', { 'gen_ai.tool.name': 'search', 'tool.name': 'other' }],
    ['search', { 'tool.name': 'search' }],
    ['search', { tool_name: 'search' }],
    ['search', { 'ai.toolCall.name': 'search' }],
    ['search', { 'traceloop.entity.name': 'search', 'traceloop.span.kind': 'tool' }],
    ['search', { 'traceloop.entity.name': 'search' }, { spanType: 'TOOL' }],
    [null, { 'traceloop.entity.name': 'search', 'traceloop.span.kind': 'agent' }],
    ['search', {}, { name: 'Tool: search' }],
    [null, {}, { name: 'Tool: ' }],
    [null, { 'gen_ai.tool.name': '  ' }],
  ])('is %s for %j %j', (tool, attributes, more) => {
    expect(readFindings(span(attributes, more)).toolName).toBe(tool);
  });
});

describe('the input and the output of a span', () => {
  it.each<[string, JsonObject, string | null, string | null]>([
    ['nothing', {}, null, null],
    [
      'messages before anything else',
      {
        'gen_ai.input.messages': parts('user', said('Hi')),
        'gen_ai.output.messages': parts('assistant', said('Hello')),
        function_input: 'x',
        function_output: 'y',
      },
      '[user]: Hi',
      'Hello',
    ],
    ['values of functions', { function_input: 'x', function_output: 'y', 'output.value': 'z' }, 'x', 'y'],
    ['values of OpenInference', { 'input.value': 'x', 'output.value': '{"a":1}' }, 'x', '{"a":1}'],
    ['values of OpenLLMetry', { 'traceloop.entity.input': 'x', 'traceloop.entity.output': 'y' }, 'x', 'y'],
    ['calls of tools', { 'gen_ai.tool.call.arguments': '{"q":1}', 'gen_ai.tool.call.result': 'y' }, '{"q":1}', 'y'],
    ['tools of Pydantic AI', { tool_arguments: '{"q":1}', tool_response: 'y' }, '{"q":1}', 'y'],
    [
      'tools of Google ADK',
      { 'gcp.vertex.agent.tool_call_args': '{"q":1}', 'gcp.vertex.agent.tool_response': 'y' },
      '{"q":1}',
      'y',
    ],
    ['tools of LiveKit', { 'lk.function_tool.arguments': '{"q":1}', 'lk.function_tool.output': 'y' }, '{"q":1}', 'y'],
    ['values of Laminar', { 'lmnr.span.input': 'x', 'lmnr.span.output': 'y' }, 'x', 'y'],
    ['values of Haystack', { 'haystack.component.input': 'x', 'haystack.component.output': 'y' }, 'x', 'y'],
    ['values that are no texts', { function_input: { a: 1 }, function_output: [1, 2] }, '{"a":1}', '[1,2]'],
    ['empty texts as none', { function_input: '', 'input.value': 'x' }, 'x', null],
  ])('are read from %s', (_, attributes, input, output) => {
    expect(readFindings(span(attributes))).toMatchObject({ input, output });
  });

  it('are cut at 32,000 characters', () => {
    const { input } = readFindings(span({ function_input: `${'x'.repeat(31_999)}😀` }));
    expect(input).toBe('x'.repeat(31_999));
  });
});

describe('the output as data', () => {
  it('has the paths of a JSON object, list positions left out', () => {
    const output = JSON.stringify({ city: 'Paris', days: [{ t: 1 }, { t: 2.5 }], empty: {}, none: null });
    expect(readFindings(span({ function_output: output })).outputValues).toEqual({
      city: ['Paris'],
      days: [],
      'days.t': ['1', '2.5'],
      empty: [],
      none: [],
    });
  });

  it.each(['```json\n{"city": "Paris"}\n```', 'Here it is: {"city": "Paris"}'])(
    'has the paths of an object inside a text, as in %j',
    (output) => {
      const { output: said, outputValues } = readFindings(span({ function_output: output }));
      expect([said, outputValues]).toEqual([output, { city: ['Paris'] }]);
    },
  );

  it('has the tool calls of an answer with their arguments read', () => {
    const call = { type: 'tool_call', id: 'c1', name: 'weather', arguments: { city: 'Paris' } };
    const { outputValues } = readFindings(span({ 'gen_ai.output.messages': parts('assistant', call) }));
    expect(outputValues).toMatchObject({
      'tool_calls.function.name': ['weather'],
      'tool_calls.function.arguments.city': ['Paris'],
    });
  });

  it.each(['plain text', '42', '"text"', '{broken'])('is nothing for %s', (output) => {
    expect(readFindings(span({ function_output: output })).outputValues).toBeNull();
  });

  it('stops at 500 paths and 32,000 characters', () => {
    const many = Object.fromEntries(Array.from({ length: 2000 }, (_, index) => [`k${index}`, 'x'.repeat(50)]));
    const { outputValues } = readFindings(span({ function_output: JSON.stringify(many) }));
    expect(Object.keys(outputValues!).length).toBe(500);
    expect(outputValues!.k499).toEqual(['x'.repeat(50)]);
    const long = readFindings(span({ function_output: JSON.stringify({ a: Array(100).fill('y'.repeat(5000)) }) }));
    expect(long.outputValues!.a!.join('').length).toBeLessThan(35_000);
  });
});

describe('a call that was reported beside its span', () => {
  const text = (role: 'user' | 'assistant', said: string): Message => {
    const content = [{ type: 'text', text: said }];
    return { role, content, input_variables: [], template_format: 'f-string' };
  };
  const call = {
    input: chat([text('user', 'Where?')]),
    output: chat([text('assistant', '{"city": "Paris"}')]),
    variables: { topic: 'travel' },
    tags: [],
    metadata: {},
  };

  it('adds its messages, and the variables of its prompt', () => {
    expect(readFindings(span({}, { call }))).toMatchObject({
      input: '[user]: Where?',
      output: 'city: Paris',
      outputValues: { city: ['Paris'] },
      inputVariables: { topic: ['travel'] },
    });
  });

  it('adds nothing that the span itself has', () => {
    const attributes = {
      function_input: 'x',
      function_output: 'y',
      'promptlayer.prompt.input_variables': '{"topic":"food"}',
    };
    expect(readFindings(span(attributes, { call }))).toMatchObject({
      input: 'x',
      output: 'y',
      outputValues: null,
      inputVariables: { topic: ['food'] },
    });
  });
});

describe('other findings', () => {
  it('are the values inside attributes that are JSON, unless they belong to another attribute', () => {
    const attributes = { args: '{"q":"x","n":[1,2]}', 'args.q': 'own', list: ['a', { b: 'c' }], plain: 'text' };
    expect(readFindings(span(attributes)).attributesDeep).toEqual({ 'args.n': ['1', '2'], 'list.b': ['c'] });
  });

  it('leave room for every attribute, however long the others are', () => {
    const long = JSON.stringify(Array.from({ length: 300 }, (_, index) => ({ [`p${index}`]: 'x'.repeat(1000) })));
    const attributes = { 'a.messages': long, 'b.messages': long, 'm.args': '{"q":1}', 'z.args': { list: ['y', 2] } };
    const deep = readFindings(span(attributes)).attributesDeep!;
    expect(deep).toMatchObject({ 'm.args.q': ['1'], 'z.args.list': ['y', '2'] });
    for (const key of ['a', 'b']) {
      const texts = Object.entries(deep).flatMap(([path, found]) => (path.startsWith(key) ? found : []));
      expect(texts.join('').length).toBeGreaterThan(11_000);
    }
    const many = Object.fromEntries(Array.from({ length: 900 }, (_, index) => [`k${index}`, `{"v":${index}}`]));
    expect(Object.keys(readFindings(span(many)).attributesDeep!).length).toBe(500);
  });

  it('are the variables that were filled into a prompt', () => {
    const variables = { city: 'Paris', user: { name: 'Ada' } };
    const { inputVariables } = readFindings(span({ 'promptlayer.prompt.input_variables': JSON.stringify(variables) }));
    expect(inputVariables).toEqual({ city: ['Paris'], user: [], 'user.name': ['Ada'] });
  });

  it('are type, message and stack of exceptions, or the message of the status', () => {
    const attributes = { 'exception.type': 'Oops', 'exception.message': 'no', 'exception.stacktrace': 'at line 1' };
    const events = [{ name: 'exception', timeNs: 1n, attributes }];
    expect(readFindings(span({}, { events })).exception).toBe('Oops: no\nat line 1');
    expect(readFindings(span({}, { statusMessage: 'it broke' })).exception).toBe('it broke');
  });

  it('are the workflow with its version', () => {
    expect(readFindings(span({ 'promptlayer.workflow.id': 7, 'promptlayer.workflow.version': '2' })).workflow).toEqual({
      id: '7',
      name: null,
      version: '2',
    });
  });

  it('are there for attributes of any kind', () => {
    const odd = {
      function_output: null,
      function_input: false,
      'gen_ai.output.messages': '{',
      ['__proto__']: '{"a":1}',
    };
    expect(() => readFindings(span(odd as unknown as JsonObject))).not.toThrow();
  });
});
