import { InjectQueue, Process, Processor } from '@nestjs/bull';
import type { Job, Queue } from 'bull';
import { DataSource } from 'typeorm';
import { ring } from '../../platform/queue/doorbell.js';
import { Sweep } from '../../platform/queue/sweep.js';
import { IMPORT_QUEUE } from './import-bell.js';
import { ImportRunner } from './import-runner.js';

interface ImportJob {
  workspaceId: number;
  operationId: string;
}

@Processor(IMPORT_QUEUE)
export class ImportProcessor {
  constructor(
    private readonly runner: ImportRunner,
    private readonly db: DataSource,
    @InjectQueue(IMPORT_QUEUE) private readonly queue: Queue,
  ) {}

  @Process({ concurrency: 2 })
  async work({ data }: Job<ImportJob>): Promise<void> {
    await this.runner.run(data.workspaceId, data.operationId);
  }

  /** Takes up imports whose ring was lost or whose worker died. */
  @Sweep()
  async sweep(): Promise<void> {
    const waiting = await this.db.query<ImportJob[]>(
      `SELECT workspace_id AS "workspaceId", id AS "operationId" FROM import_operations
        WHERE status IN ('queued', 'running') AND (lease_until IS NULL OR lease_until < now()) LIMIT 1000`,
    );
    for (const job of waiting) ring(this.queue, { ...job });
  }
}
