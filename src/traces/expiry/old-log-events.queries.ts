import type { EntityManager } from 'typeorm';

/** Number of events that one statement deletes. */
const AT_ONCE = 1000;

/**
 * Deletes some of the events that came as log records more than `days` days ago for spans that never came; returns
 * their number, 0 when none is left. Events of existing spans are deleted with their traces.
 */
export async function deleteOldLogEvents(tx: EntityManager, workspaceId: number, days: number): Promise<number> {
  const [, deleted] = await tx.query<[unknown[], number]>(
    `WITH old AS MATERIALIZED (
       SELECT e.trace_id, e.span_id, e.hash FROM span_log_events e
        WHERE e.workspace_id = $1 AND e.received_at < now() - $2 * interval '1 day'
          AND NOT EXISTS (SELECT FROM traces t WHERE t.workspace_id = $1 AND t.trace_id = e.trace_id)
        LIMIT ${AT_ONCE} FOR UPDATE SKIP LOCKED)
     DELETE FROM span_log_events WHERE workspace_id = $1 AND (trace_id, span_id, hash) IN (SELECT * FROM old)`,
    [workspaceId, days],
  );
  return deleted;
}
