import type { EntityManager } from 'typeorm';

/**
 * Deletes the words of a workspace that were last used `days` ago; returns their number. No older documents may be left, or a
 * search for a part of a word would miss documents with a deleted word.
 */
export async function deleteUnusedWords(tx: EntityManager, workspaceId: number, days: number): Promise<number> {
  const [, deleted] = await tx.query<[unknown[], number]>(
    `DELETE FROM vocabulary WHERE workspace_id = $1 AND last_day < (now() AT TIME ZONE 'UTC')::date - $2::int`,
    [workspaceId, days],
  );
  return deleted;
}
