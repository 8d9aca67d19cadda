import {
  NO_ATTRIBUTES,
  type NormalizedSpan,
  SPAN_KINDS,
  SPAN_STATUSES,
  type SpanKind,
  type SpanSource,
  type SpanStatus,
} from '../../trace-conventions/index.js';
import { type Aside, Asides } from '../receipts/asides.js';

const LARGEST_NANOS = 2n ** 63n - 1n;
const TRACE_ID_DIGITS = 32;
const SPAN_ID_DIGITS = 16;

/** Why spans of a request were refused, and how many for each reason. */
export interface Rejection {
  reason: string;
  count: number;
}

export interface DecodedTraces {
  /** The usable spans. A span that came twice is here once, as it came last. */
  spans: NormalizedSpan[];
  rejected: Rejection[];
  /** Every span that is not usable, in its position. */
  asides: Aside[];
}

/** A span as read from the wire: ids "" when missing or malformed, times 0 when missing or out of range. */
export type SpanDraft = Omit<NormalizedSpan, 'name' | 'endNs'> & { name: string | null; endNs: bigint };

/** Gathers the spans of one request: refuses the defective ones, keeps the last of each identity. */
export class SpanCollector {
  private readonly spans = new Map<string, NormalizedSpan>();
  private readonly rejections = new Map<string, number>();
  private readonly asides = new Asides();

  add(draft: SpanDraft): void {
    const defect = defectOf(draft);
    if (defect) this.reject(defect, draft);
    else {
      const { size } = this.spans;
      this.spans.set(draft.traceId + draft.spanId, finish(draft));
      if (this.spans.size === size) this.repeat(draft);
    }
  }

  reject(reason: string, { traceId, spanId }: Ids = NO_IDS): void {
    this.rejections.set(reason, (this.rejections.get(reason) ?? 0) + 1);
    const usable = {
      traceId: isUsable(traceId, TRACE_ID_DIGITS) ? traceId : null,
      spanId: isUsable(spanId, SPAN_ID_DIGITS) ? spanId : null,
    };
    this.asides.add(this.spans.size, { ...usable, status: 'rejected', reason });
  }

  result(): DecodedTraces {
    const rejected = Array.from(this.rejections, ([reason, count]) => ({ reason, count }));
    return { spans: [...this.spans.values()], rejected, asides: this.asides.list };
  }

  private repeat({ traceId, spanId }: Ids): void {
    this.asides.add(this.spans.size, { traceId, spanId, status: 'duplicate', reason: null });
  }
}

type Ids = Pick<SpanDraft, 'traceId' | 'spanId'>;
const NO_IDS: Ids = { traceId: '', spanId: '' };

const isUsable = (id: string, digits: number): boolean => id.length === digits && !isZero(id);

function defectOf(draft: SpanDraft): string | null {
  if (draft.traceId.length !== TRACE_ID_DIGITS) return 'Invalid traceId length';
  if (draft.spanId.length !== SPAN_ID_DIGITS) return 'Invalid spanId length';
  if (isZero(draft.traceId)) return 'Invalid traceId: all zeros';
  if (isZero(draft.spanId)) return 'Invalid spanId: all zeros';
  if (draft.name === null) return 'Missing span name';
  if (draft.startNs === 0n) return 'Invalid startTimeUnixNano';
  return null;
}

/** The draft becomes the span: copying 500 spans of a request would cost as much as reading their fields. */
function finish(draft: SpanDraft): NormalizedSpan {
  const span = draft as NormalizedSpan;
  if (draft.endNs === 0n) span.endNs = null;
  if (span.parentId !== null && (span.parentId === '' || isZero(span.parentId))) span.parentId = null;
  if (span.statusMessage === '') span.statusMessage = null;
  return span;
}

function isZero(id: string): boolean {
  return id.startsWith('0') && /^0+$/.test(id);
}

/** The time if it fits a PostgreSQL bigint, else 0, which means "unknown". */
export function nanosInRange(nanos: bigint): bigint {
  return nanos > 0n && nanos <= LARGEST_NANOS ? nanos : 0n;
}

/** OTLP kind number to kind; unspecified and unknown numbers are INTERNAL. */
export function spanKindOf(number: number): SpanKind {
  return Number.isInteger(number) && number >= 1 && number <= 5 ? (number as SpanKind) : SPAN_KINDS.INTERNAL;
}

/** OTLP status code to status; unknown numbers are UNSET. */
export function spanStatusOf(number: number): SpanStatus {
  return number === 1 || number === 2 ? number : SPAN_STATUSES.UNSET;
}

/** A new span with its source only. */
export function emptyDraft(source: SpanSource, name: string | null): SpanDraft {
  return {
    traceId: '',
    spanId: '',
    parentId: null,
    traceState: '',
    name,
    kind: SPAN_KINDS.INTERNAL,
    startNs: 0n,
    endNs: 0n,
    statusCode: SPAN_STATUSES.UNSET,
    statusMessage: null,
    attributes: NO_ATTRIBUTES,
    events: [],
    links: [],
    source,
    sanitized: false,
  };
}
