import { InjectQueue, Process, Processor } from '@nestjs/bull';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Job, Queue } from 'bull';
import { DataSource, type EntitySubscriberInterface } from 'typeorm';
import type { TransactionCommitEvent } from 'typeorm/subscriber/event/TransactionCommitEvent.js';
import { isRetryable } from '../../platform/errors/failures.js';
import { notify } from '../../platform/queue/notify.js';
import { Sweep } from '../../platform/queue/sweep.js';
import { ColumnTypes } from '../column-type/column-type.js';
import { changedSources } from '../shared/changed-sources.js';
import type { MirrorSheet } from '../shared/changed-sources.js';
import { findFollowers, findOutdated } from './mirror.queries.js';
import { refreshMirrors } from './mirror-sheet.js';

export const COMPOSITION_QUEUE = 'composition';

/** Notifies workers of changed sheets that others mirror, after the commit. */
@Injectable()
export class CompositionNotifier implements EntitySubscriberInterface, OnModuleInit {
  constructor(
    private readonly db: DataSource,
    @InjectQueue(COMPOSITION_QUEUE) private readonly queue: Queue,
  ) {}

  onModuleInit(): void {
    this.db.subscribers.push(this);
  }

  afterTransactionCommit({ queryRunner }: TransactionCommitEvent): void {
    for (const sheet of changedSources(queryRunner).splice(0)) notify(this.queue, { ...sheet });
  }
}

/**
 * Copies changes of sheets to the sheets that mirror them. A job names the changed sheet. It is no claimed work: a
 * refresh is one transaction under the lock of the mirroring sheet, so it needs no lease.
 */
@Processor(COMPOSITION_QUEUE)
export class CompositionProcessor {
  constructor(
    private readonly db: DataSource,
    private readonly types: ColumnTypes,
  ) {}

  @Process({ concurrency: 2 })
  async work({ data }: Job<MirrorSheet>): Promise<void> {
    for (const follower of await findFollowers(this.db.manager, data)) await this.refresh(follower);
  }

  /** Finds changes without a notification, deleted sources, and sources with a running operation. */
  @Sweep(COMPOSITION_QUEUE)
  async sweep(): Promise<void> {
    for (const follower of await findOutdated(this.db.manager)) await this.refresh(follower);
  }

  private async refresh(follower: MirrorSheet): Promise<void> {
    try {
      await this.db.transaction((tx) => refreshMirrors(tx, this.types, follower));
    } catch (error) {
      // The sweep tries again.
      if (!isRetryable(error)) throw error;
    }
  }
}
