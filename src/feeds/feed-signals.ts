import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ArrivalListeners } from '../arrivals/index.js';
import { InjectNotifier, type WorkNotifier } from '../platform/work/work-notifier.js';
import { afterNewVersion, type NewVersion } from '../tables/index.js';
import { Feed } from './feeds.entities.js';
import { FEEDS_QUEUE } from './feeds.service.js';

/** Sheets that are being computed change often: workers are notified once for all changes of so many milliseconds. */
const DELAY_MS = 200;
/** Rows that are being computed are looked at again after this time: their results need not make a version. */
const AGAIN_MS = 500;

/** Notifies workers when something arrives, and when a sheet with feeds has changed. */
@Injectable()
export class FeedSignals implements OnModuleInit, OnModuleDestroy {
  private readonly changed = new Map<string, NewVersion>();
  private waiting: NodeJS.Timeout | null = null;
  private again: NodeJS.Timeout | null = null;

  constructor(
    private readonly db: DataSource,
    private readonly arrivals: ArrivalListeners,
    @InjectNotifier(FEEDS_QUEUE) private readonly notifier: WorkNotifier,
  ) {}

  onModuleInit(): void {
    this.arrivals.add(() => this.notifier.notify());
    afterNewVersion(this.db, (made) => {
      this.changed.set(made.sheetId, made);
      this.waiting ??= setTimeout(() => void this.notifyOfChanges(), DELAY_MS).unref();
    });
  }

  onModuleDestroy(): void {
    for (const timer of [this.waiting, this.again]) if (timer) clearTimeout(timer);
    this.waiting = this.again = null;
  }

  /** Notifies a worker in a moment. */
  lookAgain(): void {
    this.again ??= setTimeout(() => {
      this.again = null;
      this.notifier.notify();
    }, AGAIN_MS).unref();
  }

  /** A failure is no harm: sweeps look as well. */
  private async notifyOfChanges(): Promise<void> {
    this.waiting = null;
    const sheets = [...this.changed.values()].map(({ workspaceId, sheetId }) => ({ workspaceId, sheetId }));
    this.changed.clear();
    const isFed = await this.db.manager.exists(Feed, { where: sheets }).catch(() => false);
    if (isFed) this.notifier.notify();
  }
}
