import { InjectQueue, Process, Processor } from '@nestjs/bull';
import type { Job, Queue } from 'bull';
import { ringAgain, tellAnother } from '../platform/queue/doorbell.js';
import { Sweep } from '../platform/queue/sweep.js';
import { WorkRunner } from '../platform/work/work-runner.js';
import { ERASURE_QUEUE } from './erasure-bell.js';
import { ErasureWork } from './erasure-work.js';

/** Erasures are few, and each keeps a connection busy. */
const AT_ONCE = 1;

@Processor(ERASURE_QUEUE)
export class ErasureProcessor {
  constructor(
    private readonly runner: WorkRunner,
    private readonly erasures: ErasureWork,
    @InjectQueue(ERASURE_QUEUE) private readonly queue: Queue,
  ) {}

  @Process({ concurrency: AT_ONCE })
  work(job: Job): Promise<void> {
    return this.runner.drain(this.erasures, tellAnother(this.queue, job));
  }

  @Sweep(ERASURE_QUEUE)
  sweep(): Promise<void> {
    return ringAgain(this.queue);
  }
}
