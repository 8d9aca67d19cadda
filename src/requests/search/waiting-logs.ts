import type { EntityManager } from 'typeorm';
import type { Waiting } from '../../text-search/index.js';

/**
 * Limits of the logs that are read before they are in the index, newest first: their number, and the stored bytes of
 * their messages.
 */
const MOST_LOGS = 5000;
const MOST_BYTES = 64 * 1024 * 1024;

/** Selects waiting logs, and says whether their messages will be read. */
export interface WantedWaiting {
  which: 'newest' | 'all';
  readsTexts: boolean;
}

/**
 * Logs of a workspace whose current state is not in the index yet: the newest ones, or all. Other waiting logs cannot
 * be found until they are indexed; the newest are indexed first.
 */
export async function readWaiting(
  db: EntityManager,
  workspaceId: number,
  { which, readsTexts }: WantedWaiting,
): Promise<Waiting> {
  if (which === 'all') return { ids: await readIds(db, workspaceId, null), isCut: false };
  if (readsTexts) return readByBytes(db, workspaceId);
  const ids = await readIds(db, workspaceId, MOST_LOGS + 1);
  return { ids: ids.slice(0, MOST_LOGS), isCut: ids.length > MOST_LOGS };
}

async function readIds(db: EntityManager, workspaceId: number, limit: number | null): Promise<string[]> {
  const rows = await db.query<{ log_id: string }[]>(
    'SELECT log_id FROM request_log_search_queue WHERE workspace_id = $1 ORDER BY log_id DESC LIMIT $2',
    [workspaceId, limit],
  );
  return rows.map((row) => row.log_id);
}

async function readByBytes(db: EntityManager, workspaceId: number): Promise<Waiting> {
  const rows = await db.query<{ log_id: string; bytes: number }[]>(
    `SELECT q.log_id, coalesce(sum(pg_column_size(l.input) + pg_column_size(l.output)) OVER (ORDER BY q.log_id DESC), 0)::float8 AS bytes
       FROM (SELECT log_id FROM request_log_search_queue WHERE workspace_id = $1 ORDER BY log_id DESC LIMIT $2) q
       LEFT JOIN request_logs l ON l.workspace_id = $1 AND l.id = q.log_id
      ORDER BY q.log_id DESC`,
    [workspaceId, MOST_LOGS + 1],
  );
  // A single log may be larger.
  const taken = rows.filter(({ bytes }, at) => at < MOST_LOGS && (at === 0 || bytes <= MOST_BYTES));
  return { ids: taken.map((row) => row.log_id), isCut: taken.length < rows.length };
}
