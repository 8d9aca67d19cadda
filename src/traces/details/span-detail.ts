import type { JsonObject, JsonValue } from '../../platform/json.js';
import { readJson } from '../../platform/read-json.js';
import { SpanAttributes } from '../../trace-conventions/index.js';
import { readSpanInput, readSpanOutput, type SpanPayload } from '../search/span-findings.js';
import type { SpanWithSource } from '../shared/trace-spans.queries.js';
import { type FoundDocument, readDocuments } from './documents.js';
import { readFirstToken } from './first-token.js';

/** Details of a span by the conventions of its sender, for people. */
export interface SpanDetail {
  input: JsonValue;
  output: JsonValue;
  documents: FoundDocument[] | null;
  firstTokenMs: number | null;
}

export type StoredPayload = Pick<SpanPayload, 'attributes' | 'events' | 'resource'>;

/** The payload of a stored span, as it is read. */
export function payloadOf({ span, source }: SpanWithSource): StoredPayload {
  const events = (span.events ?? []).map(({ name, time_ns, attributes }) => ({
    name,
    timeNs: BigInt(time_ns),
    attributes,
  }));
  return { attributes: readJson<JsonObject>(span.attributes), events, resource: source.resource.attributes };
}

/** Input, output, documents and the time of the first token, where the span has them. Never throws. */
export function readSpanDetail(stored: SpanWithSource): SpanDetail {
  const payload = payloadOf(stored);
  const { events } = payload;
  const { span } = stored;
  const attributes = SpanAttributes.from(payload.attributes, payload.resource);
  const output = readSpanOutput(payload);
  return {
    input: readSpanInput(payload),
    output,
    documents: readDocuments({ spanType: span.span_type, attributes, events, output }),
    firstTokenMs: readFirstToken({ attributes, events, startNs: BigInt(span.start_ns) }),
  };
}
