import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Sweep } from '../../platform/queue/sweep.js';
import { WorkspaceTurns } from '../../platform/queue/workspace-turns.js';
import {
  deleteOrphans,
  type EmptiedTable,
  readEmptiedTables,
  readFilledTables,
} from '../shared/workspace-tables.queries.js';

/** Maximum time of a run. The next one continues. */
const LONGEST_RUN_MS = 5000;
/** Time after a deletion in which requests may still end that began before it: BODY_TIME_LIMIT_MS is a day at most. */
const LATE = `interval '2 days'`;

/**
 * Deletes rows that were stored after their workspace was deleted. A request finds its workspace before its body arrives, and
 * other processes know its key for some seconds.
 */
@Injectable()
export class LateRowsSweep {
  private readonly turns = new WorkspaceTurns('Deleting late rows', LONGEST_RUN_MS);

  constructor(private readonly db: DataSource) {}

  @Sweep('workspace-deletions')
  async delete(): Promise<void> {
    const deleted = await this.db.query<{ id: number }[]>(
      `SELECT DISTINCT workspace_id AS id FROM workspace_deletions d
        WHERE status = 'completed' AND NOT dry_run AND finished_at > now() - ${LATE}
          AND NOT EXISTS (SELECT FROM workspaces w WHERE w.id = d.workspace_id)`,
    );
    if (deleted.length === 0) return;
    const tables = await readEmptiedTables(this.db.manager);
    await this.turns.take(
      deleted.map(({ id }) => id),
      (id) => this.deleteSome(tables, id),
    );
  }

  private async deleteSome(tables: EmptiedTable[], workspaceId: number): Promise<boolean> {
    const filled = await readFilledTables(this.db.manager, tables, workspaceId);
    let total = 0;
    for (const table of filled) total += await deleteOrphans(this.db.manager, table, workspaceId);
    return total > 0;
  }
}
