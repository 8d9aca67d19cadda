import type { EntityManager } from 'typeorm';
import { RESOLVED } from './snippet-graph.js';

export interface Importer {
  id: number;
  name: string;
  latestVersion: number;
}

/**
 * Finds prompts whose latest version has another content now, because they import a changed snippet, directly or inside
 * another snippet. `labels` are the labels of the snippet that have moved. `latest` is true if it has a new latest version.
 */
export async function findImporters(
  tx: EntityManager,
  snippet: { workspaceId: number; id: number },
  changed: { latest: boolean; labels: string[] },
): Promise<Importer[]> {
  const rows = await tx.query<{ id: number; name: string; latest_version: number }[]>(
    `WITH RECURSIVE affected (prompt_id, version_number) AS (
       SELECT s.prompt_id, s.version_number FROM prompt_snippets s
        WHERE s.workspace_id = $1 AND s.snippet_id = $2
          AND (s.snippet_label = ANY ($4::text[]) OR ($3 AND s.snippet_label IS NULL AND s.snippet_version IS NULL))
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
      WHERE p.deleted_at IS NULL AND p.id <> $2
      ORDER BY p.id`,
    [snippet.workspaceId, snippet.id, changed.latest, changed.labels],
  );
  return rows.map(({ id, name, latest_version: latestVersion }) => ({ id, name, latestVersion }));
}
