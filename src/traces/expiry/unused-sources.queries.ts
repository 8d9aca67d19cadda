import type { EntityManager } from 'typeorm';

/**
 * Deletes the resources and scopes of a workspace that no span has any more. Which spans use one is not indexed, which
 * would cost ingestion; but one that was last seen at some time is used only by spans that came before, and so only by
 * traces that existed then. Of those, where old traces are deleted, few are left. `days` is for how long nothing must
 * have been seen; processes say once an hour what they still send, so it must be a day at least. Gives the number.
 */
export async function deleteUnusedSources(tx: EntityManager, workspaceId: number, days: number): Promise<number> {
  const [, deleted] = await tx.query<[unknown[], number]>(
    `DELETE FROM span_sources o
      WHERE o.workspace_id = $1 AND o.last_seen_at < now() - $2 * interval '1 day'
        AND o.hash NOT IN (
          SELECT s.source_hash FROM traces t JOIN spans s ON s.workspace_id = t.workspace_id AND s.trace_id = t.trace_id
           WHERE t.workspace_id = $1 AND t.created_at < now() - ($2 - 0.5) * interval '1 day')`,
    [workspaceId, days],
  );
  return deleted;
}
