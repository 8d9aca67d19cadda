import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../platform/json.js';
import { decodeTraces } from '../traces/otlp/decode.js';
import { anyJson, anyWord } from './any-json.fixture.js';
import { GenAiConvention } from './gen-ai.convention.js';
import { readSpanFacts } from './span-facts.js';
import { readCall, said, testEvent } from './test-span.fixture.js';

const json = (value: JsonValue) => JSON.stringify(value);

describe('a call of the current convention', () => {
  it('is read in full', () => {
    const call = readCall({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai',
      'gen_ai.request.model': 'gpt-4o',
      'gen_ai.request.temperature': 0.5,
      'gen_ai.usage.input_tokens': 10,
      'gen_ai.usage.output_tokens': 5,
      'gen_ai.system_instructions': json([{ type: 'text', content: 'Be nice' }]),
      'gen_ai.input.messages': json([{ role: 'user', parts: [{ type: 'text', content: 'Hi' }] }]),
      'gen_ai.output.messages': json([
        {
          role: 'assistant',
          parts: [
            { type: 'text', content: 'Hello' },
            { type: 'tool_call', id: 'c1', name: 'f', arguments: { a: 1 } },
          ],
          finish_reason: 'tool_call',
        },
      ]),
      'gen_ai.tool.definitions': json([{ type: 'function', name: 'f' }]),
      'promptlayer.prompt.name': 'greeting',
      'promptlayer.tags': ['t'],
      'user.id': 'u',
    });

    const defaults = { name: null, input_variables: [], template_format: 'f-string' };
    const prompt = {
      type: 'chat',
      tools: null,
      tool_choice: null,
      functions: null,
      function_call: null,
      input_variables: [],
    };
    expect(call).toEqual({
      provider: 'openai',
      model: 'gpt-4o',
      apiType: 'chat-completions',
      functionName: 'chat gpt-4o',
      input: {
        ...prompt,
        messages: [
          { ...defaults, role: 'system', content: [{ type: 'text', text: 'Be nice' }] },
          { ...defaults, role: 'user', content: [{ type: 'text', text: 'Hi' }] },
        ],
        tools: [
          {
            type: 'function',
            function: { name: 'f', description: '', strict: false, parameters: { type: 'object', properties: {} } },
          },
        ],
      },
      output: {
        ...prompt,
        messages: [
          {
            ...defaults,
            role: 'assistant',
            content: [{ type: 'text', text: 'Hello' }],
            tool_calls: [{ id: 'c1', type: 'function', tool_id: null, function: { name: 'f', arguments: '{"a":1}' } }],
          },
        ],
      },
      parameters: { temperature: 0.5 },
      usage: { input: 10, output: 5, cached: null, cacheWrite: null, thinking: null, cacheExclusive: false },
      reportedPrice: null,
      status: 'SUCCESS',
      errorType: null,
      errorMessage: null,
      tags: ['t'],
      metadata: { user_id: 'u' },
      promptInputVariables: {},
      prompt: { id: null, name: 'greeting', version: null, label: null },
    });
  });

  it('may hold its messages as values instead of JSON text, and in the form of OpenAI', () => {
    const attributes = {
      'gen_ai.input.messages': [{ role: 'user', content: 'Hi' }],
      'gen_ai.output.messages': json([
        { role: 'assistant', content: null, tool_calls: [{ id: 'c', function: { name: 'f', arguments: '{}' } }] },
      ]),
    };
    expect(said('input', attributes)).toEqual(['user: Hi']);
    expect(said('output', attributes)).toEqual(['assistant: f({})']);
  });

  it('has its instructions once', () => {
    const instructions = { 'gen_ai.system_instructions': 'Be nice' };
    expect(said('input', instructions)).toEqual(['system: Be nice']);
    const repeated = json([
      { role: 'system', content: 'Be nice' },
      { role: 'user', content: 'Hi' },
    ]);
    expect(said('input', { ...instructions, 'gen_ai.input.messages': repeated })).toEqual([
      'system: Be nice',
      'user: Hi',
    ]);
    const other = json([{ role: 'system', content: 'Be short' }]);
    expect(said('input', { ...instructions, 'gen_ai.input.messages': other })).toEqual([
      'system: Be nice',
      'system: Be short',
    ]);
  });

  it('without any content has empty messages, and its tokens', () => {
    const call = readCall({ 'gen_ai.usage.input_tokens': 3 });
    expect(call).toMatchObject({ provider: 'unknown', model: 'unknown', usage: { input: 3 } });
    expect(call.input).toMatchObject({ type: 'chat', messages: [] });
    expect(call.output).toMatchObject({ type: 'chat', messages: [] });
  });

  it('is a completion when the operation is text_completion', () => {
    const attributes = {
      'gen_ai.operation.name': 'text_completion',
      'gen_ai.prompt': 'Once',
      'gen_ai.completion': 'upon',
    };
    const common = { type: 'completion', input_variables: [], template_format: 'f-string' };
    const call = readCall(attributes);
    expect(call.input).toEqual({ ...common, content: [{ type: 'text', text: 'Once' }] });
    expect(call.output).toEqual({ ...common, content: [{ type: 'text', text: 'upon' }] });
  });

  it('that was cut off is a warning, with and without content', () => {
    const reasons = { 'gen_ai.response.finish_reasons': ['content_filter'] };
    expect(readCall(reasons)).toMatchObject({ status: 'WARNING', errorType: 'PROVIDER_PARTIAL_RESPONSE' });
    expect(readCall({ ...reasons, 'gen_ai.completion': 'x' }).status).toBe('WARNING');
    expect(readCall({ 'gen_ai.output.messages': json([{ parts: [], finish_reason: 'length' }]) }).status).toBe(
      'WARNING',
    );
    expect(readCall({ 'gen_ai.completion.0.finish_reason': 'length' }).status).toBe('WARNING');
    expect(readCall({}, { events: [testEvent('gen_ai.choice', { finish_reason: 'length' })] }).status).toBe('WARNING');
  });

  it('that failed is an error with a message', () => {
    const failed = readCall({ 'error.type': '429' }, { statusCode: 2, statusMessage: 'slow down' });
    expect(failed).toMatchObject({ status: 'ERROR', errorType: 'PROVIDER_RATE_LIMIT', errorMessage: 'slow down' });
  });
});

describe('whatever the attributes hold', () => {
  const keys = [
    'gen_ai.operation.name',
    'gen_ai.provider.name',
    'gen_ai.system',
    'gen_ai.request.model',
    'node_type',
    'gen_ai.input.messages',
    'gen_ai.output.messages',
    'gen_ai.system_instructions',
    'gen_ai.tool.definitions',
    'gen_ai.prompt',
    'gen_ai.prompt.0.content',
    'gen_ai.prompt.0.tool_calls',
    'gen_ai.prompt.x',
    'gen_ai.completion',
    'gen_ai.completion.0',
    'gen_ai.completion.0.role',
    'gen_ai.usage.input_tokens',
    'gen_ai.usage.cost',
    'gen_ai.usage.input_token_details',
    'gen_ai.request.temperature',
    'gen_ai.openai.request.__proto__',
    'promptlayer.tags',
    'promptlayer.metadata.a',
    'promptlayer.metadata.__proto__',
    'promptlayer.prompt.id',
    'metadata',
    'user.id',
    'error.type',
    'message',
    'body',
    'content',
    'message.content',
    '__proto__',
    'constructor',
  ];
  const word = anyWord(
    'role user assistant tool type text content parts tool_calls function name id arguments messages' +
      ' message kwargs lc choices tool_call tool_result image source data chat input result response' +
      ' functionCall inlineData thinking',
  );
  const value = anyJson(
    word,
    fc.string({ unit: 'binary' }).map((text) => text.toWellFormed().replaceAll('\0', '')),
  );
  const attributes = fc.dictionary(fc.constantFrom(...keys), value, { maxKeys: 12 }) as fc.Arbitrary<JsonObject>;
  const eventName = fc.constantFrom('gen_ai.choice', 'gen_ai.user.message', 'gen_ai.content.prompt', 'exception', '');
  const event = fc.record({ name: eventName, timeUnixNano: fc.nat(9), attributes });
  const span = fc.record({
    traceId: fc.constant('a'.repeat(32)),
    spanId: fc.constant('b'.repeat(16)),
    name: word,
    startTimeUnixNano: fc.constant('1'),
    endTimeUnixNano: fc.constant('2'),
    attributes: attributes.map((own): JsonObject => ({ 'gen_ai.operation.name': 'chat', ...own })),
    events: fc.array(event, { maxLength: 4 }),
    status: fc.record({ code: fc.nat(2) }),
  });

  it('the convention answers, with what can be stored', () => {
    fc.assert(
      fc.property(span, attributes, (sent, resource) => {
        const body = { resourceSpans: [{ resource: { attributes: resource }, scopeSpans: [{ spans: [sent] }] }] };
        const [decoded] = decodeTraces(Buffer.from(JSON.stringify(body)), 'json').spans;
        const texts = textsOf([new GenAiConvention().read(decoded), readSpanFacts(decoded)]);
        expect(texts.filter((text) => !text.isWellFormed() || text.includes('\0'))).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it.each<[string, string]>([
    ['a NUL that is escaped inside JSON text', String.raw`[{"role":"user","content":"a\u0000b"}]`],
    ['a lone surrogate that is escaped inside JSON text', String.raw`[{"role":"user","content":"a\ud800b"}]`],
  ])('%s is replaced', (_, messages) => {
    expect(said('input', { 'gen_ai.input.messages': messages })).toEqual(['user: a\uFFFDb']);
  });

  it('JSON that nests absurdly stays text', () => {
    const deep = '['.repeat(100_000) + ']'.repeat(100_000);
    expect(said('input', { 'gen_ai.input.messages': deep })).toEqual([`user: ${deep}`]);
  });
});

/** Every text in a value, keys included. */
function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, entry]) => [key, ...textsOf(entry)]);
}
