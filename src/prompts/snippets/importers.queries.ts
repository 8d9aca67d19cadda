import type { EntityManager } from 'typeorm';
import { RESOLVED } from './snippet-graph.js';

export interface Importer {
  id: number;
  name: string;
  latestVersion: number;
}

/** A change of snippets. */
export interface SnippetChange {
  /** Whether they have a new latest version. */
  latest: boolean;
  /** Labels that have moved. */
  labels: string[];
  /** Whether they were deleted, with all their versions. */
  deleted?: boolean;
}

/**
 * Finds prompts whose latest version has another content now, because they import a changed snippet, directly or inside
 * another snippet.
 */
export async function findImporters(
  tx: EntityManager,
  { workspaceId, ids }: { workspaceId: number; ids: number[] },
  { latest, labels, deleted = false }: SnippetChange,
): Promise<Importer[]> {
  const rows = await tx.query<{ id: number; name: string; latest_version: number }[]>(
    `WITH RECURSIVE affected (prompt_id, version_number) AS (
       SELECT s.prompt_id, s.version_number FROM prompt_snippets s
        WHERE s.workspace_id = $1 AND s.snippet_id = ANY ($2::int[])
          AND ($5 OR s.snippet_label = ANY ($4::text[]) OR ($3 AND s.snippet_label IS NULL AND s.snippet_version IS NULL))
       UNION
       SELECT s.prompt_id, s.version_number
         FROM affected a
         JOIN prompts p ON p.workspace_id = $1 AND p.id = a.prompt_id AND p.deleted_at IS NULL
         JOIN prompt_snippets s ON s.workspace_id = $1 AND s.snippet_id = a.prompt_id
         LEFT JOIN prompt_labels l ON l.workspace_id = $1 AND l.prompt_id = a.prompt_id AND l.name = s.snippet_label
        WHERE a.version_number = ${RESOLVED}
     )
     SELECT p.id, p.name, p.latest_version FROM affected a
       JOIN prompts p ON p.workspace_id = $1 AND p.id = a.prompt_id AND p.latest_version = a.version_number
      WHERE p.deleted_at IS NULL AND p.id <> ALL ($2::int[])
      ORDER BY p.id`,
    [workspaceId, ids, latest, labels, deleted],
  );
  return rows.map(({ id, name, latest_version: latestVersion }) => ({ id, name, latestVersion }));
}
