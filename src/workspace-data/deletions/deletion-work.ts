import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Workspace } from '../../access/index.js';
import { allowLongStatements } from '../../platform/database/within-time.js';
import { isForeignKeyViolation } from '../../platform/errors/failures.js';
import { type ClaimedRow, now, RowWork, type WorkTable } from '../../platform/work/row-work.js';
import type { WorkControl } from '../../platform/work/work-kind.js';
import { type RowCounts, WorkspaceDeletion } from './workspace-deletion.entity.js';
import { countRows, deletePortion, type EmptiedTable, readEmptiedTables } from '../shared/workspace-tables.queries.js';

export const DELETION_ROWS: WorkTable = {
  name: 'workspace_deletion',
  table: 'workspace_deletions',
  idType: 'uuid',
  open: 'w.finished_at IS NULL',
  claimed: 'name = name',
  givenBack: `status = 'queued'`,
};

/** One pass over all tables. */
interface Round {
  /** Number of rows. */
  deleted: number;
  /** Why rows were left; null when none was. */
  violation: unknown;
}

const isEmpty = ({ deleted, violation }: Round): boolean => deleted === 0 && violation === null;

/** Rounds in a row that delete nothing although rows are left. */
const MOST_IDLE_ROUNDS = 3;

/**
 * Deletes the rows of a workspace from all tables in small transactions, which also store the counts. Another worker can continue at
 * any point, because only the remaining rows matter.
 */
@Injectable()
export class DeletionWork extends RowWork<WorkspaceDeletion> {
  constructor(db: DataSource) {
    super(db, DELETION_ROWS, WorkspaceDeletion);
  }

  async work(claim: ClaimedRow, { signal }: WorkControl): Promise<void> {
    const { dryRun } = await this.readClaimed(this.db.manager, claim);
    const tables = await readEmptiedTables(this.db.manager);
    await (dryRun ? this.count(claim, tables, signal) : this.delete(claim, tables, signal));
    await this.end(this.db.manager, claim, { status: 'completed', finishedAt: now });
  }

  fail(claim: ClaimedRow, error: unknown): Promise<void> {
    const message = this.messageOf(error, claim, 'It failed because of an error on the server. Begin it again.');
    return this.end(this.db.manager, claim, { status: 'failed', errorMessage: message, finishedAt: now });
  }

  private async count(claim: ClaimedRow, tables: EmptiedTable[], signal: AbortSignal): Promise<void> {
    const counts: RowCounts = {};
    for (const { name } of tables) {
      signal.throwIfAborted();
      const rows = await this.db.transaction(async (tx) => {
        await allowLongStatements(tx);
        return countRows(tx, { name }, claim.workspaceId);
      });
      if (rows === 0) continue;
      counts[name] = rows;
      await this.update(this.db.manager, claim, { counts: { ...counts } });
    }
  }

  /** Repeats until no table has a row: triggers write some, and so does work that began before. */
  private async delete(claim: ClaimedRow, tables: EmptiedTable[], signal: AbortSignal): Promise<void> {
    for (let idle = 0; ;) {
      const round = await this.emptyAll(claim, tables, signal);
      if (isEmpty(round)) await this.tryIn(round, () => this.db.manager.delete(Workspace, { id: claim.workspaceId }));
      if (isEmpty(round)) break;
      idle = round.deleted > 0 ? 0 : idle + 1;
      if (idle === MOST_IDLE_ROUNDS) throw round.violation;
    }
    await this.emptyAll(claim, tables, signal);
  }

  private async emptyAll(claim: ClaimedRow, tables: EmptiedTable[], signal: AbortSignal): Promise<Round> {
    const round: Round = { deleted: 0, violation: null };
    for (const table of tables) await this.tryIn(round, () => this.empty(round, { claim, table, signal }));
    return round;
  }

  /** Notes the violation of a foreign key: work under way may refer to a row when its own table was already empty. */
  private async tryIn(round: Round, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!isForeignKeyViolation(error)) throw error;
      round.violation = error;
    }
  }

  private async empty(
    round: Round,
    { claim, table, signal }: { claim: ClaimedRow; table: EmptiedTable; signal: AbortSignal },
  ): Promise<void> {
    for (let deleted = -1; deleted !== 0;) {
      signal.throwIfAborted();
      deleted = await this.db.transaction((tx) => this.deleteSome(tx, claim, table));
      round.deleted += deleted;
    }
  }

  private async deleteSome(tx: EntityManager, claim: ClaimedRow, table: EmptiedTable): Promise<number> {
    await allowLongStatements(tx);
    const deleted = await deletePortion(tx, table, claim.workspaceId);
    if (deleted === 0) return 0;
    const { counts } = await this.readClaimed(tx, claim);
    await this.update(tx, claim, { counts: { ...counts, [table.name]: (counts[table.name] ?? 0) + deleted } });
    return deleted;
  }
}
