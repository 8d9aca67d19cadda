import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { audit, type Caller } from '../access/index.js';
import { lockUntilCommit } from '../platform/database/advisory-lock.js';
import { ReadingPool } from '../platform/database/reading-pool.js';
import { OldLogs } from '../requests/index.js';
import { countOldTraces } from '../traces/index.js';
import { RetentionPolicy } from './retention-policy.entity.js';

/** Limits in days; null means that data never expire. */
export interface Limits {
  tracesDays: number | null;
  requestLogsDays: number | null;
}

/** Items that limits would delete now. */
export interface Expiring {
  traces: Awaited<ReturnType<typeof countOldTraces>>;
  logs: Awaited<ReturnType<typeof OldLogs.count>>;
}

const NO_TRACES: Expiring['traces'] = { count: 0, spans: 0, oldest: null, newest: null };
const NO_LOGS: Expiring['logs'] = { count: 0, oldest: null, newest: null };

@Injectable()
export class RetentionService {
  constructor(
    private readonly db: DataSource,
    private readonly reading: ReadingPool,
  ) {}

  /** Returns null if no limits were ever set. */
  get({ workspaceId }: Caller): Promise<RetentionPolicy | null> {
    return this.db.manager.findOneBy(RetentionPolicy, { workspaceId });
  }

  /** Sets the limits. Workers start to delete older data within seconds. */
  set(caller: Caller, limits: Limits): Promise<RetentionPolicy> {
    const { workspaceId } = caller;
    return this.db.transaction(async (tx) => {
      await lockUntilCommit(tx, 'retention', workspaceId);
      const before = await tx.findOneBy(RetentionPolicy, { workspaceId });
      await tx.upsert(RetentionPolicy, { workspaceId, ...limits, updatedAt: new Date() }, ['workspaceId']);
      const from = { tracesDays: before?.tracesDays ?? null, requestLogsDays: before?.requestLogsDays ?? null };
      await audit(tx, caller, { action: 'retention.update', entityId: workspaceId, details: { from, to: limits } });
      return tx.findOneByOrFail(RetentionPolicy, { workspaceId });
    });
  }

  /** Counts the items that these limits would delete now. Missing limits are those in force. Deletes nothing. */
  async tryOut(caller: Caller, given: Partial<Limits>): Promise<{ limits: Limits; expiring: Expiring }> {
    const { workspaceId } = caller;
    const known = await this.get(caller);
    const { tracesDays = known?.tracesDays ?? null, requestLogsDays = known?.requestLogsDays ?? null } = given;
    const expiring = await this.reading.read(async (tx) => ({
      traces: tracesDays === null ? NO_TRACES : await countOldTraces(tx, workspaceId, tracesDays),
      logs: requestLogsDays === null ? NO_LOGS : await OldLogs.count(tx, workspaceId, requestLogsDays),
    }));
    return { limits: { tracesDays, requestLogsDays }, expiring };
  }
}
