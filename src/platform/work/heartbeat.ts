import { Logger } from '@nestjs/common';
import { groupBy } from '../group-by.js';
import { type Claim, type Standing, WorkAborted, type WorkKind } from './work-kind.js';

/** Cancelled work is noticed this soon, however long leases are. */
const LONGEST_PAUSE_MS = 500;

interface Beating {
  claim: Claim;
  controller: AbortController;
}

/**
 * Renews the leases of all claims of one kind in this process, with one statement for each workspace, and aborts claims
 * that are cancelled or lost. While the database does not answer, work continues for the length of a lease: until then
 * no other worker can claim it. A process that was too busy to renew in time asks the database whether it still has the
 * work.
 */
export class Heartbeat {
  private readonly log = new Logger('Heartbeat');
  private readonly beating = new Set<Beating>();
  private readonly pauseMs: number;
  private timer: NodeJS.Timeout | null = null;
  private isRenewing = false;
  /** Start of the renewals without success; null after a success. */
  private triedSince: number | null = null;

  constructor(
    private readonly kind: WorkKind,
    private readonly leaseMs: number,
  ) {
    this.pauseMs = Math.min(leaseMs / 3, LONGEST_PAUSE_MS);
  }

  /** The claims of this process. */
  get claims(): string[] {
    return [...this.beating].map(({ claim }) => claim.claim);
  }

  /** Renews a claim until the returned function is called. */
  start(claim: Claim, controller: AbortController): () => void {
    const beating = { claim, controller };
    this.beating.add(beating);
    this.timer ??= setInterval(() => this.beat(), this.pauseMs);
    return () => this.end(beating);
  }

  /** Workspaces with at least this number of claims. */
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
    this.triedSince = null;
  }

  private beat(): void {
    this.triedSince ??= Date.now();
    if (!this.isRenewing) void this.renew();
    // Reads an answer first that arrived while the process was busy.
    else setImmediate(() => this.abortUnanswered());
  }

  private async renew(): Promise<void> {
    this.isRenewing = true;
    const renewed = [...this.beating].filter(({ controller }) => mayStillStore(controller.signal));
    try {
      const standings = await this.renewEach(renewed.map(({ claim }) => claim));
      this.triedSince = null;
      for (const beating of renewed) {
        const standing = standings.get(beating.claim.claim);
        // Claims that ended in the meantime cannot be renewed.
        if (standing === 'held' || !this.beating.has(beating)) continue;
        beating.controller.abort(new WorkAborted(standing ?? 'lease_lost'));
      }
    } catch (error) {
      this.log.warn(`Leases (${this.kind.name}) could not be renewed: ${String(error)}`);
      this.abortUnanswered();
    } finally {
      this.isRenewing = false;
    }
  }

  private async renewEach(claims: Claim[]): Promise<Map<string, Standing>> {
    const workspaces = groupBy(claims, ({ workspaceId }) => workspaceId);
    const standings = await Promise.all([...workspaces.values()].map((some) => this.kind.renew(some, this.leaseMs)));
    return new Map(standings.flatMap((some) => [...some]));
  }

  private abortUnanswered(): void {
    if (this.triedSince === null || Date.now() - this.triedSince < this.leaseMs - this.pauseMs) return;
    for (const { controller } of this.beating) {
      controller.abort(new WorkAborted('lease_lost', 'The lease could not be renewed in time.'));
    }
  }
}

/** Stopping work may still end in time. Without its lease another worker would begin it meanwhile. */
function mayStillStore({ aborted, reason }: AbortSignal): boolean {
  return !aborted || (reason instanceof WorkAborted && reason.reason === 'stopping');
}
