import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, IsNull, Not } from 'typeorm';
import { CONFIG, type Config } from '../platform/config/config.js';
import { Sweep } from '../platform/queue/sweep.js';
import { WorkspaceTurns } from '../platform/queue/workspace-turns.js';
import { Metrics } from '../platform/telemetry/metrics.js';
import { OldLogs } from '../requests/index.js';
import { deleteUnusedWords } from '../words/index.js';
import {
  countOldTraces,
  deleteOldLogEvents,
  deleteOldReceipts,
  deleteOldRefusals,
  deleteOldTraces,
  deleteUnusedSources,
} from '../traces/index.js';
import { RetentionPolicy } from './retention-policy.entity.js';
import type { Limits } from './retention.service.js';

/** Maximum time of a run. The next one continues, so a process that stops need not wait long. */
const LONGEST_RUN_MS = 5000;
/** Maximum time of a search for sources. They are small and not urgent, but the search reads many rows. */
const LONGEST_WALK_MS = 1000;
/** Days beyond the limit of traces for which a resource must be unused before spans are searched for it. */
const SOURCE_DAYS = 2;

/**
 * Deletes expired data of workspaces in small transactions. Several workers share the work: each skips the rows that
 * another one has locked. A run that dies loses nothing but its last step.
 */
@Injectable()
export class RetentionSweep {
  private readonly turns = {
    traces: new WorkspaceTurns('Deleting traces', LONGEST_RUN_MS),
    logs: new WorkspaceTurns('Deleting request logs', LONGEST_RUN_MS),
    words: new WorkspaceTurns('Deleting words', LONGEST_RUN_MS),
    sources: new WorkspaceTurns('Deleting resources', LONGEST_WALK_MS),
  };
  /** Searches for unused sources that are under way, by workspace. One that dies with its worker starts again the next day. */
  private readonly walks = new Map<number, AsyncGenerator<void, void>>();

  constructor(
    private readonly db: DataSource,
    private readonly metrics: Metrics,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  @Sweep('retention')
  async deleteTraces(): Promise<void> {
    await this.turns.traces.take(await this.workspacesWith('tracesDays'), (id) => this.deleteSomeTraces(id));
  }

  @Sweep('retention')
  async deleteLogs(): Promise<void> {
    await this.turns.logs.take(await this.workspacesWith('requestLogsDays'), (id) => this.deleteSomeLogs(id));
  }

  /** Traces and request logs share the words, so words expire with both. */
  @Sweep('retention')
  async deleteWords(): Promise<void> {
    const workspaces = await this.workspacesWith('tracesDays', 'requestLogsDays');
    await this.turns.words.take(workspaces, async (id) => {
      if (await isDue(this.db.manager, id, 'words')) await this.db.transaction((tx) => deleteWordsOf(tx, id));
      return false;
    });
  }

  @Sweep('retention')
  async deleteSources(): Promise<void> {
    await this.turns.sources.take(await this.workspacesWith('tracesDays'), (id) => this.deleteSomeSources(id));
  }

  @Sweep('retention')
  async deleteReceipts(): Promise<void> {
    const end = Date.now() + LONGEST_RUN_MS;
    const days = this.config.receiptRetentionDays;
    while (Date.now() < end && (await deleteOldReceipts(this.db.manager, days)) > 0);
    while (Date.now() < end && (await deleteOldRefusals(this.db.manager, days)) > 0);
  }

  private async workspacesWith(...limits: (keyof Limits)[]): Promise<number[]> {
    const where = Object.fromEntries(limits.map((limit) => [limit, Not(IsNull())]));
    const policies = await this.db.manager.find(RetentionPolicy, { select: { workspaceId: true }, where });
    return policies.map(({ workspaceId }) => workspaceId);
  }

  private async deleteSomeTraces(workspaceId: number): Promise<boolean> {
    const { traces, spans } = await this.db.transaction(async (tx) => {
      const { tracesDays } = await limitsInForce(tx, workspaceId);
      if (tracesDays === null) return { traces: 0, spans: 0 };
      await deleteOldLogEvents(tx, workspaceId, tracesDays);
      return deleteOldTraces(tx, workspaceId, tracesDays);
    });
    this.metrics.counters.rowsExpired.inc({ kind: 'traces' }, traces);
    this.metrics.counters.rowsExpired.inc({ kind: 'spans' }, spans);
    return traces > 0;
  }

  private async deleteSomeLogs(workspaceId: number): Promise<boolean> {
    const logs = await this.db.transaction(async (tx) => {
      const { requestLogsDays } = await limitsInForce(tx, workspaceId);
      return requestLogsDays === null ? 0 : OldLogs.deleteSome(tx, workspaceId, requestLogsDays);
    });
    this.metrics.counters.rowsExpired.inc({ kind: 'request_logs' }, logs);
    return logs > 0;
  }

  /** Runs a step of the search, which one worker starts once a day for each workspace. */
  private async deleteSomeSources(workspaceId: number): Promise<boolean> {
    const walk = this.walks.get(workspaceId) ?? (await this.beginWalk(workspaceId));
    if (!walk) return false;
    // Removed during its step, so a search that fails ends.
    this.walks.delete(workspaceId);
    const { done } = await walk.next();
    if (!done) this.walks.set(workspaceId, walk);
    return !done;
  }

  private async beginWalk(workspaceId: number): Promise<AsyncGenerator<void, void> | null> {
    if (!(await isDue(this.db.manager, workspaceId, 'sources'))) return null;
    const policy = await this.db.manager.findOneBy(RetentionPolicy, { workspaceId });
    const days = policy?.tracesDays ?? null;
    return days === null ? null : deleteUnusedSources(this.db.manager, workspaceId, days + SOURCE_DAYS);
  }
}

/** Deletes words unless data remain that expired a day ago. */
async function deleteWordsOf(tx: EntityManager, workspaceId: number): Promise<void> {
  const { tracesDays, requestLogsDays } = await limitsInForce(tx, workspaceId);
  if (tracesDays === null || requestLogsDays === null) return;
  const days = Math.max(tracesDays, requestLogsDays) + 1;
  const traces = await countOldTraces(tx, workspaceId, days);
  const logs = await OldLogs.count(tx, workspaceId, days);
  if (traces.count + logs.count === 0) await deleteUnusedWords(tx, workspaceId, days);
}

/** Returns true once a day, for one worker. Records the day at once, so a failing task is not repeated in every sweep. */
async function isDue(tx: EntityManager, workspaceId: number, what: 'sources' | 'words'): Promise<boolean> {
  const [, due] = await tx.query<[unknown[], number]>(
    `UPDATE retention_policies SET ${what}_checked_at = now()
      WHERE workspace_id = $1 AND (${what}_checked_at IS NULL OR ${what}_checked_at < now() - interval '1 day')`,
    [workspaceId],
  );
  return due > 0;
}

/** Reads and locks the limits until the end of the transaction. After the response to a change no old limits are applied. */
async function limitsInForce(tx: EntityManager, workspaceId: number): Promise<Limits> {
  const lock = { mode: 'pessimistic_read' as const };
  return tx.findOneOrFail(RetentionPolicy, { where: { workspaceId }, lock });
}
