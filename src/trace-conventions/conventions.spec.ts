import { performance } from 'node:perf_hooks';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../platform/json.js';
import { decodeTraces } from '../traces/otlp/decode.js';
import { anyJson, anyWord } from './any-json.fixture.js';
import { callOf, conventions, kindOf, scoped } from './conventions.fixture.js';
import { testSpan } from './test-span.fixture.js';

const KINDS: [key: string, values: string[]][] = [
  ['openinference.span.kind', ['LLM', 'CHAIN']],
  ['traceloop.span.kind', ['task']],
  ['langsmith.span.kind', ['llm', 'chain']],
  ['llm.request.type', ['chat', 'unknown']],
  ['ai.operationId', ['ai.generateText.doGenerate', 'ai.streamText']],
  ['mlflow.spanType', ['"LLM"', 'TOOL']],
  ['langfuse.observation.type', ['generation', 'span']],
  ['openai_agents.span_type', ['response', 'agent']],
  ['genkit:type', ['action', 'flow']],
  ['genkit:metadata:subtype', ['model']],
  ['gen_ai.operation.name', ['chat', 'text_completion', 'execute_tool']],
  ['aisdk.model.id', ['m']],
  ['logfire.msg', ['x']],
  ['node_type', ['LLM_CALL', 'EVAL']],
];

const KEYS = [
  'llm.input_messages',
  'llm.input_messages.0.message.content',
  'llm.input_messages.0.message.contents.0.message_content',
  'llm.input_messages.0.message.contents.1.message_content.type',
  'llm.input_messages.0.message.contents.1.message_content.image',
  'llm.input_messages.0.message.contents.1.message_content.audio',
  'llm.output_messages.0.message',
  'llm.output_messages.0.message.tool_calls.0.tool_call.function',
  'llm.output_messages.9999999999.message.role',
  'llm.prompts',
  'llm.prompts.0.prompt',
  'llm.choices.0.completion.text',
  'llm.completions',
  'llm.tools.0.tool.json_schema',
  'llm.request.functions.0.parameters',
  'llm.invocation_parameters',
  'ai.prompt',
  'ai.prompt.messages',
  'ai.prompt.tools',
  'ai.prompt.toolChoice',
  'ai.response.text',
  'ai.response.toolCalls',
  'ai.response.reasoning',
  'ai.response.providerMetadata',
  'ai.settings.__proto__',
  'stream.prompt.messages',
  'stream.__proto__',
  'gen_ai.prompt',
  'gen_ai.completion',
  'events',
  'model_request_parameters',
  'request_data',
  'response_data',
  'input.value',
  'input.mime_type',
  'output.value',
  'traceloop.entity.input',
  'mlflow.spanInputs',
  'mlflow.spanOutputs',
  'mlflow.llm.model',
  'mlflow.chat.tools',
  'langfuse.observation.input',
  'langfuse.observation.cost_details',
  'langfuse.observation.usage_details',
  'gcp.vertex.agent.llm_request',
  'gcp.vertex.agent.llm_response',
  'genkit:name',
  'genkit:input',
  'genkit:output',
  'lk.chat_ctx',
  'lk.response.function_calls',
  'openai_agents.error_json',
  'function_input',
];

const word = anyWord(
  'role assistant tool type text content parts tool_calls function name messages items output input' +
    ' config contents usage generations llm_output token_usage event.name gen_ai.choice' +
    ' gen_ai.user.message image audio reasoning toolRequest system prompt constructor',
);
const value = anyJson(word);
const marks = fc.constantFrom(...KINDS).chain(([key, values]) => fc.constantFrom(...values).map((kind) => [key, kind]));
const attributes = fc
  .tuple(marks, fc.dictionary(fc.constantFrom(...KEYS), value, { maxKeys: 10 }), fc.array(marks, { maxLength: 1 }))
  .map(([mark, found, more]) => ({ ...found, ...Object.fromEntries([mark, ...more]) }) as JsonObject);
const name = fc.constantFrom('litellm_request', 'llm_request', 'llm_node', 'raw_gen_ai_request', 'step');
const scope = fc.constantFrom('pydantic-ai', 'logfire.openai', 'gen_ai', 'ai', '');

describe('whatever the attributes hold', () => {
  it('the conventions answer, with what can be stored', () => {
    fc.assert(
      fc.property(attributes, name, scope, (own, spanName, scopeName) => {
        const sent = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), name: spanName, attributes: own };
        const times = { startTimeUnixNano: '1', endTimeUnixNano: '2' };
        const spans = [{ ...sent, ...times, status: { code: 2 } }];
        const body = { resourceSpans: [{ scopeSpans: [{ scope: { name: scopeName }, spans }] }] };
        const [decoded] = decodeTraces(Buffer.from(JSON.stringify(body)), 'json').spans;
        const texts = textsOf(conventions.read(decoded));
        expect(texts.filter((text) => !text.isWellFormed() || text.includes('\0'))).toEqual([]);
      }),
      { numRuns: 1500 },
    );
  });

  it.each<[string, (n: number) => JsonObject]>([
    ['numbered messages', (n) => numbered(n, (i) => `llm.input_messages.${i}.message.content`)],
    ['numbered parts', (n) => numbered(n, (i) => `llm.input_messages.0.message.contents.${i}.message_content.text`)],
    ['numbered tools', (n) => numbered(n, (i) => `llm.tools.${i}.tool.json_schema`)],
    ['events in a list', (n) => ({ events: Array<JsonObject>(n).fill({ 'event.name': 'gen_ai.user.message' }) })],
    ['settings', (n) => numbered(n, (i) => `ai.settings.s${i}`)],
    ['capital letters', (n) => ({ [`ai.settings.${'A'.repeat(n)}`]: 1 })],
    ['quotes', (n) => ({ 'mlflow.spanType': '"'.repeat(n) })],
    ['spaces', (n) => ({ 'operation.name': `ai.x${' '.repeat(n)}` })],
  ])('%s cost time in proportion to their number', (_, make) => {
    const small = timeOf(make(2_000));
    const large = timeOf(make(40_000));
    // Twenty times as many: a quadratic reading would take four hundred times as long.
    expect(large).toBeLessThan(Math.max(small, 5) * 120);
  });
});

describe('the conventions of an installation', () => {
  it('leave ordinary spans alone', () => {
    expect(kindOf({ 'http.route': '/', 'url.path': '/x', 'operation.name': 'http' }, { name: 'GET /' })).toBeNull();
    expect(kindOf({ 'input.value': 'x', events: '[]', 'user.id': 'u' })).toBeNull();
    expect(kindOf({}, scoped('ai'))).toBeNull();
  });

  it('read a span that follows two of them by the marks of both', () => {
    const both = { 'openinference.span.kind': 'LLM', 'ai.operationId': 'ai.streamText', 'ai.model.id': 'm' };
    expect(kindOf(both)).toBe('LLM_SESSION');
    const call = callOf({ ...both, 'ai.operationId': 'ai.streamText.doStream', 'ai.response.text': 'Hello' });
    expect(call).toMatchObject({ model: 'm', output: { messages: [{ content: [{ text: 'Hello' }] }] } });
  });
});

function numbered(count: number, key: (index: number) => string): JsonObject {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [key(index), 'x']));
}

/** Milliseconds for reading a call with these attributes. */
function timeOf(own: JsonObject): number {
  const span = testSpan({ 'gen_ai.operation.name': 'chat', 'logfire.msg': 'x', ...own });
  const start = performance.now();
  conventions.read(span);
  return performance.now() - start;
}

/** Every text in a value, keys included. */
function textsOf(found: unknown): string[] {
  if (typeof found === 'string') return [found];
  if (typeof found !== 'object' || found === null) return [];
  return Object.entries(found).flatMap(([key, entry]) => [key, ...textsOf(entry)]);
}
