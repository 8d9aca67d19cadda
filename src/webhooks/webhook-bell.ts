import { InjectQueue } from '@nestjs/bull';
import { Injectable } from '@nestjs/common';
import type { Queue } from 'bull';
import { ringOnce } from '../platform/queue/doorbell.js';

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

  /** The number of claims so far tells a job that waits from one whose worker is at it, or has died. */
  ring({ workspaceId, webhookId, claims }: WebhookJob & { claims: number }): void {
    ringOnce(this.queue, `webhook-${workspaceId}-${webhookId}-${claims}`, { workspaceId, webhookId });
  }
}
