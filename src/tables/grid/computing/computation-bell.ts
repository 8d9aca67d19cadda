import { InjectQueue } from '@nestjs/bull';
import { Inject, Injectable } from '@nestjs/common';
import type { Queue } from 'bull';
import { CONFIG, type Config } from '../../../platform/config/config.js';
import { ring } from '../../../platform/queue/doorbell.js';
import type { QueuedCells } from './queue-cells.js';

export const COMPUTATION_QUEUE = 'computation';
export const EXTERNAL_QUEUE = 'external-cells';
/** Of scorecards that wait until all their cells are computed. */
export const SCORECARD_QUEUE = 'scorecards';

const WORKERS_RUNG = 4;

/** Tells workers about queued cells. */
@Injectable()
export class ComputationBell {
  constructor(
    @InjectQueue(COMPUTATION_QUEUE) private readonly formulas: Queue,
    @InjectQueue(EXTERNAL_QUEUE) private readonly external: Queue,
    @InjectQueue(SCORECARD_QUEUE) private readonly scorecards: Queue,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** After the commit, or a worker would find no rows. Never waits. */
  ring(queued: QueuedCells | null): void {
    if (!queued) return;
    const { formulaTasks, externalTasks } = queued;
    if (formulaTasks > 0) ring(this.formulas, {}, Math.min(formulaTasks, this.config.computeConcurrency));
    // One worker begins as many cells as it has places for; others may have places as well.
    if (externalTasks > 0) ring(this.external, {}, Math.min(externalTasks, WORKERS_RUNG));
  }

  /** For cells that may be ready because what they have waited for was taken back or is to be computed otherwise. */
  ringBoth(): void {
    this.ringFormulas();
    this.ringExternal();
  }

  /** For formulas that have waited for cells from outside. */
  ringFormulas(): void {
    ring(this.formulas, {});
  }

  /** For a scorecard all of whose cells are settled. */
  ringScorecards(): void {
    ring(this.scorecards, {});
  }

  /** For cells from outside that have waited for formulas. */
  ringExternal(): void {
    ring(this.external, {});
  }
}
