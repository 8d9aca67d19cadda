import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Caller } from '../../access/index.js';
import { WorkspaceChanges } from '../../live/index.js';
import { requirePromptVersion } from '../../prompts/index.js';
import { ModelPrices } from '../pricing/model-prices.js';
import { SearchBell } from '../search/search-bell.js';
import { CallLog } from './call-log.js';
import type { CallToLog, StoredCall } from './call-to-log.js';
import { type LoggedCallFields, toLoggedCall } from './logged-call.js';
import { LoggingErrors } from './logging.errors.js';
import { checkOutcome } from './outcome.js';

/** A call whose times were told. */
export type TimedCallFields = LoggedCallFields & { request_start_time: number; request_end_time: number };

export interface LoggedResult {
  logged: CallToLog;
  stored: StoredCall;
}

/** What is known of a request beside its fields. */
export interface Arrival {
  sanitized: boolean;
  bytes: number;
}

@Injectable()
export class LoggingService implements OnModuleDestroy {
  private readonly calls: CallLog;

  constructor(
    private readonly db: DataSource,
    private readonly search: SearchBell,
    private readonly changes: WorkspaceChanges,
    prices: ModelPrices,
  ) {
    this.calls = new CallLog(db, prices);
  }

  /**
   * Stores a call; resolves after the commit. Throws prompt_not_found, prompt_version_not_found and
   * ValidationProblem for an error type that does not go with the status.
   */
  async log(
    { workspaceId }: Pick<Caller, 'workspaceId'>,
    fields: TimedCallFields,
    arrival: Arrival,
  ): Promise<LoggedResult> {
    checkOutcome(fields);
    const { call, score } = toLoggedCall(fields);
    const logged: CallToLog = {
      workspaceId,
      call,
      score,
      startMs: fields.request_start_time,
      endMs: fields.request_end_time,
      groupId: null,
      spanId: null,
      needsPrompt: true,
      ...arrival,
    };
    return { logged, stored: await this.store(logged) };
  }

  /** A request that is already read is written before the database connection goes away. */
  async onModuleDestroy(): Promise<void> {
    await this.calls.idle();
  }

  private async store(logged: CallToLog): Promise<StoredCall> {
    const outcome = await this.calls.add(logged);
    if (outcome.kind === 'stored') {
      this.search.ring();
      this.changes.arrive(logged.workspaceId, 'requests', 1);
      return outcome;
    }
    if (outcome.kind === 'refused') throw LoggingErrors.call_not_storable(outcome.reason);
    // Says what exactly is missing, unless it was published in this moment.
    await requirePromptVersion(this.db.manager, logged.workspaceId, logged.call.prompt!);
    return this.store(logged);
  }
}
