import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CONFIG, type Config } from '../../platform/config/config.js';
import { ifStorable } from '../../platform/database/if-storable.js';
import { evenIfUnwanted } from '../../platform/database/wanted.js';
import { WorkRunner } from '../../platform/work/work-runner.js';
import { together, TraceProjector } from './trace-projector.js';
import { anyClaimHolds, type ClaimedTrace, claimsInHand, claimWaitingTraces } from './trace-queue.queries.js';

/** What a reader makes searchable itself: so many of the traces that wait, the last changed first. */
const MOST_TRACES = 200;
/** …with so many spans together. Larger traces, and the rest of a long queue, are left to the workers. */
const MOST_SPANS = 4000;
/** How long a reader waits for a worker that has a trace in hand. */
const PATIENCE_MS = 1000;
const LOOKS_APART_MS = 10;

/** Lets readers find what was just written, though search is written after the commit. */
@Injectable()
export class TraceFreshness {
  constructor(
    private readonly db: DataSource,
    private readonly projector: TraceProjector,
    private readonly runner: WorkRunner,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Brings the search rows of a workspace up to date, within the limits above. */
  ofWorkspace(workspaceId: number): Promise<void> {
    const limits = { leaseMs: this.config.leaseMs, limit: MOST_TRACES, spans: MOST_SPANS };
    return evenIfUnwanted(async () => {
      const own = (await ifStorable(claimWaitingTraces(this.db.manager, workspaceId, limits))) ?? [];
      // Only now: a trace that a worker claims between two looks the other way round would be in neither.
      const inHand = await claimsInHand(this.db.manager, workspaceId, MOST_SPANS);
      const mine = new Set(own.map(({ claim }) => claim));
      await ifStorable(this.project(own));
      await this.waitFor(
        workspaceId,
        inHand.filter((claim) => !mine.has(claim)),
      );
    });
  }

  private async project(traces: ClaimedTrace[]): Promise<void> {
    const claim = together(traces);
    if (!claim) return;
    // Requests that a stopping process still answers find what was written, too.
    const { signal } = new AbortController();
    await (this.runner.isStopping ? this.projector.work(claim, { signal }) : this.runner.run(this.projector, claim));
  }

  private async waitFor(workspaceId: number, claims: string[]): Promise<void> {
    if (claims.length === 0) return;
    const end = Date.now() + PATIENCE_MS;
    while (Date.now() < end && (await anyClaimHolds(this.db.manager, workspaceId, claims))) {
      await new Promise((resolve) => setTimeout(resolve, LOOKS_APART_MS));
    }
  }
}
