import { Process, Processor } from '@nestjs/bull';
import { Sweep } from '../../platform/queue/sweep.js';
import { ProjectionService } from './projection.service.js';
import { SEARCH_QUEUE, SearchNotifier } from './search-notifier.js';

/** Puts logs into the text index as soon as a notification comes, and in every sweep. */
@Processor(SEARCH_QUEUE)
export class ProjectionProcessor {
  constructor(
    private readonly projection: ProjectionService,
    private readonly notifier: SearchNotifier,
  ) {}

  /**
   * One at a time in each worker, besides a sweep: the database does the work, and a second job would wait for the same
   * processor. Both claim their logs.
   */
  @Process({ concurrency: 1 })
  async work(): Promise<void> {
    if (await this.projection.drain()) this.notifier.notify();
  }

  @Sweep(SEARCH_QUEUE)
  sweep(): Promise<void> {
    return this.work();
  }
}
