import { InjectQueue, Process, Processor } from '@nestjs/bull';
import { Inject, Injectable } from '@nestjs/common';
import type { Job, Queue } from 'bull';
import { DataSource } from 'typeorm';
import { CONFIG, type Config } from '../../../platform/config/config.js';
import { ring } from '../../../platform/queue/doorbell.js';
import { Sweep } from '../../../platform/queue/sweep.js';
import type { QueuedCells } from './queue-cells.js';
import { TaskRunner } from './task-runner.js';
import { findWaitingSheets } from './tasks.queries.js';

export const COMPUTATION_QUEUE = 'computation';

interface SheetJob {
  workspaceId: number;
  sheetId: string;
}

/** A job gives way to others after this long and rings for the rest. */
const SLICE_MS = 250;

/** Tells workers about queued cells. */
@Injectable()
export class ComputationBell {
  constructor(
    @InjectQueue(COMPUTATION_QUEUE) private readonly queue: Queue,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** After the commit, or a worker would find no rows. Never waits. */
  ring(sheet: { workspaceId: number; id: string }, queued: QueuedCells | null): void {
    if (!queued) return;
    const times = Math.min(queued.taskCount, this.config.computeConcurrency);
    ring(this.queue, { workspaceId: sheet.workspaceId, sheetId: sheet.id }, times);
  }
}

/** Computes queued cells. A job says only in which sheet; what is to be done is in the tasks. */
@Processor(COMPUTATION_QUEUE)
export class ComputationProcessor {
  constructor(
    private readonly runner: TaskRunner,
    private readonly db: DataSource,
    @InjectQueue(COMPUTATION_QUEUE) private readonly queue: Queue,
  ) {}

  // The decorator runs before the configuration is read, so the limit comes from the same variable.
  @Process({ concurrency: Number(process.env.COMPUTE_CONCURRENCY || 4) })
  async work({ data }: Job<SheetJob>): Promise<void> {
    const end = Date.now() + SLICE_MS;
    while (await this.runner.runSome(data)) {
      if (Date.now() < end) continue;
      ring(this.queue, { ...data });
      return;
    }
  }

  /** Takes up work whose ring was lost or whose worker died. Needs no Redis to notice, only to ring. */
  @Sweep()
  async sweep(): Promise<void> {
    for (const sheet of await findWaitingSheets(this.db.manager)) ring(this.queue, { ...sheet });
  }
}
