import type { DataSource, EntityManager } from 'typeorm';
import type { PersonInText, Sought } from '../platform/database/erase-rows.js';
import { type ClaimedRow, CLAIM_HOLDS, keyOfClaim } from '../platform/work/row-work.js';
import { WorkAborted } from '../platform/work/work-kind.js';
import type { Counts, Erasure } from './erasure.entity.js';
import type { StepName } from './erasure-progress.js';
import { maskOf, personInText, type Subject } from './person-marks.js';
import { fromRowTargets, readTargets } from './targets.queries.js';

/** An erasure that a worker has claimed: the person, and the results so far. */
export class ErasureRun {
  readonly workspaceId: number;
  readonly id: string;
  readonly isDryRun: boolean;
  /** Whether the operator started it. Only then it covers the audit trail of the installation. */
  readonly isOperators: boolean;
  private readonly person: PersonInText;
  private readonly mask: string;
  counts: Counts;
  round: number;
  /** Number of items that were erased in this round. */
  found = 0;
  private step: StepName = 'finding';
  private since: Date | null;

  constructor(
    readonly db: DataSource,
    readonly claim: ClaimedRow,
    readonly signal: AbortSignal,
    { erasure, subject }: { erasure: Erasure; subject: Subject },
  ) {
    this.workspaceId = erasure.workspaceId;
    this.id = erasure.id;
    this.isDryRun = erasure.dryRun;
    this.isOperators = erasure.createdBy === null;
    this.counts = erasure.dryRun ? {} : erasure.counts;
    this.round = erasure.round;
    this.since = erasure.firstAt;
    this.person = personInText(subject);
    this.mask = maskOf(subject, erasure.subjectHash!.toString('hex'));
    this.subject = subject;
  }

  readonly subject: Subject;

  async begin(step: StepName): Promise<void> {
    this.signal.throwIfAborted();
    this.step = step;
    await this.record(this.db.manager, {});
  }

  /** The person with their traces, logs and rows that are known by now. */
  async sought(): Promise<Sought> {
    const { workspaceId, person, mask, since, isDryRun } = this;
    const traceIds = await readTargets(this.db.manager, this, 'trace');
    const logIds = await readTargets(this.db.manager, this, 'log');
    const portions = fromRowTargets(await readTargets(this.db.manager, this, 'row'));
    const rows = portions.flatMap(({ sheetId, rows: found }) =>
      found.flatMap(({ row, until }) => (until === null ? [{ sheetId, row }] : [])),
    );
    return { workspaceId, person, mask, traceIds, logIds, rows, since, isDryRun };
  }

  /** Erases a batch and stores the counts in one transaction, if the claim still holds. Returns the number of erased items. */
  async erase(some: (tx: EntityManager) => Promise<Counts>): Promise<number> {
    this.signal.throwIfAborted();
    const [counts, erased] = await this.db.transaction(async (tx) => {
      const more = await some(tx);
      await this.record(tx, more);
      return [added(this.counts, more), total(more)] as const;
    });
    this.counts = counts;
    this.found += erased;
    return erased;
  }

  /** Erases batches until nothing is left. A dry run counts once. */
  async eraseAll(kind: string, some: (tx: EntityManager) => Promise<number>): Promise<void> {
    const next = () => this.erase(async (tx) => ({ [kind]: await some(tx) }));
    while ((await next()) > 0 && !this.isDryRun);
  }

  /** Keeps the earliest time at which data of the person were stored. */
  async storedAt(moments: readonly Date[]): Promise<void> {
    const first = moments.reduce((least, at) => (least === null || at < least ? at : least), this.since);
    if (first === null || first.getTime() === this.since?.getTime()) return;
    this.since = first;
    await this.db.query(`UPDATE erasures SET first_at = $4 WHERE ${CLAIM_HOLDS}`, [...keyOfClaim(this.claim), first]);
  }

  async nextRound(): Promise<void> {
    this.round += 1;
    this.found = 0;
    await this.record(this.db.manager, {});
  }

  private async record(tx: EntityManager, more: Counts): Promise<void> {
    const [, held] = await tx.query<[unknown[], number]>(
      `UPDATE erasures SET step = $4, round = $5, counts = $6::jsonb WHERE ${CLAIM_HOLDS}`,
      [...keyOfClaim(this.claim), this.step, this.round, JSON.stringify(added(this.counts, more))],
    );
    if (held === 0) throw new WorkAborted('lease_lost');
  }
}

const total = (counts: Counts): number => Object.values(counts).reduce((sum, count) => sum + count, 0);

function added(counts: Counts, more: Counts): Counts {
  const sums = { ...counts };
  for (const [kind, count] of Object.entries(more)) if (count > 0) sums[kind] = (sums[kind] ?? 0) + count;
  return sums;
}
