import { InjectQueue, Process, Processor } from '@nestjs/bull';
import type { Job, Queue } from 'bull';
import { ringAgain, tellAnother } from '../../../platform/queue/doorbell.js';
import { Sweep } from '../../../platform/queue/sweep.js';
import { WorkRunner } from '../../../platform/work/work-runner.js';
import { COMPUTATION_QUEUE } from './computation-bell.js';
import { FormulaWork } from './formula-work.js';

/** Computes queued cells. A job says only that there are some; what is to be done is in the tasks. */
@Processor(COMPUTATION_QUEUE)
export class ComputationProcessor {
  constructor(
    private readonly runner: WorkRunner,
    private readonly formulas: FormulaWork,
    @InjectQueue(COMPUTATION_QUEUE) private readonly queue: Queue,
  ) {}

  // oxlint-disable-next-line no-restricted-properties -- the decorator runs before the configuration is read
  @Process({ concurrency: Number(process.env.COMPUTE_CONCURRENCY || 4) })
  work(job: Job): Promise<void> {
    return this.runner.drain(this.formulas, tellAnother(this.queue, job));
  }

  /** Takes up work whose ring was lost or whose worker died. */
  @Sweep(COMPUTATION_QUEUE)
  sweep(): Promise<void> {
    return ringAgain(this.queue);
  }
}
