import { InjectQueue, Process, Processor } from '@nestjs/bull';
import type { Job, Queue } from 'bull';
import { ringAgain, tellAnother } from '../../platform/queue/doorbell.js';
import { Sweep } from '../../platform/queue/sweep.js';
import { WorkRunner } from '../../platform/work/work-runner.js';
import { SCORE_QUEUE } from './score-queue.js';
import { ScoreWork } from './score-work.js';

const AT_ONCE = 2;

@Processor(SCORE_QUEUE)
export class ScoreProcessor {
  constructor(
    private readonly runner: WorkRunner,
    private readonly scores: ScoreWork,
    @InjectQueue(SCORE_QUEUE) private readonly queue: Queue,
  ) {}

  @Process({ concurrency: AT_ONCE })
  work(job: Job): Promise<void> {
    return this.runner.drain(this.scores, tellAnother(this.queue, job));
  }

  @Sweep(SCORE_QUEUE)
  sweep(): Promise<void> {
    return ringAgain(this.queue);
  }
}
