import { InjectQueue, Process, Processor } from '@nestjs/bull';
import { Logger } from '@nestjs/common';
import type { Queue } from 'bull';
import { notifyIfNoneWaits } from '../../platform/queue/notify.js';
import { Sweep } from '../../platform/queue/sweep.js';
import { WorkRunner } from '../../platform/work/work-runner.js';
import { EXTERNAL_QUEUE } from './computation-notifier.js';
import { ExternalWork } from './external-work.js';
import type { ClaimedCells } from './tasks.queries.js';

/**
 * Computes queued cells with external results. A job is only a notification: it begins as many cells as there are slots
 * and does not wait for them; whenever a slot becomes free, the next one begins.
 */
@Processor(EXTERNAL_QUEUE)
export class ExternalProcessor {
  private readonly log = new Logger(ExternalProcessor.name);
  private beginning: Promise<void> | null = null;
  private isNotifiedAgain = false;

  constructor(
    private readonly runner: WorkRunner,
    private readonly cells: ExternalWork,
    @InjectQueue(EXTERNAL_QUEUE) private readonly queue: Queue,
  ) {
    cells.onPlaceOrWork = () => void this.begin().catch(() => undefined);
  }

  @Process({ concurrency: 1 })
  work(): Promise<void> {
    return this.begin();
  }

  /** Finds work whose job was lost or whose worker died. */
  @Sweep(EXTERNAL_QUEUE)
  sweep(): Promise<void> {
    return notifyIfNoneWaits(this.queue);
  }

  @Sweep('kept-results')
  forgetOld(): Promise<void> {
    return this.cells.forgetOld();
  }

  /** Runs once at a time: a notification in between repeats it. */
  private begin(): Promise<void> {
    if (this.beginning) this.isNotifiedAgain = true;
    else this.beginning = this.beginAll();
    return this.beginning ?? Promise.resolve();
  }

  private async beginAll(): Promise<void> {
    try {
      do {
        this.isNotifiedAgain = false;
        // Slots that become free in the same turn of the event loop are filled by one claim.
        await new Promise((resolve) => setImmediate(resolve));
        for (let claim = await this.next(); claim; claim = await this.next()) this.start(claim);
      } while (this.isNotifiedAgain);
    } finally {
      // Set in the same step: otherwise, notifications before this promise settles would be missed.
      this.beginning = null;
    }
  }

  private start(claim: ClaimedCells): void {
    this.runner.run(this.cells, claim).catch((error: unknown) => {
      this.log.warn(`Cells are left to be claimed again: ${String(error)}`);
    });
  }

  private next(): Promise<ClaimedCells | null> {
    return this.runner.claimNext(this.cells);
  }
}
