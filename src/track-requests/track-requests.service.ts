import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Caller } from '../access/index.js';
import { checkOutcome } from '../llm/records/outcome.js';
import { CallLog, type CallToLog, LoggingErrors, ModelPrices, TrackingErrors } from '../requests/index.js';
import { canonicalSpanId, ReportedLogs } from '../traces/index.js';
import { SpansOfCalls } from './call-spans.js';
import { toTrackedCall, type TrackedCallFields } from './tracked-call.js';

interface TrackedCall extends TrackedCallFields {
  /** Milliseconds since the epoch. */
  request_start_time: number;
  request_end_time: number;
  group_id?: number | null;
  span_id?: string | null;
}

/** What is known of a request beside its fields. */
interface Arrival {
  sanitized: boolean;
  bytes: number;
}

export interface TrackedResult {
  id: number;
  call: CallToLog['call'];
}

@Injectable()
export class TrackRequestsService implements OnModuleDestroy {
  private readonly calls: CallLog;

  constructor(
    db: DataSource,
    prices: ModelPrices,
    spans: SpansOfCalls,
    private readonly reported: ReportedLogs,
  ) {
    this.calls = new CallLog(db, prices, spans);
  }

  /**
   * Stores a call of a vendor's client; resolves after the commit. The same call of the same span is stored once. A call
   * of a prompt that is not there is stored without it. Throws request_group_not_found, and ValidationProblem for an
   * error type that does not go with the status.
   */
  async track(caller: Caller, fields: TrackedCall, arrival: Arrival): Promise<TrackedResult> {
    const { workspaceId } = caller;
    if (fields.status) checkOutcome(fields);
    const call = toTrackedCall(fields);
    const spanId = fields.span_id ? canonicalSpanId(fields.span_id) : null;
    const outcome = await this.calls.add({
      workspaceId,
      call,
      startMs: fields.request_start_time,
      endMs: fields.request_end_time,
      score: null,
      groupId: fields.group_id ?? null,
      spanId,
      needsPrompt: false,
      ...arrival,
    });
    if (outcome.kind === 'group_missing') throw TrackingErrors.request_group_not_found(fields.group_id!);
    if (outcome.kind === 'refused') throw LoggingErrors.call_not_storable(outcome.reason);
    if (outcome.kind === 'prompt_missing') throw new Error('A tracked call needs no prompt.');
    if (spanId !== null && outcome.kind === 'stored' && outcome.foundSpan)
      await this.reported.joinCalls(caller, spanId);
    return { id: outcome.id, call };
  }

  /** A request that is already read is written before the database connection goes away. */
  async onModuleDestroy(): Promise<void> {
    await this.calls.idle();
  }
}
