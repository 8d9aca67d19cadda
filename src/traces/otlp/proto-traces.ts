import type { JsonObject } from '../../platform/json.js';
import { AttributePacker, type SpanEvent, type SpanLink, type SpanSource } from '../../trace-conventions/index.js';
import { ProtoReader } from './proto-reader.js';
import { ProtoValues } from './proto-values.js';
import { TextCleaner } from './text-cleaner.js';
import type { DecodedTraces, SpanDraft } from './span-collector.js';
import { emptyDraft, nanosInRange, SpanCollector, spanKindOf, spanStatusOf } from './span-collector.js';

const TRACE_ID_BYTES = 16;
const SPAN_ID_BYTES = 8;

/**
 * Reads an ExportTraceServiceRequest from its protobuf bytes. Field numbers are those of opentelemetry-proto's
 * trace/v1, common/v1 and resource/v1; fields without a use here are skipped.
 *
 * @throws UnreadableBody
 */
export function decodeProtobufTraces(body: Buffer): DecodedTraces {
  return new ProtoTraces(new ProtoReader(body), new AttributePacker(body)).decode();
}

class ProtoTraces {
  private readonly collector = new SpanCollector();
  private readonly cleaner = new TextCleaner();
  private readonly values: ProtoValues;

  constructor(
    private readonly reader: ProtoReader,
    private readonly packer: AttributePacker,
  ) {
    this.values = new ProtoValues(reader, this.cleaner);
  }

  decode(): DecodedTraces {
    this.reader.fields((tag) => {
      if (tag >>> 3 === 1) this.resourceSpans(tag);
      else this.reader.skip(tag);
    });
    return this.collector.result();
  }

  /** A resource may come after its spans, so they are collected when all of it was read. */
  private resourceSpans(enclosing: number): void {
    const resource: SpanSource['resource'] = { attributes: {}, schemaUrl: '' };
    const drafts: SpanDraft[] = [];
    let changed = false;
    this.reader.message(enclosing, (tag) => {
      if (tag >>> 3 === 2) {
        this.scopeSpans(tag, resource, drafts);
        return;
      }
      if (tag >>> 3 === 1) this.attributesOnly(tag, resource.attributes);
      else if (tag >>> 3 === 3) resource.schemaUrl = this.values.text(tag);
      else this.reader.skip(tag);
      changed = this.cleaner.takeChanged() || changed;
    });
    if (changed) markSanitized(drafts);
    for (const draft of drafts) this.collector.add(draft);
  }

  private attributesOnly(enclosing: number, attributes: JsonObject): void {
    this.reader.message(enclosing, (tag) => {
      if (tag >>> 3 === 1) this.values.keyValue(tag, attributes);
      else this.reader.skip(tag);
    });
  }

  private scopeSpans(enclosing: number, resource: SpanSource['resource'], drafts: SpanDraft[]): void {
    const source: SpanSource = { resource, scope: { name: '', version: '', attributes: {} } };
    const first = drafts.length;
    let changed = false;
    this.reader.message(enclosing, (tag) => {
      if (tag >>> 3 === 1) {
        this.scope(tag, source.scope);
        changed = this.cleaner.takeChanged() || changed;
      } else if (tag >>> 3 === 2) {
        drafts.push(this.span(tag, source));
      } else {
        this.reader.skip(tag);
      }
    });
    if (changed) markSanitized(drafts.slice(first));
  }

  private scope(enclosing: number, scope: SpanSource['scope']): void {
    this.reader.message(enclosing, (tag) => {
      if (tag >>> 3 === 1) scope.name = this.values.text(tag);
      else if (tag >>> 3 === 2) scope.version = this.values.text(tag);
      else if (tag >>> 3 === 3) this.values.keyValue(tag, scope.attributes);
      else this.reader.skip(tag);
    });
  }

  private span(enclosing: number, source: SpanSource): SpanDraft {
    // In proto3 an absent name is an empty name.
    const draft = emptyDraft(source, '');
    this.reader.message(enclosing, (tag) => {
      if (tag >>> 3 < 9) this.spanScalar(tag, draft);
      else this.spanMessage(tag, draft);
    });
    draft.attributes = this.packer.take();
    draft.sanitized = this.cleaner.takeChanged();
    return draft;
  }

  private spanScalar(tag: number, draft: SpanDraft): void {
    switch (tag >>> 3) {
      case 1:
        draft.traceId = this.reader.id(tag, TRACE_ID_BYTES);
        break;
      case 2:
        draft.spanId = this.reader.id(tag, SPAN_ID_BYTES);
        break;
      case 3:
        draft.traceState = this.values.text(tag);
        break;
      case 4:
        draft.parentId = this.reader.id(tag, SPAN_ID_BYTES);
        break;
      case 5:
        draft.name = this.values.text(tag);
        break;
      case 6:
        draft.kind = spanKindOf(this.reader.enum(tag));
        break;
      case 7:
        draft.startNs = nanosInRange(this.reader.fixed64(tag));
        break;
      case 8:
        draft.endNs = nanosInRange(this.reader.fixed64(tag));
        break;
    }
  }

  private spanMessage(tag: number, draft: SpanDraft): void {
    switch (tag >>> 3) {
      case 9:
        this.values.pack(tag, this.packer);
        break;
      case 11:
        draft.events.push(this.event(tag));
        break;
      case 13:
        draft.links.push(this.link(tag));
        break;
      case 15:
        this.status(tag, draft);
        break;
      default:
        this.reader.skip(tag);
    }
  }

  private status(enclosing: number, draft: SpanDraft): void {
    this.reader.message(enclosing, (tag) => {
      if (tag >>> 3 === 2) draft.statusMessage = this.values.text(tag);
      else if (tag >>> 3 === 3) draft.statusCode = spanStatusOf(this.reader.enum(tag));
      else this.reader.skip(tag);
    });
  }

  private event(enclosing: number): SpanEvent {
    const event: SpanEvent = { name: '', timeNs: 0n, attributes: {} };
    this.reader.message(enclosing, (tag) => {
      if (tag >>> 3 === 1) event.timeNs = nanosInRange(this.reader.fixed64(tag));
      else if (tag >>> 3 === 2) event.name = this.values.text(tag);
      else if (tag >>> 3 === 3) this.values.keyValue(tag, event.attributes);
      else this.reader.skip(tag);
    });
    return event;
  }

  private link(enclosing: number): SpanLink {
    const link: SpanLink = { traceId: '', spanId: '', traceState: '', attributes: {} };
    this.reader.message(enclosing, (tag) => {
      if (tag >>> 3 === 1) link.traceId = this.reader.id(tag, TRACE_ID_BYTES);
      else if (tag >>> 3 === 2) link.spanId = this.reader.id(tag, SPAN_ID_BYTES);
      else if (tag >>> 3 === 3) link.traceState = this.values.text(tag);
      else if (tag >>> 3 === 4) this.values.keyValue(tag, link.attributes);
      else this.reader.skip(tag);
    });
    return link;
  }
}

function markSanitized(drafts: SpanDraft[]): void {
  for (const draft of drafts) draft.sanitized = true;
}
