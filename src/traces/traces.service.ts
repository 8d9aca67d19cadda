import { Injectable } from '@nestjs/common';
import { DataSource, In } from 'typeorm';
import type { Caller } from '../access/index.js';
import { Span, SpanSourceRecord } from './span.entity.js';
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
}

/** OpenTelemetry ids are stored in lower case and found in any. */
function canonical(id: string): string {
  return /^[0-9a-f]{32}$/i.test(id) ? id.toLowerCase() : id;
}
