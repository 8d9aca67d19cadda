import type { DataSource } from 'typeorm';
import { GroupCommit } from '../../platform/database/group-commit.js';
import { IdBlocks } from '../../platform/database/id-blocks.js';
import { writeInParts } from '../../platform/database/in-parts.js';
import type { ModelPrices } from '../pricing/model-prices.js';
import { type CallSpans, storeCalls } from './call-batch.js';
import type { CallOutcome, CallToLog } from './call-to-log.js';

/** Small enough that the two writers take turns, large enough that a commit costs little. */
const BATCH_LIMITS = { writers: 2, rows: 500, bytes: 4 * 1024 * 1024 };

/** Stores the calls that clients report. Many requests at a time share few transactions. */
export class CallLog {
  private readonly commits: GroupCommit<CallToLog, CallOutcome>;
  private readonly ids = new IdBlocks('request_log_ids');

  constructor(
    private readonly db: DataSource,
    private readonly prices: ModelPrices,
    private readonly spans: CallSpans | null = null,
  ) {
    this.commits = new GroupCommit(
      (calls) => this.write(calls),
      BATCH_LIMITS,
      ({ workspaceId }) => workspaceId,
    );
  }

  /** Resolves after the commit. Rejects when the database cannot be reached: then nothing is stored. */
  async add(call: CallToLog): Promise<CallOutcome> {
    return this.commits.submit(call, { rows: 1, bytes: call.bytes });
  }

  /** Waits until everything added so far is written. */
  idle(): Promise<void> {
    return this.commits.idle();
  }

  /** A call that the database refuses is singled out and the others are stored. */
  private write(calls: CallToLog[]): Promise<PromiseSettledResult<CallOutcome>[]> {
    return writeInParts<CallToLog, CallOutcome>(calls, {
      together: (some) => this.writeDistinct(some),
      refuse: (_call, { message: reason }) => ({ kind: 'refused', reason }),
    });
  }

  /** A call that was delivered twice may meet itself in one batch. */
  private async writeDistinct(calls: CallToLog[]): Promise<CallOutcome[]> {
    const keys = calls.map((call, index) => deliveryKey(call) ?? index);
    const distinct = new Map(keys.map((key, index) => [key, calls[index]]));
    const context = { ids: this.ids, prices: this.prices, spans: this.spans };
    const outcomes = await this.db.transaction((tx) => storeCalls(tx, [...distinct.values()], context));
    const byKey = new Map([...distinct.keys()].map((key, index) => [key, outcomes[index]]));
    return keys.map((key) => byKey.get(key)!);
  }
}

/** Equal for deliveries of the same call; null for calls that cannot be told apart. */
function deliveryKey({ workspaceId, spanId, startMs, endMs }: CallToLog): string | null {
  return spanId === null ? null : `${workspaceId}\0${spanId}\0${startMs}\0${endMs}`;
}
