import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { Caller } from '../../access/index.js';
import { Statement } from '../../platform/database/statement.js';
import { LOG_LINKS } from './incoming-span.js';
import { IngestionService } from './ingestion.service.js';
import { findSpansOfLog, linkLogToSpan, type ReportedLog } from './links.queries.js';
import { findRelated } from './nested/nested-calls.queries.js';
import { numberStored } from './numbered-logs.js';
import { SpanPreparation } from './span-preparation.js';
import { readStoredSpans } from './stored-spans.queries.js';

interface PlaceRow {
  trace_id: string;
  parent_id: string | null;
  response_id: string | null;
  start_ns: string;
  end_ns: string | null;
}

const FIND_PLACE = new Statement<PlaceRow>(`
  SELECT s.trace_id, s.parent_id, s.response_id, s.start_ns, s.end_ns FROM linkable_spans l
    JOIN spans s ON s.workspace_id = l.workspace_id AND s.trace_id = l.trace_id AND s.span_id = l.request_span_id
   WHERE l.workspace_id = $1 AND l.request_span_id = $2 AND l.span_id = $2
   ORDER BY s.id DESC LIMIT 1`);

/** Logs that are reported for spans by span id. */
@Injectable()
export class ReportedLogs {
  constructor(
    private readonly db: DataSource,
    private readonly preparation: SpanPreparation,
    private readonly ingestion: IngestionService,
  ) {}

  /**
   * Links a log that was just stored to its spans that exist, in the same transaction. A log without tokens or a price
   * takes those of the spans.
   */
  async link(tx: EntityManager, log: ReportedLog): Promise<void> {
    await linkLogToSpan(tx, log, (traceId) =>
      numberStored(tx, log, async () => {
        const { workspaceId } = log;
        const stored = await readStoredSpans(tx, workspaceId, await findSpansOfLog(tx, log, traceId));
        return stored.map(({ span }) => this.preparation.read({ workspaceId }, span, false));
      }),
    );
  }

  /** Compares a stored log with the calls that its span may be the same as. */
  async joinCalls(caller: Caller, spanId: string): Promise<void> {
    const { workspaceId } = caller;
    const [place] = await FIND_PLACE.run(this.db.manager, [workspaceId, spanId]);
    if (!place) return;
    const { trace_id: traceId, parent_id: parentId, response_id: responseId } = place;
    const [startNs, endNs] = [BigInt(place.start_ns), BigInt(place.end_ns ?? place.start_ns)];
    const own = { workspaceId, traceId, spanId, parentId, startNs, endNs, responseId };
    const calls = await findRelated(this.db.manager, [own]);
    const made = calls.filter(({ ownsLog, logLink }) => ownsLog && logLink === LOG_LINKS.MADE_FROM_SPAN);
    if (made.length === 0) return;
    await this.ingestion.ingestAgain(caller, await readStoredSpans(this.db.manager, workspaceId, made));
  }
}
