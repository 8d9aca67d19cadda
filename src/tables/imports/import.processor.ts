import { InjectQueue, Process, Processor } from '@nestjs/bull';
import type { Job, Queue } from 'bull';
import { ringAgain, tellAnother } from '../../platform/queue/doorbell.js';
import { Sweep } from '../../platform/queue/sweep.js';
import { WorkRunner } from '../../platform/work/work-runner.js';
import { IMPORT_QUEUE } from './import-starter.js';
import { ImportWork } from './import-work.js';

const AT_ONCE = 2;

@Processor(IMPORT_QUEUE)
export class ImportProcessor {
  constructor(
    private readonly runner: WorkRunner,
    private readonly imports: ImportWork,
    @InjectQueue(IMPORT_QUEUE) private readonly queue: Queue,
  ) {}

  @Process({ concurrency: AT_ONCE })
  work(job: Job): Promise<void> {
    return this.runner.drain(this.imports, tellAnother(this.queue, job));
  }

  @Sweep(IMPORT_QUEUE)
  sweep(): Promise<void> {
    return ringAgain(this.queue);
  }
}
