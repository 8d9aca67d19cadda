import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource, In, MoreThan } from 'typeorm';
import type { Caller } from '../access/index.js';
import { Span, SpanSourceRecord } from './span.entity.js';
import { Trace } from './trace.entity.js';
import { TraceErrors } from './traces.errors.js';

export interface TraceTree {
  traceId: string;
  /** By start time, then by id. */
  spans: { span: Span; source: SpanSourceRecord }[];
}

@Injectable()
export class TracesService {
  constructor(private readonly db: DataSource) {}

  /** Every span of a trace. Throws trace_not_found when the workspace has no span of it. */
  async get(caller: Caller, id: string): Promise<TraceTree> {
    const { workspaceId } = caller;
    const traceId = canonical(id);
    const spans = await this.db.manager.find(Span, {
      where: { workspaceId, traceId },
      order: { startNs: 'ASC', id: 'ASC' },
    });
    if (spans.length === 0) throw TraceErrors.trace_not_found(id);
    const hashes = [...new Map(spans.map((span) => [span.sourceHash.toString('hex'), span.sourceHash])).values()];
    const records = await this.db.manager.find(SpanSourceRecord, { where: { workspaceId, hash: In(hashes) } });
    const sources = new Map(records.map((record) => [record.hash.toString('hex'), record]));
    return { traceId, spans: spans.map((span) => ({ span, source: sources.get(span.sourceHash.toString('hex'))! })) };
  }

  /**
   * Makes a trace refuse further spans, for ever. What is being written at this moment is either in it or refused. Throws
   * trace_not_found when the workspace has no span of it, trace_already_closed.
   */
  async close(caller: Caller, id: string): Promise<Closure> {
    const { workspaceId } = caller;
    const traceId = canonical(id);
    const [closed] = await this.db.query<[{ closed_at: Date }[], number]>(
      `UPDATE traces SET closed_at = now()
        WHERE workspace_id = $1 AND trace_id = $2 AND closed_at IS NULL AND span_count > 0 RETURNING closed_at`,
      [workspaceId, traceId],
    );
    if (closed.length > 0) return { id: closureId(workspaceId, traceId), traceId, closedAt: closed[0]!.closed_at };
    const known = await this.db.manager.existsBy(Trace, { workspaceId, traceId, spanCount: MoreThan(0) });
    throw known ? TraceErrors.trace_already_closed() : TraceErrors.trace_not_found(id);
  }
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
function canonical(id: string): string {
  return /^[0-9a-f]{32}$/i.test(id) ? id.toLowerCase() : id;
}
