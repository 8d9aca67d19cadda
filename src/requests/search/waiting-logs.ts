import type { EntityManager } from 'typeorm';

/** Logs that wait for the index and are looked at themselves, newest first. */
const MOST_LOGS = 5000;

export interface WaitingLogs {
  ids: string[];
  /** Whether there are more. */
  isCut: boolean;
}

/**
 * The logs of a workspace of which the index does not tell how they are now: the newest ones, or all. Of others nothing is found
 * until they are in the index, into which the newest come first.
 */
export async function readWaiting(
  db: EntityManager,
  workspaceId: number,
  which: 'newest' | 'all',
): Promise<WaitingLogs> {
  const limit = which === 'all' ? null : MOST_LOGS + 1;
  const rows = await db.query<{ log_id: string }[]>(
    'SELECT log_id FROM request_log_search_queue WHERE workspace_id = $1 ORDER BY log_id DESC LIMIT $2',
    [workspaceId, limit],
  );
  const ids = rows.map((row) => row.log_id);
  const isCut = which === 'newest' && ids.length > MOST_LOGS;
  return { ids: isCut ? ids.slice(0, MOST_LOGS) : ids, isCut };
}
