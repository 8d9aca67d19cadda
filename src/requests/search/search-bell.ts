import { InjectQueue } from '@nestjs/bull';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { Queue } from 'bull';
import { notify } from '../../platform/queue/notify.js';

export const SEARCH_QUEUE = 'request-search';

/** One job empties the whole queue of logs, so more of them would only find it empty. */
const RINGS_APART_MS = 100;

/** Tells a worker that there are logs whose words are not in the index yet. Call it after the commit. */
@Injectable()
export class SearchBell implements OnModuleDestroy {
  private pause: NodeJS.Timeout | null = null;
  private again = false;

  constructor(@InjectQueue(SEARCH_QUEUE) private readonly queue: Queue) {}

  /** Never waits and never fails. At most ten rings a second leave the process; the last is never left out. */
  ring(): void {
    if (this.pause) {
      this.again = true;
      return;
    }
    notify(this.queue);
    this.pause = setTimeout(() => this.resume(), RINGS_APART_MS).unref();
  }

  onModuleDestroy(): void {
    if (this.pause) clearTimeout(this.pause);
    this.pause = null;
  }

  private resume(): void {
    this.pause = null;
    if (!this.again) return;
    this.again = false;
    this.ring();
  }
}
