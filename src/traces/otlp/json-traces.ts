import { quoteLongIntegers } from '../../platform/exact-integers.js';
import { isObject, type JsonObject, type JsonValue } from '../../platform/json.js';
import {
  DecodedAttributes,
  SPAN_KINDS,
  SPAN_STATUSES,
  type SpanEvent,
  type SpanLink,
  type SpanSource,
} from '../../trace-conventions/index.js';
import { fitsJsonLimits } from '../../platform/json-limits.js';
import { JsonValues, readEnum, readId, RoundedInteger } from './json-values.js';
import type { Located } from './json-envelope.js';
import { EnvelopeReader } from './json-envelope.js';
import { UnreadableBody } from './otlp.errors.js';
import { mayHoldUnsafeText } from '../../platform/safe-text.js';
import { readUtf8 } from '../../platform/utf8.js';
import { TextCleaner, TrustingCleaner } from './text-cleaner.js';
import type { DecodedTraces, SpanDraft } from './span-collector.js';
import { emptyDraft, SpanCollector, spanKindOf, spanStatusOf } from './span-collector.js';

const TRACE_ID_BYTES = 16;
const SPAN_ID_BYTES = 8;

/** Room for attributes of the readable depth, whose every level takes four in JSON, and far beyond real traffic. */
const LIMITS = { depth: 2_500, containers: 5_000_000 };

/**
 * Reads an ExportTraceServiceRequest from its JSON form: camelCase or snake_case keys, hex or base64 ids, int64 as
 * numbers or digits, enums by number or name.
 *
 * @throws UnreadableBody, InvalidEnvelope
 */
export function decodeJsonTraces(body: Buffer): DecodedTraces {
  const json = readUtf8(body);
  if (!fitsJsonLimits(json, LIMITS)) throw new UnreadableBody('The body nests too deeply or holds too many values.');
  try {
    return decodeText(json, json, false);
  } catch (error) {
    if (!(error instanceof RoundedInteger)) throw error;
    return decodeText(json, quoteLongIntegers(json), true);
  }
}

function decodeText(original: string, json: string, exact: boolean): DecodedTraces {
  const cleaner = mayHoldUnsafeText(original) ? new TextCleaner() : new TrustingCleaner();
  return new JsonTraces(cleaner, new JsonValues(cleaner, exact)).decode(parse(json));
}

function parse(json: string): JsonValue {
  try {
    return JSON.parse(json) as JsonValue;
  } catch {
    throw new UnreadableBody('The body is not valid JSON.');
  }
}

class JsonTraces {
  private readonly collector = new SpanCollector();
  private readonly envelope = new EnvelopeReader();

  constructor(
    private readonly cleaner: TextCleaner,
    private readonly values: JsonValues,
  ) {}

  decode(body: JsonValue): DecodedTraces {
    for (const resourceSpans of this.envelope.objects(this.envelope.root(body), 'resourceSpans')) {
      this.resourceSpans(resourceSpans);
    }
    this.envelope.assertValid();
    return this.collector.result();
  }

  private resourceSpans(part: Located<JsonObject>): void {
    const resource: SpanSource['resource'] = {
      attributes: this.values.attributes(this.envelope.object(part, 'resource').attributes),
      schemaUrl: this.values.text(part.value.schemaUrl ?? part.value.schema_url),
    };
    const changed = this.cleaner.takeChanged();
    for (const scopeSpans of this.envelope.objects(part, 'scopeSpans')) this.scopeSpans(scopeSpans, resource, changed);
  }

  private scopeSpans(part: Located<JsonObject>, resource: SpanSource['resource'], resourceChanged: boolean): void {
    const scope = this.envelope.object(part, 'scope');
    const source: SpanSource = {
      resource,
      scope: {
        name: this.values.text(scope.name),
        version: this.values.text(scope.version),
        attributes: this.values.attributes(scope.attributes),
      },
    };
    const changed = this.cleaner.takeChanged() || resourceChanged;
    for (const value of this.envelope.list(part, 'spans').value) {
      if (isObject(value)) this.collector.add(this.span(value, source, changed));
      else this.collector.reject('Span is not an object');
    }
  }

  private span(span: JsonObject, source: SpanSource, sourceChanged: boolean): SpanDraft {
    const { values } = this;
    const status = isObject(span.status) ? span.status : {};
    const draft = emptyDraft(source, typeof span.name === 'string' ? values.text(span.name) : null);
    draft.traceId = readId(span.traceId ?? span.trace_id, TRACE_ID_BYTES);
    draft.spanId = readId(span.spanId ?? span.span_id, SPAN_ID_BYTES);
    draft.parentId = readId(span.parentSpanId ?? span.parent_span_id, SPAN_ID_BYTES);
    draft.traceState = values.text(span.traceState ?? span.trace_state);
    draft.kind = spanKindOf(readEnum(span.kind, SPAN_KINDS, 'SPAN_KIND_'));
    draft.startNs = values.nanos(span.startTimeUnixNano ?? span.start_time_unix_nano);
    draft.endNs = values.nanos(span.endTimeUnixNano ?? span.end_time_unix_nano);
    draft.statusCode = spanStatusOf(readEnum(status.code, SPAN_STATUSES, 'STATUS_CODE_'));
    draft.statusMessage = values.text(status.message);
    draft.attributes = new DecodedAttributes(values.attributes(span.attributes));
    draft.events = objectsOf(span.events).map((event) => this.event(event));
    draft.links = objectsOf(span.links).map((link) => this.link(link));
    draft.sanitized = this.cleaner.takeChanged() || sourceChanged;
    return draft;
  }

  private event(event: JsonObject): SpanEvent {
    return {
      name: this.values.text(event.name),
      timeNs: this.values.nanos(event.timeUnixNano ?? event.time_unix_nano),
      attributes: this.values.attributes(event.attributes),
    };
  }

  private link(link: JsonObject): SpanLink {
    return {
      traceId: readId(link.traceId ?? link.trace_id, TRACE_ID_BYTES),
      spanId: readId(link.spanId ?? link.span_id, SPAN_ID_BYTES),
      traceState: this.values.text(link.traceState ?? link.trace_state),
      attributes: this.values.attributes(link.attributes),
    };
  }
}

function objectsOf(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter((entry) => isObject(entry)) : [];
}
