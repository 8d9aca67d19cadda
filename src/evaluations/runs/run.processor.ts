import { InjectQueue, Process, Processor } from '@nestjs/bull';
import type { Job, Queue } from 'bull';
import { ringAgain, tellAnother } from '../../platform/queue/doorbell.js';
import { Sweep } from '../../platform/queue/sweep.js';
import { WorkRunner } from '../../platform/work/work-runner.js';
import { RUN_QUEUE } from './run-queue.js';
import { RunWork } from './run-work.js';

const AT_ONCE = 2;

@Processor(RUN_QUEUE)
export class RunProcessor {
  constructor(
    private readonly runner: WorkRunner,
    private readonly runs: RunWork,
    @InjectQueue(RUN_QUEUE) private readonly queue: Queue,
  ) {}

  @Process({ concurrency: AT_ONCE })
  work(job: Job): Promise<void> {
    return this.runner.drain(this.runs, tellAnother(this.queue, job));
  }

  @Sweep(RUN_QUEUE)
  sweep(): Promise<void> {
    return ringAgain(this.queue);
  }
}
