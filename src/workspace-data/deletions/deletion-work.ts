import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Workspace } from '../../access/index.js';
import { type ClaimedRow, now, RowWork, type WorkTable } from '../../platform/work/row-work.js';
import type { WorkControl } from '../../platform/work/work-kind.js';
import { type RowCounts, WorkspaceDeletion } from './workspace-deletion.entity.js';
import { countRows, deletePortion, readDeletedTables } from '../shared/workspace-tables.queries.js';

export const DELETION_ROWS: WorkTable = {
  name: 'workspace_deletion',
  table: 'workspace_deletions',
  idType: 'uuid',
  open: 'w.finished_at IS NULL',
  claimed: 'name = name',
  givenBack: `status = 'queued'`,
};

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
    const tables = await readDeletedTables(this.db.manager);
    await (dryRun ? this.count(claim, tables, signal) : this.delete(claim, tables, signal));
    await this.end(this.db.manager, claim, { status: 'completed', finishedAt: now });
  }

  fail(claim: ClaimedRow, error: unknown): Promise<void> {
    const message = this.messageOf(error, claim, 'It failed because of an error on the server. Begin it again.');
    return this.end(this.db.manager, claim, { status: 'failed', errorMessage: message, finishedAt: now });
  }

  private async count(claim: ClaimedRow, tables: string[], signal: AbortSignal): Promise<void> {
    const counts: RowCounts = {};
    for (const table of tables) {
      signal.throwIfAborted();
      const rows = await countRows(this.db.manager, { name: table }, claim.workspaceId);
      if (rows === 0) continue;
      counts[table] = rows;
      await this.update(this.db.manager, claim, { counts: { ...counts } });
    }
  }

  /** Repeats until no table has a row: triggers write some, and so does work that began before. */
  private async delete(claim: ClaimedRow, tables: string[], signal: AbortSignal): Promise<void> {
    while ((await this.emptyAll(claim, tables, signal)) > 0);
    await this.db.manager.delete(Workspace, { id: claim.workspaceId });
    await this.emptyAll(claim, tables, signal);
  }

  /** Returns the number of deleted rows. */
  private async emptyAll(claim: ClaimedRow, tables: string[], signal: AbortSignal): Promise<number> {
    let total = 0;
    for (const table of tables) {
      for (let deleted = -1; deleted !== 0; total += deleted) {
        signal.throwIfAborted();
        deleted = await this.db.transaction((tx) => this.deleteSome(tx, claim, table));
      }
    }
    return total;
  }

  private async deleteSome(tx: EntityManager, claim: ClaimedRow, table: string): Promise<number> {
    const deleted = await deletePortion(tx, table, claim.workspaceId);
    if (deleted === 0) return 0;
    const { counts } = await this.readClaimed(tx, claim);
    await this.update(tx, claim, { counts: { ...counts, [table]: (counts[table] ?? 0) + deleted } });
    return deleted;
  }
}
