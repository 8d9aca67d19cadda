import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import {
  FULL_SUCCESS,
  type JsonSpan,
  JSON_TYPE,
  readSpans,
  span,
  spanId as newSpanId,
  traceId as newTraceId,
} from '../support/otlp.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.start({ works: false });
  me = app.client;
});
afterAll(() => app.stop());

type Attributes = Record<string, unknown>;
interface Sent {
  attributes: Attributes;
  name?: string;
  scope?: string;
  events?: unknown[];
}
interface Message {
  role: string;
  content: { type: string; text?: string }[];
}

const json = (value: unknown): string => JSON.stringify(value);
const ASKED = [{ role: 'user', content: 'Hi' }];
const SERIALISED = { lc: 1, type: 'constructor', id: ['langchain_core', 'messages', 'HumanMessage'] };

/** One call per convention: the user says "Hi", the model "Hello"; 12 tokens in, 7 out. */
const CALLS: Record<string, Sent> = {
  'OpenTelemetry, current': {
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai',
      'gen_ai.request.model': 'gpt-4o-mini',
      'gen_ai.input.messages': json([{ role: 'user', parts: [{ type: 'text', content: 'Hi' }] }]),
      'gen_ai.output.messages': json([{ role: 'assistant', parts: [{ type: 'text', content: 'Hello' }] }]),
      'gen_ai.usage.input_tokens': 12,
      'gen_ai.usage.output_tokens': 7,
      'user.id': 'u',
    },
  },
  'OpenTelemetry, events': {
    attributes: {
      'gen_ai.system': 'openai',
      'gen_ai.request.model': 'gpt-4o-mini',
      'gen_ai.usage.prompt_tokens': 12,
      'gen_ai.usage.completion_tokens': 7,
      'enduser.id': 'u',
    },
    events: [
      { name: 'gen_ai.user.message', timeUnixNano: '1', attributes: { content: 'Hi' } },
      {
        name: 'gen_ai.choice',
        timeUnixNano: '2',
        attributes: { message: json({ role: 'assistant', content: 'Hello' }) },
      },
    ],
  },
  OpenInference: {
    attributes: {
      'openinference.span.kind': 'LLM',
      'llm.provider': 'openai',
      'llm.model_name': 'gpt-4o-mini',
      'llm.input_messages.0.message.role': 'user',
      'llm.input_messages.0.message.content': 'Hi',
      'llm.output_messages.0.message.role': 'assistant',
      'llm.output_messages.0.message.content': 'Hello',
      'llm.token_count.prompt': 12,
      'llm.token_count.completion': 7,
      'user.id': 'u',
    },
  },
  OpenLLMetry: {
    attributes: {
      'llm.request.type': 'chat',
      'gen_ai.system': 'OpenAI',
      'gen_ai.request.model': 'gpt-4o-mini',
      'gen_ai.prompt.0.role': 'user',
      'gen_ai.prompt.0.content': 'Hi',
      'gen_ai.completion.0.role': 'assistant',
      'gen_ai.completion.0.content': 'Hello',
      'gen_ai.usage.prompt_tokens': 12,
      'llm.usage.total_tokens': 19,
      'gen_ai.usage.completion_tokens': 7,
      'traceloop.association.properties.user_id': 'u',
    },
  },
  'the Vercel AI SDK': {
    attributes: {
      'ai.operationId': 'ai.streamText.doStream',
      'ai.model.provider': 'openai.chat',
      'ai.model.id': 'gpt-4o-mini',
      'ai.prompt.messages': json([{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }]),
      'ai.response.text': 'Hello',
      'ai.usage.inputTokens': 12,
      'ai.usage.outputTokens': 7,
      'ai.telemetry.metadata.userId': 'u',
    },
    scope: 'ai',
  },
  Mastra: {
    attributes: {
      'aisdk.model.provider': 'openai.chat',
      'aisdk.model.id': 'gpt-4o-mini',
      'operation.name': 'mastra.stream.aisdk.doStream',
      'stream.prompt.messages': json(ASKED),
      'stream.response.text': 'Hello',
      'stream.usage.inputTokens': 12,
      'stream.usage.outputTokens': 7,
      'stream.telemetry.metadata.userId': 'u',
    },
  },
  LangSmith: {
    attributes: {
      'langsmith.span.kind': 'llm',
      'gen_ai.system': 'langchain',
      'langsmith.metadata.ls_provider': 'openai',
      'langsmith.metadata.ls_model_name': 'gpt-4o-mini',
      'gen_ai.prompt': json({ messages: [[{ ...SERIALISED, kwargs: { content: 'Hi' } }]] }),
      'gen_ai.completion': json({
        generations: [[{ text: 'Hello', message: { kwargs: { role: 'assistant', content: 'Hello' } } }]],
        llm_output: { token_usage: { prompt_tokens: 12, completion_tokens: 7 } },
      }),
      'langsmith.metadata.user_id': 'u',
    },
  },
  LiteLLM: {
    name: 'litellm_request',
    attributes: {
      'llm.request.type': 'acompletion',
      'gen_ai.system': 'openai',
      'gen_ai.request.model': 'gpt-4o-mini',
      'gen_ai.input.messages': json(ASKED),
      'gen_ai.output.messages': json([{ role: 'assistant', content: 'Hello' }]),
      'gen_ai.usage.total_tokens': 19,
      'gen_ai.usage.output_tokens': 7,
      'llm.user': 'u',
    },
  },
  'Pydantic AI': {
    scope: 'pydantic-ai',
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.system': 'openai',
      'gen_ai.request.model': 'gpt-4o-mini',
      events: json([
        { 'event.name': 'gen_ai.user.message', content: 'Hi', role: 'user' },
        { 'event.name': 'gen_ai.choice', index: 0, message: { role: 'assistant', content: 'Hello' } },
      ]),
      'gen_ai.usage.input_tokens': 12,
      'gen_ai.usage.output_tokens': 7,
      'user.id': 'u',
    },
  },
  'the OpenAI agents SDK': {
    name: 'LLM call',
    attributes: {
      node_type: 'LLM_CALL',
      'openai_agents.span_type': 'response',
      'gen_ai.provider.name': 'openai.responses',
      'gen_ai.request.model': 'gpt-4o-mini',
      'gen_ai.prompt.0.role': 'user',
      'gen_ai.prompt.0.content': 'Hi',
      'gen_ai.completion.0.role': 'assistant',
      'gen_ai.completion.0.content': 'Hello',
      'gen_ai.usage.input_tokens': 12,
      'gen_ai.usage.output_tokens': 7,
      'openai_agents.metadata.user_id': 'u',
    },
  },
  'a plugin for coding agents': {
    attributes: {
      node_type: 'PROMPT_TEMPLATE',
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai',
      'gen_ai.request.model': 'gpt-4o-mini',
      'gen_ai.prompt.0.role': 'user',
      'gen_ai.prompt.0.content': 'Hi',
      'gen_ai.completion.0.role': 'assistant',
      'gen_ai.completion.0.content': 'Hello',
      'gen_ai.usage.input_tokens': 12,
      'gen_ai.usage.output_tokens': 7,
      'promptlayer.metadata.user_id': 'u',
    },
  },
  MLflow: {
    attributes: {
      'mlflow.spanType': '"CHAT_MODEL"',
      'mlflow.spanInputs': json({ model: 'gpt-4o-mini', messages: ASKED }),
      'mlflow.spanOutputs': json({
        choices: [{ message: { role: 'assistant', content: 'Hello' } }],
        usage: { prompt_tokens: 12, completion_tokens: 7 },
      }),
      'mlflow.trace.user': 'u',
    },
  },
  Langfuse: {
    attributes: {
      'langfuse.observation.type': 'generation',
      'langfuse.observation.model.name': 'gpt-4o-mini',
      'langfuse.observation.input': json(ASKED),
      'langfuse.observation.output': json({ role: 'assistant', content: 'Hello' }),
      'langfuse.observation.usage_details': '{"input":12,"output":7}',
      'langfuse.user.id': 'u',
    },
  },
  'Google’s agent development kit': {
    name: 'call_llm',
    attributes: {
      'gen_ai.system': 'gcp.vertex.agent',
      'gen_ai.request.model': 'gpt-4o-mini',
      'gcp.vertex.agent.llm_request': json({ contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] }),
      'gcp.vertex.agent.llm_response': json({
        content: { role: 'model', parts: [{ text: 'Hello' }] },
        usage_metadata: { prompt_token_count: 12, candidates_token_count: 7 },
      }),
      'user.id': 'u',
    },
  },
  Genkit: {
    attributes: {
      'genkit:type': 'action',
      'genkit:metadata:subtype': 'model',
      'genkit:name': 'openai/gpt-4o-mini',
      'genkit:input': json({ messages: [{ role: 'user', content: [{ text: 'Hi' }] }] }),
      'genkit:output': json({
        message: { role: 'model', content: [{ text: 'Hello' }] },
        usage: { inputTokens: 12, outputTokens: 7 },
      }),
      'user.id': 'u',
    },
  },
  LiveKit: {
    name: 'llm_request',
    attributes: {
      'gen_ai.request.model': 'gpt-4o-mini',
      'gen_ai.usage.input_tokens': 12,
      'gen_ai.usage.output_tokens': 7,
      'lk.chat_ctx': json({ items: [{ type: 'message', role: 'user', content: ['Hi'] }] }),
      'lk.response.text': 'Hello',
      'user.id': 'u',
    },
  },
};

/** Spans around calls, which repeat their usage or are something else. */
const NO_CALLS: Record<string, Sent> = {
  'a chain of OpenInference': { attributes: { 'openinference.span.kind': 'CHAIN', 'llm.token_count.prompt': 12 } },
  'a workflow of OpenLLMetry': { attributes: { 'traceloop.span.kind': 'workflow', 'traceloop.entity.name': 'w' } },
  'an outer span of the Vercel AI SDK': {
    attributes: { 'ai.operationId': 'ai.streamText', 'ai.model.id': 'gpt-4o-mini', 'ai.usage.inputTokens': 12 },
    scope: 'ai',
  },
  'a step of an agent of the Vercel AI SDK': {
    attributes: {
      'gen_ai.operation.name': 'agent_step',
      'gen_ai.request.model': 'gpt-4o-mini',
      'gen_ai.usage.input_tokens': 12,
    },
    scope: 'gen_ai',
  },
  'a prompt of LangSmith': { attributes: { 'langsmith.span.kind': 'prompt', 'gen_ai.operation.name': 'chat' } },
  'the raw request of LiteLLM': {
    name: 'raw_gen_ai_request',
    attributes: { 'gen_ai.request.model': 'gpt-4o-mini', 'gen_ai.system': 'openai' },
  },
  'a picture by OpenLLMetry': {
    attributes: {
      'gen_ai.operation.name': 'image_generation',
      'gen_ai.request.model': 'gpt-image-1',
      'gen_ai.system': 'openai',
      'gen_ai.usage.input_tokens': 12,
    },
  },
  'a request for vectors by an SDK': {
    attributes: {
      node_type: 'LLM_CALL',
      'promptlayer.api.type': 'embeddings',
      'gen_ai.request.model': 'our-vectors',
      'gen_ai.system': 'openai',
      'gen_ai.usage.input_tokens': 12,
    },
  },
  'the run of an agent of Pydantic AI': {
    scope: 'pydantic-ai',
    attributes: {
      'gen_ai.system': 'openai',
      'gen_ai.request.model': 'gpt-4o-mini',
      'pydantic_ai.all_messages': '[]',
      'gen_ai.usage.input_tokens': 12,
    },
  },
};

/** Sends a span, and gives it back as it was stored. */
async function deliver({ attributes, name = 'call', scope = '', events = [] }: Sent, more: JsonSpan = {}) {
  const sent = span({ name, attributes, events, ...more });
  const body = { resourceSpans: [{ scopeSpans: [{ scope: { name: scope }, spans: [sent] }] }] };
  const answer = await me.with(JSON_TYPE).request('POST', '/v1/traces', json(body));
  expect(answer).toMatchObject({ status: 200, body: FULL_SUCCESS });
  const [stored] = await readSpans(me, sent.traceId);
  return stored!;
}

const readLog = (id: number | null) => me.get(`/api/public/v2/requests/${id}`);

describe('a call in the convention of', () => {
  it.each(Object.keys(CALLS))('%s becomes a request log', async (convention) => {
    const stored = await deliver(CALLS[convention]!);
    expect(stored.request_log_id).toEqual(expect.any(Number));
    const log = (await readLog(stored.request_log_id)) as {
      prompt_blueprint: { prompt_template: { messages: Message[] } };
    };
    expect(log).toMatchObject({
      provider: 'openai',
      model: 'gpt-4o-mini',
      input_tokens: 12,
      output_tokens: 7,
      priced: true,
      status: 'SUCCESS',
      metadata: { user_id: 'u' },
    });
    const { messages } = log.prompt_blueprint.prompt_template;
    expect(messages.map(({ role, content }) => [role, content[0]!.text])).toEqual([
      ['user', 'Hi'],
      ['assistant', 'Hello'],
    ]);
  });

  it.each(Object.keys(CALLS))('%s that failed is a log with the error', async (convention) => {
    const stored = await deliver(CALLS[convention]!, { status: { code: 2, message: 'Error code: 429' } });
    expect(await readLog(stored.request_log_id)).toMatchObject({
      status: 'ERROR',
      error_type: 'PROVIDER_RATE_LIMIT',
      error_message: 'Error code: 429',
    });
  });
});

it('a call inside a call, by two instrumentations, is one request log', async () => {
  const [traceId, spanId] = [newTraceId(), newSpanId()];
  const outer = await deliver(CALLS.LiteLLM!, { traceId, spanId });
  await deliver(CALLS['OpenTelemetry, current']!, { traceId, parentSpanId: spanId });
  const logs = (await readSpans(me, traceId)).flatMap(({ request_log_id }) => request_log_id ?? []);
  expect(logs).toEqual([outer.request_log_id]);
});

describe('no request log comes from', () => {
  it.each(Object.keys(NO_CALLS))('%s', async (what) => {
    const stored = await deliver(NO_CALLS[what]!);
    expect(stored).toMatchObject({ request_log_id: null, cost: null });
  });

  it.each(Object.keys(CALLS))('a call of %s whose log is managed elsewhere', async (convention) => {
    const { attributes, ...rest } = CALLS[convention]!;
    const managed = { ...attributes, 'promptlayer.request_log.managed': true };
    expect((await deliver({ attributes: managed, ...rest })).request_log_id).toBeNull();
  });
});

it('completions without roles are logged as such', async () => {
  const stored = await deliver({
    attributes: {
      'openinference.span.kind': 'LLM',
      'llm.model_name': 'gpt-4o-mini',
      'llm.prompts.0.prompt.text': 'Once',
      'llm.choices.0.completion.text': ' upon',
    },
  });
  expect(await readLog(stored.request_log_id)).toMatchObject({
    prompt_blueprint: { prompt_template: { type: 'completion', content: [{ text: 'Once' }, { text: ' upon' }] } },
  });
});

it('the headers of a call are not stored, for they hold credentials', async () => {
  const stored = await deliver({ attributes: { 'llm.request.type': 'chat', 'llm.headers': '{"Authorization":"x"}' } });
  expect(Object.keys(stored.attributes)).toEqual(['llm.request.type']);
});
