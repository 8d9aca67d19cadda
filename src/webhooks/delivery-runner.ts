import { Inject, Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CONFIG, type Config } from '../platform/config/config.js';
import { OutboundClient, OutboundFailure, type OutboundResponse } from '../platform/outbound/outbound.client.js';
import { safeText } from '../platform/safe-text.js';
import { Secrets } from '../platform/secrets/secrets.js';
import { waitAfter } from '../platform/queue/retries.js';
import { secretPlace, sign, SIGNATURE_HEADER } from './signature.js';
import type { WebhookJob } from './webhook-bell.js';

/** Sent to one receiver at the same time. */
const BATCH = 5;
/** After so many it is another webhook's turn. */
const BATCHES = 20;
/** How much of an answer is kept. */
const KEPT_BYTES = 1024;

interface Claim extends WebhookJob {
  url: string;
  secret: Buffer;
  claims: number;
}

interface DueDelivery {
  id: string;
  body: string;
  attempts: number;
}

/** How one try ended; `error` is null when it succeeded. */
interface Outcome {
  error: string | null;
  status: number | null;
  body: string | null;
}

/**
 * Sends deliveries that are due. A worker claims the webhook, not the delivery: a receiver that does not answer holds up
 * one place of one worker, and nobody else's deliveries.
 */
@Injectable()
export class DeliveryRunner {
  private readonly log = new Logger(DeliveryRunner.name);

  constructor(
    private readonly db: DataSource,
    private readonly outbound: OutboundClient,
    private readonly secrets: Secrets,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /**
   * Sends some of what is due for a webhook, up to the first failure; gives whether more may be. Does nothing when another
   * worker is at it.
   */
  async run(job: WebhookJob): Promise<boolean> {
    // Claimed anew for every batch, so that changes of the webhook count at once.
    for (let batch = 0; batch < BATCHES; batch++) if (!(await this.sendBatch(job))) return false;
    return true;
  }

  /** True when there may be more to send: also what has become due while this was sent, for which no job could be added. */
  private async sendBatch(job: WebhookJob): Promise<boolean> {
    const claim = await this.claim(job);
    if (!claim) return false;
    const heartbeat = setInterval(() => this.renewLease(claim), this.config.leaseMs / 3);
    try {
      const secret = this.readSecret(claim);
      if (secret === null) return false;
      const due = await this.findDue(claim);
      const tries = await Promise.allSettled(due.map((delivery) => this.deliver(claim, delivery, secret)));
      const broken = tries.find((result) => result.status === 'rejected');
      if (broken) throw broken.reason as Error;
      return due.length > 0 && tries.every((result) => result.status === 'fulfilled' && result.value);
    } finally {
      clearInterval(heartbeat);
      await this.release(claim);
    }
  }

  private async claim({ workspaceId, webhookId }: WebhookJob): Promise<Claim | null> {
    const [[claimed]] = await this.db.query<[Omit<Claim, keyof WebhookJob>[], number]>(
      `UPDATE webhooks SET lease_until = now() + $3 * interval '1 millisecond', claims = claims + 1
        WHERE workspace_id = $1 AND id = $2 AND enabled AND (lease_until IS NULL OR lease_until < now())
        RETURNING url, secret, claims`,
      [workspaceId, webhookId, this.config.leaseMs],
    );
    return claimed ? { workspaceId, webhookId, ...claimed } : null;
  }

  private renewLease({ workspaceId, webhookId, claims }: Claim): void {
    const renewal = this.db.query(
      `UPDATE webhooks SET lease_until = now() + $4 * interval '1 millisecond'
        WHERE workspace_id = $1 AND id = $2 AND claims = $3`,
      [workspaceId, webhookId, claims, this.config.leaseMs],
    );
    // When it fails the lease ends and another worker may send the same once more, which receivers can recognise.
    renewal.catch(() => undefined);
  }

  private async release({ workspaceId, webhookId, claims }: Claim): Promise<void> {
    await this.db.query('UPDATE webhooks SET lease_until = NULL WHERE workspace_id = $1 AND id = $2 AND claims = $3', [
      workspaceId,
      webhookId,
      claims,
    ]);
  }

  /** null when this process cannot read it: the deliveries wait for one that can. */
  private readSecret({ workspaceId, webhookId, secret }: Claim): string | null {
    try {
      return this.secrets.decrypt(secret, secretPlace(workspaceId));
    } catch {
      this.log.error(`The secret of webhook ${webhookId} cannot be read: SECRETS_KEY is not the one it was made with.`);
      return null;
    }
  }

  private findDue({ workspaceId, webhookId }: Claim): Promise<DueDelivery[]> {
    return this.db.query<DueDelivery[]>(
      `SELECT id, body, attempts FROM webhook_deliveries
        WHERE workspace_id = $1 AND webhook_id = $2 AND status = 'pending' AND next_attempt_at <= now()
        ORDER BY next_attempt_at, id LIMIT $3`,
      [workspaceId, webhookId, BATCH],
    );
  }

  private async deliver(claim: Claim, delivery: DueDelivery, secret: string): Promise<boolean> {
    const outcome = await this.attempt(claim.url, delivery, secret);
    await this.record(claim, delivery, outcome);
    return outcome.error === null;
  }

  private async attempt(url: string, { id, body }: DueDelivery, secret: string): Promise<Outcome> {
    const headers = {
      'Content-Type': 'application/json',
      'Content-Length': String(Buffer.byteLength(body)),
      'User-Agent': 'Tracesheet',
      'Webhook-Id': id,
      [SIGNATURE_HEADER]: sign(body, secret),
    };
    const limits = { timeoutMs: this.config.webhookTimeoutMs, maxResponseBytes: KEPT_BYTES };
    try {
      return toOutcome(await this.outbound.send({ url, method: 'POST', headers, body, ...limits }));
    } catch (error) {
      if (!(error instanceof OutboundFailure)) throw error;
      return { error: error.message, status: null, body: null };
    }
  }

  /** Only what was asked for: a delivery that was started anew meanwhile is not touched. */
  private async record({ workspaceId }: Claim, { id, attempts }: DueDelivery, outcome: Outcome): Promise<void> {
    const tries = attempts + 1;
    const wait = outcome.error === null ? null : waitAfter(tries, this.config.webhookBackoffMs);
    const failed = wait === null ? 'failed' : 'pending';
    const status = outcome.error === null ? 'delivered' : failed;
    await this.db.query(
      `UPDATE webhook_deliveries
          SET status = $4, attempts = $5, next_attempt_at = now() + $6 * interval '1 millisecond', last_attempt_at = now(),
              response_status = $7, response_body = $8, error = $9
        WHERE workspace_id = $1 AND id = $2 AND attempts = $3 AND status = 'pending'`,
      [workspaceId, id, attempts, status, tries, wait ?? 0, outcome.status, outcome.body, outcome.error],
    );
  }
}

function toOutcome({ status, body }: OutboundResponse): Outcome {
  const text = safeText(body.toString('utf8'));
  if (status >= 200 && status < 300) return { error: null, status, body: text };
  const hint = status >= 300 && status < 400 ? ' Redirects are not followed.' : '';
  return { error: `The receiver answered ${status}.${hint}`, status, body: text };
}
