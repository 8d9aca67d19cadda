import { Process, Processor } from '@nestjs/bull';
import type { Job } from 'bull';
import { DataSource } from 'typeorm';
import { Sweep } from '../platform/queue/sweep.js';
import { DeliveryRunner } from './delivery-runner.js';
import { Places } from './places.js';
import { WEBHOOK_QUEUE, WebhookBell, type WebhookJob } from './webhook-bell.js';

/** Mostly waits for receivers. One that does not answer takes one place for as long as the timeout. */
const RECEIVERS_AT_ONCE = 16;
const OF_ONE_WORKSPACE = 4;

@Processor(WEBHOOK_QUEUE)
export class WebhookProcessor {
  private readonly places = new Places(OF_ONE_WORKSPACE);

  constructor(
    private readonly runner: DeliveryRunner,
    private readonly db: DataSource,
    private readonly bell: WebhookBell,
  ) {}

  @Process({ concurrency: RECEIVERS_AT_ONCE })
  async work({ data }: Job<WebhookJob>): Promise<void> {
    await this.places.take(data, (job) => this.runner.run(job));
  }

  /** Rings for everything that is due: new, to be tried again, or left by a dead worker. */
  @Sweep()
  async sweep(): Promise<void> {
    for (const job of await this.findDue()) this.bell.ring(job);
  }

  /** What has waited longest comes first. */
  private findDue(): Promise<(WebhookJob & { claims: number })[]> {
    return this.db.query(
      `SELECT w.workspace_id AS "workspaceId", w.id AS "webhookId", w.claims FROM webhooks w
         CROSS JOIN LATERAL (
           SELECT d.next_attempt_at FROM webhook_deliveries d
            WHERE d.workspace_id = w.workspace_id AND d.webhook_id = w.id AND d.status = 'pending'
              AND d.next_attempt_at <= now()
            ORDER BY d.next_attempt_at LIMIT 1) AS due
        WHERE w.enabled AND (w.lease_until IS NULL OR w.lease_until < now())
        ORDER BY due.next_attempt_at, w.workspace_id, w.id LIMIT 1000`,
    );
  }
}
