import { InjectQueue, Process, Processor } from '@nestjs/bull';
import { Inject } from '@nestjs/common';
import type { Queue } from 'bull';
import { DataSource } from 'typeorm';
import { CONFIG, type Config } from '../../platform/config/config.js';
import { MergedIndexes } from '../../platform/database/merge-pending.js';
import { ring } from '../../platform/queue/doorbell.js';
import { Sweep } from '../../platform/queue/sweep.js';
import { TraceProjector } from './trace-projector.js';
import { claimDueTraces } from './trace-queue.queries.js';
import { TRACE_SEARCH_QUEUE } from './trace-search-bell.js';

/** Traces claimed at once: their leases must not end before the last of them is read. */
const CLAIMED_AT_ONCE = 50;
/** A job gives way after this long and rings for the rest, so that a worker can stop. */
const SLICE_MS = 2000;
/** In spans. */
const MERGED_AT = 2000;
const INDEXES = ['trace_search_words_idx', 'trace_search_facets_idx', 'span_search_facets_idx'];

/** Makes changed traces searchable. The queue table is the work; a job only says that there is some. */
@Processor(TRACE_SEARCH_QUEUE)
export class TraceSearchProcessor {
  private readonly indexes = new MergedIndexes(INDEXES, MERGED_AT);

  constructor(
    private readonly projector: TraceProjector,
    private readonly db: DataSource,
    @Inject(CONFIG) private readonly config: Config,
    @InjectQueue(TRACE_SEARCH_QUEUE) private readonly queue: Queue,
  ) {}

  @Process({ concurrency: 1 })
  async work(): Promise<void> {
    if (await this.projectDue()) ring(this.queue, {});
  }

  /** Takes up traces whose ring was lost or came too early, and those of a dead worker; merges what readers added. */
  @Sweep()
  async sweep(): Promise<void> {
    await this.projectDue();
    await this.indexes.merge(this.db.manager);
  }

  /** True when the time was over before the work was. */
  private async projectDue(): Promise<boolean> {
    const end = Date.now() + SLICE_MS;
    while (Date.now() < end) {
      const claims = await claimDueTraces(this.db.manager, this.config.leaseMs, CLAIMED_AT_ONCE);
      if (claims.length === 0) return false;
      await this.projector.project(claims);
      const spans = claims.reduce((sum, { spanCount }) => sum + spanCount, 0);
      await this.indexes.count(this.db.manager, spans);
    }
    return true;
  }
}
