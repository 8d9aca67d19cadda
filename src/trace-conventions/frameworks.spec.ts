import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../platform/json.js';
import { callOf, kindOf, told } from './conventions.fixture.js';

const json = (value: JsonValue) => JSON.stringify(value);
const HI = [{ role: 'user', content: 'Hi' }];

function conversation(attributes: JsonObject, fields = {}): string[] {
  const call = callOf(attributes, fields);
  return [...told(call.input), ...told(call.output)];
}

describe('a span of the OpenAI agents SDK', () => {
  const CALL = {
    'openai_agents.span_type': 'response',
    node_type: 'LLM_CALL',
    'gen_ai.provider.name': 'openai.responses',
    'gen_ai.request.model': 'gpt-5',
  };

  it.each<[JsonObject, string]>([
    [CALL, 'llm'],
    [{ 'openai_agents.span_type': 'generation' }, 'llm'],
    [{ 'openai_agents.span_type': 'agent', node_type: 'LLM_SESSION' }, 'LLM_SESSION'],
    [{ 'openai_agents.span_type': 'agent' }, 'LLM_SESSION'],
    [{ 'openai_agents.span_type': 'function' }, 'TOOL'],
    [{ 'openai_agents.span_type': 'handoff' }, 'CODE_EXECUTION'],
  ])('with %j is %s', (attributes, kind) => {
    expect(kindOf(attributes)).toBe(kind);
  });

  it('is read in full', () => {
    const attributes = {
      ...CALL,
      'gen_ai.prompt.0.role': 'user',
      'gen_ai.prompt.0.content': 'Hi',
      'gen_ai.prompt.1.role': 'assistant',
      'gen_ai.prompt.1.tool_calls': json([{ id: 'c1', type: 'tool_call', name: 'f', arguments: '{"a":1}' }]),
      'gen_ai.prompt.2.role': 'tool',
      'gen_ai.prompt.2.tool_call_id': 'c1',
      'gen_ai.prompt.2.content': '20',
      'gen_ai.completion.0.role': 'assistant',
      'gen_ai.completion.0.content': 'Hello',
      'gen_ai.completion.0.thinking': 'hm',
      'gen_ai.usage.reasoning.output_tokens': 2,
      'openai_agents.metadata.plan': 'pro',
      'openai_agents.group_id': 'g',
    };
    expect(callOf(attributes)).toMatchObject({
      provider: 'openai',
      apiType: 'responses',
      usage: { thinking: 2 },
      metadata: { plan: 'pro', conversation_id: 'g' },
    });
    expect(conversation(attributes)).toEqual([
      'user: Hi',
      'assistant: f({"a":1})#c1',
      'tool#c1: 20',
      'assistant: <hm> Hello',
    ]);
  });

  it.each(['{"message":"Rate limit reached","data":{}}', '"Rate limit reached"'])(
    'has its error read from %s',
    (error) => {
      const call = callOf({ ...CALL, 'openai_agents.error_json': error }, { statusCode: 2 });
      expect(call).toMatchObject({ status: 'ERROR', errorType: 'PROVIDER_RATE_LIMIT' });
      expect(call.errorMessage).toContain('Rate limit reached');
    },
  );
});

describe('a span of a plugin for coding agents', () => {
  const chat = { node_type: 'PROMPT_TEMPLATE', 'gen_ai.operation.name': 'chat', 'gen_ai.provider.name': 'anthropic' };

  it('is a call beside a prompt template, and its session is none', () => {
    const call = {
      ...chat,
      'gen_ai.request.model': 'claude-opus-4',
      'gen_ai.prompt.0.role': 'user',
      'gen_ai.prompt.0.content': 'Hi',
      'gen_ai.completion.0.role': 'assistant',
      'gen_ai.completion.0.tool_calls': json([
        { id: 'c', type: 'function', function: { name: 'Read', arguments: '{"path":"a"}' } },
      ]),
      'gen_ai.completion.0.finish_reason': 'tool_use',
    };
    expect(conversation(call)).toEqual(['user: Hi', 'assistant: Read({"path":"a"})#c']);
    expect(callOf(call)).toMatchObject({ provider: 'anthropic', apiType: 'messages' });
    expect(callOf({ ...call, 'gen_ai.provider.name': 'unknown' }).provider).toBe('anthropic');
    expect(kindOf({ node_type: 'LLM_SESSION', source: 'startup', hook: 'SessionStart' })).toBe('LLM_SESSION');
  });

  it('may count cached tokens in its own way', () => {
    const usage = {
      'gen_ai.usage.input_tokens': 10,
      'openclaw.usage.cache_read_tokens': 4,
      'openclaw.usage.cache_write_tokens': 3,
    };
    expect(callOf({ ...chat, ...usage }).usage).toMatchObject({ input: 10, cached: 4, cacheWrite: 3 });
  });
});

describe('a span of a function that is traced', () => {
  it('is a call only if it says so, with its input and output as messages', () => {
    const values = { function_input: 'Hi', function_output: '"Hello"' };
    expect(kindOf({ node_type: 'CODE_EXECUTION', ...values })).toBe('CODE_EXECUTION');
    expect(conversation({ node_type: 'LLM_CALL', ...values })).toEqual(['user: Hi', 'assistant: "Hello"']);
  });
});

describe('a span of MLflow', () => {
  it.each([
    ['"CHAT_MODEL"', 'llm'],
    ['LLM', 'llm'],
    ['"AGENT"', 'LLM_SESSION'],
    ['"TOOL"', 'TOOL'],
    ['"EMBEDDING"', 'EMBEDDING'],
    ['"PARSER"', 'CODE_EXECUTION'],
  ])('type %s is read as %s', (type, kind) => {
    expect(kindOf({ 'mlflow.spanType': type })).toBe(kind);
  });

  it('without a type is classified by its attributes, not by its payload', () => {
    const untyped = { 'mlflow.spanType': '"UNKNOWN"' };
    const values = { 'mlflow.spanInputs': '{"model":"gpt-4o"}', 'mlflow.spanOutputs': '{"usage":{"prompt_tokens":3}}' };
    expect(kindOf({ ...untyped, ...values })).toBe('CODE_EXECUTION');
    expect(kindOf({ ...untyped, ...values, 'gen_ai.operation.name': 'chat' })).toBe('llm');
  });

  it('has model, usage and messages read from JSON', () => {
    const attributes = {
      'mlflow.spanType': '"CHAT_MODEL"',
      'mlflow.spanInputs': json({ model: 'gpt-4o', messages: HI }),
      'mlflow.spanOutputs': json({
        choices: [{ message: { role: 'assistant', content: 'Hello' } }],
        usage: { prompt_tokens: 3, completion_tokens: 2 },
      }),
      'mlflow.trace.session': 's',
      'mlflow.trace.user': 'u',
    };
    expect(callOf(attributes)).toMatchObject({
      provider: 'openai',
      model: 'gpt-4o',
      usage: { input: 3, output: 2 },
      metadata: { user_id: 'u', conversation_id: 's' },
    });
    expect(conversation(attributes)).toEqual(['user: Hi', 'assistant: Hello']);
    const counted = { 'mlflow.chat.tokenUsage': '{"input_tokens":7,"output_tokens":8}', 'mlflow.llm.model': '"o3"' };
    expect(callOf({ ...attributes, ...counted })).toMatchObject({ model: 'o3' });
    expect(callOf({ 'mlflow.spanType': 'LLM', ...counted }).usage).toMatchObject({ input: 7, output: 8 });
  });

  it('may hold the newer API of OpenAI', () => {
    const attributes = {
      'mlflow.spanType': 'LLM',
      'mlflow.spanInputs': json({ instructions: 'Be nice', input: HI }),
      'mlflow.spanOutputs': json({
        output: [
          { type: 'reasoning', id: 'r', summary: [{ type: 'summary_text', text: 'hm' }] },
          { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hello' }] },
          { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
        ],
      }),
    };
    expect(conversation(attributes)).toEqual([
      'system: Be nice',
      'user: Hi',
      'assistant: <hm>',
      'assistant: Hello',
      'assistant: f({})#c',
    ]);
  });
});

describe('a span of Langfuse', () => {
  it.each([
    ['generation', 'llm'],
    ['span', 'CODE_EXECUTION'],
    ['agent', 'LLM_SESSION'],
    ['tool', 'TOOL'],
    ['embedding', 'EMBEDDING'],
  ])('type %s is read as %s', (type, kind) => {
    expect(kindOf({ 'langfuse.observation.type': type, 'gen_ai.request.model': 'm', 'gen_ai.system': 'x' })).toBe(kind);
  });

  it('is read in full', () => {
    const attributes = {
      'langfuse.observation.type': 'generation',
      'langfuse.observation.model.name': 'gpt-4o',
      'langfuse.observation.model.parameters': '{"temperature":0.5}',
      'langfuse.observation.input': json(HI),
      'langfuse.observation.output': json({ role: 'assistant', content: 'Hello' }),
      'langfuse.observation.usage_details': '{"input":10,"output":5,"cache_read_input_tokens":4}',
      'langfuse.observation.cost_details': '{"input":0.25,"output":0.5}',
      'langfuse.user.id': 'u',
      'langfuse.session.id': 's',
      'langfuse.trace.tags': ['t'],
      'langfuse.trace.metadata.plan': 'pro',
    };
    expect(callOf(attributes)).toMatchObject({
      provider: 'openai',
      model: 'gpt-4o',
      parameters: { temperature: 0.5 },
      usage: { input: 10, output: 5, cached: 4 },
      reportedPrice: 0.75,
      tags: ['t'],
      metadata: { user_id: 'u', conversation_id: 's', plan: 'pro' },
    });
    expect(conversation(attributes)).toEqual(['user: Hi', 'assistant: Hello']);
  });

  it.each<JsonObject>([
    {
      prompt_tokens: 10,
      completion_tokens: 5,
      prompt_tokens_details: { cached_tokens: 4 },
      completion_tokens_details: { reasoning_tokens: 2 },
    },
    {
      input_tokens: 10,
      output_tokens: 5,
      input_tokens_details: { cached_tokens: 4 },
      output_tokens_details: { reasoning_tokens: 2 },
    },
    { input: 10, output: 5, input_cache_read: 4, output_reasoning: 2 },
    { output_tokens: 5, total_tokens: 15, input_cached_tokens: 4, output_reasoning_tokens: 2 },
  ])('may report its usage as %j', (usage) => {
    const attributes = { 'langfuse.observation.type': 'generation', 'langfuse.observation.usage_details': json(usage) };
    expect(callOf(attributes).usage).toMatchObject({ input: 10, output: 5, cached: 4, thinking: 2 });
  });
});

describe('a span of Google’s agent development kit', () => {
  const SYSTEM = { 'gen_ai.system': 'gcp.vertex.agent' };

  it('is read from its request and its answer', () => {
    const attributes = {
      ...SYSTEM,
      'gen_ai.request.model': 'gemini-2.5-pro',
      'gcp.vertex.agent.session_id': 's',
      'gcp.vertex.agent.llm_request': json({
        model: 'gemini-2.5-pro',
        config: {
          system_instruction: 'Be nice',
          temperature: 0.5,
          tools: [{ function_declarations: [{ name: 'f', parameters: { type: 'OBJECT' } }] }],
        },
        contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
      }),
      'gcp.vertex.agent.llm_response': json({
        content: { role: 'model', parts: [{ text: 'hm', thought: true }, { function_call: { name: 'f', args: {} } }] },
        usage_metadata: { prompt_token_count: 10, candidates_token_count: 5, thoughts_token_count: 2 },
      }),
    };
    expect(conversation(attributes)).toEqual(['system: Be nice', 'user: Hi', 'assistant: <hm> f({})#']);
    expect(callOf(attributes)).toMatchObject({
      provider: 'google',
      parameters: { temperature: 0.5 },
      usage: { input: 10, output: 7, thinking: 2 },
      metadata: { conversation_id: 's' },
      input: { tools: [{ function: { name: 'f' } }] },
    });
  });

  it('is no call when it is a tool', () => {
    const tool = { 'gen_ai.tool.name': 'f', 'gcp.vertex.agent.llm_request': '{}', 'gen_ai.request.model': 'm' };
    expect(kindOf({ ...SYSTEM, ...tool })).toBe('TOOL');
  });
});

describe('a span of Genkit', () => {
  const MODEL = { 'genkit:type': 'action', 'genkit:metadata:subtype': 'model' };

  it.each<[JsonObject, string]>([
    [MODEL, 'llm'],
    [{ 'genkit:type': 'action', 'genkit:metadata:subtype': 'tool' }, 'TOOL'],
    [{ 'genkit:type': 'action', 'genkit:metadata:subtype': 'embedder' }, 'EMBEDDING'],
    [{ 'genkit:type': 'flow' }, 'LLM_SESSION'],
    [{ 'genkit:type': 'util' }, 'CODE_EXECUTION'],
  ])('with %j is %s', (attributes, kind) => {
    expect(kindOf(attributes)).toBe(kind);
  });

  it('is read from its request and its answer', () => {
    const attributes = {
      ...MODEL,
      'genkit:name': 'googleai/gemini-2.5-flash',
      'genkit:input': json({
        messages: [
          { role: 'user', content: [{ text: 'Hi' }] },
          { role: 'model', content: [{ toolRequest: { ref: 'c1', name: 'f', input: { a: 1 } } }] },
          { role: 'tool', content: [{ toolResponse: { ref: 'c1', name: 'f', output: '20' } }] },
        ],
        config: { temperature: 0.5, maxOutputTokens: 100 },
        tools: [{ name: 'f', inputSchema: { type: 'object' } }],
      }),
      'genkit:output': json({
        message: { role: 'model', content: [{ reasoning: 'hm' }, { text: 'Hello' }] },
        usage: { inputTokens: 3, outputTokens: 2 },
      }),
    };
    expect(conversation(attributes)).toEqual([
      'user: Hi',
      'assistant: f({"a":1})#c1',
      'tool#c1: 20',
      'assistant: <hm> Hello',
    ]);
    expect(callOf(attributes)).toMatchObject({
      provider: 'google',
      model: 'gemini-2.5-flash',
      parameters: { temperature: 0.5, max_tokens: 100 },
      usage: { input: 3, output: 2 },
      input: { tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }] },
    });
  });
});

describe('a span of LiveKit', () => {
  const context = json({
    items: [
      { type: 'message', role: 'system', content: ['Be nice'] },
      { type: 'message', role: 'user', content: ['Hi'] },
      { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c1', output: '20' },
    ],
  });
  const MODEL = { 'gen_ai.request.model': 'gpt-4o', 'gen_ai.usage.input_tokens': 3 };

  it('is read from its context, or better from events', () => {
    const attributes = { ...MODEL, 'lk.chat_ctx': context, 'lk.response.text': 'Hello' };
    const fields = { name: 'llm_request' };
    expect(conversation(attributes, fields)).toEqual([
      'system: Be nice',
      'user: Hi',
      'assistant: f({})#c1',
      'tool#c1: 20',
      'assistant: Hello',
    ]);
    const events = [
      { name: 'gen_ai.user.message', timeNs: 1n, attributes: { content: 'Hi' } },
      { name: 'gen_ai.choice', timeNs: 2n, attributes: { content: 'Hey' } },
    ];
    expect(conversation(attributes, { ...fields, events })).toEqual(['user: Hi', 'assistant: Hey']);
  });

  it('is a session when it stands around the request', () => {
    expect(kindOf({ 'lk.chat_ctx': context }, { name: 'llm_node' })).toBe('LLM_SESSION');
    expect(kindOf(MODEL, { name: 'llm_request' })).toBe('llm');
    expect(kindOf(MODEL, { name: 'llm_node' })).toBe('llm');
    expect(kindOf({ node_type: 'TOOL' }, { name: 'llm_node' })).toBe('TOOL');
  });
});
