import { Inject, Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CONFIG, type Config } from '../platform/config/config.js';
import { OutboundFailure, type OutboundResponse } from '../platform/outbound/outbound.client.js';
import { waitAfter } from '../platform/queue/retries.js';
import { safeText } from '../platform/safe-text.js';
import { Secrets } from '../platform/secrets/secrets.js';
import { workspaceOf } from '../platform/database/one-workspace.js';
import { claimInTurn } from '../platform/work/claim-in-turn.js';
import { afterGrace } from '../platform/work/grace.js';
import type { Standing, Turn, WorkAborted, WorkControl, WorkKind } from '../platform/work/work-kind.js';
import {
  CLAIM,
  type ClaimedReceiver,
  DUE,
  type DueDelivery,
  NEXT_WORKSPACE,
  RELEASE,
  RENEW,
} from './receivers.queries.js';
import { mailAddress, toMail } from './message-format.js';
import { Receivers } from './receivers.js';
import { secretPlace, sign, SIGNATURE_HEADER } from './signature.js';

/** Maximum number of concurrent deliveries to one receiver. */
const BATCH = 5;
/** Maximum number of batches before another webhook has its turn. */
const BATCHES = 20;
/** Bytes of a response that are stored. */
const KEPT_BYTES = 1024;
/** Share of the shutdown time that receivers have to answer. */
const GRACE = 0.2;

/** Common data of the deliveries in a batch. */
interface Sending {
  secret: string;
  signal: AbortSignal;
}

/** Result of one try; `error` is null when it succeeded. */
interface Outcome {
  error: string | null;
  status: number | null;
  body: string | null;
}

/**
 * Sends deliveries that are due. A worker claims the webhook, not the delivery: a receiver that does not answer takes one
 * slot of one worker, and delays no other deliveries.
 */
@Injectable()
export class DeliveryWork implements WorkKind<ClaimedReceiver> {
  readonly name = 'deliveries';
  /** Slow receivers of one customer must not take all slots. */
  readonly mostOfOneWorkspace = 4;
  private readonly log = new Logger(DeliveryWork.name);

  constructor(
    private readonly db: DataSource,
    private readonly receivers: Receivers,
    private readonly secrets: Secrets,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  async claim(turn: Turn, leaseMs: number): Promise<ClaimedReceiver | null> {
    const { manager } = this.db;
    const { claimed } = await claimInTurn(turn, {
      next: async ({ after, full, held }) => {
        const [row] = await NEXT_WORKSPACE.run(manager, [after, full, held]);
        return row?.workspace_id ?? null;
      },
      claim: async (workspaceId) => (await CLAIM.run(manager, [workspaceId, leaseMs, turn.held]))[0] ?? null,
    });
    return claimed;
  }

  async work(claim: ClaimedReceiver, { signal }: WorkControl): Promise<void> {
    const inFlight = new AbortController();
    const end = (reason: WorkAborted) => inFlight.abort(reason);
    const stopListening = afterGrace(signal, this.config.shutdownTimeoutMs, end, GRACE);
    try {
      await this.sendDue(claim, signal, inFlight.signal);
    } finally {
      stopListening();
    }
  }

  async renew(claims: ClaimedReceiver[], leaseMs: number): Promise<Map<string, Standing>> {
    const rows = await RENEW.run(this.db.manager, [workspaceOf(claims), JSON.stringify(claims), leaseMs]);
    return new Map(rows.map(({ claim, standing }) => [claim, standing]));
  }

  /** Releases the claim. The webhook can be claimed again after the pause. */
  async giveBack({ workspaceId, webhookId, claims }: ClaimedReceiver, pauseMs = 0): Promise<void> {
    await RELEASE.run(this.db.manager, [workspaceId, webhookId, claims, pauseMs]);
  }

  /** Keeps the claim until the lease ends, so a failure is not repeated at once. */
  fail({ webhookId }: ClaimedReceiver, error: unknown): Promise<void> {
    this.log.error(`Sending to webhook ${webhookId} failed and goes on when its lease ends: ${String(error)}`);
    return Promise.resolve();
  }

  /** Sends due deliveries up to the first failure. */
  private async sendDue(claim: ClaimedReceiver, signal: AbortSignal, inFlight: AbortSignal): Promise<void> {
    for (let batch = 0; batch < BATCHES; batch++) {
      signal.throwIfAborted();
      // Every batch reads the webhook again, so its changes apply at once.
      const due = await DUE.run(this.db.manager, [claim.workspaceId, claim.webhookId, claim.claims, BATCH]);
      if (due.length === 0) break;
      const secret = this.readSecret(claim, due[0]!);
      // Without a pause this process would claim it again and again.
      if (secret === null) return this.giveBack(claim, this.config.sweepIntervalMs);
      if (!(await this.sendBatch(claim, due, { secret, signal: inFlight }))) break;
    }
    await this.giveBack(claim);
  }

  /** Returns null if this process cannot decrypt the secret. The deliveries wait for a process that can. */
  private readSecret({ workspaceId, webhookId }: ClaimedReceiver, { secret }: DueDelivery): string | null {
    try {
      return this.secrets.decrypt(secret, secretPlace(workspaceId));
    } catch {
      this.log.error(`The secret of webhook ${webhookId} cannot be read: SECRETS_KEY is not the one it was made with.`);
      return null;
    }
  }

  /** Returns whether all of them were delivered. Rejects only after all have ended. */
  private async sendBatch(claim: ClaimedReceiver, due: DueDelivery[], sending: Sending): Promise<boolean> {
    const tries = await Promise.allSettled(due.map((delivery) => this.deliver(claim, delivery, sending)));
    const broken = tries.find((result) => result.status === 'rejected');
    if (broken) throw broken.reason as Error;
    return tries.every((result) => result.status === 'fulfilled' && result.value);
  }

  private async deliver(claim: ClaimedReceiver, delivery: DueDelivery, sending: Sending): Promise<boolean> {
    const outcome = await this.attempt(delivery, sending);
    await this.record(claim, delivery, outcome);
    return outcome.error === null;
  }

  /** Tries a delivery once. Rejects if it was aborted, and then it does not count as a try. */
  private async attempt({ id, body, url }: DueDelivery, { secret, signal }: Sending): Promise<Outcome> {
    const address = mailAddress(url);
    if (address !== null) return this.mail(address, id, body);
    const headers = {
      'Content-Type': 'application/json',
      'Content-Length': String(Buffer.byteLength(body)),
      'User-Agent': 'Tracesheet',
      'Webhook-Id': id,
      [SIGNATURE_HEADER]: sign(body, secret),
    };
    const limits = { timeoutMs: this.config.webhookTimeoutMs, maxResponseBytes: KEPT_BYTES, signal };
    try {
      return toOutcome(await this.receivers.outbound.send({ url, method: 'POST', headers, body, ...limits }));
    } catch (error) {
      if (!(error instanceof OutboundFailure)) throw error;
      return { error: error.message, status: null, body: null };
    }
  }

  /** Sends an e-mail. The message has the id of the delivery, so servers can recognise repetitions. */
  private async mail(to: string, id: string, body: string): Promise<Outcome> {
    const { subject, text } = toMail(body);
    const error = await this.receivers.mailer.trySend({ to, subject, text, id: `delivery-${id}` });
    return { error, status: null, body: null };
  }

  /** Records the outcome of a try, unless the delivery was queued again meanwhile. */
  private async record(
    { workspaceId }: ClaimedReceiver,
    { id, attempts }: DueDelivery,
    outcome: Outcome,
  ): Promise<void> {
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
