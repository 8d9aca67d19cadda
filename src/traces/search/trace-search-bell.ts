import { InjectQueue } from '@nestjs/bull';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { Queue } from 'bull';
import { ring } from '../../platform/queue/doorbell.js';

export const TRACE_SEARCH_QUEUE = 'trace-search';

/** One job reads everything that is due, so more of them would only find nothing. */
const RINGS_APART_MS = 500;

/** Tells a worker that traces changed. Call it after the commit. */
@Injectable()
export class TraceSearchBell implements OnModuleDestroy {
  private pause: NodeJS.Timeout | null = null;
  private again = false;

  constructor(@InjectQueue(TRACE_SEARCH_QUEUE) private readonly queue: Queue) {}

  /** Never waits and never fails. At most two rings a second leave the process; the last is never left out. */
  ring(): void {
    if (this.pause) {
      this.again = true;
      return;
    }
    ring(this.queue, {});
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
