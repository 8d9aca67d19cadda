import { getQueueToken, Process, Processor } from '@nestjs/bull';
import { Inject, Module, type OnModuleDestroy } from '@nestjs/common';
import type { Job, Queue } from 'bull';
import { DataSource } from 'typeorm';
import { expect, it } from 'vitest';
import { registerQueue } from '../../src/platform/queue/register-queue.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';

const QUEUE = 'slow';

/** Processes one job at a time. Its first job ends when the worker stops. */
@Processor(QUEUE)
class SlowProcessor implements OnModuleDestroy {
  readonly begun: number[] = [];
  readonly done: number[] = [];
  private end = (): void => undefined;
  private readonly ending = new Promise<void>((resolve) => (this.end = resolve));

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(getQueueToken(QUEUE)) private readonly queue: Queue,
  ) {}

  @Process({ concurrency: 1 })
  async work({ data }: Job<{ number: number }>): Promise<void> {
    this.begun.push(data.number);
    await this.ending;
    await this.db.query('SELECT 1');
    this.done.push(data.number);
  }

  /** Another job would begin soon after. */
  async onModuleDestroy(): Promise<void> {
    this.end();
    await until(() => Promise.resolve(this.done.length > 0));
    await this.queue.getJobCounts();
  }
}

@Module({ imports: [registerQueue(QUEUE)], providers: [SlowProcessor] })
class SlowModule {}

it('begins no other job when it is asked to stop, and lets the one it works on end', async () => {
  const worker = await TestApp.start({ extensions: [SlowModule] });
  const processor = worker.app.get(SlowProcessor);
  const jobs = [1, 2, 3].map((number) => ({ data: { number } }));
  await worker.app.get<Queue>(getQueueToken(QUEUE)).addBulk(jobs);
  await until(() => Promise.resolve(processor.begun.length > 0));
  await worker.stop();
  expect(processor).toMatchObject({ begun: [1], done: [1] });
});
