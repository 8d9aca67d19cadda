import type { EntityManager } from 'typeorm';
import { LogStore } from '../tracking/log-store.js';

/** Logs deleted in one transaction. */
const AT_ONCE = 1000;

/** Over `request_logs`; `$1` is the workspace and `$2` the number of days. */
const OLD = `workspace_id = $1 AND request_start_time < now() - $2 * interval '1 day'`;

export interface CountedLogs {
  count: number;
  /** Start of the oldest and the newest log; null when there are none. */
  oldest: Date | null;
  newest: Date | null;
}

/** The logs of calls that began more than `days` days ago, whenever they were sent. */
export const OldLogs = {
  async count(db: EntityManager, workspaceId: number, days: number): Promise<CountedLogs> {
    const [row] = await db.query<{ count: string; oldest: Date | null; newest: Date | null }[]>(
      `SELECT count(*), min(request_start_time) AS oldest, max(request_start_time) AS newest FROM request_logs WHERE ${OLD}`,
      [workspaceId, days],
    );
    return { ...row!, count: Number(row!.count) };
  },

  /**
   * Deletes some of them, oldest first, with their scores, search rows and claims on spans. Returns their number, 0
   * when none is left. Logs that are locked by others are skipped. A span keeps the id of its log: the totals of a
   * trace count the spans that have one, and ids are never used again.
   */
  async deleteSome(tx: EntityManager, workspaceId: number, days: number): Promise<number> {
    const logs = await tx.query<{ id: string }[]>(
      `SELECT id FROM request_logs WHERE ${OLD} ORDER BY request_start_time LIMIT ${AT_ONCE} FOR UPDATE SKIP LOCKED`,
      [workspaceId, days],
    );
    const keys = logs.map(({ id }) => ({ workspaceId, id: Number(id) }));
    await LogStore.delete(tx, keys);
    return logs.length;
  },
};
