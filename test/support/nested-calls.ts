import { type JsonSpan, span, spanId } from './otlp.js';

type Attributes = Record<string, unknown>;

/** Span of a call, as one instrumentation sends it. */
export interface Told {
  name: string;
  attributes: Attributes;
  events?: unknown[];
}

/** Two instrumentations of one call: a framework's or a gateway's around a client's. */
export interface Pair {
  outer: Told;
  inner: Told;
}

const json = (value: unknown): string => JSON.stringify(value);
const parts = (role: string, content: string) => json([{ role, parts: [{ type: 'text', content }] }]);

export const QUESTION = 'May I get a refund?';
export const ANSWER = 'Yes, within 30 days.';
export const TOKENS = { input: 500, output: 80 };

const openInference = (model: string, more: Attributes = {}): Attributes => ({
  'openinference.span.kind': 'LLM',
  'llm.model_name': model,
  'llm.input_messages.0.message.role': 'user',
  'llm.input_messages.0.message.content': QUESTION,
  'llm.output_messages.0.message.role': 'assistant',
  'llm.output_messages.0.message.content': ANSWER,
  'llm.token_count.prompt': TOKENS.input,
  'llm.token_count.completion': TOKENS.output,
  'llm.token_count.total': TOKENS.input + TOKENS.output,
  ...more,
});

/** Content is not captured unless somebody asks for it. */
const openTelemetryClient = (provider: string, model: string, more: Attributes = {}): Attributes => ({
  'gen_ai.operation.name': 'chat',
  'gen_ai.system': provider,
  'gen_ai.request.model': model,
  'gen_ai.response.model': `${model}-2024-07-18`,
  'gen_ai.response.id': 'chatcmpl-1',
  'gen_ai.response.finish_reasons': ['stop'],
  'gen_ai.usage.input_tokens': TOKENS.input,
  'gen_ai.usage.output_tokens': TOKENS.output,
  'server.address': `api.${provider}.com`,
  ...more,
});

const traceloop = (model: string, more: Attributes = {}): Attributes => ({
  'llm.request.type': 'chat',
  'gen_ai.request.model': model,
  'gen_ai.prompt.0.role': 'user',
  'gen_ai.prompt.0.content': QUESTION,
  'gen_ai.completion.0.role': 'assistant',
  'gen_ai.completion.0.content': ANSWER,
  ...more,
});

const tracedTokens = {
  'gen_ai.usage.prompt_tokens': TOKENS.input,
  'gen_ai.usage.completion_tokens': TOKENS.output,
  'llm.usage.total_tokens': TOKENS.input + TOKENS.output,
};

/** Names and attributes as the public instrumentations send them. */
export const PAIRS: Record<string, Pair> = {
  'OpenInference: LangChain around the OpenAI client': {
    outer: {
      name: 'ChatOpenAI',
      attributes: openInference('gpt-4o-mini', {
        'llm.invocation_parameters': json({ model: 'gpt-4o-mini', temperature: 0.5 }),
        metadata: json({ ls_provider: 'openai', thread: 'a' }),
        'session.id': 'session-1',
      }),
    },
    inner: {
      name: 'ChatCompletion',
      attributes: openInference('gpt-4o-mini-2024-07-18', { 'llm.provider': 'openai' }),
    },
  },
  'OpenInference: LlamaIndex around the OpenAI client': {
    outer: { name: 'OpenAI.chat', attributes: openInference('gpt-4o-mini') },
    inner: {
      name: 'ChatCompletion',
      attributes: openInference('gpt-4o-mini', { 'llm.provider': 'openai', 'llm.system': 'openai' }),
    },
  },
  'OpenLLMetry: LangChain, that counts nothing while it streams, around the Anthropic client': {
    outer: {
      name: 'ChatAnthropic.chat',
      attributes: traceloop('claude-sonnet-4-5', {
        'gen_ai.system': 'Langchain',
        'traceloop.workflow.name': 'refunds',
      }),
    },
    inner: {
      name: 'anthropic.chat',
      attributes: traceloop('claude-sonnet-4-5', { 'gen_ai.system': 'Anthropic', ...tracedTokens }),
    },
  },
  'LiteLLM around the OpenAI client of OpenTelemetry, without content': {
    outer: {
      name: 'litellm_request',
      attributes: {
        'gen_ai.request.model': 'openai/gpt-4o-mini',
        'gen_ai.system': 'openai',
        'llm.request.type': 'completion',
        'llm.is_streaming': 'False',
        'gen_ai.response.id': 'chatcmpl-1',
        'gen_ai.response.model': 'gpt-4o-mini-2024-07-18',
        'gen_ai.usage.total_tokens': TOKENS.input + TOKENS.output,
        'gen_ai.input.messages': parts('user', QUESTION),
        'gen_ai.output.messages': parts('assistant', ANSWER),
        ...tracedTokens,
      },
    },
    inner: { name: 'chat gpt-4o-mini', attributes: openTelemetryClient('openai', 'gpt-4o-mini') },
  },
  'Vercel AI SDK around the OpenAI client of OpenTelemetry': {
    outer: {
      name: 'ai.generateText.doGenerate',
      attributes: {
        'operation.name': 'ai.generateText.doGenerate',
        'ai.operationId': 'ai.generateText.doGenerate',
        'ai.model.id': 'gpt-4o-mini',
        'ai.model.provider': 'openai.chat',
        'ai.prompt.messages': json([{ role: 'user', content: [{ type: 'text', text: QUESTION }] }]),
        'ai.response.text': ANSWER,
        'ai.response.finishReason': 'stop',
        'ai.usage.inputTokens': TOKENS.input,
        'ai.usage.outputTokens': TOKENS.output,
        'gen_ai.system': 'openai.chat',
        'gen_ai.request.model': 'gpt-4o-mini',
      },
    },
    inner: { name: 'chat gpt-4o-mini', attributes: openTelemetryClient('openai', 'gpt-4o-mini') },
  },
  'Pydantic AI around the Anthropic client of Logfire': {
    outer: {
      name: 'chat claude-sonnet-4-5',
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.system': 'anthropic',
        'gen_ai.request.model': 'claude-sonnet-4-5',
        'gen_ai.response.model': 'claude-sonnet-4-5-20250929',
        'gen_ai.input.messages': parts('user', QUESTION),
        'gen_ai.output.messages': parts('assistant', ANSWER),
        'gen_ai.usage.input_tokens': TOKENS.input,
        'gen_ai.usage.output_tokens': TOKENS.output,
        'logfire.msg': 'chat claude-sonnet-4-5',
      },
    },
    inner: {
      name: 'Message with {request_data[model]!r}',
      attributes: {
        'gen_ai.system': 'anthropic',
        'gen_ai.request.model': 'claude-sonnet-4-5',
        'gen_ai.response.model': 'claude-sonnet-4-5-20250929',
        request_data: json({
          model: 'claude-sonnet-4-5',
          max_tokens: 9,
          messages: [{ role: 'user', content: QUESTION }],
        }),
        response_data: json({ message: { role: 'assistant', content: ANSWER }, usage: {} }),
        'gen_ai.usage.input_tokens': TOKENS.input,
        'gen_ai.usage.output_tokens': TOKENS.output,
        'logfire.msg': "Message with 'claude-sonnet-4-5'",
      },
    },
  },
  'Semantic Kernel, messages in events, around the Azure client': {
    outer: {
      name: 'chat.completions gpt-4o-mini',
      attributes: openTelemetryClient('openai', 'gpt-4o-mini', {
        'gen_ai.operation.name': 'chat.completions',
        'gen_ai.system': 'az.ai.openai',
      }),
      events: [
        {
          name: 'gen_ai.user.message',
          timeUnixNano: '1',
          attributes: { 'gen_ai.event.content': json({ role: 'user', content: QUESTION }) },
        },
        {
          name: 'gen_ai.choice',
          timeUnixNano: '2',
          attributes: { 'gen_ai.event.content': json({ index: 0, message: { role: 'assistant', content: ANSWER } }) },
        },
      ],
    },
    inner: { name: 'chat gpt-4o-mini', attributes: openTelemetryClient('az.ai.openai', 'gpt-4o-mini') },
  },
};

/** The two spans of a pair, in the trace. */
export function spansOf({ outer, inner }: Pair, traceId: string): [outer: JsonSpan, inner: JsonSpan] {
  const around = toSpan(outer, { traceId, startTimeUnixNano: '1780000000000000000' });
  const inside = toSpan(inner, {
    traceId,
    parentSpanId: around.spanId,
    startTimeUnixNano: '1780000000100000000',
    endTimeUnixNano: '1780000000900000000',
  });
  return [around, inside];
}

export function toSpan({ name, attributes, events = [] }: Told, fields: JsonSpan = {}): JsonSpan {
  return span({
    spanId: spanId(),
    name,
    kind: 3,
    attributes: keyValues(attributes),
    events: events.map(withKeyValues),
    ...fields,
  });
}

const withKeyValues = (event: unknown) => {
  const { attributes, ...rest } = event as { attributes: Attributes };
  return { ...rest, attributes: keyValues(attributes) };
};

export const keyValues = (attributes: Attributes) =>
  Object.entries(attributes).map(([key, value]) => ({ key, value: anyValue(value) }));

function anyValue(value: unknown): object {
  if (typeof value === 'number') return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  if (Array.isArray(value)) return { arrayValue: { values: value.map(anyValue) } };
  return { stringValue: String(value) };
}
