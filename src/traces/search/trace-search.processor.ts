import { Process, Processor } from '@nestjs/bull';
import { DataSource } from 'typeorm';
import { Sweep } from '../../platform/queue/sweep.js';
import { WorkRunner } from '../../platform/work/work-runner.js';
import { mergeSegments } from '../../text-search/index.js';
import { TRACES } from './trace-document.js';
import { TraceProjector } from './trace-projector.js';
import { TRACE_SEARCH_QUEUE } from './trace-search-notifier.js';

/** Makes changed traces searchable. The queue table is the work; a job only says that there is some. */
@Processor(TRACE_SEARCH_QUEUE)
export class TraceSearchProcessor {
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
      await mergeSegments(this.db, { workspaceId: claim.workspaceId, kind: TRACES });
    }
  }

  /** Takes up traces whose job was lost or came too early, and those of a dead worker. */
  @Sweep(TRACE_SEARCH_QUEUE)
  sweep(): Promise<void> {
    return this.work();
  }
}
