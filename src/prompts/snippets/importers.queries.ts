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

/** SQL that begins a statement about `affected`: all versions that import a changed snippet, directly or inside another snippet. */
const WITH_AFFECTED = `
  WITH RECURSIVE affected (prompt_id, version_number) AS (
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
  )`;

interface Snippets {
  workspaceId: number;
  ids: number[];
}

const valuesOf = ({ workspaceId, ids }: Snippets, { latest, labels, deleted = false }: SnippetChange) => [
  workspaceId,
  ids,
  latest,
  labels,
  deleted,
];

/** A version that has another content now, although nobody has changed it. */
export interface ImportingVersion {
  promptId: number;
  versionNumber: number;
}

/** Finds all versions of prompts that import a changed snippet, also those that are not the latest ones. */
export function findImportingVersions(
  tx: EntityManager,
  snippets: Snippets,
  change: SnippetChange,
): Promise<ImportingVersion[]> {
  return tx.query<ImportingVersion[]>(
    `${WITH_AFFECTED} SELECT prompt_id AS "promptId", version_number AS "versionNumber" FROM affected`,
    valuesOf(snippets, change),
  );
}

/** Finds prompts whose latest version imports a changed snippet. */
export async function findImporters(tx: EntityManager, snippets: Snippets, change: SnippetChange): Promise<Importer[]> {
  return tx.query<Importer[]>(
    `${WITH_AFFECTED}
     SELECT p.id, p.name, p.latest_version AS "latestVersion" FROM affected a
       JOIN prompts p ON p.workspace_id = $1 AND p.id = a.prompt_id AND p.latest_version = a.version_number
      WHERE p.deleted_at IS NULL AND p.id <> ALL ($2::int[])
      ORDER BY p.id`,
    valuesOf(snippets, change),
  );
}
