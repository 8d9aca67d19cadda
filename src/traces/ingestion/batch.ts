import type { TraceKey } from './incoming-span.js';
import { type Delivery, type IncomingSpan, type SpanOutcome, traceKeyOf } from './incoming-span.js';
import type { StoredSpan } from './spans.queries.js';

/** Deliveries that are written in one transaction. */
export interface Batch {
  deliveries: Delivery[];
  /** The last span of each key. Sorted by key: otherwise overlapping batches of several processes would deadlock. */
  spans: IncomingSpan[];
}

/** One outcome per span of each delivery, in order. */
export type Outcomes = SpanOutcome[][];

export function batchOf(deliveries: Delivery[]): Batch {
  const latest = new Map<string, IncomingSpan>();
  for (const { spans } of deliveries) for (const span of spans) latest.set(span.spanKey, span);
  return { deliveries, spans: [...latest.values()].sort(bySpanKey) };
}

/**
 * Splits deliveries into parts that are written one after the other; no part has a span twice. A repeated span replaces
 * the earlier one, but neither the log that was given for it nor the closing of its trace.
 */
export function withoutRepeats(deliveries: Delivery[]): Delivery[][] {
  const parts: Delivery[][] = [];
  let keys = new Set<string>();
  for (const delivery of deliveries) {
    if (parts.length === 0 || delivery.spans.some(({ spanKey }) => keys.has(spanKey))) {
      parts.push([]);
      keys = new Set();
    }
    parts.at(-1)!.push(delivery);
    for (const { spanKey } of delivery.spans) keys.add(spanKey);
  }
  return parts;
}

function bySpanKey(a: IncomingSpan, b: IncomingSpan): number {
  return a.spanKey < b.spanKey ? -1 : a.spanKey > b.spanKey ? 1 : 0;
}

export function distinctTraces(spans: IncomingSpan[]): TraceKey[] {
  const traces = new Map<string, TraceKey>();
  for (const { traceKey, workspaceId, span } of spans) {
    if (!traces.has(traceKey)) traces.set(traceKey, { workspaceId, traceId: span.traceId });
  }
  return [...traces.values()];
}

export function distinct(traces: TraceKey[]): TraceKey[] {
  return [...new Map(traces.map((trace) => [traceKeyOf(trace.workspaceId, trace.traceId), trace])).values()];
}

export const tracesToClose = (spans: IncomingSpan[]): TraceKey[] =>
  distinctTraces(spans.filter((span) => span.closeAfter));

/** Result of writing a batch. */
export interface Written {
  /** Whether a trace, by its key, accepts spans. */
  isOpen: (traceKey: string) => boolean;
  /** The spans that were new or changed, by key. */
  stored: Map<string, StoredSpan>;
  /** Keys of the spans whose call is their log. */
  logged: Set<string>;
}

export function outcomesOf({ deliveries, spans }: Batch, written: Written): Outcomes {
  const latest = new Set(spans);
  return deliveries.map((delivery) => delivery.spans.map((span) => outcomeOf(span, latest.has(span), written)));
}

function outcomeOf(span: IncomingSpan, isLatest: boolean, { isOpen, stored, logged }: Written): SpanOutcome {
  if (!isOpen(span.traceKey)) return { kind: 'closed', traceId: span.span.traceId };
  if (!isLatest) return { kind: 'superseded' };
  const row = stored.get(span.spanKey);
  const isLogged = logged.has(span.spanKey);
  if (!row) return { kind: 'unchanged', isLogged };
  const { id, requestLogId } = row;
  return { kind: row.inserted ? 'stored' : 'merged', id, requestLogId, wroteLog: isLogged };
}

export const byKey = (spans: StoredSpan[]): Map<string, StoredSpan> =>
  new Map(spans.map((span) => [span.spanKey, span]));
