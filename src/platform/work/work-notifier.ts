import { Inject } from '@nestjs/common';
import type { Queue } from 'bull';
import { notify } from '../queue/notify.js';

/** Notifies the workers of one queue. `registerWork` provides it. */
export class WorkNotifier {
  constructor(
    private readonly queue: Queue,
    private readonly concurrency: number,
  ) {}

  /**
   * Call it after the commit. Neither waits nor fails. For several pieces of work it starts as many jobs, but no more than
   * one worker works on at the same time.
   */
  notify(pieces = 1): void {
    notify(this.queue, {}, Math.min(pieces, this.concurrency));
  }
}

export const notifierToken = (queue: string): string => `${queue} notifier`;

/** Injects the notifier of a queue. The process does not start when nothing registers the queue. */
export const InjectNotifier = (queue: string): ParameterDecorator => Inject(notifierToken(queue));
