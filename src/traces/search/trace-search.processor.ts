import { Process, Processor } from '@nestjs/bull';
import { DataSource } from 'typeorm';
import { Sweep } from '../../platform/queue/sweep.js';
import { WorkRunner } from '../../platform/work/work-runner.js';
import { mergeSegments } from '../../text-search/index.js';
import { TRACES } from './trace-document.js';
import { TraceProjector } from './trace-projector.js';
import { TRACE_SEARCH_QUEUE } from './trace-search-notifier.js';

/** Makes changed traces searchable. The rows of the queue table are the work; a job is only a notification. */
@Processor(TRACE_SEARCH_QUEUE)
export class TraceSearchProcessor {
  constructor(
    private readonly runner: WorkRunner,
    private readonly projector: TraceProjector,
    private readonly db: DataSource,
  ) {}

  /** One at a time in each worker, plus a sweep: most of the work is done by the database. */
  @Process({ concurrency: 1 })
  async work(): Promise<void> {
    for (let claim; (claim = await this.runner.claimNext(this.projector));) {
      await this.runner.run(this.projector, claim);
      await mergeSegments(this.db, { workspaceId: claim.workspaceId, kind: TRACES });
    }
  }

  /** Processes traces whose job was lost or came too early, and those of a dead worker. */
  @Sweep(TRACE_SEARCH_QUEUE)
  sweep(): Promise<void> {
    return this.work();
  }
}
