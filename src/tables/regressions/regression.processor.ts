import { InjectQueue, Process, Processor } from '@nestjs/bull';
import type { Job, Queue } from 'bull';
import { ringAgain, tellAnother } from '../../platform/queue/doorbell.js';
import { Sweep } from '../../platform/queue/sweep.js';
import { WorkRunner } from '../../platform/work/work-runner.js';
import { REGRESSION_QUEUE } from './regression-queue.js';
import { RegressionWork } from './regression-work.js';

const AT_ONCE = 2;

@Processor(REGRESSION_QUEUE)
export class RegressionProcessor {
  constructor(
    private readonly runner: WorkRunner,
    private readonly regressions: RegressionWork,
    @InjectQueue(REGRESSION_QUEUE) private readonly queue: Queue,
  ) {}

  @Process({ concurrency: AT_ONCE })
  work(job: Job): Promise<void> {
    return this.runner.drain(this.regressions, tellAnother(this.queue, job));
  }

  @Sweep(REGRESSION_QUEUE)
  sweep(): Promise<void> {
    return ringAgain(this.queue);
  }
}
