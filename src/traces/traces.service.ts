import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, MoreThan } from 'typeorm';
import type { Caller } from '../access/index.js';
import { LargeReads } from '../platform/database/large-reads.js';
import { sendTogether } from '../platform/database/send-together.js';
import { queueTraces } from './search/trace-queue.queries.js';
import { TraceSearchNotifier } from './search/trace-search-notifier.js';
import { type FoundTraces, TraceSearchService } from './search/trace-search.service.js';
import { Trace } from './trace.entity.js';
import {
  type BareSpan,
  readBareSpans,
  readPlace,
  readPlaces,
  type SpanPlace,
  spanPieces,
  type SpanWithSource,
} from './trace-spans.queries.js';
import { canonicalSpanId } from './span.js';
import { TraceErrors } from './traces.errors.js';

export interface SpansToRead {
  traceId: string;
  places: SpanPlace[];
}

/** A trace about to be read. */
export interface TraceReading extends FoundTraces, SpansToRead {}

@Injectable()
export class TracesService {
  constructor(
    private readonly db: DataSource,
    private readonly searches: TraceSearchService,
    private readonly large: LargeReads,
    private readonly notifier: TraceSearchNotifier,
  ) {}

  /** The summary of a trace and which spans it has. Throws trace_not_found when the workspace has no span of it. */
  async get(caller: Caller, id: string): Promise<TraceReading> {
    const traceId = canonicalTraceId(id);
    const found = await this.searches.summary(caller, traceId);
    const places = await readPlaces(this.db.manager, caller.workspaceId, traceId);
    if (found.traces.length === 0 || places.length === 0) throw TraceErrors.trace_not_found(id);
    return { ...found, traceId, places };
  }

  /** Where one span is. Throws trace_not_found, span_not_found. */
  async findSpan(
    { workspaceId }: Caller,
    { trace_id: id, span_id: spanId }: { trace_id: string; span_id: string },
  ): Promise<SpansToRead> {
    const traceId = canonicalTraceId(id);
    const places = await readPlace(this.db.manager, { workspaceId, traceId }, canonicalSpanId(spanId));
    if (places.length > 0) return { traceId, places };
    const known = await this.db.manager.existsBy(Trace, { workspaceId, traceId, spanCount: MoreThan(0) });
    throw known ? TraceErrors.span_not_found(spanId, id) : TraceErrors.trace_not_found(id);
  }

  /** Its spans by start time, then by id, as texts, some at a time. */
  async *readSpans(
    caller: Caller,
    { traceId, places }: SpansToRead,
    toText: (span: SpanWithSource) => string,
  ): AsyncGenerator<string[]> {
    const { workspaceId } = caller;
    for (const { largest, read } of spanPieces(this.db.manager, { workspaceId, traceId }, places)) {
      yield* this.large.take(caller, largest, async () => (await read()).map(toText));
    }
  }

  /** The same without payloads. */
  readBareSpans({ workspaceId }: Caller, { traceId, places }: TraceReading): AsyncGenerator<BareSpan[]> {
    return readBareSpans(this.db.manager, { workspaceId, traceId }, places);
  }

  /**
   * Makes a trace refuse further spans, for ever. What is being written at this moment is either in it or refused. Throws
   * trace_not_found when the workspace has no span of it, trace_already_closed.
   */
  async close(caller: Caller, id: string): Promise<Closure> {
    const { workspaceId } = caller;
    const traceId = canonicalTraceId(id);
    const closedAt = await this.db.transaction((tx) => closeTrace(tx, workspaceId, traceId));
    if (closedAt) {
      this.notifier.notify();
      return { id: closureId(workspaceId, traceId), traceId, closedAt };
    }
    const known = await this.db.manager.existsBy(Trace, { workspaceId, traceId, spanCount: MoreThan(0) });
    throw known ? TraceErrors.trace_already_closed() : TraceErrors.trace_not_found(id);
  }
}

/** Closes a trace and queues it: readers of arrivals get it when it is read once more. Null when it is closed or not there. */
async function closeTrace(tx: EntityManager, workspaceId: number, traceId: string): Promise<Date | null> {
  const [[closed]] = await tx.query<[{ closed_at: Date }[], number]>(
    `UPDATE traces SET closed_at = now()
      WHERE workspace_id = $1 AND trace_id = $2 AND closed_at IS NULL AND span_count > 0 RETURNING closed_at`,
    [workspaceId, traceId],
  );
  if (closed) await sendTogether(tx, queueTraces([{ workspaceId, traceId }]));
  return closed?.closed_at ?? null;
}

/** The end of a trace. */
export interface Closure {
  id: string;
  traceId: string;
  closedAt: Date;
}

/** A trace is closed once at most, so its closure needs no id of its own: this one is made of those of the trace. */
function closureId(workspaceId: number, traceId: string): string {
  const hex = createHash('sha256').update(`${workspaceId}\0${traceId}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** OpenTelemetry ids are stored in lower case and found in any. */
export function canonicalTraceId(id: string): string {
  return /^[0-9a-f]{32}$/i.test(id) ? id.toLowerCase() : id;
}
