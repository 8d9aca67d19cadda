import { InjectQueue, Process, Processor } from '@nestjs/bull';
import type { Job, Queue } from 'bull';
import { ringAgain, tellAnother } from '../../platform/queue/doorbell.js';
import { Sweep } from '../../platform/queue/sweep.js';
import { WorkRunner } from '../../platform/work/work-runner.js';
import { SCORECARD_QUEUE } from '../grid/computing/computation-bell.js';
import { ScorecardWork } from './scorecard-work.js';

const AT_ONCE = 2;

@Processor(SCORECARD_QUEUE)
export class ScorecardProcessor {
  constructor(
    private readonly runner: WorkRunner,
    private readonly scorecards: ScorecardWork,
    @InjectQueue(SCORECARD_QUEUE) private readonly queue: Queue,
  ) {}

  @Process({ concurrency: AT_ONCE })
  work(job: Job): Promise<void> {
    return this.runner.drain(this.scorecards, tellAnother(this.queue, job));
  }

  @Sweep(SCORECARD_QUEUE)
  sweep(): Promise<void> {
    return ringAgain(this.queue);
  }
}
