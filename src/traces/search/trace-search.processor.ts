import { Process, Processor } from '@nestjs/bull';
import { DataSource } from 'typeorm';
import { MergedIndexes } from '../../platform/database/merge-pending.js';
import { Sweep } from '../../platform/queue/sweep.js';
import { WorkRunner } from '../../platform/work/work-runner.js';
import { TraceProjector } from './trace-projector.js';
import { TRACE_SEARCH_QUEUE } from './trace-search-bell.js';

/** In spans. */
const MERGED_AT = 2000;
const INDEXES = ['trace_search_words_idx', 'trace_search_facets_idx', 'span_search_facets_idx'];

/** Makes changed traces searchable. The queue table is the work; a job only says that there is some. */
@Processor(TRACE_SEARCH_QUEUE)
export class TraceSearchProcessor {
  private readonly indexes = new MergedIndexes(INDEXES, MERGED_AT);

  constructor(
    private readonly runner: WorkRunner,
    private readonly projector: TraceProjector,
    private readonly db: DataSource,
  ) {}

  /** One at a time in each worker, but for a sweep: the work is the database's for the most part. */
  @Process({ concurrency: 1 })
  async work(): Promise<void> {
    for (let claim; (claim = await this.runner.claimNext(this.projector));) {
      await this.runner.run(this.projector, claim);
      const spans = claim.traces.reduce((sum, { spanCount }) => sum + spanCount, 0);
      await this.indexes.count(this.db.manager, spans);
    }
  }

  /** Takes up traces whose ring was lost or came too early, and those of a dead worker; merges what readers added. */
  @Sweep()
  async sweep(): Promise<void> {
    await this.work();
    await this.indexes.merge(this.db.manager);
  }
}
