import { InjectQueue } from '@nestjs/bull';
import { Injectable } from '@nestjs/common';
import type { Queue } from 'bull';
import { ring } from '../platform/queue/doorbell.js';

export const ERASURE_QUEUE = 'erasures';

@Injectable()
export class ErasureBell {
  constructor(@InjectQueue(ERASURE_QUEUE) private readonly queue: Queue) {}

  ring(): void {
    ring(this.queue);
  }
}
