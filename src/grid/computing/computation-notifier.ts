import { InjectQueue } from '@nestjs/bull';
import { Injectable } from '@nestjs/common';
import type { Queue } from 'bull';
import { notify } from '../../platform/queue/notify.js';
import { InjectNotifier, WorkNotifier } from '../../platform/work/work-notifier.js';
import type { QueuedCells } from './queue-cells.js';

export const EXTERNAL_QUEUE = 'external-cells';

/** One worker begins as many external cells as it has slots for; others may have slots as well. */
const WORKERS_NOTIFIED = 4;

/** Notifies workers of queued cells. Call it after the commit, or a worker finds no rows. Neither waits nor fails. */
@Injectable()
export class ComputationNotifier {
  constructor(
    @InjectNotifier('computation') private readonly formulas: WorkNotifier,
    @InjectQueue(EXTERNAL_QUEUE) private readonly external: Queue,
  ) {}

  notify(queued: QueuedCells | null): void {
    if (!queued) return;
    const { formulaTasks, externalTasks } = queued;
    if (formulaTasks > 0) this.formulas.notify(formulaTasks);
    if (externalTasks > 0) notify(this.external, {}, Math.min(externalTasks, WORKERS_NOTIFIED));
  }

  /**
   * Notifies of cells that may be ready because a cell they waited for was cancelled, or is computed in another way
   * now.
   */
  notifyBoth(): void {
    this.notifyFormulas();
    this.notifyExternal();
  }

  /** Notifies of formulas that waited for external cells. */
  notifyFormulas(): void {
    this.formulas.notify();
  }

  /** Notifies of external cells that waited for formulas. */
  notifyExternal(): void {
    notify(this.external);
  }
}
