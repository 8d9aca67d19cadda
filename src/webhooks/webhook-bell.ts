import { InjectQueue } from '@nestjs/bull';
import { Injectable } from '@nestjs/common';
import type { Queue } from 'bull';
import { ring } from '../platform/queue/doorbell.js';

export const WEBHOOK_QUEUE = 'webhooks';

/** Sending mostly waits for receivers. One that does not answer takes one of these places for as long as the timeout. */
export const RECEIVERS_AT_ONCE = 16;

/** Tells workers that deliveries are due. */
@Injectable()
export class WebhookBell {
  constructor(@InjectQueue(WEBHOOK_QUEUE) private readonly queue: Queue) {}

  /** Rings once for each webhook that has new deliveries, as far as a worker can send to them at the same time. */
  ring(webhooks: number): void {
    ring(this.queue, {}, Math.min(webhooks, RECEIVERS_AT_ONCE));
  }
}
