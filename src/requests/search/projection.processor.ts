import { Process, Processor } from '@nestjs/bull';
import { Sweep } from '../../platform/queue/sweep.js';
import { ProjectionService } from './projection.service.js';
import { SEARCH_QUEUE, SearchBell } from './search-bell.js';

/** Puts logs into the text index as soon as somebody rings, and from time to time when nobody does. */
@Processor(SEARCH_QUEUE)
export class ProjectionProcessor {
  constructor(
    private readonly projection: ProjectionService,
    private readonly bell: SearchBell,
  ) {}

  /**
   * One at a time in each worker, but for a sweep: the work is the database's, and a second would wait for the same
   * processor. Both claim their logs.
   */
  @Process({ concurrency: 1 })
  async work(): Promise<void> {
    if (await this.projection.drain()) this.bell.ring();
  }

  @Sweep(SEARCH_QUEUE)
  sweep(): Promise<void> {
    return this.work();
  }
}
