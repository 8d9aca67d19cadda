import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, IsNull, Not } from 'typeorm';
import { CONFIG, type Config } from '../platform/config/config.js';
import { retryingTransaction } from '../platform/database/retrying-transaction.js';
import { Sweep } from '../platform/queue/sweep.js';
import { Metrics } from '../platform/telemetry/metrics.js';
import { countOldLogs, deleteOldLogs, deleteUnusedWords } from '../requests/index.js';
import { countOldTraces, deleteOldReceipts, deleteOldTraces, deleteUnusedSources } from '../traces/index.js';
import { RetentionPolicy } from './retention-policy.entity.js';
import type { Limits } from './retention.service.js';

/** A run ends after this time and the next one goes on, so that a process that stops need not wait for long. */
const LONGEST_RUN_MS = 5000;
/** For how long nobody must have sent a resource before it is looked for in the spans. */
const SOURCE_DAYS = 2;

/**
 * Deletes what workspaces keep no longer, in small transactions. Several workers share the work: each passes over the
 * rows that another one holds. What is deleted is gone at the commit; a run that dies loses nothing but its last step.
 */
@Injectable()
export class RetentionSweep {
  constructor(
    private readonly db: DataSource,
    private readonly metrics: Metrics,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  @Sweep()
  async deleteTraces(): Promise<void> {
    const end = Date.now() + LONGEST_RUN_MS;
    for (const { workspaceId } of await this.policiesWith('tracesDays')) {
      while (Date.now() < end && (await this.deleteSomeTraces(workspaceId)));
      await this.deleteSources(workspaceId);
    }
  }

  @Sweep()
  async deleteLogs(): Promise<void> {
    const end = Date.now() + LONGEST_RUN_MS;
    for (const { workspaceId } of await this.policiesWith('requestLogsDays')) {
      while (Date.now() < end && (await this.deleteSomeLogs(workspaceId)));
    }
  }

  /** Words are those of traces and request logs alike: they go where both go. */
  @Sweep()
  async deleteWords(): Promise<void> {
    const where = { tracesDays: Not(IsNull()), requestLogsDays: Not(IsNull()) };
    for (const { workspaceId } of await this.db.manager.find(RetentionPolicy, { where })) {
      await this.db.transaction((tx) => deleteWordsOf(tx, workspaceId));
    }
  }

  @Sweep()
  async deleteReceipts(): Promise<void> {
    const end = Date.now() + LONGEST_RUN_MS;
    while (Date.now() < end && (await deleteOldReceipts(this.db.manager, this.config.receiptRetentionDays)) > 0);
  }

  private policiesWith(limit: 'tracesDays' | 'requestLogsDays'): Promise<RetentionPolicy[]> {
    return this.db.manager.find(RetentionPolicy, { where: { [limit]: Not(IsNull()) }, order: { workspaceId: 'ASC' } });
  }

  private async deleteSomeTraces(workspaceId: number): Promise<boolean> {
    const { traces, spans } = await retryingTransaction(this.db, async (tx) => {
      const { tracesDays } = await limitsInForce(tx, workspaceId);
      return tracesDays === null ? { traces: 0, spans: 0 } : deleteOldTraces(tx, workspaceId, tracesDays);
    });
    this.metrics.rowsExpired.inc({ kind: 'traces' }, traces);
    this.metrics.rowsExpired.inc({ kind: 'spans' }, spans);
    return traces > 0;
  }

  private async deleteSomeLogs(workspaceId: number): Promise<boolean> {
    const logs = await retryingTransaction(this.db, async (tx) => {
      const { requestLogsDays } = await limitsInForce(tx, workspaceId);
      return requestLogsDays === null ? 0 : deleteOldLogs(tx, workspaceId, requestLogsDays);
    });
    this.metrics.rowsExpired.inc({ kind: 'request_logs' }, logs);
    return logs > 0;
  }

  /** Once a day for each workspace, by whichever worker comes first. */
  private async deleteSources(workspaceId: number): Promise<void> {
    await this.db.transaction(async (tx) => {
      if (await isDue(tx, workspaceId, 'sources')) await deleteUnusedSources(tx, workspaceId, SOURCE_DAYS);
    });
  }
}

/** Once a day for each workspace as well, and only while nothing is left that is a day too old. */
async function deleteWordsOf(tx: EntityManager, workspaceId: number): Promise<void> {
  if (!(await isDue(tx, workspaceId, 'words'))) return;
  const { tracesDays, requestLogsDays } = await limitsInForce(tx, workspaceId);
  if (tracesDays === null || requestLogsDays === null) return;
  const days = Math.max(tracesDays, requestLogsDays) + 1;
  const traces = await countOldTraces(tx, workspaceId, days);
  const logs = await countOldLogs(tx, workspaceId, days);
  if (traces.count + logs.count === 0) await deleteUnusedWords(tx, workspaceId, days);
}

/** True once a day. */
async function isDue(tx: EntityManager, workspaceId: number, what: 'sources' | 'words'): Promise<boolean> {
  const [, due] = await tx.query<[unknown[], number]>(
    `UPDATE retention_policies SET ${what}_checked_at = now()
      WHERE workspace_id = $1 AND coalesce(${what}_checked_at < now() - interval '1 day', TRUE)`,
    [workspaceId],
  );
  return due > 0;
}

/** They cannot change until the transaction ends: once a change is answered nothing is deleted under the limits before. */
async function limitsInForce(tx: EntityManager, workspaceId: number): Promise<Limits> {
  const lock = { mode: 'pessimistic_read' as const };
  return tx.findOneOrFail(RetentionPolicy, { where: { workspaceId }, lock });
}
