import type { DataSource, EntityManager } from 'typeorm';
import type { PersonInText, Sought } from '../platform/database/erase-rows.js';
import { type ClaimedRow, CLAIM_HOLDS, keyOfClaim } from '../platform/work/row-work.js';
import { WorkAborted } from '../platform/work/work-kind.js';
import type { Counts, Erasure } from './erasure.entity.js';
import type { StepName } from './erasure-progress.js';
import { maskOf, personInText, type Subject } from './person-marks.js';
import { fromRowTargets, readTargets } from './targets.queries.js';

/** An erasure in the hands of a worker: what is looked for, and what was found so far. */
export class ErasureRun {
  readonly workspaceId: number;
  readonly id: string;
  readonly isDryRun: boolean;
  /** Whether the operator has begun it, to whom the audit trail of the installation belongs. */
  readonly isOperators: boolean;
  private readonly person: PersonInText;
  private readonly mask: string;
  counts: Counts;
  round: number;
  /** What was erased in this round. */
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

  /** Everything that is known of the person's traces, logs and rows by now. */
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

  /**
   * Does a part of the work in a transaction, together with the note of how much that was, while nobody else has the erasure. Gives how
   * much it was.
   */
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

  /** The same again and again until nothing is left. In a dry run it is counted once. */
  async eraseAll(kind: string, some: (tx: EntityManager) => Promise<number>): Promise<void> {
    const next = () => this.erase(async (tx) => ({ [kind]: await some(tx) }));
    while ((await next()) > 0 && !this.isDryRun);
  }

  /** Remembers when the first of it was stored. */
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
