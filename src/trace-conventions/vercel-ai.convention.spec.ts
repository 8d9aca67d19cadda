import { describe, expect, it } from 'vitest';
import type { ChatPrompt } from '../llm/shared/blueprint.js';
import type { JsonObject, JsonValue } from '../platform/json.js';
import { callOf, kindOf, scoped, told } from './conventions.fixture.js';

const json = (value: JsonValue) => JSON.stringify(value);
const LEAF = { 'ai.operationId': 'ai.generateText.doGenerate' };
const MODEL = { 'ai.model.id': 'gpt-4o', 'ai.model.provider': 'openai.chat', 'ai.usage.inputTokens': 1 };

describe('a span of the Vercel AI SDK', () => {
  it.each([
    ['ai.generateText.doGenerate', 'llm'],
    ['ai.streamText.doStream', 'llm'],
    ['ai.generateObject.doGenerate', 'llm'],
    ['ai.streamObject.doStream', 'llm'],
    ['ai.generateText', 'LLM_SESSION'],
    ['ai.streamText', 'LLM_SESSION'],
    ['ai.generateObject', 'LLM_SESSION'],
    ['ai.streamObject', 'LLM_SESSION'],
    ['ai.embed.doEmbed', 'EMBEDDING'],
    ['ai.embedMany.doEmbed', 'EMBEDDING'],
    ['ai.rerank.doRerank', 'RETRIEVER'],
    ['ai.toolCall', 'TOOL'],
  ])('for %s is %s', (operation, kind) => {
    expect(kindOf({ 'ai.operationId': operation, ...MODEL })).toBe(kind);
    expect(kindOf({ 'operation.name': `${operation} my-function`, ...MODEL })).toBe(kind);
  });

  it('from version 6 is a call only if it is no step of an agent', () => {
    const call = { 'gen_ai.request.model': 'gpt-4o', 'gen_ai.provider.name': 'openai', 'gen_ai.usage.input_tokens': 1 };
    const kind = (operation: string) => kindOf({ 'gen_ai.operation.name': operation, ...call }, scoped('gen_ai'));
    expect(['chat', 'invoke_agent', 'agent_step', 'execute_tool', 'embeddings'].map(kind)).toEqual([
      'llm',
      'LLM_SESSION',
      'LLM_SESSION',
      'TOOL',
      'EMBEDDING',
    ]);
    expect(kindOf(call, { name: 'agent_step 1', ...scoped('gen_ai') })).toBe('LLM_SESSION');
  });

  it('is not recognised by the name of any operation', () => {
    expect(kindOf({ 'operation.name': 'http.request' })).toBeNull();
  });

  it('is read in full', () => {
    const call = callOf({
      ...LEAF,
      'ai.model.id': 'gpt-4o',
      'ai.model.provider': 'openai.responses',
      'ai.settings.maxOutputTokens': 100,
      'ai.settings.topP': 0.5,
      'ai.settings.maxRetries': 2,
      'ai.settings.stopSequences': ['END'],
      'ai.prompt.tools': [json({ type: 'function', name: 'f', inputSchema: { type: 'object' } })],
      'ai.prompt.toolChoice': '{"type":"auto"}',
      'ai.usage.promptTokens': 10,
      'ai.usage.completionTokens': 5,
      'ai.response.providerMetadata': json({ openai: { cachedPromptTokens: 4, reasoningTokens: 3 } }),
      'ai.telemetry.metadata.userId': 'u',
      'ai.telemetry.metadata.sessionId': 's',
      'ai.telemetry.metadata.plan': 'pro',
      'ai.telemetry.metadata.tags': ['t'],
    });
    expect(call).toMatchObject({
      provider: 'openai',
      model: 'gpt-4o',
      apiType: 'responses',
      parameters: { max_tokens: 100, top_p: 0.5, max_retries: 2, stop_sequences: ['END'] },
      usage: { input: 10, output: 5, cached: 4, thinking: 3 },
      metadata: { user_id: 'u', conversation_id: 's', plan: 'pro' },
      tags: ['t'],
      input: { tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }] },
    });
    expect((call.input as ChatPrompt).tool_choice).toBe('auto');
  });

  it.each<[JsonObject, JsonObject]>([
    [
      { 'ai.usage.inputTokens': 9, 'ai.usage.outputTokens': 2, 'ai.usage.cachedInputTokens': 1 },
      { input: 9, output: 2, cached: 1 },
    ],
    [{ 'ai.usage.reasoningTokens': 4 }, { thinking: 4 }],
    [
      { 'ai.usage.inputTokenDetails.cacheReadTokens': 1, 'ai.usage.inputTokenDetails.cacheWriteTokens': 2 },
      { cached: 1, cacheWrite: 2 },
    ],
    [
      {
        'ai.response.providerMetadata':
          '{"anthropic":{"usage":{"cache_read_input_tokens":3,"cache_creation_input_tokens":4}}}',
      },
      { cached: 3, cacheWrite: 4 },
    ],
  ])('reads the usage of %j', (attributes, usage) => {
    expect(callOf({ ...LEAF, ...attributes }).usage).toMatchObject(usage);
  });

  it('names the tool that had to be used', () => {
    const call = callOf({ ...LEAF, 'ai.prompt.toolChoice': '{"type":"tool","toolName":"f"}' });
    expect((call.input as ChatPrompt).tool_choice).toEqual({ type: 'function', function: { name: 'f' } });
  });
});

describe('messages of the Vercel AI SDK', () => {
  const input = (attributes: JsonObject) => told(callOf({ ...LEAF, ...attributes }).input);
  const output = (attributes: JsonObject) => told(callOf({ ...LEAF, ...attributes }).output);

  it('are read with their parts', () => {
    const messages: JsonValue = [
      { role: 'system', content: 'Be nice' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look' },
          { type: 'image', image: 'aGk=', mimeType: 'image/png' },
          { type: 'file', data: 'aGk=', mediaType: 'application/pdf' },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'hm' },
          { type: 'tool-call', toolCallId: 'c1', toolName: 'f', input: { a: 1 } },
        ],
      },
      {
        role: 'tool',
        content: [
          { type: 'tool-result', toolCallId: 'c1', toolName: 'f', output: { type: 'json', value: { b: 2 } } },
          { type: 'tool-result', toolCallId: 'c2', toolName: 'g', result: 'old' },
        ],
      },
    ];
    expect(input({ 'ai.prompt.messages': json(messages) })).toEqual([
      'system: Be nice',
      'user: Look image_url media',
      'assistant: <hm> f({"a":1})#c1',
      'tool#c1: {"b":2}',
      'tool#c2: old',
    ]);
  });

  it.each<[JsonValue, string[]]>([
    [json({ system: 'Be nice', prompt: 'Hi' }), ['system: Be nice', 'user: Hi']],
    [json({ prompt: [{ role: 'user', content: 'Hi' }] }), ['user: Hi']],
    [json({ system: 'Be nice', messages: [{ role: 'user', content: 'Hi' }] }), ['system: Be nice', 'user: Hi']],
    ['Hi', ['user: Hi']],
  ])('are else the prompt %j', (prompt, messages) => {
    expect(input({ 'ai.prompt': prompt })).toEqual(messages);
  });

  it.each<[JsonObject, string[]]>([
    [{ 'ai.response.text': 'Hello' }, ['assistant: Hello']],
    [{ 'ai.response.object': '{"a":1}' }, ['assistant: {"a":1}']],
    [{ 'ai.response.text': '[{"type":"text","text":"x"}]' }, ['assistant: [{"type":"text","text":"x"}]']],
    [{ 'ai.response.reasoning': 'hm', 'ai.response.text': 'Hello' }, ['assistant: <hm> Hello']],
    [{ 'ai.response.reasoning': '[{"type":"text","text":"hm"}]' }, ['assistant: <hm>']],
    [
      { 'ai.response.text': '', 'ai.response.toolCalls': json([{ toolCallId: 'c', toolName: 'f', args: { a: 1 } }]) },
      ['assistant: f({"a":1})#c'],
    ],
    [
      { 'ai.response.toolCalls': json([{ toolCallId: 'c', toolName: 'f', input: '{"a":1}' }]) },
      ['assistant: f({"a":1})#c'],
    ],
    [{ 'ai.result.text': 'old' }, ['assistant: old']],
    [{ 'ai.response.toolCalls': 'junk', 'ai.response.text': 5 }, ['assistant: 5']],
    [{}, []],
  ])('from the answer %j are %j', (attributes, messages) => {
    expect(output(attributes)).toEqual(messages);
  });

  it('that were cut off before any content are a warning', () => {
    expect(callOf({ ...LEAF, 'ai.response.finishReason': 'length' }).status).toBe('WARNING');
  });
});

describe('a span of Mastra', () => {
  const MASTRA = { 'aisdk.model.id': 'gpt-4o', 'aisdk.model.provider': 'openai.responses' };
  const attributes = {
    ...MASTRA,
    'operation.name': 'mastra.stream.aisdk.doStream my-agent',
    'stream.prompt.messages': '[{"role":"user","content":"Hi"}]',
    'stream.response.text': 'Hello',
    'stream.usage.inputTokens': 3,
    'stream.usage.outputTokens': 2,
    'stream.settings.temperature': 0.5,
    'stream.telemetry.metadata.userId': 'u',
  };

  it('is read like one of the Vercel AI SDK', () => {
    const call = callOf(attributes);
    expect(call).toMatchObject({
      provider: 'openai',
      model: 'gpt-4o',
      apiType: 'responses',
      usage: { input: 3, output: 2 },
      parameters: { temperature: 0.5 },
      metadata: { user_id: 'u' },
    });
    expect([...told(call.input), ...told(call.output)]).toEqual(['user: Hi', 'assistant: Hello']);
  });

  it('is no call when it stands around calls', () => {
    expect(kindOf({ ...attributes, 'operation.name': 'mastra.stream' })).toBe('LLM_SESSION');
    expect(kindOf({ ...MASTRA, 'generateText.usage.inputTokens': 1 }, { name: 'generateText.doGenerate' })).toBe('llm');
  });
});
