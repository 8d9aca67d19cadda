import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../platform/json.js';
import type { LlmCall } from '../llm/records/llm-call.js';
import { SpanAttributes } from './attributes.js';
import { readApiType } from './api-type.js';
import { readIndexed } from './indexed.js';
import { readModel } from './models.js';
import { readParameters } from './parameters.js';
import { readInputVariables, readPromptReference } from './prompt-reference.js';
import { readTags } from './tags.js';
import { attributesOf, testSpanOf } from './test-span.fixture.js';
import { readToolChoice, readTools } from './tools.js';

describe('readModel', () => {
  it.each<[JsonObject, string | null]>([
    [{ 'gen_ai.request.model': 'gpt-4o', 'gen_ai.response.model': 'gpt-4o-2024-08-06' }, 'gpt-4o'],
    [{ 'gen_ai.request.model': ' ', 'gen_ai.response.model': 'gpt-4o-2024-08-06' }, 'gpt-4o-2024-08-06'],
    [{ 'llm.request.model_name': 'a', 'llm.model_name': 'b' }, 'a'],
    [{ 'llm.model_name': 'b', 'ai.model.id': 'c' }, 'b'],
    [{ 'ai.model.id': 'c' }, 'c'],
    [{ 'llm.response.model_name': 'a', 'ai.model.id': 'b' }, 'a'],
    [{ 'llm.response.model_name': 'a' }, 'a'],
    [{ 'aisdk.model.id': 'a', 'embedding.model_name': 'b' }, 'a'],
    [{ 'embedding.model_name': 'b' }, 'b'],
    [{ 'gen_ai.request.model': { name: 'x' } }, null],
    [{}, null],
  ])('reads %j as %s', (attributes, model) => {
    expect(readModel(attributesOf(attributes))).toBe(model);
  });
});

describe('a model that a convention implied', () => {
  it('comes after one in an attribute of any name', () => {
    const implied = { 'gen_ai.request.model': 'implied' };
    expect(readModel(attributesOf({ 'llm.model_name': 'given' }).withImplied(implied))).toBe('given');
    expect(readModel(attributesOf({}).withImplied(implied))).toBe('implied');
  });
});

describe('readApiType', () => {
  it.each<[JsonObject, string | null, string | null]>([
    [{ 'promptlayer.api.type': 'responses', 'openai.api.type': 'x' }, 'openai', 'responses'],
    [{ 'openai.api.type': 'chat_completions' }, 'openai', 'chat-completions'],
    [{ 'gen_ai.operation.name': 'embeddings' }, 'openai', 'embeddings'],
    [{ 'gen_ai.operation.name': 'chat' }, 'openai', 'chat-completions'],
    [{}, 'openai.azure', 'chat-completions'],
    [{ 'gen_ai.system': 'openai.responses' }, 'openai', 'responses'],
    [{ 'ai.model.provider': 'azure-openai.responses' }, 'openai.azure', 'responses'],
    [{}, 'anthropic', 'messages'],
    [{ 'rpc.method': 'Converse' }, 'amazon.bedrock', 'converse'],
    [{ 'rpc.method': 'ConverseStream' }, 'amazon.bedrock', 'converse'],
    [{ 'rpc.method': 'InvokeModel' }, 'amazon.bedrock', 'invoke-model'],
    [{ 'rpc.method': 'InvokeModelWithResponseStream' }, 'amazon.bedrock', 'invoke-model'],
    [{}, 'amazon.bedrock', null],
    [{ 'gen_ai.operation.name': 'generate_content' }, 'google', 'generate-content'],
    [{ 'gen_ai.operation.name': 'interactions.create' }, 'google', 'interactions'],
    [{ 'gen_ai.operation.name': 'chat' }, 'mistral', null],
    [{ 'gen_ai.operation.name': 'text_completion' }, 'mistral', null],
    [{ 'gen_ai.operation.name': 'text_completion' }, 'openai', 'chat-completions'],
    [{}, null, null],
  ])('reads the API of %j with provider %s as %s', (attributes, provider, apiType) => {
    expect(readApiType(attributesOf(attributes), provider)).toBe(apiType);
  });
});

describe('readParameters', () => {
  it('reads the request parameters by their short names', () => {
    const attributes = {
      'gen_ai.request.model': 'gpt-4o',
      'gen_ai.request.temperature': 0.7,
      'gen_ai.request.top_p': 1,
      'gen_ai.request.top_k': 40,
      'gen_ai.request.max_tokens': 100,
      'gen_ai.request.frequency_penalty': 0,
      'gen_ai.request.presence_penalty': 0.5,
      'gen_ai.request.seed': 7,
      'gen_ai.request.stop_sequences': ['END'],
      'gen_ai.request.choice.count': 2,
      'gen_ai.request.stream': false,
      'gen_ai.request.encoding_formats': '["float"]',
      'gen_ai.output.type': 'json',
      'gen_ai.openai.request.response_format': '{"type":"json_object"}',
      'gen_ai.openai.request.seed': 8,
      'openai.request.service_tier': 'flex',
    };
    expect(readParameters(attributesOf(attributes))).toEqual({
      temperature: 0.7,
      top_p: 1,
      top_k: 40,
      max_tokens: 100,
      frequency_penalty: 0,
      presence_penalty: 0.5,
      seed: 7,
      stop_sequences: ['END'],
      choice_count: 2,
      stream: false,
      encoding_formats: ['float'],
      output_type: 'json',
      response_format: { type: 'json_object' },
      service_tier: 'flex',
    });
  });

  it.each<[string, string, JsonValue]>([
    ['llm.top_k', 'top_k', 40],
    ['llm.frequency_penalty', 'frequency_penalty', 0.25],
    ['llm.presence_penalty', 'presence_penalty', 0.5],
    ['llm.chat.stop_sequences', 'stop_sequences', ['END']],
    ['llm.is_streaming', 'stream', true],
    ['gen_ai.is_streaming', 'stream', true],
  ])('reads %s as %s, after the name of OpenTelemetry', (key, name, value) => {
    expect(readParameters(attributesOf({ [key]: value }))).toEqual({ [name]: value });
    expect(readParameters(attributesOf({ [key]: value, [`gen_ai.request.${name}`]: 7 }))).toEqual({ [name]: 7 });
  });

  it('reads numbers and truth values that were sent as text', () => {
    const attributes = {
      'gen_ai.request.temperature': '0.7',
      'gen_ai.request.max_tokens': 'inf',
      'gen_ai.request.stop_sequences': '7',
      'llm.is_streaming': 'False',
    };
    expect(readParameters(attributesOf(attributes))).toEqual({
      temperature: 0.7,
      max_tokens: 'inf',
      stop_sequences: '7',
      stream: false,
    });
  });

  it('reads the reasoning effort', () => {
    const attributes = { 'gen_ai.request.reasoning_effort': 'low', 'gen_ai.request.max_completion_tokens': 100 };
    expect(readParameters(attributesOf(attributes))).toEqual({ reasoning_effort: 'low', max_completion_tokens: 100 });
  });

  it('leaves out credentials', () => {
    const given = { temperature: 0.5, api_key: 'sk-1', extra_headers: { Authorization: 'Bearer 1', trace: 'a' } };
    expect(readParameters(attributesOf({ 'llm.invocation_parameters': JSON.stringify(given) }))).toEqual({
      temperature: 0.5,
      extra_headers: { trace: 'a' },
    });
  });

  it('leaves out what was not sent', () => {
    expect(readParameters(attributesOf({ 'gen_ai.request.temperature': null }))).toEqual({});
  });
});

describe('readTools', () => {
  const schema = { type: 'object', properties: { a: {} } };
  const tool = (fields: JsonObject) => ({
    type: 'function',
    function: { name: 'f', description: '', strict: false, parameters: schema, ...fields },
  });

  it.each<[string, JsonValue, JsonValue]>([
    ['OpenTelemetry', [{ type: 'function', name: 'f', parameters: schema }], [tool({})]],
    ['JSON text', JSON.stringify([{ type: 'function', name: 'f', parameters: schema }]), [tool({})]],
    [
      'OpenAI',
      [{ type: 'function', function: { name: 'f', description: 'd', strict: true, parameters: schema } }],
      [tool({ description: 'd', strict: true })],
    ],
    ['Anthropic', [{ name: 'f', input_schema: schema }], [tool({})]],
    ['Google', [{ functionDeclarations: [{ name: 'f', parameters: schema }] }], [tool({})]],
    ['no function', [{ type: 'web_search', name: 'w' }, 'x'], [{ type: 'web_search', name: 'w' }, 'x']],
    [
      'a function without parameters',
      [{ type: 'function', name: 'f' }],
      [tool({ parameters: { type: 'object', properties: {} } })],
    ],
  ])('reads definitions in the form of %s', (_, definitions, expected) => {
    expect(readTools(attributesOf({ 'gen_ai.tool.definitions': definitions }))).toEqual(expected);
  });

  it.each<[JsonValue]>([[null], ['[]'], ['junk'], [{ a: 1 }], [5]])('reads %j as no tools', (definitions) => {
    expect(readTools(attributesOf({ 'gen_ai.tool.definitions': definitions }))).toBeNull();
  });

  it.each(['langfuse.observation.input', 'request_data'])('reads the tools of the request in %s', (key) => {
    const request = { messages: [], tools: [{ type: 'function', function: { name: 'f', parameters: schema } }] };
    expect(readTools(attributesOf({ [key]: JSON.stringify(request) }))).toEqual([tool({})]);
    expect(readTools(attributesOf({ [key]: '[{"role":"user","content":"Hi"}]' }))).toBeNull();
  });

  it('reads the tool choice as a word or an object', () => {
    const key = 'gen_ai.request.tool_choice';
    expect(readToolChoice(attributesOf({ [key]: 'required' }))).toBe('required');
    expect(readToolChoice(attributesOf({ [key]: 'required', 'ai.prompt.toolChoice': '{"type":"auto"}' }))).toBe('auto');
    expect(readToolChoice(attributesOf({ [key]: '{"type":"function"}' }))).toEqual({ type: 'function' });
    expect(readToolChoice(attributesOf({}))).toBeNull();
  });
});

describe('readPromptReference', () => {
  it.each<[JsonObject, LlmCall['prompt']]>([
    [{ 'promptlayer.prompt.id': 5 }, { id: 5, name: null, version: null, label: null }],
    [
      { 'promptlayer.prompt.id': '5', 'promptlayer.prompt.version': '3' },
      { id: 5, name: null, version: 3, label: null },
    ],
    [
      { 'promptlayer.prompt.name': 'p', 'promptlayer.prompt.label': 'prod' },
      { id: null, name: 'p', version: null, label: 'prod' },
    ],
    [
      { prompt_name: 'p', prompt_version: 2 },
      { id: null, name: 'p', version: 2, label: null },
    ],
    [
      { 'promptlayer.prompt.name': 'p', prompt_name: 'q' },
      { id: null, name: 'p', version: null, label: null },
    ],
    [
      { 'promptlayer.prompt.name': 'p', 'promptlayer.prompt.version': ' ' },
      { id: null, name: 'p', version: null, label: null },
    ],
    [{ 'promptlayer.prompt.name': 'p', 'promptlayer.prompt.version': 'new' }, null],
    [{ 'promptlayer.prompt.name': 'p', 'promptlayer.prompt.version': 0, 'promptlayer.prompt.label': 'prod' }, null],
    [{ 'promptlayer.prompt.id': 7, 'promptlayer.prompt.version': '-1' }, null],
    [{ 'promptlayer.prompt.id': 7, 'promptlayer.prompt.version': 1.5 }, null],
    [{ prompt_name: 'p', prompt_version: 2 ** 31 }, null],
    [{ 'promptlayer.prompt.id': 1.5 }, null],
    [{ 'promptlayer.prompt.id': -1 }, null],
    [{ 'promptlayer.prompt.version': 1, 'gen_ai.prompt.name': 'x' }, null],
  ])('reads %j', (attributes, expected) => {
    expect(readPromptReference(attributesOf(attributes))).toEqual(expected);
  });
});

describe('readInputVariables', () => {
  it.each<[JsonObject, JsonObject]>([
    [{ 'promptlayer.prompt.input_variables': '{"a":1}', 'llm.prompt_template.variables': '{"b":1}' }, { a: 1 }],
    [{ 'promptlayer.prompt.input_variables': { a: 1 } }, { a: 1 }],
    [{ 'promptlayer.prompt.input_variables': '[1]', 'traceloop.prompt.template_variables': '{"c":1}' }, { c: 1 }],
    [{ 'promptlayer.prompt.input_variables': 'junk' }, {}],
  ])('reads %j', (attributes, expected) => {
    expect(readInputVariables(attributesOf(attributes))).toEqual(expected);
  });
});

describe('readTags', () => {
  it.each<[JsonObject, string[]]>([
    [{ 'promptlayer.tags': ['a', 'b', 'a'], 'tag.tags': ['c'] }, ['a', 'b']],
    [{ 'promptlayer.tags': '["a","b"]' }, ['a', 'b']],
    [{ 'promptlayer.tags': 'a, b,,c' }, ['a', 'b', 'c']],
    [{ 'langsmith.span.tags': 'a, b' }, ['a', 'b']],
    [{ 'promptlayer.tags': [], 'tag.tags': ['c'] }, ['c']],
    [{ 'promptlayer.tags': [1, null, true] }, ['1', 'true']],
    [{ 'promptlayer.tags': ['x'.repeat(600)] }, ['x'.repeat(512)]],
    [{ 'promptlayer.tags': { a: 1 } }, []],
    [{}, []],
  ])('reads %j', (attributes, expected) => {
    expect(readTags(attributesOf(attributes))).toEqual(expected);
  });
});

describe('what a resource says of its spans', () => {
  const attributes = (own: JsonObject) =>
    SpanAttributes.of(
      testSpanOf(
        { 'promptlayer.tags': 'r', 'promptlayer.prompt.name': 'r', 'promptlayer.prompt.input_variables': '{"r":1}' },
        own,
      ),
    );

  it('are tags, a prompt and its variables', () => {
    expect(readTags(attributes({}))).toEqual(['r']);
    expect(readPromptReference(attributes({}))).toMatchObject({ name: 'r' });
    expect(readInputVariables(attributes({}))).toEqual({ r: 1 });
  });

  it('comes after what a span says itself', () => {
    expect(readTags(attributes({ 'promptlayer.tags': 's' }))).toEqual(['s']);
    expect(readPromptReference(attributes({ 'promptlayer.prompt.name': 's' }))).toMatchObject({ name: 's' });
    expect(readInputVariables(attributes({ 'promptlayer.prompt.input_variables': '{"s":1}' }))).toEqual({ s: 1 });
  });

  it('is nothing about models', () => {
    const resource = { 'gen_ai.request.model': 'gpt-4o', 'gen_ai.request.temperature': 1 };
    const found = SpanAttributes.of(testSpanOf(resource));
    expect([readModel(found), readParameters(found)]).toEqual([null, {}]);
  });
});

describe('readIndexed', () => {
  it('puts objects and lists together, in the order of their numbers', () => {
    const attributes = {
      'p.10.role': 'last',
      'p.2.role': 'first',
      'p.2.tool_calls.1.name': 'b',
      'p.2.tool_calls.0.name': 'a',
      'p.2.__proto__.x': 1,
      'p.name': 'no message',
      'p.4294967295000.role': 'absurd',
      'q.0.role': 'other',
    };
    const [first, last, ...rest] = readIndexed(attributesOf(attributes), 'p');
    expect(rest).toEqual([]);
    expect(first).toMatchObject({ role: 'first', tool_calls: [{ name: 'a' }, { name: 'b' }] });
    expect(Object.keys(first)).toContain('__proto__');
    expect(last).toEqual({ role: 'last' });
  });

  it('survives keys that contradict each other or are extremely long', () => {
    const attributes = { 'p.0.a': 1, 'p.0.a.b': 2, 'p.1.c.d': 3, 'p.1.c': 4, [`p.2${'.x'.repeat(10_000)}`]: 5 };
    expect(readIndexed(attributesOf(attributes), 'p')).toMatchObject([{ a: { b: 2 } }, { c: { d: 3 } }, {}]);
  });
});
