import { Process, Processor } from '@nestjs/bull';
import type { Job } from 'bull';
import { DataSource } from 'typeorm';
import { Sweep } from '../platform/queue/sweep.js';
import { WorkspaceTurns } from '../platform/queue/workspace-turns.js';
import { DeliveryRunner } from './delivery-runner.js';
import { fanOut, findNews } from './fan-out.js';
import { Places } from './places.js';
import { type NewsJob, WEBHOOK_QUEUE, WebhookBell, type WebhookJob } from './webhook-bell.js';

/** Mostly waits for receivers. One that does not answer takes one place for as long as the timeout. */
const RECEIVERS_AT_ONCE = 16;
const OF_ONE_WORKSPACE = 4;
/** A run ends after this time and the next one goes on. */
const LONGEST_RUN_MS = 5000;

@Processor(WEBHOOK_QUEUE)
export class WebhookProcessor {
  private readonly places = new Places(OF_ONE_WORKSPACE);
  private readonly turns = new WorkspaceTurns('Handing on events', LONGEST_RUN_MS);

  constructor(
    private readonly runner: DeliveryRunner,
    private readonly db: DataSource,
    private readonly bell: WebhookBell,
  ) {}

  @Process({ concurrency: RECEIVERS_AT_ONCE })
  async work({ data }: Job<WebhookJob | NewsJob>): Promise<void> {
    if ('webhookId' in data) await this.places.take(data, (job) => this.runner.run(job));
    // Should there be more, the sweep goes on, in which every workspace has its turn.
    else await this.handOn(data.workspaceId);
  }

  /** Hands new events on, then rings for everything that is due: new, to be tried again, or left by a dead worker. */
  @Sweep()
  async sweep(): Promise<void> {
    await this.turns.take(await findNews(this.db.manager), (workspaceId) => this.handOn(workspaceId));
    for (const job of await this.findDue()) this.bell.ring(job);
  }

  /** Gives whether there may be more events. */
  private async handOn(workspaceId: number): Promise<boolean> {
    const { webhooks, more } = await this.db.transaction((tx) => fanOut(tx, workspaceId));
    for (const { id: webhookId, claims } of webhooks) this.bell.ring({ workspaceId, webhookId, claims });
    return more;
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
