import { InjectQueue, Process, Processor } from '@nestjs/bull';
import type { Job, Queue } from 'bull';
import { ringAgain, tellAnother } from '../platform/queue/doorbell.js';
import { Sweep } from '../platform/queue/sweep.js';
import { WorkRunner } from '../platform/work/work-runner.js';
import { REPRICING_QUEUE } from './repricing-bell.js';
import { RepricingWork } from './repricing-work.js';

/** Repricings are few, and each keeps a connection busy. */
const AT_ONCE = 1;

@Processor(REPRICING_QUEUE)
export class RepricingProcessor {
  constructor(
    private readonly runner: WorkRunner,
    private readonly repricings: RepricingWork,
    @InjectQueue(REPRICING_QUEUE) private readonly queue: Queue,
  ) {}

  @Process({ concurrency: AT_ONCE })
  work(job: Job): Promise<void> {
    return this.runner.drain(this.repricings, tellAnother(this.queue, job));
  }

  @Sweep(REPRICING_QUEUE)
  sweep(): Promise<void> {
    return ringAgain(this.queue);
  }
}
