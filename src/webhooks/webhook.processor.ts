import { Process, Processor } from '@nestjs/bull';
import type { Job } from 'bull';
import { DataSource } from 'typeorm';
import { Sweep } from '../platform/queue/sweep.js';
import { DeliveryRunner } from './delivery-runner.js';
import { FAN_OUT_BATCH, fanOut } from './fan-out.js';
import { WEBHOOK_QUEUE, WebhookBell, type WebhookJob } from './webhook-bell.js';

/** Mostly waits for receivers. One that does not answer takes one place for as long as the timeout. */
const RECEIVERS_AT_ONCE = 16;

@Processor(WEBHOOK_QUEUE)
export class WebhookProcessor {
  constructor(
    private readonly runner: DeliveryRunner,
    private readonly db: DataSource,
    private readonly bell: WebhookBell,
  ) {}

  @Process({ concurrency: RECEIVERS_AT_ONCE })
  async work({ data }: Job<WebhookJob>): Promise<void> {
    await this.runner.run(data);
  }

  /** Hands new events on, then rings for everything that is due: new, to be tried again, or left by a dead worker. */
  @Sweep()
  async sweep(): Promise<void> {
    while ((await this.db.transaction(fanOut)) === FAN_OUT_BATCH);
    const waiting = await this.db.query<WebhookJob[]>(
      `SELECT w.workspace_id AS "workspaceId", w.id AS "webhookId" FROM webhooks w
        WHERE w.enabled AND (w.lease_until IS NULL OR w.lease_until < now())
          AND EXISTS (SELECT 1 FROM webhook_deliveries d
                       WHERE d.workspace_id = w.workspace_id AND d.webhook_id = w.id AND d.status = 'pending'
                         AND d.next_attempt_at <= now())
        LIMIT 1000`,
    );
    for (const job of waiting) this.bell.ring(job);
  }
}
