import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { WorkspaceChanges } from '../../live/index.js';
import { GroupCommit } from '../../platform/database/group-commit.js';
import { IdBlocks } from '../../platform/database/id-blocks.js';
import { writeInParts } from '../../platform/database/in-parts.js';
import { requirePromptVersion } from '../../prompts/index.js';
import { ModelPrices } from '../pricing/model-prices.js';
import { SearchNotifier } from '../search/search-notifier.js';
import { TrackingErrors } from '../shared/tracking.errors.js';
import { type CallSpans, storeCalls } from './call-batch.js';
import type { CallOutcome, CallToLog, KnownCall, StoredCall } from './call-to-log.js';
import { LoggingErrors } from './logging.errors.js';

/** Small enough that the two writers alternate, large enough that a commit costs little. */
const BATCH_LIMITS = { writers: 2, rows: 500, bytes: 4 * 1024 * 1024 };

/** Errors of `CallLog.logCall`, besides a required prompt that does not exist. */
export const CALL_REFUSALS = [TrackingErrors.request_group_not_found, LoggingErrors.call_not_storable];

/** Stores calls that clients report without a trace. Many concurrent requests share few transactions. */
@Injectable()
export class CallLog implements OnModuleDestroy {
  private readonly commits: GroupCommit<CallToLog, CallOutcome>;
  private readonly ids = new IdBlocks('request_log_ids');
  private spans: CallSpans | null = null;

  constructor(
    private readonly db: DataSource,
    private readonly prices: ModelPrices,
    private readonly search: SearchNotifier,
    private readonly changes: WorkspaceChanges,
  ) {
    this.commits = new GroupCommit(
      (calls) => this.write(calls),
      BATCH_LIMITS,
      ({ workspaceId }) => workspaceId,
    );
  }

  /** From now on calls are linked to the spans that they name. */
  connectTo(spans: CallSpans): void {
    this.spans = spans;
  }

  /**
   * Stores a call; resolves after the commit. Throws one of `CALL_REFUSALS` or `PROMPT_VERSION_MISSING`. Rejects when
   * the database cannot be reached; then nothing is stored.
   */
  logCall(call: CallToLog & { spanId: null }): Promise<StoredCall>;
  logCall(call: CallToLog): Promise<StoredCall | KnownCall>;
  async logCall(call: CallToLog): Promise<StoredCall | KnownCall> {
    const outcome = await this.commits.submit(call, { rows: 1, bytes: call.bytes });
    if (outcome.kind === 'group_missing') throw TrackingErrors.request_group_not_found(call.groupId!);
    if (outcome.kind === 'refused') throw LoggingErrors.call_not_storable(outcome.reason);
    if (outcome.kind === 'prompt_missing') {
      // Names the missing part, unless it was published at this moment.
      await requirePromptVersion(this.db.manager, call.workspaceId, call.call.prompt!);
      return this.logCall(call);
    }
    if (outcome.kind === 'stored') {
      this.search.notify();
      this.changes.arrive(call.workspaceId, 'requests', 1);
    }
    return outcome;
  }

  /** Writes calls that were already read before the database connection is closed. */
  async onModuleDestroy(): Promise<void> {
    await this.commits.idle();
  }

  /** Stores the other calls when the database refuses one. */
  private write(calls: CallToLog[]): Promise<PromiseSettledResult<CallOutcome>[]> {
    return writeInParts<CallToLog, CallOutcome>(calls, {
      together: (some) => this.writeDistinct(some),
      refuse: (_call, { message: reason }) => ({ kind: 'refused', reason }),
    });
  }

  /** A call that was delivered twice may be in one batch twice. */
  private async writeDistinct(calls: CallToLog[]): Promise<CallOutcome[]> {
    const keys = calls.map((call, index) => deliveryKey(call) ?? index);
    const distinct = new Map(keys.map((key, index) => [key, calls[index]]));
    const context = { ids: this.ids, prices: this.prices, spans: this.spans };
    const outcomes = await this.db.transaction((tx) => storeCalls(tx, [...distinct.values()], context));
    const byKey = new Map([...distinct.keys()].map((key, index) => [key, outcomes[index]]));
    return keys.map((key) => byKey.get(key)!);
  }
}

/** Equal for deliveries of the same call; null for calls without a span, which have no identity. */
function deliveryKey({ workspaceId, spanId, startMs, endMs }: CallToLog): string | null {
  return spanId === null ? null : `${workspaceId}\0${spanId}\0${startMs}\0${endMs}`;
}
