import { InjectQueue, Process, Processor } from '@nestjs/bull';
import type { Job, Queue } from 'bull';
import { ringAgain, tellAnother } from '../../platform/queue/doorbell.js';
import { Sweep } from '../../platform/queue/sweep.js';
import { WorkRunner } from '../../platform/work/work-runner.js';
import { RunEndWork } from './run-end-work.js';
import { RUN_END_QUEUE } from './run-owner.js';

const AT_ONCE = 8;

@Processor(RUN_END_QUEUE)
export class RunEndProcessor {
  constructor(
    private readonly runner: WorkRunner,
    private readonly ends: RunEndWork,
    @InjectQueue(RUN_END_QUEUE) private readonly queue: Queue,
  ) {}

  @Process({ concurrency: AT_ONCE })
  work(job: Job): Promise<void> {
    return this.runner.drain(this.ends, tellAnother(this.queue, job));
  }

  /** Finds callbacks that are to be tried again, and what was lost. */
  @Sweep(RUN_END_QUEUE)
  sweep(): Promise<void> {
    return ringAgain(this.queue);
  }
}
