import { InjectQueue } from '@nestjs/bull';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { Queue } from 'bull';
import { notify } from '../../platform/queue/notify.js';

export const SEARCH_QUEUE = 'request-search';

/** One job empties the whole queue of logs, so more of them would only find it empty. */
const MIN_INTERVAL_MS = 100;

/** Notifies a worker of logs whose words are not in the index yet. Call it after the commit. */
@Injectable()
export class SearchNotifier implements OnModuleDestroy {
  private pause: NodeJS.Timeout | null = null;
  private again = false;

  constructor(@InjectQueue(SEARCH_QUEUE) private readonly queue: Queue) {}

  /** Never waits and never fails. A process sends at most ten notifications a second; the last one is always sent. */
  notify(): void {
    if (this.pause) {
      this.again = true;
      return;
    }
    notify(this.queue);
    this.pause = setTimeout(() => this.resume(), MIN_INTERVAL_MS).unref();
  }

  onModuleDestroy(): void {
    if (this.pause) clearTimeout(this.pause);
    this.pause = null;
  }

  private resume(): void {
    this.pause = null;
    if (!this.again) return;
    this.again = false;
    this.notify();
  }
}
