import { InjectQueue, Process, Processor } from '@nestjs/bull';
import { Inject, Injectable } from '@nestjs/common';
import type { Job, Queue } from 'bull';
import { DataSource } from 'typeorm';
import { CONFIG, type Config } from '../platform/config/config.js';
import { ring } from '../platform/queue/doorbell.js';
import { Sweep } from '../platform/queue/sweep.js';
import { ExportRunner } from './export-runner.js';
import { expireOne, findWaiting, forgetExports } from './exports.queries.js';

export const EXPORT_QUEUE = 'exports';

export interface ExportJob {
  workspaceId: number;
  exportId: string;
}

/** Tells workers that an export waits. */
@Injectable()
export class ExportBell {
  constructor(@InjectQueue(EXPORT_QUEUE) private readonly queue: Queue) {}

  ring({ workspaceId, exportId }: ExportJob): void {
    ring(this.queue, { workspaceId, exportId });
  }
}

/** One at a time per worker: an export reads and encodes as fast as it can. */
@Processor(EXPORT_QUEUE)
export class ExportProcessor {
  constructor(
    private readonly runner: ExportRunner,
    private readonly db: DataSource,
    private readonly bell: ExportBell,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  @Process({ concurrency: 1 })
  async work({ data }: Job<ExportJob>): Promise<void> {
    await this.runner.run(data.workspaceId, data.exportId);
  }

  /** Rings for exports whose message was lost or whose worker died. */
  @Sweep()
  async findWork(): Promise<void> {
    for (const job of await findWaiting(this.db.manager)) this.bell.ring(job);
  }

  @Sweep()
  async expire(): Promise<void> {
    while (await this.db.transaction(expireOne));
    await forgetExports(this.db.manager, this.config.exportRetentionDays);
  }
}
