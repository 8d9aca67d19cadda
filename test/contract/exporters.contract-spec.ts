import type { AddressInfo } from 'node:net';
import { context, type SpanContext, SpanKind, SpanStatusCode, trace, TraceFlags } from '@opentelemetry/api';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestApp } from '../support/test-app.js';

type Exporter = JsonExporter | ProtobufExporter;
interface Options {
  key?: string;
  compression?: 'gzip' | 'none';
}

let app: TestApp;
let url: string;
beforeAll(async () => {
  app = await TestApp.start({ works: false });
  await app.listen();
  const { port } = app.app.getHttpServer().address() as AddressInfo;
  url = `http://127.0.0.1:${port}/v1/traces`;
});
afterAll(() => app.stop());

const KINDS: Record<string, (options?: Options) => Exporter> = {
  protobuf: (options) => new ProtobufExporter(settings(options)),
  JSON: (options) => new JsonExporter(settings(options)),
};

function settings({ key = app.apiKey, compression = 'none' }: Options = {}) {
  return { url, headers: { 'X-API-KEY': key }, compression: compression as never, timeoutMillis: 5000 };
}

/** Resolves with the error of a refused export, with null when all went well. */
async function send(exporter: Exporter, spans: ReadableSpan[]): Promise<Error | null> {
  try {
    return await new Promise((resolve) =>
      exporter.export(spans, (result) => resolve(result.code === 0 ? null : (result.error ?? new Error('?')))),
    );
  } finally {
    await exporter.shutdown();
  }
}

const MESSAGES = [{ role: 'user', parts: [{ type: 'text', content: 'Is 2 + 2 = 4? — ünïcode 🎉' }] }];
const ANSWER = [{ role: 'assistant', parts: [{ type: 'text', content: 'Yes.' }], finish_reason: 'stop' }];
const START = new Date('2026-06-01T10:00:00.123Z');
const END = new Date('2026-06-01T10:00:01.623Z');

/** An agent that asks a model and fails at a tool, as an instrumented program reports it. */
function record(): ReadableSpan[] {
  const memory = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'shop', 'service.instances': [1, 2] }),
    spanProcessors: [new SimpleSpanProcessor(memory)],
  });
  const tracer = provider.getTracer('instrumentation', '1.2.3');
  const linked: SpanContext = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), traceFlags: TraceFlags.SAMPLED };
  const agent = tracer.startSpan('agent', { startTime: START });
  const below = trace.setSpan(context.active(), agent);
  const call = tracer.startSpan(
    'chat gpt-4o-mini',
    {
      kind: SpanKind.CLIENT,
      startTime: START,
      links: [{ context: linked, attributes: { why: 'retry' } }],
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'openai',
        'gen_ai.request.model': 'gpt-4o-mini',
        'gen_ai.request.temperature': 0.25,
        'gen_ai.input.messages': JSON.stringify(MESSAGES),
        'gen_ai.output.messages': JSON.stringify(ANSWER),
        'gen_ai.usage.input_tokens': 1000,
        'gen_ai.usage.output_tokens': 500,
        'app.flags': [true, false],
        'app.names': ['a', 'b'],
        'app.empty': '',
      },
    },
    below,
  );
  call.addEvent('first token', { 'app.position': 1 }, START);
  call.end(END);
  const tool = tracer.startSpan('tool', { startTime: START }, below);
  tool.setStatus({ code: SpanStatusCode.ERROR, message: 'out of stock' });
  tool.end(END);
  agent.end(END);
  return memory.getFinishedSpans();
}

type Json = Record<string, unknown>;

/** A trace as it is read back, without the ids that the server gave. */
async function stored(spans: ReadableSpan[], reader = app.client): Promise<{ trace: Json[]; log: Json }> {
  const answer = (await reader.get(`/api/public/v2/traces/${spans[0]!.spanContext().traceId}`)) as { spans: Json[] };
  const logId = answer.spans.find((span) => span.request_log_id !== null)!.request_log_id as number;
  const log = (await reader.get(`/api/public/v2/requests/${logId}`)) as Json;
  const strip = (answered: Json): Json => ({ ...answered, id: null, request_id: null, request_log_id: null });
  return { trace: answer.spans.map(strip).sort((a, b) => (String(a.name) < String(b.name) ? -1 : 1)), log: strip(log) };
}

describe.each(Object.keys(KINDS))('the %s exporter of OpenTelemetry', (kind) => {
  it.each(['none', 'gzip'] as const)(
    'delivers a trace that is read back as it was recorded (compression: %s)',
    async (compression) => {
      const spans = record();
      expect(await send(KINDS[kind]!({ compression }), spans)).toBeNull();

      const { trace: read, log } = await stored(spans);
      const [agent, call, tool] = read as [Json, Json, Json];
      expect(call).toMatchObject({
        name: 'chat gpt-4o-mini',
        kind: 'SpanKind.CLIENT',
        parent_id: agent.span_id,
        start_time: expect.stringMatching(/^2026-06-01T10:00:00\.123/),
        duration_ms: 1500,
        attributes: {
          'app.flags': [true, false],
          'app.names': ['a', 'b'],
          'app.empty': '',
          'gen_ai.request.temperature': 0.25,
        },
        events: [{ name: 'first token', attributes: { 'app.position': 1 } }],
        links: [{ context: { trace_id: 'a'.repeat(32), span_id: 'b'.repeat(16) }, attributes: { why: 'retry' } }],
        resource: { attributes: { 'service.name': 'shop', 'service.instances': [1, 2] } },
        scope: { name: 'instrumentation', version: '1.2.3' },
        sanitized: false,
      });
      expect(tool.status).toEqual({ status_code: 'StatusCode.ERROR', description: 'out of stock' });
      expect(log).toMatchObject({
        provider: 'openai',
        model: 'gpt-4o-mini',
        input_tokens: 1000,
        output_tokens: 500,
        // 0.15 and 0.60 dollars for a million tokens.
        price: expect.closeTo(0.00045, 10),
        latency_ms: 1500,
        status: 'SUCCESS',
        prompt_blueprint: {
          prompt_template: {
            messages: [
              { role: 'user', content: [{ type: 'text', text: 'Is 2 + 2 = 4? — ünïcode 🎉' }] },
              { role: 'assistant', content: [{ type: 'text', text: 'Yes.' }] },
            ],
          },
        },
      });
    },
  );

  it('sees a refusal for a wrong key', async () => {
    const error = await send(KINDS[kind]!({ key: `pl_${'x'.repeat(46)}` }), record());
    expect((error as Error & { code?: number }).code).toBe(401);
  });

  it('takes a partial success for a success: it must not send the same again', async () => {
    const spans = record();
    const broken = Object.create(spans[0]!, {
      spanContext: { value: () => ({ ...spans[0]!.spanContext(), spanId: '0'.repeat(16) }) },
    }) as ReadableSpan;
    expect(await send(KINDS[kind]!(), [...spans, broken])).toBeNull();
    expect((await stored(spans)).trace).toHaveLength(3);
  });
});

it('stores the same rows from every exporter, compressed or not', async () => {
  const spans = record();
  const read: unknown[] = [];
  for (const kind of Object.keys(KINDS)) {
    for (const compression of ['none', 'gzip'] as const) {
      const workspace = await app.stranger();
      expect(await send(KINDS[kind]!({ key: workspace.apiKey!, compression }), spans)).toBeNull();
      read.push(await stored(spans, workspace));
    }
  }
  expect(read).toHaveLength(4);
  for (const other of read.slice(1)) expect(other).toEqual(read[0]);
});
