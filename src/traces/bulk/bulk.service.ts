import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Caller } from '../../access/index.js';
import { toLoggedCall } from '../../llm/records/logged-call.js';
import type { SpanOutcome } from '../ingestion/incoming-span.js';
import { IngestionService } from '../ingestion/ingestion.service.js';
import type { CallBeside } from '../ingestion/span-preparation.js';
import { type Aside, Asides } from '../receipts/asides.js';
import type { NormalizedSpan } from '../../trace-conventions/index.js';
import { TraceErrors } from '../shared/traces.errors.js';
import { BulkSpanReader } from './bulk-span.js';
import type { BulkSpan } from './bulk-spans.schema.js';
import { readBulkRequest } from './read-bulk-request.js';
import { readStoredIds, type StoredIds } from './stored-ids.queries.js';

export interface BulkResult {
  receiptId: string;
  /** The spans whose trace takes spans, in the order of the request. */
  accepted: { span: NormalizedSpan; ids: StoredIds; wroteLog: boolean }[];
  rejected: NormalizedSpan[];
}

@Injectable()
export class BulkService {
  constructor(
    private readonly db: DataSource,
    private readonly ingestion: IngestionService,
  ) {}

  /**
   * Stores all spans of a request, with the calls that came beside them, or nothing at all. Spans of closed traces are
   * left out and named. Of a span that occurs twice the first counts.
   */
  async store(caller: Caller, body: Buffer): Promise<BulkResult> {
    const { request, isSanitized } = readBulkRequest(body);
    const reader = new BulkSpanReader();
    const read = (given: BulkSpan, at: number) => ({ given, span: reader.read(given, isSanitized(at)) });
    const { firsts, asides } = firstOfEach(request.spans.map(read));
    const spans = firsts.map(({ span }) => span);
    const calls = firsts.map(({ given, span }) => callBeside(given, span));
    const closeAfter = request.close_after ?? false;
    const { receiptId, outcomes } = await this.ingestion.ingestTogether(
      caller,
      { spans, bytes: body.length, closeAfter, asides },
      calls,
    );
    refuseFailed(outcomes);
    return { receiptId, ...(await this.sortOut(caller, spans, outcomes)) };
  }

  private async sortOut(caller: Caller, spans: NormalizedSpan[], outcomes: SpanOutcome[]) {
    const isClosed = (_: unknown, index: number) => outcomes[index].kind === 'closed';
    const unknown = spans.filter((_, index) => ['unchanged', 'superseded'].includes(outcomes[index].kind));
    const known = await readStoredIds(this.db.manager, caller.workspaceId, unknown);
    const accepted = spans.flatMap((span, index) => {
      const outcome = outcomes[index];
      if (outcome.kind === 'stored' || outcome.kind === 'merged') {
        return [{ span, ids: outcome, wroteLog: outcome.wroteLog }];
      }
      const ids = known.get(span);
      return ids ? [{ span, ids, wroteLog: outcome.kind === 'unchanged' && outcome.isLogged }] : [];
    });
    return { accepted, rejected: spans.filter(isClosed) };
  }
}

function firstOfEach<T extends { span: NormalizedSpan }>(items: T[]): { firsts: T[]; asides: Aside[] } {
  const firsts = new Map<string, T>();
  const asides = new Asides();
  for (const item of items) {
    const { traceId, spanId } = item.span;
    const key = `${traceId}\0${spanId}`;
    if (firsts.has(key)) asides.add(firsts.size, { traceId, spanId, status: 'duplicate', reason: null });
    else firsts.set(key, item);
  }
  return { firsts: [...firsts.values()], asides: asides.list };
}

/** Without times, the call has those of its span. */
function callBeside({ log_request: logged }: BulkSpan, span: NormalizedSpan): CallBeside | null {
  if (!logged) return null;
  const { call, startMs, endMs, score } = toLoggedCall(logged);
  return { call: { ...call, functionName: call.functionName || span.name }, startMs, endMs, score };
}

function refuseFailed(outcomes: SpanOutcome[]): void {
  const failed = outcomes.find((outcome) => outcome.kind === 'refused');
  if (failed) throw TraceErrors.spans_refused(failed.reason);
}
