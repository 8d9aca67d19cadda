import { InjectQueue, Process, Processor } from '@nestjs/bull';
import type { Job, Queue } from 'bull';
import { ringAgain, tellAnother } from '../platform/queue/doorbell.js';
import { Sweep } from '../platform/queue/sweep.js';
import { WorkRunner } from '../platform/work/work-runner.js';
import { DeliveryWork } from './delivery-work.js';
import { RECEIVERS_AT_ONCE, WEBHOOK_QUEUE } from './webhook-bell.js';

@Processor(WEBHOOK_QUEUE)
export class WebhookProcessor {
  constructor(
    private readonly runner: WorkRunner,
    private readonly deliveries: DeliveryWork,
    @InjectQueue(WEBHOOK_QUEUE) private readonly queue: Queue,
  ) {}

  @Process({ concurrency: RECEIVERS_AT_ONCE })
  work(job: Job): Promise<void> {
    return this.runner.drain(this.deliveries, tellAnother(this.queue, job));
  }

  /** Finds deliveries that are to be tried again, whose ring was lost or whose worker died. */
  @Sweep(WEBHOOK_QUEUE)
  sweep(): Promise<void> {
    return ringAgain(this.queue);
  }
}
