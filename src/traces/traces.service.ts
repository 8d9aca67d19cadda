import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, MoreThan } from 'typeorm';
import type { Caller } from '../access/index.js';
import { LargeReads } from '../platform/database/large-reads.js';
import { sendTogether } from '../platform/database/send-together.js';
import { queueTraces } from './search/trace-queue.queries.js';
import { TraceSearchNotifier } from './search/trace-search-notifier.js';
import { type FoundTraces, TraceSearchService } from './search/trace-search.service.js';
import { Trace } from './shared/trace.entity.js';
import {
  type BareSpan,
  readBareSpans,
  readPlace,
  readPlaces,
  type SpanPlace,
  spanPieces,
  type SpanWithSource,
} from './shared/trace-spans.queries.js';
import { canonicalSpanId, canonicalTraceId } from '../trace-conventions/index.js';
import { TraceErrors } from './shared/traces.errors.js';

export interface SpansToRead {
  traceId: string;
  places: SpanPlace[];
}

/** A trace that can be read. */
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

  /** Id and payload size of one span. Throws trace_not_found, span_not_found. */
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

  /** The spans of a trace by start time, then by id, as texts, in pieces. */
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
   * Closes a trace permanently: it refuses further spans. Spans that are being written at this moment are either stored
   * or refused. Throws trace_not_found when the workspace has no span of it, trace_already_closed.
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

/**
 * Closes a trace and queues it, so that readers of arrivals get it when it is made searchable again. Null when it is
 * closed or does not exist.
 */
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

/** A trace is closed at most once, so the id of its closure is derived from its own id. */
function closureId(workspaceId: number, traceId: string): string {
  const hex = createHash('sha256').update(`${workspaceId}\0${traceId}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
