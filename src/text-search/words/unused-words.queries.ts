import type { EntityManager } from 'typeorm';

/**
 * Forgets the words of a workspace that were last in something `days` ago; gives their number. Nothing older than that may
 * be left, or a search for a part of a word would not find what has a forgotten word.
 */
export async function deleteUnusedWords(tx: EntityManager, workspaceId: number, days: number): Promise<number> {
  const [, deleted] = await tx.query<[unknown[], number]>(
    `DELETE FROM vocabulary WHERE workspace_id = $1 AND last_day < (now() AT TIME ZONE 'UTC')::date - $2::int`,
    [workspaceId, days],
  );
  return deleted;
}
