import type { JsonObject } from '../platform/json.js';
import type { Attributes } from './attributes/attributes.js';

/** OTLP numbering without UNSPECIFIED, which is read as INTERNAL. */
export const SPAN_KINDS = { INTERNAL: 1, SERVER: 2, CLIENT: 3, PRODUCER: 4, CONSUMER: 5 } as const;
export type SpanKind = (typeof SPAN_KINDS)[keyof typeof SPAN_KINDS];

/** OTLP numbering of status codes. */
export const SPAN_STATUSES = { UNSET: 0, OK: 1, ERROR: 2 } as const;
export type SpanStatus = (typeof SPAN_STATUSES)[keyof typeof SPAN_STATUSES];

export interface SpanEvent {
  name: string;
  timeNs: bigint;
  attributes: JsonObject;
}

export interface SpanLink {
  traceId: string;
  spanId: string;
  traceState: string;
  attributes: JsonObject;
}

/**
 * Producer of a span: its resource and its instrumentation scope. All spans of one `ScopeSpans` share one object, which
 * is hashed and stored once.
 */
export interface SpanSource {
  resource: { attributes: JsonObject; schemaUrl: string };
  scope: { name: string; version: string; attributes: JsonObject };
}

/** The span that every ingestion endpoint decodes to. Its texts are already safe to store. */
export interface NormalizedSpan {
  /** 32 lower-case hex digits from OTLP. */
  traceId: string;
  /** 16 lower-case hex digits from OTLP. */
  spanId: string;
  parentId: string | null;
  traceState: string;
  name: string;
  kind: SpanKind;
  /** Nanoseconds since the epoch; fits a PostgreSQL bigint. */
  startNs: bigint;
  /** null while the span is still running. */
  endNs: bigint | null;
  statusCode: SpanStatus;
  statusMessage: string | null;
  attributes: Attributes;
  events: SpanEvent[];
  links: SpanLink[];
  source: SpanSource;
  /** True when NUL characters or lone surrogates had to be replaced. */
  sanitized: boolean;
}

/** OpenTelemetry ids are hexadecimal: they are stored in lower case and found in any. Other ids are kept as they are. */
export const canonicalTraceId = (id: string): string => (/^[0-9a-f]{32}$/i.test(id) ? id.toLowerCase() : id);
export const canonicalSpanId = (id: string): string => (/^[0-9a-f]{16}$/i.test(id) ? id.toLowerCase() : id);

/** In bytes of UTF-8. An entry of an index holds up to three ids and must fit a third of a page. */
export const LONGEST_ID = 800;

/** Whether a span can be found by this id. */
export const isFindable = (id: string): boolean => id.length <= LONGEST_ID && Buffer.byteLength(id) <= LONGEST_ID;
