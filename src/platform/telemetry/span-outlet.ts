import type { Context, Span, Tracer } from '@opentelemetry/api';

/** What a process sends its spans with; the packages for it are loaded only where there is a receiver. */
export interface SpanOutlet {
  tracer: Tracer;
  /** A context whose span is the given one, or the one that the header `traceparent` of a request names. */
  contextOf(parent: Span | string | undefined): Context;
  flush(): Promise<void>;
  /** Sends what is left, as far as the receiver answers in time. */
  close(): Promise<void>;
}

/** Exports carry it, so that a server that receives spans of itself makes none about that. */
export const OWN_SPANS_HEADER = 'x-tracesheet-own-spans';
