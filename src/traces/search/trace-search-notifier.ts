import { InjectQueue } from '@nestjs/bull';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { Queue } from 'bull';
import { notify } from '../../platform/queue/notify.js';

export const TRACE_SEARCH_QUEUE = 'trace-search';

/** A trace is due only after a short wait, so workers are notified a little later, once for all traces until then. */
const DELAY_MS = 500;

/** Notifies workers that traces changed. Call it after the commit. */
@Injectable()
export class TraceSearchNotifier implements OnModuleDestroy {
  private waiting: NodeJS.Timeout | null = null;

  constructor(@InjectQueue(TRACE_SEARCH_QUEUE) private readonly queue: Queue) {}

  /** Never waits and never fails. */
  notify(): void {
    this.waiting ??= setTimeout(() => {
      this.waiting = null;
      notify(this.queue);
    }, DELAY_MS).unref();
  }

  onModuleDestroy(): void {
    if (this.waiting) clearTimeout(this.waiting);
    this.waiting = null;
  }
}
