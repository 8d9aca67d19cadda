import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Attributes, Span, SpanKind, SpanStatusCode } from '@opentelemetry/api';
import type { Config } from '../config/config.js';
import { loggedShape, statementName } from '../database/statement-shape.js';
import type { Metrics } from './metrics.js';
import { OWN_SPANS_HEADER, type SpanOutlet } from './span-outlet.js';

// Constants of OpenTelemetry, whose package is loaded only with a receiver.
const SERVER = 1 as SpanKind;
const CLIENT = 2 as SpanKind;
const ERROR = 2 as SpanStatusCode;

/** The current span; none when nothing is traced. */
const current = new AsyncLocalStorage<Span | null>();

/** Spans of the server's own work: requests, claimed work, and the statements of both. Without a receiver it does nothing. */
@Injectable()
export class Tracing implements OnApplicationShutdown {
  constructor(private readonly outlet: SpanOutlet | null) {}

  static async start(config: Config, metrics: Metrics, process: 'api' | 'worker'): Promise<Tracing> {
    if (!config.otlpEndpoint) return new Tracing(null);
    const { openOutlet } = await import('./otlp-outlet.js');
    return new Tracing(openOutlet(config, metrics, process));
  }

  get isOn(): boolean {
    return this.outlet !== null;
  }

  /** Begins the span of a request; null when it carries spans of this server, or when nothing is traced. */
  beginRequest(name: string, headers: Record<string, unknown>, attributes: Attributes): Span | null {
    if (!this.outlet || headers[OWN_SPANS_HEADER] !== undefined) return null;
    const { traceparent } = headers;
    const context = this.outlet.contextOf(typeof traceparent === 'string' ? traceparent : undefined);
    return this.outlet.tracer.startSpan(name, { kind: SERVER, attributes }, context);
  }

  /** Runs `work` with a current span, which also applies to its asynchronous parts; null = not traced. */
  within<T>(span: Span | null, work: () => T): T {
    return this.outlet ? current.run(span, work) : work();
  }

  /** Runs `work` in a new span. */
  async trace<T>(name: string, attributes: Attributes, work: () => Promise<T>): Promise<T> {
    if (!this.outlet) return work();
    const span = this.outlet.tracer.startSpan(name, { attributes }, this.outlet.contextOf(undefined));
    try {
      return await current.run(span, work);
    } catch (error) {
      markFailed(span, error);
      throw error;
    } finally {
      span.end();
    }
  }

  /** Begins the span of a statement, if there is a current span. The returned function ends it. */
  beginStatement(text: string): ((error?: unknown) => void) | null {
    const parent = this.outlet ? current.getStore() : null;
    if (!this.outlet || !parent?.isRecording()) return null;
    const attributes = { 'db.system.name': 'postgresql', 'db.query.text': loggedShape(text) };
    const { tracer } = this.outlet;
    const span = tracer.startSpan(statementName(text), { kind: CLIENT, attributes }, this.outlet.contextOf(parent));
    return (error) => {
      if (error !== undefined) markFailed(span, error);
      span.end();
    };
  }

  flush(): Promise<void> {
    return this.outlet?.flush() ?? Promise.resolve();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.outlet?.close();
  }
}

/** Messages of PostgreSQL may contain customer data, so only the kind of the failure is recorded. */
function markFailed(span: Span, error: unknown): void {
  const { name, code } = error as { name?: unknown; code?: unknown };
  span.setAttribute('error.type', typeof code === 'string' ? code : String(name));
  span.setStatus({ code: ERROR });
}
