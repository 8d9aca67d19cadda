import { Injectable } from '@nestjs/common';
import type { Caller } from '../access/index.js';
import { checkOutcome } from '../llm/records/outcome.js';
import type { LlmCall } from '../llm/records/llm-call.js';
import type { Arrival } from '../platform/http/request.js';
import { CallLog } from '../requests/index.js';
import { canonicalSpanId } from '../trace-conventions/index.js';
import { ReportedLogs } from '../traces/index.js';
import { toTrackedCall, type TrackedCallFields } from './tracked-call.js';

interface TrackedCall extends TrackedCallFields {
  /** Milliseconds since the epoch. */
  request_start_time: number;
  request_end_time: number;
  group_id?: number | null;
  span_id?: string | null;
}

export interface TrackedResult {
  id: number;
  call: LlmCall;
}

@Injectable()
export class TrackRequestsService {
  constructor(
    private readonly calls: CallLog,
    private readonly reported: ReportedLogs,
  ) {}

  /**
   * Stores a call of a vendor's client; resolves after the commit. Stores the same call of the same span once. Drops the
   * reference to a prompt that does not exist. Throws one of `CALL_REFUSALS`, and ValidationProblem for an error type that
   * contradicts the status.
   */
  async track(caller: Caller, fields: TrackedCall, arrival: Arrival): Promise<TrackedResult> {
    const { workspaceId } = caller;
    if (fields.status) checkOutcome(fields);
    const call = toTrackedCall(fields);
    const spanId = fields.span_id ? canonicalSpanId(fields.span_id) : null;
    const logged = await this.calls.logCall({
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
    if (spanId !== null && logged.kind === 'stored' && logged.foundSpan) await this.reported.joinCalls(caller, spanId);
    return { id: logged.id, call };
  }
}
