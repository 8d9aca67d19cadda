import { InjectQueue, Process, Processor } from '@nestjs/bull';
import type { Job, Queue } from 'bull';
import { ringAgain, tellAnother } from '../platform/queue/doorbell.js';
import { Sweep } from '../platform/queue/sweep.js';
import { WorkRunner } from '../platform/work/work-runner.js';
import { ExportWork } from './export-work.js';

export const EXPORT_QUEUE = 'exports';
/** An export reads and encodes as fast as it can. */
const AT_ONCE = 1;

@Processor(EXPORT_QUEUE)
export class ExportProcessor {
  constructor(
    private readonly runner: WorkRunner,
    private readonly exports: ExportWork,
    @InjectQueue(EXPORT_QUEUE) private readonly queue: Queue,
  ) {}

  @Process({ concurrency: AT_ONCE })
  work(job: Job): Promise<void> {
    return this.runner.drain(this.exports, tellAnother(this.queue, job));
  }

  @Sweep(EXPORT_QUEUE)
  sweep(): Promise<void> {
    return ringAgain(this.queue);
  }
}
