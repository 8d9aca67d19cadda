import { InjectQueue } from '@nestjs/bull';
import { Injectable } from '@nestjs/common';
import type { Queue } from 'bull';
import { DataSource } from 'typeorm';
import { afterAnnouncement } from '../events/index.js';
import { ringOnce } from '../platform/queue/doorbell.js';

export const WEBHOOK_QUEUE = 'webhooks';

/** A webhook with deliveries to send. */
export interface WebhookJob {
  workspaceId: number;
  webhookId: number;
}

/** A workspace with events to hand on. */
export interface NewsJob {
  workspaceId: number;
}

/** Tells workers that something happened in a workspace, and that a webhook has deliveries that are due. */
@Injectable()
export class WebhookBell {
  constructor(
    @InjectQueue(WEBHOOK_QUEUE) private readonly queue: Queue,
    db: DataSource,
  ) {
    afterAnnouncement(db, (workspaceId) => ringOnce(queue, `news-${workspaceId}`, { workspaceId }));
  }

  /** The number of claims so far tells a job that waits from one whose worker is at it, or has died. */
  ring({ workspaceId, webhookId, claims }: WebhookJob & { claims: number }): void {
    ringOnce(this.queue, `webhook-${workspaceId}-${webhookId}-${claims}`, { workspaceId, webhookId });
  }
}
