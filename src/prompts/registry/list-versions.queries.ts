import type { EntityManager } from 'typeorm';
import { getVersion } from './prompts.queries.js';

/** A version without its content. */
export interface ListedVersion {
  number: number;
  id: number;
  createdAt: Date;
  /** The key that published it. */
  createdBy: number | null;
  commitMessage: string | null;
  provider: string | null;
  model: string | null;
  /** By name. */
  labels: string[];
}

/** Up to `limit` versions after or before a number. */
export interface VersionsPage {
  order: 'asc' | 'desc';
  beside: number | null;
  limit: number;
}

interface Row {
  number: number;
  id: number;
  created_at: Date;
  created_by: number | null;
  commit_message: string | null;
  provider: string | null;
  model: string | null;
  labels: string[];
}

/** A prompt's versions with their release labels, in one statement. Throws prompt_not_found. */
export async function listPromptVersions(
  tx: EntityManager,
  workspaceId: number,
  identifier: string,
  { order, beside, limit }: VersionsPage,
): Promise<{ promptId: number; versions: ListedVersion[] }> {
  const { prompt } = await getVersion(tx, workspaceId, identifier, {});
  const rows = await tx.query<Row[]>(
    `SELECT v.number, v.id, v.created_at, v.created_by, v.commit_message,
            v.metadata #>> '{model,provider}' AS provider, v.metadata #>> '{model,name}' AS model,
            ARRAY(SELECT l.name FROM prompt_labels l
                   WHERE l.workspace_id = $1 AND l.prompt_id = $2 AND l.version_number = v.number
                   ORDER BY l.name COLLATE "C") AS labels
       FROM prompt_versions v
      WHERE v.workspace_id = $1 AND v.prompt_id = $2
        AND ($3::int IS NULL OR v.number ${order === 'asc' ? '>' : '<'} $3::int)
      ORDER BY v.number ${order} LIMIT $4`,
    [workspaceId, prompt.id, beside, limit],
  );
  return { promptId: prompt.id, versions: rows.map(toListed) };
}

function toListed({ created_at, created_by, commit_message, ...row }: Row): ListedVersion {
  return { ...row, createdAt: created_at, createdBy: created_by, commitMessage: commit_message };
}
