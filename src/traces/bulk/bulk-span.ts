import type { JsonObject } from '../../platform/json.js';
import {
  canonicalSpanId,
  canonicalTraceId,
  DecodedAttributes,
  type NormalizedSpan,
  SPAN_KINDS,
  SPAN_STATUSES,
  type SpanKind,
  type SpanSource,
  type SpanStatus,
} from '../../trace-conventions/index.js';
import type { BulkSpan } from './bulk-spans.schema.js';
import { readEvent, readLink } from './events-and-links.js';

/** Reads the spans of one request. Equal resources become one object, so that each is stored and hashed once. */
export class BulkSpanReader {
  private readonly sources = new Map<string, SpanSource>();

  read(span: BulkSpan, sanitized: boolean): NormalizedSpan {
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
      events: (span.events ?? []).map((event) => readEvent(event as JsonObject, startNs)),
      links: (span.links ?? []).map((link) => readLink(link as JsonObject)),
      source: this.sourceOf(span.resource),
      sanitized,
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
