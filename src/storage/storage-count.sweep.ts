import { Inject, Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CONFIG, type Config } from '../platform/config/config.js';
import { Sweep } from '../platform/queue/sweep.js';
import { Metrics } from '../platform/telemetry/metrics.js';
import { beginCount, countingStatements, keepCount, workspacesToCount } from './storage.queries.js';
import { isNear, StorageService } from './storage.service.js';

/** Counts the bytes of workspaces with a limit. */
@Injectable()
export class StorageCountSweep {
  private readonly log = new Logger(StorageCountSweep.name);
  private statements: Promise<string[]> | null = null;

  constructor(
    private readonly db: DataSource,
    private readonly storage: StorageService,
    private readonly metrics: Metrics,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  @Sweep('storage')
  async count(): Promise<void> {
    const { manager } = this.db;
    for (const workspaceId of await workspacesToCount(manager, this.config.workspaceMaxStoredBytes)) {
      if (await beginCount(manager, workspaceId)) await this.countOne(workspaceId);
    }
  }

  /** Reads all tables as of one moment. */
  private async countOne(workspaceId: number): Promise<void> {
    this.statements ??= countingStatements(this.db);
    const statements = await this.statements;
    const start = performance.now();
    const bytes = await this.db.transaction('REPEATABLE READ', async (tx) => {
      let sum = 0;
      for (const sql of statements) sum += (await tx.query<{ bytes: number }[]>(sql, [workspaceId]))[0]!.bytes;
      return sum;
    });
    await keepCount(this.db.manager, workspaceId, { bytes, ms: performance.now() - start });
    const { stored_bytes: stored } = await this.storage.read(workspaceId);
    if (!isNear(stored)) return;
    this.metrics.counters.storageWarnings.inc();
    this.log.warn(`Workspace ${workspaceId} stores ${stored.used} of ${stored.limit} bytes.`);
  }
}
