import { InjectQueue } from '@nestjs/bull';
import { Injectable } from '@nestjs/common';
import type { Queue } from 'bull';
import { ring } from '../platform/queue/doorbell.js';

export const REPRICING_QUEUE = 'repricings';

@Injectable()
export class RepricingBell {
  constructor(@InjectQueue(REPRICING_QUEUE) private readonly queue: Queue) {}

  ring(): void {
    ring(this.queue);
  }
}
