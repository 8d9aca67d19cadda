import { isObject, type JsonObject, type JsonValue } from '../../platform/json.js';
import { DecodedAttributes } from '../attributes/decoded-attributes.js';
import {
  canonicalSpanId,
  canonicalTraceId,
  type NormalizedSpan,
  SPAN_KINDS,
  SPAN_STATUSES,
  type SpanEvent,
  type SpanKind,
  type SpanLink,
  type SpanSource,
  type SpanStatus,
} from '../span.js';
import type { BulkSpan } from './bulk-spans.schema.js';

/** Reads the spans of one request. Equal resources become one object, so that each is stored and hashed once. */
export class BulkSpanReader {
  private readonly sources = new Map<string, SpanSource>();

  constructor(private readonly sanitized: boolean) {}

  read(span: BulkSpan): NormalizedSpan {
    const startNs = span.start_time;
    return {
      traceId: canonicalTraceId(span.context.trace_id),
      spanId: canonicalSpanId(span.context.span_id),
      parentId: parentOf(span),
      traceState: span.context.trace_state,
      name: span.name,
      kind: SPAN_KINDS[nameOf(span.kind) as keyof typeof SPAN_KINDS] satisfies SpanKind,
      startNs,
      endNs: span.end_time === 0n ? null : span.end_time,
      statusCode: SPAN_STATUSES[nameOf(span.status.status_code) as keyof typeof SPAN_STATUSES] satisfies SpanStatus,
      statusMessage: span.status.description || null,
      attributes: new DecodedAttributes(span.attributes as JsonObject),
      events: (span.events ?? []).map((event) => eventOf(event as JsonObject, startNs)),
      links: (span.links ?? []).map((link) => linkOf(link as JsonObject)),
      source: this.sourceOf(span.resource),
      sanitized: this.sanitized,
    };
  }

  private sourceOf({ attributes, schema_url: schemaUrl }: BulkSpan['resource']): SpanSource {
    const key = JSON.stringify([attributes, schemaUrl]);
    let source = this.sources.get(key);
    if (!source) {
      const scope = { name: '', version: '', attributes: {} };
      source = { resource: { attributes: attributes as JsonObject, schemaUrl }, scope };
      this.sources.set(key, source);
    }
    return source;
  }
}

/** "SpanKind.CLIENT" → "CLIENT". */
const nameOf = (member: string): string => member.slice(member.indexOf('.') + 1);

function parentOf({ parent_id: parent }: BulkSpan): string | null {
  return !parent || /^0+$/.test(parent) ? null : canonicalSpanId(parent);
}

/** Events come as the Python SDK prints them. What does not fit that shape is kept among the attributes. */
function eventOf({ name, timestamp, attributes, ...others }: JsonObject, startNs: bigint): SpanEvent {
  return {
    name: textOf(name),
    timeNs: nanosecondsOf(timestamp) ?? startNs,
    attributes: { ...(isObject(attributes) ? attributes : {}), ...others },
  };
}

function linkOf({ context, attributes, ...others }: JsonObject): SpanLink {
  const { trace_id, span_id, trace_state } = isObject(context) ? context : {};
  return {
    traceId: canonicalTraceId(textOf(trace_id)),
    spanId: canonicalSpanId(textOf(span_id)),
    traceState: textOf(trace_state),
    attributes: { ...(isObject(attributes) ? attributes : {}), ...others },
  };
}

const textOf = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '');

/** Nanoseconds since the epoch of an ISO 8601 text or of a number of nanoseconds; null for anything else. */
function nanosecondsOf(timestamp: JsonValue | undefined): bigint | null {
  const text = typeof timestamp === 'number' ? timestamp.toFixed(0) : textOf(timestamp);
  if (/^\d{1,19}$/.test(text)) return BigInt(text);
  const milliseconds = Date.parse(text);
  if (Number.isNaN(milliseconds) || milliseconds < 0) return null;
  // Date keeps three digits of the fraction.
  const further = /\.\d{3}(\d{1,6})/.exec(text)?.[1] ?? '';
  return BigInt(milliseconds) * 1_000_000n + BigInt(further.padEnd(6, '0'));
}
