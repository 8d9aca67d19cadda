import { getQueueToken, InjectQueue, Process, Processor } from '@nestjs/bull';
import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import type { Job, Queue } from 'bull';
import { notifyAnother, notifyIfNoneWaits } from '../queue/notify.js';
import { registerQueue } from '../queue/register-queue.js';
import { Sweep } from '../queue/sweep.js';
import type { Claim, WorkKind } from './work-kind.js';
import { notifierToken, WorkNotifier } from './work-notifier.js';
import { WorkRunner } from './work-runner.js';

export interface WorkOptions {
  /** Workers of the last release listen to it, too: it must never change. */
  queue: string;
  /** Claims that one process works on at the same time. */
  concurrency: number;
  /** False in api processes, which only notify. */
  works: boolean;
}

@Module({})
class WorkQueueModule {}

/**
 * Registers a kind of claimed work: its queue, the `WorkNotifier` that `@InjectNotifier(queue)` injects and, in workers, the
 * processor, which also sweeps under the name of the queue. The kind itself is a provider of the importing module.
 */
export function registerWork<C extends Claim>(kind: Type<WorkKind<C>>, options: WorkOptions): DynamicModule {
  const { queue, concurrency, works } = options;
  const notifier = {
    provide: notifierToken(queue),
    inject: [getQueueToken(queue)],
    useFactory: (bull: Queue) => new WorkNotifier(bull, concurrency),
  };
  return {
    module: WorkQueueModule,
    imports: [registerQueue(queue)],
    providers: [notifier, ...(works ? [processorOf(kind, options)] : [])],
    exports: [notifier],
  };
}

/** A class for each queue, because Bull reads its name and the concurrency from decorators. The kind is found in whichever module provides it. */
function processorOf<C extends Claim>(kind: Type<WorkKind<C>>, { queue: name, concurrency }: WorkOptions): Type {
  @Processor(name)
  class WorkProcessor {
    constructor(
      private readonly runner: WorkRunner,
      private readonly modules: ModuleRef,
      @InjectQueue(name) private readonly queue: Queue,
    ) {}

    /** A job only signals that there is work; the rows say which. */
    @Process({ concurrency })
    work(job: Job): Promise<void> {
      return this.runner.drain(this.modules.get(kind, { strict: false }), () => notifyAnother(this.queue, job));
    }

    /** Finds work that is due again, whose job was lost or whose worker died. */
    @Sweep(name)
    sweep(): Promise<void> {
      return notifyIfNoneWaits(this.queue);
    }
  }
  return WorkProcessor;
}
