import { InjectQueue, Process, Processor } from '@nestjs/bull';
import type { Queue } from 'bull';
import { ringAgain } from '../../platform/queue/doorbell.js';
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
  work(): Promise<void> {
    return this.runner.drain(this.runs);
  }

  @Sweep()
  sweep(): Promise<void> {
    return ringAgain(this.queue, AT_ONCE);
  }
}
