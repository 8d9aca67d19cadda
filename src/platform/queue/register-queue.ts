import { BullModule } from '@nestjs/bull';
import type { DynamicModule } from '@nestjs/common';

/**
 * Registers one queue with the retry policy of all queues. Rows in PostgreSQL are the work and jobs only
 * notify, so a failed job is simply retried a few times and then forgotten: the sweep notifies again.
 * One queue per concurrency limit: Bull adds up the limits of the processors of one queue.
 */
export function registerQueue(name: string): DynamicModule {
  return BullModule.registerQueue({
    name,
    defaultJobOptions: {
      attempts: 3,
      backoff: { type: 'exponential', delay: 200 },
      removeOnComplete: true,
      removeOnFail: true,
    },
  });
}
