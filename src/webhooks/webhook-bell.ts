import { InjectQueue } from '@nestjs/bull';
import { Injectable } from '@nestjs/common';
import type { Queue } from 'bull';
import { ring } from '../platform/queue/doorbell.js';

export const WEBHOOK_QUEUE = 'webhooks';

/** A webhook with deliveries to send. */
export interface WebhookJob {
  workspaceId: number;
  webhookId: number;
}

/** Tells workers that a webhook has deliveries that are due. */
@Injectable()
export class WebhookBell {
  constructor(@InjectQueue(WEBHOOK_QUEUE) private readonly queue: Queue) {}

  ring({ workspaceId, webhookId }: WebhookJob): void {
    ring(this.queue, { workspaceId, webhookId });
  }
}
