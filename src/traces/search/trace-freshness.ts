import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CONFIG, type Config } from '../../platform/config/config.js';
import { ifStorable } from '../../platform/database/if-storable.js';
import { evenIfUnwanted } from '../../platform/database/wanted.js';
import { WorkRunner } from '../../platform/work/work-runner.js';
import { together, TraceProjector } from './trace-projector.js';
import {
  type ClaimedTrace,
  claimTraces,
  type QueuedTraces,
  readNewestQueued,
  readQueued,
} from './trace-queue.queries.js';

/** Waiting traces that a reader makes searchable itself, the last changed first. */
const MOST_TRACES = 200;
/** Spans of these traces together. Larger traces, and the rest of a long queue, are left to the workers. */
const MOST_SPANS = 4000;
/** Time that a reader waits for claims of others, before and after it takes over claims without progress. */
const PATIENCE_MS = 1000;
const LOOKS_APART_MS = 10;

/** Makes readers find traces that were just written, although search rows are written after the commit. */
@Injectable()
export class TraceFreshness {
  constructor(
    private readonly db: DataSource,
    private readonly projector: TraceProjector,
    private readonly runner: WorkRunner,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /**
   * Brings the search rows of a workspace up to date, within the limits above. Returns whether all traces that waited
   * at the beginning are up to date, including those that others had claimed or were about to claim.
   */
  ofWorkspace(workspaceId: number): Promise<boolean> {
    return evenIfUnwanted(async () => {
      const { traces, isCut } = await readNewestQueued(this.db.manager, workspaceId, {
        limit: MOST_TRACES,
        spans: MOST_SPANS,
      });
      return (await this.settle(workspaceId, traces)) && !isCut;
    });
  }

  /** Returns whether each of the traces was made searchable in the queued version or a later one. */
  private async settle(workspaceId: number, { ids, claims }: QueuedTraces): Promise<boolean> {
    const end = Date.now() + PATIENCE_MS;
    /** The generation of each trace that was made searchable here. */
    const done = new Map<string, string>();
    let left = ids;
    for (;;) {
      // A worker without progress for this long may be dead. If it is not, it skips the traces whose claims it lost.
      const takenOver = Date.now() > end ? claims : [];
      const projected = await ifStorable(this.project(workspaceId, left, takenOver));
      if (!projected) return false;
      for (const { traceId, generation } of projected) done.set(traceId, generation);
      const queued = await readQueued(this.db.manager, workspaceId, left);
      const waiting = queued.filter(({ traceId, generation }) => [undefined, generation].includes(done.get(traceId)));
      left = waiting.filter(({ isPutOff }) => !isPutOff).map(({ traceId }) => traceId);
      if (left.length === 0) return waiting.length === 0;
      if (Date.now() > end + PATIENCE_MS) return false;
      await new Promise((resolve) => setTimeout(resolve, LOOKS_APART_MS));
    }
  }

  /** Makes traces searchable that nobody has claimed, or only with a claim that is taken over. */
  private async project(workspaceId: number, ids: string[], takenOver: string[]): Promise<ClaimedTrace[]> {
    if (ids.length === 0) return [];
    const { leaseMs } = this.config;
    const claim = together(await claimTraces(this.db.manager, workspaceId, { ids, takenOver, leaseMs }));
    if (!claim) return [];
    // Requests that a stopping process still answers find written traces, too.
    const { signal } = new AbortController();
    await (this.runner.isStopping ? this.projector.work(claim, { signal }) : this.runner.run(this.projector, claim));
    return claim.traces;
  }
}
