import { Inject, Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CONFIG, type Config } from '../platform/config/config.js';
import { allowLongStatements } from '../platform/database/within-time.js';
import { Sweep } from '../platform/queue/sweep.js';
import { WorkspaceTurns } from '../platform/queue/workspace-turns.js';
import { Metrics } from '../platform/telemetry/metrics.js';
import { beginCount, countingStatements, keepCount, keepCountTime, workspacesToCount } from './storage.queries.js';
import { isNear, StorageService } from './storage.service.js';

/** Maximum time of a run, but for its last count. The next one continues. */
const LONGEST_RUN_MS = 60_000;

/** Counts the bytes of workspaces with a limit. */
@Injectable()
export class StorageCountSweep {
  private readonly log = new Logger(StorageCountSweep.name);
  private readonly turns = new WorkspaceTurns('Counting the bytes', LONGEST_RUN_MS);
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
    await this.turns.take(
      await workspacesToCount(manager, this.config.workspaceMaxStoredBytes),
      async (workspaceId) => {
        if (await beginCount(manager, workspaceId)) await this.countOne(workspaceId);
        return false;
      },
    );
  }

  private async countOne(workspaceId: number): Promise<void> {
    const start = performance.now();
    const elapsed = () => performance.now() - start;
    try {
      const bytes = await this.sumBytes(workspaceId);
      await keepCount(this.db.manager, workspaceId, { bytes, ms: elapsed() });
    } catch (error) {
      // The next attempt waits in proportion to the time that this one took.
      await keepCountTime(this.db.manager, workspaceId, elapsed());
      throw error;
    }
    const { stored_bytes: stored } = await this.storage.read(workspaceId);
    if (!isNear(stored)) return;
    this.metrics.counters.storageWarnings.inc();
    this.log.warn(`Workspace ${workspaceId} stores ${stored.used} of ${stored.limit} bytes.`);
  }

  /** Reads all tables as of one moment. */
  private async sumBytes(workspaceId: number): Promise<number> {
    const statements = await (this.statements ??= countingStatements(this.db));
    return this.db.transaction('REPEATABLE READ', async (tx) => {
      await allowLongStatements(tx);
      let sum = 0;
      for (const sql of statements) sum += (await tx.query<{ bytes: number }[]>(sql, [workspaceId]))[0]!.bytes;
      return sum;
    });
  }
}
