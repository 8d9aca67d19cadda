import { Logger } from '@nestjs/common';
import { type Claim, type Standing, WorkAborted, type WorkKind } from './work-kind.js';

/** Cancelled work is noticed this soon, however long leases are. */
const LONGEST_PAUSE_MS = 500;

interface Beating {
  claim: Claim;
  controller: AbortController;
}

/** Renews the leases of all claims of one kind in this process. A workspace whose renewal has to wait delays no other. */
export class Heartbeat {
  private readonly workspaces = new Map<number, WorkspaceHeartbeat>();

  constructor(
    private readonly kind: WorkKind,
    private readonly leaseMs: number,
  ) {}

  /** The claims of this process. */
  get claims(): string[] {
    return [...this.workspaces.values()].flatMap(({ claims }) => claims);
  }

  /** Renews a claim until the returned function is called. */
  start(claim: Claim, controller: AbortController): () => void {
    const { workspaceId } = claim;
    const workspace = this.workspaces.get(workspaceId) ?? new WorkspaceHeartbeat(this.kind, this.leaseMs);
    this.workspaces.set(workspaceId, workspace);
    const end = workspace.start(claim, controller);
    return () => {
      end();
      if (workspace.size === 0) this.workspaces.delete(workspaceId);
    };
  }

  /** Workspaces with at least this number of claims. */
  workspacesWith(count: number): number[] {
    return [...this.workspaces].filter(([, { size }]) => size >= count).map(([workspaceId]) => workspaceId);
  }
}

/**
 * Renews the leases of one workspace with one statement, and aborts claims that are cancelled or lost. While the database does
 * not answer, work continues for the length of a lease: until then no other worker can claim it. A process that was too busy
 * to renew in time asks the database whether it still has the work.
 */
class WorkspaceHeartbeat {
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

  get claims(): string[] {
    return [...this.beating].map(({ claim }) => claim.claim);
  }

  get size(): number {
    return this.beating.size;
  }

  start(claim: Claim, controller: AbortController): () => void {
    const beating = { claim, controller };
    this.beating.add(beating);
    this.timer ??= setInterval(() => this.beat(), this.pauseMs);
    return () => this.end(beating);
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
    const claims = renewed.map(({ claim }) => claim);
    try {
      const standings = claims.length > 0 ? await this.kind.renew(claims, this.leaseMs) : new Map<string, Standing>();
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
