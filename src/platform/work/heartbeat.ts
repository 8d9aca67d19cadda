import { Logger } from '@nestjs/common';
import { type Claim, WorkAborted, type WorkKind } from './work-kind.js';

/** Cancelled work is noticed this soon, however long leases are. */
const LONGEST_PAUSE_MS = 500;

interface Beating {
  claim: Claim;
  controller: AbortController;
  /** When the lease was last known to hold. */
  heldAt: number;
}

/**
 * Renews the leases of everything of one kind that this process works on, with one statement a time, and aborts what is
 * cancelled or lost. Where the database does not answer, work goes on for the length of a lease: until then nobody else
 * can have it.
 */
export class Heartbeat {
  private readonly log = new Logger('Heartbeat');
  private readonly beating = new Set<Beating>();
  private timer: NodeJS.Timeout | null = null;
  private isRenewing = false;

  constructor(
    private readonly kind: WorkKind,
    private readonly leaseMs: number,
  ) {}

  /** Keeps a claim until the returned function is called. */
  start(claim: Claim, controller: AbortController): () => void {
    const beating = { claim, controller, heldAt: Date.now() };
    this.beating.add(beating);
    this.timer ??= setInterval(() => this.beat(), Math.min(this.leaseMs / 3, LONGEST_PAUSE_MS));
    return () => this.end(beating);
  }

  /** Workspaces for which so many claims are worked on. */
  workspacesWith(count: number): number[] {
    const counts = new Map<number, number>();
    for (const { claim } of this.beating) counts.set(claim.workspaceId, (counts.get(claim.workspaceId) ?? 0) + 1);
    return [...counts].filter(([, held]) => held >= count).map(([workspaceId]) => workspaceId);
  }

  private end(beating: Beating): void {
    this.beating.delete(beating);
    if (this.beating.size > 0 || !this.timer) return;
    clearInterval(this.timer);
    this.timer = null;
  }

  private beat(): void {
    const expired = Date.now() - this.leaseMs;
    for (const { heldAt, controller } of this.beating) {
      if (heldAt < expired) controller.abort(new WorkAborted('lease_lost', 'The lease could not be renewed in time.'));
    }
    if (!this.isRenewing) void this.renew();
  }

  private async renew(): Promise<void> {
    this.isRenewing = true;
    const renewed = [...this.beating].filter(({ controller }) => !controller.signal.aborted);
    const now = Date.now();
    try {
      const standings = await this.kind.renew(
        renewed.map(({ claim }) => claim),
        this.leaseMs,
      );
      for (const beating of renewed) {
        const standing = standings.get(beating.claim.claim);
        if (standing === 'held') beating.heldAt = now;
        // What has ended in the meantime is no longer there to be renewed.
        else if (this.beating.has(beating)) beating.controller.abort(new WorkAborted(standing ?? 'lease_lost'));
      }
    } catch (error) {
      this.log.warn(`Leases (${this.kind.name}) could not be renewed: ${String(error)}`);
    } finally {
      this.isRenewing = false;
    }
  }
}
