import type { Context, Span, Tracer } from '@opentelemetry/api';

/** Sends the spans of a process; its packages are loaded only with a receiver. */
export interface SpanOutlet {
  tracer: Tracer;
  /** A context with the given span, or with the span of a request's `traceparent`. */
  contextOf(parent: Span | string | undefined): Context;
  flush(): Promise<void>;
  /** Sends the remaining spans, if the receiver answers in time. */
  close(): Promise<void>;
}

/** Exports carry this header, so that a server that receives its own spans creates no spans for that. */
export const OWN_SPANS_HEADER = 'x-tracesheet-own-spans';
