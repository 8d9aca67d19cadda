import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { OpenAIInstrumentation as OpenInference } from '@arizeai/openinference-instrumentation-openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { metrics } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { OpenAIInstrumentation as OpenTelemetry } from '@opentelemetry/instrumentation-openai';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { generateText, jsonSchema, streamText, tool } from 'ai';
import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type FakeAnswer, FakeModel } from '../support/fake-model.js';
import { readSpans } from '../support/otlp.js';
import { TestApp } from '../support/test-app.js';
import { readLog } from '../support/tracking.js';
import { until } from '../support/until.js';

let app: TestApp;
let model: FakeModel;
let url: string;
beforeAll(async () => {
  app = await TestApp.start({ works: false });
  await app.listen();
  url = `http://127.0.0.1:${(app.app.getHttpServer().address() as AddressInfo).port}/v1/traces`;
  model = await FakeModel.start();
});
afterAll(async () => {
  await model.stop();
  await app.stop();
});

/** Program that asks the model one question, and the data that its instrumentation sends. */
interface Program {
  /** Spans per call. */
  spans: number;
  /** The messages are in the spans. */
  messages: boolean;
  /** Cached and reasoning tokens are sent separately. */
  details: boolean;
  /** The tokens of a streamed answer are counted. */
  countsStreams: boolean;
  ask: (options: { stream: boolean; tools: boolean }) => Promise<unknown>;
  stop: () => void;
}

interface Said {
  role: string;
  content: { text?: string }[];
  tool_calls?: object[] | null;
}

/** US dollars for 1000 tokens in and 50 out, without and with 200 of the former read from a cache. */
const PRICE = 0.00018;
const PRICE_WITH_CACHE = 0.000165;

const SYSTEM = 'Be brief.';
const QUESTION = 'What is the weather in Oslo?';
const WEATHER = {
  name: 'weather',
  description: 'The weather of a city',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
} as const;

const TELLS = { spans: 1, messages: true, details: true, countsStreams: true };

function askWith(Client: typeof OpenAI): Program['ask'] {
  const client = new Client({ apiKey: 'sk-none', baseURL: model.url, maxRetries: 0 });
  return async ({ stream, tools }) => {
    const request = {
      model: 'gpt-4o-mini',
      temperature: 0.5,
      messages: [
        { role: 'system' as const, content: SYSTEM },
        { role: 'user' as const, content: QUESTION },
      ],
      ...(tools && {
        tools: [{ type: 'function' as const, function: { ...WEATHER, parameters: { ...WEATHER.parameters } } }],
      }),
    };
    if (!stream) return client.chat.completions.create(request);
    const options = { stream: true, stream_options: { include_usage: true } } as const;
    for await (const chunk of await client.chat.completions.create({ ...request, ...options })) void chunk;
  };
}

const PROGRAMS: Record<string, (provider: BasicTracerProvider) => Program> = {
  'OpenTelemetry for openai': (provider) => {
    const instrumentation = new OpenTelemetry({ captureMessageContent: true });
    instrumentation.setTracerProvider(provider);
    instrumentation.setMeterProvider(metrics.getMeterProvider());
    // It hooks `require`.
    const { OpenAI: Instrumented } = createRequire(import.meta.url)('openai') as { OpenAI: typeof OpenAI };
    const ask = askWith(Instrumented);
    // Messages go to the logs signal, which is not part of a trace.
    return { ...TELLS, messages: false, details: false, ask, stop: () => instrumentation.disable() };
  },
  'OpenInference for openai': (provider) => {
    const instrumentation = new OpenInference({ tracerProvider: provider });
    instrumentation.manuallyInstrument(OpenAI);
    return { ...TELLS, countsStreams: false, ask: askWith(OpenAI), stop: () => instrumentation.disable() };
  },
  'the ai package': (provider) => ({
    ...TELLS,
    spans: 2,
    ask: async ({ stream, tools }) => {
      const settings = {
        model: createOpenAICompatible({ name: 'openai', baseURL: model.url, includeUsage: true }).chatModel(
          'gpt-4o-mini',
        ),
        system: SYSTEM,
        prompt: QUESTION,
        temperature: 0.5,
        maxRetries: 0,
        experimental_telemetry: { isEnabled: true, tracer: provider.getTracer('ai') },
        ...(tools && {
          tools: {
            weather: tool({
              description: WEATHER.description,
              inputSchema: jsonSchema({ ...WEATHER.parameters } as never),
            }),
          },
        }),
      };
      if (!stream) return generateText(settings);
      const result = streamText({ ...settings, onError: () => undefined });
      await result.consumeStream();
    },
    stop: () => undefined,
  }),
};

describe.each(Object.keys(PROGRAMS))('a program instrumented with %s', (name) => {
  let provider: BasicTracerProvider;
  let memory: InMemorySpanExporter;
  let program: Program;
  beforeAll(() => {
    memory = new InMemorySpanExporter();
    const exporter = new OTLPTraceExporter({ url, headers: { 'X-API-KEY': app.apiKey } });
    provider = new BasicTracerProvider({
      spanProcessors: [new SimpleSpanProcessor(memory), new SimpleSpanProcessor(exporter)],
    });
    program = PROGRAMS[name]!(provider);
  });
  beforeEach(() => memory.reset());
  afterAll(async () => {
    program.stop();
    await provider.shutdown();
  });

  /** The one request log that a call became. */
  async function logOf(answer: FakeAnswer, options: { stream?: boolean; tools?: boolean } = {}) {
    model.answer = answer;
    await program.ask({ stream: false, tools: false, ...options }).catch((error: Error) => {
      if (!('status' in answer)) throw error;
    });
    await until(async () => memory.getFinishedSpans().length === program.spans);
    const traces = new Set(memory.getFinishedSpans().map((span) => span.spanContext().traceId));
    await provider.forceFlush();
    const spans = (await Promise.all([...traces].map((trace) => readSpans(app.client, trace)))).flat();
    expect(spans).toHaveLength(program.spans);
    const ids = spans.flatMap(({ request_log_id: id }) => id ?? []);
    expect(ids).toHaveLength(1);
    return readLog(app.client, ids[0]!);
  }

  const said = ({ messages }: { messages?: Said[] }) =>
    messages?.map(({ role, content }) => [role, ...content.map((part) => part.text)]);

  it.each([{ stream: false }, { stream: true }])('has a request log of a call, %j', async ({ stream }) => {
    const log = await logOf({ text: 'It rains.' }, { stream });
    const { messages, details, countsStreams } = program;
    const counted = !stream || countsStreams;
    expect(log).toMatchObject({
      provider: 'openai',
      model: 'gpt-4o-mini',
      api_type: 'chat-completions',
      status: 'SUCCESS',
      input_tokens: counted ? 1000 : 0,
      output_tokens: counted ? 50 : 0,
      cached_tokens: counted && details ? 200 : null,
      thinking_tokens: counted && details ? 10 : null,
      priced: counted,
      prompt_blueprint: { metadata: { model: { parameters: { temperature: 0.5 } } } },
    });
    expect(log.price).toBeCloseTo(counted ? (details ? PRICE_WITH_CACHE : PRICE) : 0, 10);
    const conversation = [
      ['system', SYSTEM],
      ['user', QUESTION],
      ['assistant', 'It rains.'],
    ];
    expect(said(log.prompt_blueprint.prompt_template)).toEqual(messages ? conversation : []);
  });

  it.each([{ stream: false }, { stream: true }])('has the tool calls of an answer, %j', async ({ stream }) => {
    const call = { id: 'call_1', name: 'weather', arguments: { city: 'Oslo' } };
    const log = await logOf({ call }, { stream, tools: true });
    const { messages, tools } = log.prompt_blueprint.prompt_template as { messages: Said[]; tools: unknown[] };
    if (!program.messages) return expect([messages, tools]).toEqual([[], []]);
    expect(messages.at(-1)).toMatchObject({
      role: 'assistant',
      tool_calls: [{ id: 'call_1', function: { name: 'weather', arguments: '{"city":"Oslo"}' } }],
    });
    expect(tools).toMatchObject([{ type: 'function', function: WEATHER }]);
  });

  // It never ends the span of a call that is refused.
  it.skipIf(name === 'OpenInference for openai')('has the error of a call that fails', async () => {
    expect(await logOf({ status: 429, message: 'Rate limit reached' })).toMatchObject({
      provider: 'openai',
      model: 'gpt-4o-mini',
      status: 'ERROR',
      error_type: 'PROVIDER_RATE_LIMIT',
      error_message: expect.stringContaining('Rate limit reached'),
      price: 0,
    });
  });
});
